//! Damaged measurements of other programs, laid over a run: output of iperf3, logs of mm-link, and
//! qlogs.

use crate::page;
use crate::torture::campaign::{Case, Class, End, Verdict, campaign};
use crate::torture::mutate::mutated;
use crate::torture::program::Program;
use crate::torture::results::{Original, one_link};
use std::fs;

const CLASS: Class = Class { name: "overlays", title: "Mutated overlays", full: 2_600 };

/// One value per line, so that mutations of lines change values.
const IPERF3: &str = r#"{ "start": { "tcp_mss_default": 1448 }, "intervals": [
{ "streams": [{ "rtt": 31000,
"snd_cwnd": 14480 }],
"sum": { "start": 0,
"end": 1,
"bits_per_second": 8e6,
"omitted": false } },
{ "streams": [{ "rtt": 41000, "snd_cwnd": 28960 }], "sum": { "start": 1, "end": 2, "bits_per_second": 9123456.5 } }
] }"#;
const MM_LINK: &str = "# base timestamp: 5\n6 + 1500\n15 # 1504\n15 - 1500 9\n50 d 1 1504\n104 # 1504\n199 - 500 10\n230 - 1500 17\n310 + 40\n";

const QLOG: &str = "\x1e{\"qlog_version\":\"0.3\",\"trace\":{\"common_fields\":{\"time_format\":\"relative\"}}}\n\
    \x1e{\"time\":1.5,\"name\":\"recovery:metrics_updated\",\"data\":{\"latest_rtt\":31.5,\n\"congestion_window\":14520,\n\"bytes_in_flight\":2904}}\n\
    \x1e{\"time\":31,\"name\":\"transport:packet_sent\",\"data\":{}}\n\
    \x1e{\"time\":62.25,\"name\":\"recovery:metrics_updated\",\"data\":{\"latest_rtt\":40.5,\n\"congestion_window\":29040,\n\"bytes_in_flight\":14520}}\n";

/// Bound above every plausible value in the units of a report.
const ABSURD: f64 = 1e15;

#[test]
fn overlays() {
    let original =
        Original::of(CLASS.name, &[("in.toml", one_link("300 ms", "5 Mbit/s"))], "run in.toml");
    campaign(&CLASS, |case| {
        original.lay_out_result(&case.place);
        let text = [IPERF3, MM_LINK, QLOG][case.random.below(3) as usize];
        fs::write(case.place.path("work/measured"), mutated(text, &mut case.random))
            .expect("a file");
        let ended = Program::new(
            &case.place,
            &["report", "out", "--overlay", "measured", "--out", "page.html"],
        )
        .run()?;
        ended.decent()?;
        if ended.code() == 2 {
            return Ok(End::Refused);
        }
        // The text on the measurement may be several lines long.
        let told = ended
            .stdout
            .split("\n\n")
            .find(|part| part.starts_with("Measured, "))
            .ok_or("nothing is said of the measurement")?;
        sensible(told)?;
        drawn(case)
    });
}

/// Checks that the numbers in the report's text are plausible.
fn sensible(told: &str) -> Result<(), String> {
    let words = told.split_whitespace().map(|word| word.trim_end_matches([',', '.']));
    let numbers: Vec<f64> = words.filter_map(|word| word.parse().ok()).collect();
    match numbers.iter().find(|number| !(0.0..ABSURD).contains(*number)) {
        Some(_) => Err(format!("nonsense is told: {}", told.chars().take(200).collect::<String>())),
        None if numbers.is_empty() => Err(format!("no number is told: {told}")),
        None => Ok(()),
    }
}

/// Checks that the numbers drawn on the page are plausible.
fn drawn(case: &Case) -> Verdict {
    let data = page::data(&String::from_utf8_lossy(&case.place.read("work/page.html")))?;
    for overlay in data["overlays"].as_array().ok_or("the page has no overlays")? {
        for axis in ["x", "y"] {
            let points = overlay[axis].as_array().ok_or("an overlay has no points")?;
            if let Some(point) = points
                .iter()
                .find(|point| !point.as_f64().is_some_and(|number| (0.0..ABSURD).contains(&number)))
            {
                return Err(format!("nonsense is drawn: {axis} = {point}"));
            }
        }
    }
    Ok(End::Accepted)
}
