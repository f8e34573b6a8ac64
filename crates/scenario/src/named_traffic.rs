//! Named traffic: common kinds of traffic, with the metrics that matter to each.

use narrows_params::suggest;
use std::fmt;

/// A named kind of traffic.
#[derive(Debug)]
pub struct NamedTraffic {
    /// Name in scenarios and on the command line.
    pub name: &'static str,
    /// Description in one line.
    pub summary: &'static str,
    /// Sources of the numbers, with those that are this project's choice.
    pub source: &'static str,
    /// The `workload` of its flow, as TOML.
    pub workload: &'static str,
    /// Noun that follows the controller's name: "download" in "a cubic download".
    pub noun: &'static str,
    /// True if the noun can be counted, as in "a cubic download", but not in "cubic web traffic".
    pub counted: bool,
    /// Metrics that matter to this traffic: the column heading and the metric's name.
    pub metrics: &'static [(&'static str, &'static str)],
}

/// All named traffic, in the order of lists.
pub const TRAFFIC: &[NamedTraffic] = &[
    NamedTraffic {
        name: "bulk",
        summary: "downloads that always have something to send",
        source: "long-lived flows of RFC 5166, section 2.1: rate, delay and loss",
        workload: "\"bulk\"",
        noun: "download",
        counted: true,
        metrics: &[
            ("Goodput", "goodput"),
            ("RTT p95", "rtt_p95"),
            ("Standing queue", "standing_queue"),
            ("Loss", "loss"),
        ],
    },
    NamedTraffic {
        name: "web",
        summary: "objects of web pages that arrive at random, each on a connection of its own, at 30 % of the slowest link",
        source: "sizes: HTTP model of 3GPP2 C.R1002-0 and IEEE 802.16m; short transfers beside a long one: RFC 9743, section 5.1.5; ours: the load",
        workload: "{ load = \"30 %\", sizes = \"web\" }",
        noun: "web traffic",
        counted: false,
        metrics: &[
            ("Time p50", "fct_p50"),
            ("Time p95", "fct_p95"),
            ("Time p99", "fct_p99"),
            ("Short p99", "short_slowdown_p99"),
            ("Medium p99", "medium_slowdown_p99"),
        ],
    },
    NamedTraffic {
        name: "call",
        summary: "a video call of 1.5 Mbit/s, 30 frames a second, each late after 150 ms, over a reliable connection",
        source: "lateness: ITU-T G.114; frame delay: RFC 8868, section 3; ours: rate and frames, a camera at 720p without key frames",
        workload: "{ rate = \"1.5 Mbit/s\", frame = \"33.333 ms\", deadline = \"150 ms\" }",
        noun: "call",
        counted: true,
        metrics: &[("Delay p95", "frame_delay_p95"), ("Late frames", "late_frames")],
    },
];

impl fmt::Display for NamedTraffic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl NamedTraffic {
    /// Returns the traffic of this name.
    ///
    /// # Errors
    /// No traffic has this name; the text lists the names.
    pub fn named(name: &str) -> Result<&'static NamedTraffic, String> {
        let names = TRAFFIC.iter().map(|traffic| traffic.name);
        let found = TRAFFIC.iter().find(|traffic| traffic.name == name);
        found.ok_or_else(|| {
            format!("there is no traffic \"{name}\"; {}", suggest(name, "traffic", names))
        })
    }

    /// Describes traffic that `controller` drives: "a cubic download", "cubic web traffic", or with
    /// a number "3 cubic downloads".
    pub fn driven_by(&self, controller: &str, count: u32) -> String {
        match (self.counted, count) {
            (false, _) => format!("{controller} {}", self.noun),
            (true, 1) => format!("{} {controller} {}", article(controller), self.noun),
            (true, count) => format!("{count} {controller} {}s", self.noun),
        }
    }
}

fn article(word: &str) -> &'static str {
    if word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_measure::metrics::metric;

    #[test]
    fn each_kind_can_be_read_and_measured() {
        for traffic in TRAFFIC {
            let text = format!(
                "duration = \"2 s\"\n[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = \"10 Mbit/s\"\n\
                 [[flow]]\nfrom = \"a\"\nto = \"b\"\ncontroller = \"cubic\"\nworkload = {}\n",
                traffic.workload
            );
            let read =
                crate::parse(&text, traffic.name, &|_| Err(std::io::Error::other("no files")));
            assert!(read.is_ok(), "{}: {:?}", traffic.name, read.err());
            assert!(
                traffic.metrics.iter().all(|(_, name)| metric(name).is_some()),
                "{}",
                traffic.name
            );
        }
        assert_eq!(
            NamedTraffic::named("wbe").expect_err("a misspelt name"),
            "there is no traffic \"wbe\"; did you mean \"web\"?"
        );
    }

    #[test]
    fn in_words() {
        let [bulk, web, _] = TRAFFIC else { panic!("three kinds") };
        assert_eq!(
            [bulk.driven_by("bbr3", 1), bulk.driven_by("aimd", 1), bulk.driven_by("cubic", 3)],
            ["a bbr3 download", "an aimd download", "3 cubic downloads"]
        );
        assert_eq!(web.driven_by("bbr3", 1), "bbr3 web traffic");
    }
}
