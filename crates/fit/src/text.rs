//! The estimate in words.

use crate::estimate::{Buffer, Estimate, Means, Range};
use crate::measured::{Measured, Origin};
use narrows_figure::number::short as number;

/// Returns the estimate in one sentence.
pub fn sentence(estimate: &Estimate) -> String {
    let rate = number(estimate.rate / 1e6);
    let rate = if estimate.rate_range.is_some() { rate } else { format!("at least {rate}") };
    let base = number(1e3 * estimate.base);
    let base = if estimate.is_base_bound { format!("at most {base}") } else { base };
    let buffer = match estimate.buffer {
        Buffer::Filled { bytes, .. } => {
            let least = if estimate.is_base_bound { "at least " } else { "" };
            format!("{least}{} kB", number(bytes / 1e3))
        }
        Buffer::NotFilled { at_least } => {
            format!("not filled, at least {} kB", number(at_least / 1e3))
        }
    };
    format!(
        "Estimated: rate {rate} Mbit/s, base round trip {base} ms, buffer {buffer}, other losses {} %. Measured: goodput {} Mbit/s, median round trip {} ms.",
        number(100.0 * estimate.losses.share),
        number(estimate.goodput / 1e6),
        number(1e3 * estimate.median_rtt)
    )
}

/// Returns a remark if a simulation of the path does not meet the measurement.
pub fn misses(estimate: &Estimate, simulated: Means) -> Option<String> {
    let Means { goodput, median_rtt } = simulated;
    (!estimate.meets(simulated)).then(|| {
        format!(
            "The simulation does not meet the measurement: goodput {} instead of {} Mbit/s, median round trip {} instead of {} ms. The path has something that the estimate does not know; a capture at the sender tells more.",
            number(goodput / 1e6),
            number(estimate.goodput / 1e6),
            number(1e3 * median_rtt),
            number(1e3 * estimate.median_rtt)
        )
    })
}

/// Returns the estimate as a table with one line per quantity, followed by the limits of the
/// measurement.
pub fn text(name: &str, measured: &Measured, estimate: &Estimate) -> String {
    let origin = match measured.origin {
        Origin::Iperf3 => "intervals of iperf3",
        Origin::Ss => "lines of ss",
        Origin::Capture => "packets at the sender",
    };
    let controller = measured.controller.as_ref().map_or(String::new(), |own| format!(", {own}"));
    let mut text = format!("{name}: {origin}, {} s{controller}\n\n", number(measured.seconds()));
    let mut line = |name: &str, value: String, remark: String| {
        text += &format!("{name:<10}  {value:<16}  {remark}\n");
    };
    let between = |range: Range, scale: f64| {
        format!("{} to {}", number(range.low / scale), number(range.high / scale))
    };
    match estimate.rate_range {
        Some(range) => line(
            "Rate",
            format!("{} Mbit/s", number(estimate.rate / 1e6)),
            format!(
                "{}, 95 % interval; packets waited {} % of the time",
                between(range, 1e6),
                number(100.0 * estimate.queued)
            ),
        ),
        None => line(
            "Rate",
            format!("≥ {} Mbit/s", number(estimate.rate / 1e6)),
            "the link was not seen full: no queue before it".to_owned(),
        ),
    }
    let sign = if estimate.is_base_bound { "≤ " } else { "" };
    let remark = match (estimate.shorter, estimate.is_base_bound, measured.origin) {
        (Some(shorter), ..) => format!(
            "least round trip of data; without data one took {} ms: a proxy answered, or the queue never emptied",
            number(1e3 * shorter)
        ),
        (None, true, _) => {
            "iperf3 has smoothed round trips only, the least of which may contain a queue"
                .to_owned()
        }
        (None, false, Origin::Ss) => "the kernel's least round trip".to_owned(),
        (None, false, _) => {
            "least round trip of the handshake and of all acknowledgements".to_owned()
        }
    };
    line("Base RTT", format!("{sign}{} ms", number(1e3 * estimate.base)), remark);
    let bdp = |bytes: f64| number(8.0 * bytes / estimate.rate / estimate.base);
    match estimate.buffer {
        Buffer::Filled { bytes, range, full, episodes, is_assumed } => {
            let when = match is_assumed {
                true => format!(
                    "taken to be full in all {episodes} episodes of loss, with which the simulation agrees"
                ),
                false => format!("full in {full} of {episodes} episodes of loss"),
            };
            // The queue is too short by as much as the base round trip is too long.
            let sign = if estimate.is_base_bound { "≥ " } else { "" };
            line(
                "Buffer",
                format!("{sign}{} kB", number(bytes / 1e3)),
                format!("{} kB, {when}; {} bdp", between(range, 1e3), bdp(bytes)),
            )
        }
        Buffer::NotFilled { at_least } => line(
            "Buffer",
            "not filled".to_owned(),
            format!("it holds at least {} kB, {} bdp", number(at_least / 1e3), bdp(at_least)),
        ),
    }
    let losses = estimate.losses;
    let percent = |share: f64| number(100.0 * share);
    line(
        "Loss",
        if losses.share > 0.0 {
            format!("{} %", percent(losses.share))
        } else {
            "none seen".to_owned()
        },
        format!(
            "{} to {} %, 95 % interval; apart from a full buffer",
            percent(losses.range.low),
            percent(losses.range.high)
        ),
    );
    text += "\nNot known: the queue discipline (drop-tail is assumed), other traffic at the bottleneck, changes of the path, how the delay divides between the directions.\n";
    if let Some(remark) = &measured.remark {
        text += &format!("{remark}\n");
    }
    text
}
