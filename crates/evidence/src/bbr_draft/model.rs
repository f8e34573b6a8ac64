//! The draft's formulas, recomputed from the record, in whole packets, rounded up like in `bbr3`.

use super::record::{Field, Row, State};

/// Computes `BDPMultiple` (section 5.6.4.2) with `gain` in 1/256: the product of `bandwidth`, in
/// packets per second, and the row's minimum round trip.
pub(super) fn product(row: &Row, bandwidth: f64, gain: u64) -> u32 {
    let bandwidth = (bandwidth * (1u64 << 24) as f64 / 1e6).round() as u128;
    let micros = (row.get(Field::MinRtt) * 1e6).round() as u128;
    (((bandwidth * micros * gain as u128) >> 8).div_ceil(1 << 24)) as u32
}

/// Computes `Inflight(gain)` (section 5.6.4.2) for the bandwidth `bandwidth`, with the state and
/// the burst size of `before`, the previous row.
pub(super) fn inflight(before: &Row, bandwidth: f64, gain: u64) -> u32 {
    quantized(before, product(before, bandwidth, gain))
}

/// Applies `QuantizationBudget`.
fn quantized(before: &Row, packets: u32) -> u32 {
    let packets = packets.max(3 * before.burst).max(4);
    if before.state() == Some(State::Up) { packets + 2 } else { packets }
}

/// Computes `InflightWithHeadroom` (section 5.3.3.9); infinite without a bound.
pub(super) fn with_headroom(row: &Row) -> f64 {
    let bound = row.bound(Field::InflightLongTerm);
    if bound.is_infinite() { bound } else { (bound - (0.15 * bound).floor().max(1.0)).max(4.0) }
}

/// Computes `UpdateMaxInflight` with the row's value of extra_acked.
pub(super) fn max_inflight(row: &Row) -> u32 {
    let gain = (row.get(Field::CwndGain) * 256.0).round() as u64;
    quantized(
        row,
        product(row, row.get(Field::Bandwidth), gain) + row.get(Field::ExtraAcked) as u32,
    )
}
