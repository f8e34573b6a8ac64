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

/// The criteria of RFC 9743.
///
/// # Errors
///
/// None: a test reads it.
pub fn rfc9743() -> Result<Suite, EvidenceError> {
    Suite::read(RFC9743)
}
