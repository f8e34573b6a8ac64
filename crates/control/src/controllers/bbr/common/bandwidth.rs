//! Bandwidth in the kernel's unit.

/// Fractional bits of a bandwidth (`BW_SCALE`): packets per microsecond in units of 2^-24, about
/// 715 bit/s of 1500 B packets.
pub const BW_SCALE: u32 = 24;
/// Fractional bits of a gain (`BBR_SCALE`).
pub const GAIN_SCALE: u32 = 8;
/// A gain of 1 (`BBR_UNIT`).
pub const UNIT: u32 = 1 << GAIN_SCALE;

/// The bandwidth of `delivered` packets in `micros` > 0 (`bbr_update_bw`), at least one unit, so
/// that pacing never stops.
pub fn bandwidth(delivered: u64, micros: u64) -> u32 {
    u32::try_from((delivered << BW_SCALE) / micros).unwrap_or(u32::MAX).max(1)
}

/// As [`bandwidth`], rounded up, so that a slow flow can grow (version 3's
/// `bbr_calculate_bw_sample`).
pub fn bandwidth_ceil(delivered: u64, micros: u64) -> u32 {
    u32::try_from((delivered << BW_SCALE).div_ceil(micros)).unwrap_or(u32::MAX).max(1)
}

/// The packets that `bandwidth` delivers in `micros`, rounded down.
pub fn packets(bandwidth: u32, micros: u64) -> u64 {
    (bandwidth as u64).saturating_mul(micros) >> BW_SCALE
}

/// `percent` of `gain` / `unit` times `bandwidth`, in bytes per second for packets of `bytes`
/// (`bbr_rate_bytes_per_sec`, whose `unit` is `UNIT`).
pub fn bytes_per_second(bandwidth: u32, bytes: u64, gain: u32, unit: u32, percent: u64) -> u64 {
    let scaled = (bandwidth as u64).saturating_mul(bytes).saturating_mul(gain as u64) / unit as u64;
    scaled.saturating_mul(10_000 * percent) >> BW_SCALE
}

/// `gain` times the bandwidth-delay product of `bandwidth` and `rtt` (µs) in packets, rounded up
/// (`bbr_bdp`; v1 section 4.2.3.2, v3 section 5.6.4.2).
pub fn bdp(bandwidth: u32, rtt: u32, gain: u32) -> u32 {
    let scaled = (bandwidth as u128 * rtt as u128 * gain as u128) >> GAIN_SCALE;
    u32::try_from((scaled + (1 << BW_SCALE) - 1) >> BW_SCALE).unwrap_or(u32::MAX)
}
