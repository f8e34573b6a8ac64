//! Use of links from 64 kbit/s to 1 Gbit/s.

use super::{Rule, climbs, windowed};
use crate::common::{one_link, run, utilisation};

/// Buffers of one BDP or a few packets, and windows from less than a packet to thousands.
/// Controllers that try rates are left out: they need many packets to tell rates apart, and take
/// long on slow links.
#[test]
fn every_rate_is_used() {
    const RULE: Rule = Rule {
        name: "every rate is used",
        origin: "quinn commit ebc98faa: bits taken for bytes; quinn #975: growth below one segment rounded to zero; s2n-quic \
            #1475: a quantum above the pacer's budget",
        remedy: "look for units, for a window rounded down, and for the least window and quantum at low rates",
    };
    const PATHS: &[(&str, u32, &str, u32, f64)] = &[
        ("64 kbit/s", 10, "5 packets", 60, 0.95),
        ("256 kbit/s", 20, "5 packets", 60, 0.95),
        // BBR empties this path for a second in ten: PROBE_RTT lasts 200 ms and a round trip of 600
        // ms.
        ("256 kbit/s", 300, "1 bdp", 120, 0.85),
        ("1 Mbit/s", 20, "5 packets", 60, 0.95),
        ("10 Mbit/s", 20, "1 bdp", 60, 0.95),
        ("10 Mbit/s", 400, "1 bdp", 120, 0.85),
        ("1 Gbit/s", 20, "1 bdp", 15, 0.95),
    ];
    for controller in windowed() {
        // Without doubling it takes minutes to fill 330 packets over 400 ms, or 3300 over 20 ms.
        let climbs = climbs(&controller);
        for (rate, delay, buffer, seconds, least) in
            PATHS.iter().filter(|path| !climbs || (path.1 < 400 && path.0 != "1 Gbit/s"))
        {
            let least = match controller.name() {
                // Slowdowns may cost a tenth (draft-irtf-iccrg-ledbat-plus-plus, section 4.4).
                "ledbatpp" => 0.9 * least,
                // It reaches this rate 5 s after its start: 93 % of 15 s, 99 % of 60 s.
                "copa" if *rate == "1 Gbit/s" => 0.9,
                // A packet at 256 kbit/s is more than half of its target of 60 ms, so that one
                // waiting is congestion.
                "screamv2" if *rate == "256 kbit/s" => 0.5,
                _ => *least,
            };
            let link = format!("rate = \"{rate}\"\ndelay = \"{delay} ms\"\nbuffer = \"{buffer}\"");
            let used =
                utilisation(&run(&one_link(&controller.text, *seconds, seconds / 3, &link, "")));
            RULE.assert(
                used >= least,
                &controller,
                format!("it uses {used} of {rate} over {delay} ms, less than {least}"),
            );
        }
    }
}
