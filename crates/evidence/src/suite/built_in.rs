//! The suites of the program.

use super::Suite;
use crate::EvidenceError;

/// The files of a suite: names and texts.
macro_rules! files {
    ($folder:literal: $($name:literal)*) => {
        &[$((concat!($name, ".toml"), include_str!(concat!("../../suites/", $folder, "/", $name, ".toml")))),*]
    };
}

const RFC9743: &[(&str, &str)] = files!("rfc9743": "suite"
    "collapse-cut" "collapse-loss" "collapse-many" "bloat" "loss" "self" "short" "coexist" "starve" "media" "media-short" "media-adaptive" "mixed-short" "mixed-long" "wired"
    "wireless-wifi" "wireless-lte" "wireless-leo" "aqm" "aqm-marks" "delay" "constrained" "far" "misbehave" "misbehave-receivers" "tunnel" "reorder" "transient" "transient-burst"
    "change-rate" "change-delay" "change-buffer" "datacenter" "datacenter-beside");

const TCPEVAL: &[(&str, &str)] = files!("tcpeval": "suite"
    "basic" "data-centre" "buffers" "ramp-up" "less-cross-traffic" "more-cross-traffic" "impact" "rtt-fairness");

const MEDIA: &[(&str, &str)] = files!("media": "suite" "capacity" "capacity-shared" "feedback" "competing" "round-trips" "pause");

/// The numbers of RFC 8867, Test Cases for Evaluating Congestion Control for Interactive Real-Time Media, which are shown and not judged: sections 5.1 to 5.5 and 5.8.
///
/// # Errors
///
/// None: a test reads it.
pub fn media() -> Result<Suite, EvidenceError> {
    Suite::read(MEDIA)
}

/// The numbers of draft-irtf-iccrg-tcpeval-01, Common TCP Evaluation Suite, which are shown and not judged.
///
/// # Errors
///
/// None: a test reads it.
pub fn tcpeval() -> Result<Suite, EvidenceError> {
    Suite::read(TCPEVAL)
}

/// The criteria of RFC 9743.
///
/// # Errors
///
/// None: a test reads it.
pub fn rfc9743() -> Result<Suite, EvidenceError> {
    Suite::read(RFC9743)
}
