//! Samples at each acknowledgement, from the kernel's tracepoint.

use crate::common::turn;
use narrows_kernel::KernelError;
use narrows_live::{Extras, LiveError};

/// One flow of CUBIC and one of Reno run for two seconds at 20 Mbit/s. With at least one
/// acknowledgement per two segments, they get about 1,600 in total.
#[test]
fn each_acknowledgement_tells_of_its_connection() {
    if narrows_live::ready().is_err() || !rustix::process::geteuid().is_root() {
        return eprintln!("left out: live runs with tracing need root");
    }
    let text = "duration = \"2 s\"\n[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = \"20 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"1 bdp\"\n\
                [[flow]]\nname = \"silent\"\nfrom = \"a\"\nto = \"b\"\ncontroller = \"newreno\"\n\
                [[flow]]\nname = \"heard\"\nfrom = \"a\"\nto = \"b\"\ncontroller = \"cubic\"\n";
    let scenario =
        narrows_scenario::parse(text, "test.toml", &|path| std::fs::read_to_string(path)).unwrap();
    let _turn = turn();
    let heard = Extras { acks: vec![1], ..Extras::default() };
    let acks = match narrows_live::run_with(&scenario, &heard, &mut |_| true, &mut ()) {
        Err(LiveError::Kernel(error @ KernelError::NotBuilt)) => {
            return eprintln!("left out: {error}");
        }
        run => run.unwrap_or_else(|error| panic!("{error}")).1,
    };
    assert!(acks.samples.len() > 100, "{}", acks.samples.len());
    assert!(
        acks.samples
            .iter()
            .all(|sample| sample.flow == 1 && sample.connection > 0 && sample.cwnd >= 1.0)
    );
    assert!(acks.samples.is_sorted_by_key(|sample| sample.at));
    // The path takes 20 ms, and a full queue of one bandwidth-delay product adds the same.
    let trips: Vec<f64> = acks
        .samples
        .iter()
        .filter_map(|sample| sample.srtt)
        .map(|srtt| srtt.as_millis_f64())
        .collect();
    assert!(
        trips.len() > 100 && trips.iter().all(|trip| (20.0..500.0).contains(trip)),
        "{trips:?}"
    );
    let most = acks.samples.iter().filter_map(|sample| sample.delivery).max().unwrap();
    assert!((1e6..40e6).contains(&(most.as_bps() as f64)), "{most}");
}
