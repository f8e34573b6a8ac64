//! Samples of one flow by another program, for plots and for estimates of the path.

use super::model::{OverlayError, Problem};
use super::{before_json, iperf3, ss};

/// Samples of one flow, in order of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    /// True for lines of `ss -ti`; otherwise the samples are intervals of iperf3.
    pub is_ss: bool,
    /// Name of the sender's controller in Linux, if it is known.
    pub controller: Option<String>,
    /// Payload of a full segment in bytes, if it is known.
    pub mss: Option<f64>,
    /// Least round trip of the connection in milliseconds, if the kernel's filter is in the text.
    pub least_rtt_ms: Option<f64>,
    /// Time of the beginning, in seconds.
    pub begins: f64,
    /// The samples.
    pub points: Vec<Sample>,
    /// Remark on the measurement.
    pub remark: Option<String>,
}

/// What happened since the sample before.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Time at the end, in seconds.
    pub at: f64,
    /// Payload, in bytes.
    pub bytes: f64,
    /// Smoothed round trip at the end in milliseconds, if it is known.
    pub rtt_ms: Option<f64>,
    /// Congestion window at the end in segments, if it is known.
    pub window: Option<f64>,
    /// Segments sent again.
    pub resent: f64,
}

impl Samples {
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
