//! A measurement of one bulk flow, as its sender saw it.

use thiserror::Error;

/// The program that measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Intervals of `iperf3 --json`. Round trips are smoothed by the kernel.
    Iperf3,
    /// Lines of `ss -ti`. Round trips are smoothed, except for the least one.
    Ss,
    /// Packets at the sender. Every acknowledgement gives a round trip.
    Capture,
}

/// The state of the flow at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Time since the beginning, in seconds.
    pub at: f64,
    /// Payload that had arrived, in bytes.
    pub delivered: f64,
    /// Round trip in seconds, if this point has one.
    pub rtt: Option<f64>,
    /// Segments retransmitted since the previous point.
    pub resent: f64,
}

/// A measurement of one bulk flow.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The program that measured.
    pub origin: Origin,
    /// Name of the sender's controller in Linux, if the measurement has it.
    pub controller: Option<String>,
    /// Payload of a full segment, in bytes.
    pub mss: f64,
    /// Headers of a full segment from IP on, in bytes.
    pub headers: f64,
    /// Least round trip in seconds that the handshake or the kernel's filter measured, besides the
    /// points' round trips.
    pub least_rtt: Option<f64>,
    /// Segments sent, including retransmissions.
    pub sent: f64,
    /// States of the flow in time order, at least two.
    pub points: Vec<Point>,
    /// Remark on the measurement for the reader.
    pub remark: Option<String>,
}

impl Measured {
    /// Returns the time from the first point to the last, in seconds.
    pub fn seconds(&self) -> f64 {
        match (self.points.first(), self.points.last()) {
            (Some(first), Some(last)) => last.at - first.at,
            _ => 0.0,
        }
    }

    /// Returns the size of a full segment from IP on, in bytes.
    pub fn packet(&self) -> f64 {
        self.mss + self.headers
    }

    /// Returns the measurement as at most `most` lines of `ss -ti`, which an overlay can read.
    pub fn as_ss(&self, most: usize) -> String {
        let mut text = String::new();
        let gap = self.seconds() / most.max(1) as f64;
        let (mut next, first) = (f64::NEG_INFINITY, self.points.first().map_or(0.0, |own| own.at));
        for point in &self.points {
            let Some(rtt) = point.rtt.filter(|_| point.at >= next) else { continue };
            next = point.at + gap;
            text += &format!(
                "{} rtt:{:.3}/0 mss:{} bytes_acked:{:.0} busy:{:.3}ms\n",
                self.controller.as_deref().unwrap_or("unknown"),
                rtt * 1e3,
                self.mss,
                point.delivered,
                (point.at - first) * 1e3,
            );
        }
        text
    }
}

/// The reason why a measurement gives no path. The text names the file, the reason and a remedy.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct FitError(pub(crate) String);

impl FitError {
    /// Returns an error about the file `name`.
    pub(crate) fn new(name: &str, problem: &str, remedy: &str) -> FitError {
        FitError(format!("{name}: {problem}; {remedy}"))
    }
}
