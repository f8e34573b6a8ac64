//! Measured series that plots show over a simulation.

mod iperf3;
mod mahimahi;
mod model;
mod qlog;
mod samples;
mod ss;

use model::Problem;
pub use model::{Overlay, OverlayError, Quantity, Series};
pub use samples::{Sample, Samples};

impl Overlay {
    /// Parses the output of `iperf3 --json` or `--json-stream`, lines of `ss -ti`, a log of
    /// mahimahi's `mm-link`, or the qlog of a QUIC stack.
    ///
    /// # Errors
    ///
    /// The text has another form, or no measurement.
    pub fn parse(name: &str, text: &str) -> Result<Overlay, OverlayError> {
        let read = match before_json(text) {
            _ if qlog::is_qlog(text) => qlog::parse(text).map(|series| (series, None)),
            Some(start) => {
                let lines = text[..start].matches('\n').count();
                iperf3::parse(&text[start..])
                    .map_err(|(line, problem, remedy)| (line + lines, problem, remedy))
            }
            None if ss::is_one(text) => ss::parse(text),
            None => mahimahi::parse(text).map(|series| (series, None)),
        };
        let (series, remark) = read.map_err(|(line, problem, remedy)| OverlayError {
            name: name.to_owned(),
            line,
            problem,
            remedy,
        })?;
        Ok(Overlay { name: name.to_owned(), text: text.to_owned(), series, remark })
    }
}

impl Samples {
    /// True if a text looks like output of `iperf3 --json` or like lines of `ss -ti`.
    pub fn is_known(text: &str) -> bool {
        before_json(text).is_some() || ss::is_one(text)
    }

    /// Parses the output of `iperf3 --json` or `--json-stream`, or lines of `ss -ti`. Errors call the
    /// text `name`.
    ///
    /// # Errors
    ///
    /// The text is neither, or has no measurement of a single TCP flow.
    pub fn parse(name: &str, text: &str) -> Result<Samples, OverlayError> {
        let read = match before_json(text) {
            Some(start) => {
                let lines = text[..start].matches('\n').count();
                iperf3::samples(&text[start..])
                    .map_err(|(line, problem, remedy)| (line + lines, problem, remedy))
            }
            None => ss::samples(text),
        };
        let error = |(line, problem, remedy): Problem| OverlayError {
            name: name.to_owned(),
            line,
            problem,
            remedy,
        };
        read.map_err(error)
    }
}

/// Returns the offset of the JSON in a file, if it has any: after a byte order mark, and after
/// lines that a program printed first. A log of mm-link begins with `#` or a number.
fn before_json(text: &str) -> Option<usize> {
    let mut start = text.len() - text.trim_start_matches('\u{feff}').len();
    for line in text[start..].split_inclusive('\n') {
        let words = line.trim_start();
        if words.starts_with('{') {
            return Some(start);
        }
        if words.starts_with(|first: char| first == '#' || first.is_ascii_digit()) {
            return None;
        }
        start += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_found_behind_a_byte_order_mark_and_behind_warnings() {
        let json = "{\"intervals\":[{\"streams\":[],\"sum\":{\"start\":0,\"end\":1,\"bits_per_second\":8e6}}]}";
        let read = |text: &str| Overlay::parse("o", text).map(|overlay| overlay.series);
        let expected = read(json).unwrap();
        assert_eq!(expected[0].points, [(0.5, 8.0)]);
        for before in [
            "\u{feff}",
            "warning: a long test\n",
            "\n\u{feff}\n",
            "iperf3: getsockopt - Protocol\n\n  ",
        ] {
            assert_eq!(read(&format!("{before}{json}")), Ok(expected.clone()), "{before:?}");
        }
        let broken =
            Overlay::parse("o", &format!("warning\n{}", json.replace("8e6", "-8e6"))).unwrap_err();
        assert_eq!(broken.line, 2, "{broken}");
        let log = read("# mahimahi mm-link\n{\n").unwrap_err();
        assert!(log.remedy.contains("opportunity") && log.line == 2, "{log}");
    }
}
