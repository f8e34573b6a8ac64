//! A note on segmentation-offload bursts that are larger than a buffer.

use narrows_path::{Limit, RateSource};
use narrows_scenario::Scenario;
use narrows_transport::MAX_OFFLOAD;
use narrows_units::Bytes;

/// Bursts per second of a paced sender. A burst has the size that the pacing rate carries in 1/1024
/// s (Linux `tcp_tso_autosize`), at most [`MAX_OFFLOAD`].
const BURSTS_PER_SECOND: u64 = 1024;

/// Names a bottleneck with a buffer that is smaller than one burst. The burst leaves the host at
/// once because the host has no network card that would space its packets.
pub fn note(scenario: &Scenario) -> Option<String> {
    let (name, burst, buffer) = scenario.links.iter().find_map(|link| {
        let RateSource::Constant(rate) = &link.config.rate else { return None };
        let burst = Bytes::new(rate.as_bps() / 8 / BURSTS_PER_SECOND).min(MAX_OFFLOAD);
        match link.config.limit {
            Limit::Bytes(buffer) if buffer < burst => Some((&link.name, burst, buffer)),
            _ => None,
        }
    })?;
    let kilobytes = |bytes: Bytes| format!("{:.0} kB", bytes.get() as f64 / 1e3);
    Some(format!(
        "hosts here have no network card: a burst of bbr, bbr3 or prague, up to {}, reaches {name} at once, whose buffer holds {}; \
         --host-rate gives them one",
        kilobytes(burst),
        kilobytes(buffer)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_scenario::Comparison;
    use narrows_units::{Rate, Span};

    fn of(rate: Rate, rtt: Span) -> Option<String> {
        let comparison = Comparison { rate, rtt, ..Comparison::default() };
        let scenario = narrows_scenario::parse(
            &comparison.to_toml("bbr", 1),
            "x.toml",
            &narrows_scenario::read_named,
        );
        note(&scenario.expect("a scenario"))
    }

    #[test]
    fn a_burst_larger_than_the_buffer_is_told() {
        // 2 BDP at 1 Gbit/s and 100 us are 25 kB. A burst of a millisecond is limited to 64 KiB.
        let said = of(Rate::from_mbps(1000), Span::from_micros(100)).expect("a note");
        assert!(said.contains("up to 66 kB") && said.contains("holds 25 kB"), "{said}");
        // At 100 Mbit/s a burst has 12.2 kB, and the buffer has 750 kB.
        assert_eq!(of(Rate::from_mbps(100), Span::from_millis(30)), None);
    }
}
