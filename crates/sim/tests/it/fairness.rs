//! Equal flows get equal shares.

use crate::common::{median, one_link, run};
use narrows_measure::metrics::metric;

/// The index of one run spreads from 0.93 to 0.99 for CUBIC: the median of fewer seeds is a matter
/// of luck.
const SEEDS: u32 = 30;

#[test]
fn ten_equal_flows_share_equally() {
    let jain = metric("jain").expect("a metric");
    for controller in ["newreno", "cubic"] {
        let of_seed = |seed: u32| {
            let text = format!("seed = {seed}\n")
                + &one_link(
                    controller,
                    60,
                    30,
                    "rate = \"100 Mbit/s\"\ndelay = \"15 ms\"\nbuffer = \"1 bdp\"",
                    "count = 10",
                );
            (jain.compute)(&run(&text)).expect("a Jain index")
        };
        let index = median((1..=SEEDS).map(of_seed).collect());
        assert!(index >= 0.95, "{controller}: Jain {index}");
    }
}
