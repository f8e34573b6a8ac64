//! The estimated path as a scenario.

use crate::estimate::{Buffer, Estimate};
use crate::measured::Measured;
use narrows_units::{Bytes, Rate, Span};
use serde_json::{Map, Value, json};

/// Losses below this share are left out of the scenario: three in a million segments.
const LEAST_LOSS: f64 = 3e-6;

/// Returns the keys of a scenario in which `controller` sends over the estimated path for the
/// duration of the measurement. Half of the base round trip is in each direction.
pub fn scenario(
    name: &str,
    measured: &Measured,
    estimate: &Estimate,
    controller: &str,
) -> Map<String, Value> {
    let rounded = |value: f64| {
        // A measurement has fewer than four significant digits.
        let scale = 10f64.powi(3 - value.abs().max(f64::MIN_POSITIVE).log10().floor() as i32);
        (value * scale).round() / scale
    };
    let nanoseconds = |seconds: f64| Span::from_nanos((seconds * 1e9).round() as u64);
    let mut link = json!({
        "name": "bottleneck",
        "between": ["sender", "receiver"],
        "rate": Rate::from_bps(rounded(estimate.rate).round() as u64).to_string(),
        "delay": nanoseconds(rounded(estimate.base) / 2.0).to_string(),
    });
    if let Buffer::Filled { bytes, .. } = estimate.buffer {
        // A buffer below one packet is refused.
        let bytes = rounded(bytes).max(measured.packet()).round() as u64;
        link["buffer"] = json!(Bytes::new(bytes).to_string());
    }
    if estimate.losses.range.low > LEAST_LOSS {
        link["loss"] = json!({ "probability": rounded(estimate.losses.share) });
    }
    let value = json!({
        "name": name,
        "duration": nanoseconds((measured.seconds() * 10.0).round() / 10.0).to_string(),
        "link": [link],
        "flow": [{ "from": "sender", "to": "receiver", "controller": controller }],
        "transport": {
            "mss": Bytes::new(measured.mss.round() as u64).to_string(),
            "headers": Bytes::new(measured.headers.round() as u64).to_string(),
        },
    });
    match value {
        Value::Object(keys) => keys,
        _ => unreachable!("it is a table"),
    }
}
