//! Reads a measurement of any known form.

use crate::capture;
use crate::measured::{FitError, Measured, Origin, Point};
use narrows_report::Samples;

/// Headers of a segment over IPv4 with timestamps, in bytes: 20 of IP, 32 of TCP.
const HEADERS: f64 = 52.0;
/// Payload of a full segment if the measurement does not have it: Ethernet's.
const MSS: f64 = 1448.0;

/// Reads a measurement of one bulk flow: output of `iperf3 --json`, lines of `ss -ti` that were
/// printed again and again, or a pcap or pcapng file made at the sender. Errors call it `name`.
///
/// # Errors
///
/// The bytes have another form, are damaged, or have too little of a flow to estimate from.
pub fn read(name: &str, bytes: &[u8]) -> Result<Measured, FitError> {
    if capture::is_one(bytes) {
        return capture::read(name, bytes);
    }
    const FORMS: &str =
        "give the output of iperf3 --json, lines of ss -ti, or a pcap or pcapng file";
    if bytes.trim_ascii().is_empty() {
        return Err(FitError::new(name, "it is empty", FORMS));
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|_| FitError::new(name, "it is neither text nor a capture", FORMS))?;
    if !Samples::is_known(text) {
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let shown: String = first.chars().filter(|own| !own.is_control()).take(60).collect();
        let problem = format!("it is no measurement; its first line is \"{shown}\"");
        return Err(FitError::new(name, &problem, FORMS));
    }
    let samples = Samples::parse(name, text).map_err(|error| FitError(error.to_string()))?;
    // The bytes of iperf3 are those that it has written. They fill the send buffer first.
    let written: f64 = samples.points.iter().map(|own| own.bytes).sum();
    let unsent = samples.received.map_or(0.0, |received| (written - received).max(0.0));
    let mut gone = 0.0;
    let mut points = vec![Point { at: samples.begins, delivered: 0.0, rtt: None, resent: 0.0 }];
    for own in &samples.points {
        gone += own.bytes;
        points.push(Point {
            at: own.at,
            delivered: (gone - unsent).max(0.0),
            rtt: own.rtt_ms.filter(|rtt| *rtt > 0.0).map(|rtt| rtt / 1e3),
            resent: own.resent,
        });
    }
    if points.iter().filter(|point| point.rtt.is_some()).count() < 5 {
        return Err(FitError::new(
            name,
            "fewer than five of its lines have a round trip",
            "measure one TCP connection at its sender for ten seconds or more",
        ));
    }
    let mss = samples.mss.unwrap_or(MSS);
    let resent: f64 = points.iter().map(|point| point.resent).sum();
    Ok(Measured {
        origin: if samples.is_ss { Origin::Ss } else { Origin::Iperf3 },
        controller: samples.controller,
        mss,
        headers: HEADERS,
        least_rtt: samples.least_rtt_ms.map(|rtt| rtt / 1e3),
        sent: (written - unsent) / mss + resent,
        points,
        remark: samples.remark,
    })
}
