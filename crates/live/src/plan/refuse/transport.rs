//! Handles every key of `[flow.transport]`: a setting of the kernel, or a refusal by name.

use super::super::options::RouteMetrics;
use super::flow::Request;
use super::sysctl::{RECEIVE_BUFFERS, Sysctl};
use crate::error::LiveError;
use narrows_transport::{Transport, Tso};
use narrows_units::{Bytes, Span};
use std::fmt::Display;

/// Smallest and largest `TCP_MAXSEG` (`TCP_MIN_MSS`, `MAX_TCP_WINDOW`).
const MAX_SEGMENT: (u64, u64) = (88, 32_767);
/// Largest window without window scaling (RFC 7323 section 2.2).
const UNSCALED_WINDOW: u64 = 65_535;
/// Largest window of TCP (RFC 7323 section 2.3).
const MAX_WINDOW: u64 = 1 << 30;

/// The TCP settings of a flow.
pub struct Tcp {
    /// True for IPv6.
    pub v6: bool,
    /// Largest segment as in `TCP_MAXSEG`, if it is smaller than the MTU allows.
    pub max_segment: Option<u32>,
    /// Largest window of the receiver.
    pub receive_window: Option<Bytes>,
    /// Metrics of its route, without ECN, which the controller determines.
    pub metrics: RouteMetrics,
    /// Settings of its hosts.
    pub sysctls: Vec<Sysctl>,
}

/// Returns the kernel settings for the transport of a flow, with packets of up to `mtu` bytes.
///
/// # Errors
///
/// The first key that the kernel does not support.
pub fn tcp(request: &Request<'_>, transport: &Transport, mtu: u32) -> Result<Tcp, LiveError> {
    let linux = Transport::default();
    // No `..` here, so that a new key does not compile until it is handled. Keys without a name are
    // settings of hosts (`sysctls`).
    let Transport {
        mss,
        headers,
        handshake,
        initial_window,
        min_rto,
        initial_rto,
        max_rto,
        acks,
        ack_every,
        ack_delay,
        quick_acks,
        receive_autotuning,
        gro,
        receive_window,
        tso,
        unpaced_start,
        sack: _,
        timestamps,
        rto,
        rtt_samples,
        tick,
        loss_detection,
        dupthresh: _,
        recovery,
        tail_loss_probe: _,
        frto: _,
        undo,
        ack_pieces,
        ack_ahead,
    } = *transport;
    let same = |key, asked: &dyn Display, linux: &dyn Display| {
        same(request, key, asked.to_string(), linux.to_string())
    };
    same("acks", &acks, &linux.acks)?;
    same("handshake", &handshake, &linux.handshake)?;
    same("initial_rto", &initial_rto, &linux.initial_rto)?;
    same("rto", &rto, &linux.rto)?;
    same("rtt_samples", &rtt_samples, &linux.rtt_samples)?;
    same("tick", &tick, &linux.tick)?;
    same("loss_detection", &loss_detection, &linux.loss_detection)?;
    same("recovery", &recovery, &linux.recovery)?;
    same("undo", &undo, &linux.undo)?;
    same("gro", &gro, &linux.gro)?;
    same("unpaced_start", &unpaced_start, &linux.unpaced_start)?;
    same("ack_pieces", &ack_pieces, &linux.ack_pieces)?;
    same("ack_ahead", &ack_ahead, &linux.ack_ahead)?;
    // With `quickack` on the route, the receiver acknowledges each segment at once, so delays do
    // not matter.
    if ack_every != 1 {
        same("ack_every", &ack_every, &linux.ack_every)?;
        same("ack_delay", &ack_delay, &linux.ack_delay)?;
        same("quick_acks", &quick_acks, &linux.quick_acks)?;
        same("receive_autotuning", &receive_autotuning, &linux.receive_autotuning)?;
    }
    check_tso(request, tso)?;
    let initial_window = (initial_window != linux.initial_window).then_some(initial_window);
    check_initial_window(request, mss, initial_window)?;
    let min_rto = (min_rto != linux.min_rto).then_some(min_rto);
    check_min_rto(request, min_rto)?;
    check_receive_window(request, receive_window)?;
    check_max_rto(request, max_rto, linux.max_rto)?;
    let v6 = is_v6(request, headers, timestamps)?;
    Ok(Tcp {
        v6,
        max_segment: max_segment(request, mss, headers, timestamps, mtu)?,
        receive_window,
        metrics: RouteMetrics { ecn: false, initial_window, min_rto, ack_each: ack_every == 1 },
        sysctls: sysctls(transport),
    })
}

/// Refuses a value other than the only one that the kernel has.
fn same(request: &Request<'_>, key: &str, asked: String, linux: String) -> Result<(), LiveError> {
    if asked == linux {
        return Ok(());
    }
    let problem = format!("the kernel's TCP has {key} = {linux}, not {asked}");
    Err(request.refused(
        &format!("transport.{key}"),
        problem,
        format!("leave {key} out, or simulate it with narrows run"),
    ))
}

fn check_tso(request: &Request<'_>, tso: Tso) -> Result<(), LiveError> {
    let Tso::Fixed(size) = tso else { return Ok(()) };
    let problem = format!(
        "the kernel sizes what it hands over at once by the rate (tcp_tso_autosize), not always {size}"
    );
    Err(request.refused("transport.tso", problem, "give \"auto\", or leave tso out"))
}

fn check_initial_window(
    request: &Request<'_>,
    mss: Bytes,
    segments: Option<u32>,
) -> Result<(), LiveError> {
    let Some(segments) = segments else { return Ok(()) };
    let first = mss.get() * u64::from(segments);
    if first <= UNSCALED_WINDOW {
        return Ok(());
    }
    let problem = format!(
        "a first window of {first} B is more than a receiver can offer when it accepts ({UNSCALED_WINDOW} B)"
    );
    let most = (UNSCALED_WINDOW / mss.get()).max(1);
    Err(request.refused("transport.initial_window", problem, format!("give at most {most}")))
}

fn check_min_rto(request: &Request<'_>, min_rto: Option<Span>) -> Result<(), LiveError> {
    match min_rto {
        Some(span) if span.as_nanos() % Span::from_millis(1).as_nanos() != 0 => {
            let problem = format!("the kernel counts it in whole milliseconds, not {span}");
            Err(request.refused("transport.min_rto", problem, "give whole milliseconds"))
        }
        _ => Ok(()),
    }
}

fn check_receive_window(request: &Request<'_>, window: Option<Bytes>) -> Result<(), LiveError> {
    match window {
        Some(window) if window.get() > MAX_WINDOW => {
            let problem = format!("TCP has no window of {window}");
            Err(request.refused(
                "transport.receive_window",
                problem,
                "give at most 1 GiB, or \"unlimited\"",
            ))
        }
        _ => Ok(()),
    }
}

fn check_max_rto(request: &Request<'_>, max_rto: Span, linux: Span) -> Result<(), LiveError> {
    let settable = request.kernel.max_rto;
    if max_rto == linux || settable && (Span::from_secs(1)..=linux).contains(&max_rto) {
        return Ok(());
    }
    let remedy = if settable {
        "give from \"1 s\" to \"120 s\""
    } else {
        "leave it out, or take Linux 6.15 or later"
    };
    Err(request.refused(
        "transport.max_rto",
        format!("this kernel has {linux}, not {max_rto}"),
        remedy,
    ))
}

/// True if headers of this size are those of IPv6.
fn is_v6(request: &Request<'_>, headers: Bytes, timestamps: bool) -> Result<bool, LiveError> {
    let (v4, v6) = if timestamps { (52, 72) } else { (40, 60) };
    let refused = |problem, remedy| Err(request.refused("transport.headers", problem, remedy));
    match headers.get() {
        size if size == v4 => Ok(false),
        size if size == v6 && request.kernel.v6 => Ok(true),
        size if size == v6 => refused(
            format!("headers of {headers} are those of IPv6, which this kernel does not have"),
            format!("give {v4} B for IPv4, or start the kernel without ipv6.disable=1"),
        ),
        _ => {
            let stamps = if timestamps { "with" } else { "without" };
            refused(
                format!("no packet of TCP {stamps} time stamps has headers of {headers}"),
                format!("give {v4} B for IPv4 or {v6} B for IPv6, and the mss that goes with it"),
            )
        }
    }
}

/// Returns `TCP_MAXSEG`, if the MTU allows more.
fn max_segment(
    request: &Request<'_>,
    mss: Bytes,
    headers: Bytes,
    timestamps: bool,
    mtu: u32,
) -> Result<Option<u32>, LiveError> {
    if mss + headers >= Bytes::new(mtu.into()) {
        return Ok(None);
    }
    let options = if timestamps { 12 } else { 0 };
    let segment = mss.get() + options;
    if (MAX_SEGMENT.0..=MAX_SEGMENT.1).contains(&segment) {
        return Ok(Some(segment as u32));
    }
    let problem = format!("TCP cannot be told to send segments of {mss} beside larger ones");
    let remedy =
        format!("give an mss from {} to {} B", MAX_SEGMENT.0 - options, MAX_SEGMENT.1 - options);
    Err(request.refused("transport.mss", problem, remedy))
}

/// Returns the keys that are settings of hosts.
fn sysctls(transport: &Transport) -> Vec<Sysctl> {
    let Transport {
        sack,
        timestamps,
        tail_loss_probe,
        frto,
        max_rto,
        receive_window,
        dupthresh,
        ..
    } = *transport;
    let switch = |on: bool, value: &'static str| if on { value.to_owned() } else { "0".to_owned() };
    let (buffer, moderate) = match receive_window {
        // Room for the window and for the kernel's overhead; it must not grow.
        Some(window) => (format!("4096 {0} {0}", (4 * window.get()).max(1 << 16)), "0"),
        None => (RECEIVE_BUFFERS.to_owned(), "1"),
    };
    let of = |both| move |key, path, value, default| Sysctl { key, path, value, default, both };
    let (hosts, receiver) = (of(true), of(false));
    vec![
        hosts("transport.sack", "ipv4/tcp_sack", switch(sack, "1"), "1"),
        hosts("transport.timestamps", "ipv4/tcp_timestamps", switch(timestamps, "1"), "1"),
        hosts(
            "transport.tail_loss_probe",
            "ipv4/tcp_early_retrans",
            switch(tail_loss_probe, "3"),
            "3",
        ),
        hosts("transport.frto", "ipv4/tcp_frto", switch(frto, "2"), "2"),
        // A host setting, because the kernel takes the value of a route only if it remembers
        // earlier connections (`tcp_init_metrics`).
        hosts("transport.dupthresh", "ipv4/tcp_reordering", dupthresh.to_string(), "3"),
        hosts(
            "transport.max_rto",
            "ipv4/tcp_rto_max_ms",
            (max_rto.as_micros() / 1000).to_string(),
            "120000",
        ),
        receiver("transport.receive_window", "ipv4/tcp_rmem", buffer, RECEIVE_BUFFERS),
        receiver("transport.receive_window", "ipv4/tcp_moderate_rcvbuf", moderate.to_owned(), "1"),
    ]
}
