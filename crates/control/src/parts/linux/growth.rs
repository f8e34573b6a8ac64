//! Growth of a window as Linux counts it, in whole segments (`net/ipv4/tcp_cong.c`). The sums wrap
//! at 32 bits, as the kernel's do.

/// Slow start up to the threshold. Returns the window, and the segments left over for avoidance
/// (`tcp_slow_start`).
pub fn slow_start(cwnd: u32, threshold: u32, acked: u32) -> (u32, u32) {
    let grown = cwnd.wrapping_add(acked).min(threshold);
    (grown, acked.wrapping_sub(grown.wrapping_sub(cwnd)))
}

/// One segment for each `count` acknowledged, of which `credit` were acknowledged before. Credit
/// gathered at a higher count gives at most one segment. Returns the window and the credit that is
/// left (`tcp_cong_avoid_ai`). `count` is at least 1.
pub fn step(cwnd: u32, credit: u32, count: u32, acked: u32) -> (u32, u32) {
    debug_assert!(count > 0, "growth of one segment per none acknowledged");
    let early = u32::from(credit >= count);
    let credit = if early == 1 { 0 } else { credit }.wrapping_add(acked);
    (cwnd.wrapping_add(early).wrapping_add(credit / count), credit % count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_start_stops_at_the_threshold() {
        assert_eq!(slow_start(20, 25, 20), (25, 15));
        assert_eq!(slow_start(25, 25, 3), (25, 3));
    }

    #[test]
    fn credit_of_a_higher_count_gives_one_segment() {
        assert_eq!(step(10, 30, 10, 5), (11, 5));
        assert_eq!(step(11, 5, 10, 38), (15, 3));
    }
}
