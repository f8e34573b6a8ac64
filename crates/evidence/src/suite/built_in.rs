//! The built-in suites.

use super::Suite;
use crate::EvidenceError;

/// Lists the files of a suite: names and texts.
macro_rules! files {
    ($folder:literal: $($name:literal)*) => {
        &[$((concat!($name, ".toml"), include_str!(concat!("../../suites/", $folder, "/", $name, ".toml")))),*]
    };
}

const RFC9743: &[(&str, &str)] = files!("rfc9743": "suite"
    "collapse-cut" "collapse-loss" "collapse-many" "bloat" "loss" "self" "short" "coexist" "coexist-many" "coexist-rtt" "coexist-deployed" "starve" "media" "media-short" "media-adaptive" "mixed-short" "mixed-long" "wired"
    "wireless-wifi" "wireless-lte" "wireless-leo" "aqm" "aqm-marks" "delay" "constrained" "far" "misbehave" "misbehave-receivers" "tunnel" "reorder" "transient" "transient-burst"
    "change-rate" "change-delay" "change-buffer" "datacenter" "datacenter-beside" "segments");

const TCPEVAL: &[(&str, &str)] = files!("tcpeval": "suite"
    "basic" "data-centre" "buffers" "ramp-up" "less-cross-traffic" "more-cross-traffic" "impact" "rtt-fairness");

const MEDIA: &[(&str, &str)] = files!("media": "suite" "capacity" "capacity-shared" "feedback" "competing" "round-trips" "pause");

const BBR_DRAFT: &[(&str, &str)] = files!("bbr-draft": "suite"
    "T01-plateau" "T12-aggregated-startup" "T13-aggregated-cruise" "T14-less-than-a-packet" "T15-ten-times" "T16-a-tenth" "T17-policer");

const STARTUP: &[(&str, &str)] = files!("startup": "suite"
    "size" "exit" "aqm" "aqm-marks" "policer" "wifi" "leo" "beside" "beside-web" "bursts" "answers" "limited" "tail" "resume" "resume-beside");

/// Returns the suite about starts of connections: where slow start ends, why, and at which cost,
/// beside classic slow start and HyStart.
///
/// # Errors
///
/// Never fails: a test reads the suite.
pub fn startup() -> Result<Suite, EvidenceError> {
    Suite::read(STARTUP)
}

/// Returns the example cases of draft-ietf-ccwg-bbr-06 that goodput, delay and loss can show. It
/// suits controllers that do not report the state of BBR, controllers of the kernel, and programs.
///
/// # Errors
///
/// Never fails: a test reads the suite.
pub fn bbr_draft() -> Result<Suite, EvidenceError> {
    Suite::read(BBR_DRAFT)
}

/// Returns the numbers of RFC 8867, Test Cases for Evaluating Congestion Control for Interactive
/// Real-Time Media, sections 5.1 to 5.5 and 5.8. They are shown but not judged.
///
/// # Errors
///
/// Never fails: a test reads the suite.
pub fn media() -> Result<Suite, EvidenceError> {
    Suite::read(MEDIA)
}

/// Returns the numbers of draft-irtf-iccrg-tcpeval-01, Common TCP Evaluation Suite. They are shown
/// but not judged.
///
/// # Errors
///
/// Never fails: a test reads the suite.
pub fn tcpeval() -> Result<Suite, EvidenceError> {
    Suite::read(TCPEVAL)
}

/// Returns the criteria of RFC 9743.
///
/// # Errors
///
/// Never fails: a test reads the suite.
pub fn rfc9743() -> Result<Suite, EvidenceError> {
    Suite::read(RFC9743)
}
