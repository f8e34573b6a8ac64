//! The native cores take the same decisions as the controllers in the kernel, bit for bit, on lossy
//! paths with queues that overflow and outages that cause timeouts.

use crate::common::turn;
use narrows_control::TWINS;
use narrows_kernel::KernelError;
use narrows_live::{Extras, LiveError};

/// Runs a network for each controller, with losses, a short queue and outages, and replays its
/// calls.
fn replay(seconds: u64, rate: &str, calls: u64) {
    if let Err(error) = narrows_live::ready() {
        return eprintln!("left out: {error}");
    }
    let mut text = format!("duration = \"{seconds} s\"\nwarmup = \"0 s\"\nseed = 7\n");
    for twin in TWINS {
        let name = twin.kernel;
        let ends = format!("\"{name}-from\", \"{name}-to\"");
        // VCP recovers slowly from losses, because its routers control its window. So its link has
        // no random loss.
        let keys = if name == "vcp_kernel" {
            "queue = \"vcp?codes=accecn\"\n"
        } else {
            "loss = \"0.3 %\"\n"
        };
        text += &format!(
            "[[link]]\nname = \"{name}\"\nbetween = [{ends}]\nrate = \"{rate}\"\ndelay = \"10 ms\"\nbuffer = \"40 packets\"\n{keys}\
             [[flow]]\nname = \"{name}\"\nfrom = \"{name}-from\"\nto = \"{name}-to\"\ncontroller = \"{}\"\ncount = 4\n\
             [[change]]\nat = \"5 s\"\nlink = \"{name}\"\ndown_for = \"700 ms\"\nevery = \"10 s\"\n",
            twin.choice
        );
    }
    let scenario =
        narrows_scenario::parse(&text, "test.toml", &|path| std::fs::read_to_string(path))
            .unwrap_or_else(|e| panic!("{}", e.short()));
    let _turn = turn();
    let record = match narrows_live::run_with(
        &scenario,
        &Extras { replay: true, ..Extras::default() },
        &mut |_| true,
        &mut (),
    ) {
        Err(LiveError::Kernel(error @ KernelError::NotBuilt)) => {
            return eprintln!("left out: {error}");
        }
        record => record.unwrap_or_else(|error| panic!("{error}")).0,
    };
    let replays = record.emulation.expect("a live run").replays;
    assert_eq!(replays.len(), TWINS.len());
    for replayed in replays {
        println!("{replayed:?}");
        assert!(
            replayed.unequal == 0 && replayed.connections >= 4 && replayed.calls > calls,
            "{replayed:?}"
        );
        assert!(replayed.missed < replayed.calls / 10, "{replayed:?}");
    }
}

/// An idle machine makes about 10,000 calls of each.
#[test]
fn each_call_is_decided_as_by_the_native_core() {
    replay(12, "16 Mbit/s", 2_000);
}

#[test]
#[ignore = "takes two minutes of an idle machine"]
fn a_hundred_thousand_calls_of_each() {
    replay(120, "28 Mbit/s", 100_000);
}

#[test]
fn there_is_nothing_to_replay_of_the_kernels_own_controllers() {
    let text = "duration = \"1 s\"\n[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = \"1 Mbit/s\"\n[[flow]]\nfrom = \"a\"\nto = \"b\"\ncontroller = \"cubic\"\n";
    let scenario =
        narrows_scenario::parse(text, "test.toml", &|path| std::fs::read_to_string(path)).unwrap();
    let refused = narrows_live::run_with(
        &scenario,
        &Extras { replay: true, ..Extras::default() },
        &mut |_| true,
        &mut (),
    );
    assert!(matches!(refused, Err(LiveError::NothingToReplay)), "{:?}", refused.err());
}
