//! Published faults of controllers, each put back by one line: what a search for bad networks and a suite of scenarios should notice.
//!
//! Under the feature `mutants` each is a controller of its own, chosen by its name and shown in no list. Without it [`Mutated`] is a type of no size that has no
//! fault.

/// A published fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutation {
    /// CUBIC: slow start goes beyond its threshold if one acknowledgement is for many segments (CC-Fuzz, HotNets 2022, of ns-3).
    Overshoot,
    /// HyStart: no round ends below 16 segments (Linux until commit 25c1a9ca53db, 2025).
    StaleRounds,
    /// BBR: a round trip as short as the least renews it, which puts off PROBE_RTT (Linux until commit 1b9e2a8c99a5, 5.10).
    EqualRtt,
    /// BBR: spurious losses leave the estimates of a full pipe and of a policer as they are (Linux until December 2017).
    UndoKeeps,
    /// BBR: sending again after idleness does not end PROBE_RTT (Linux until commit 5490b32dce69, 2018).
    IdleProbe,
    /// BBR: what the application holds back counts as the path's bandwidth (picoquic issue 839).
    Unlimited,
    /// BBR: the bandwidth is forgotten whenever nothing is in flight (freenet-core issue 2706).
    Forgets,
}

/// The fault of an instance, if it has one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mutated(#[cfg(feature = "mutants")] Option<Mutation>);

impl Mutated {
    /// True if it has this fault.
    #[inline(always)]
    pub fn has(self, mutation: Mutation) -> bool {
        #[cfg(feature = "mutants")]
        return self.0 == Some(mutation);
        #[cfg(not(feature = "mutants"))]
        {
            let _ = mutation;
            false
        }
    }
}

#[cfg(feature = "mutants")]
pub use with_names::all;

#[cfg(feature = "mutants")]
mod with_names {
    use super::{Mutated, Mutation};
    use crate::controllers::bbr::v1::{self, Bbr};
    use crate::controllers::cubic::{self, linux::LinuxCubic};
    use crate::{Build, Built, Entry};
    use std::sync::{Arc, LazyLock};

    static ALL: LazyLock<Vec<Entry>> = LazyLock::new(|| {
        let cubic = |name, summary, mutation| Entry {
            name,
            kernel: None,
            summary,
            build: Build::Shared(Arc::new(move |setup, params| Ok(Built::new(LinuxCubic::mutant(setup, params, Mutated(Some(mutation))))))),
            ..cubic::ENTRY
        };
        let bbr = |name, summary, mutation| Entry {
            name,
            kernel: None,
            summary,
            build: Build::Shared(Arc::new(move |setup, params| Ok(Built::new(Bbr::mutant(setup, params, Mutated(Some(mutation))))))),
            ..v1::ENTRY
        };
        vec![
            cubic("cubic-overshoot", "CUBIC whose slow start goes beyond its threshold", Mutation::Overshoot),
            cubic("cubic-stale-rounds", "CUBIC whose HyStart ends no round below 16 segments", Mutation::StaleRounds),
            bbr("bbr-equal-rtt", "BBR in which a round trip as short as the least renews it", Mutation::EqualRtt),
            bbr("bbr-undo-keeps", "BBR that keeps its estimates when losses were spurious", Mutation::UndoKeeps),
            bbr("bbr-idle-probe", "BBR in which sending after idleness does not end PROBE_RTT", Mutation::IdleProbe),
            bbr("bbr-unlimited", "BBR that takes the application's rate for the path's", Mutation::Unlimited),
            bbr("bbr-forgets", "BBR that forgets the bandwidth whenever nothing is in flight", Mutation::Forgets),
        ]
    });

    /// Every mutant. Those of CUBIC are of its profile `linux`.
    pub fn all() -> Vec<&'static Entry> {
        ALL.iter().collect()
    }
}
