//! Controllers with published faults: what a search for bad networks and a suite of scenarios
//! should notice. Each is chosen by its name and stands in no list.

use crate::controllers::bbr::v1::{self, Bbr};
use crate::controllers::c4::{self, C4};
use crate::controllers::cubic::{self, linux::LinuxCubic};
use crate::parts::mutated::{Mutated, Mutation};
use crate::{Build, Built, Entry};
use std::sync::{Arc, LazyLock};

static ALL: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let cubic = |name, summary, mutation| Entry {
        name,
        kernel: None,
        summary,
        build: Build::Shared(Arc::new(move |setup, params| {
            Ok(Built::new(LinuxCubic::mutant(setup, params, Mutated(Some(mutation)))?))
        })),
        ..cubic::ENTRY
    };
    let bbr = |name, summary, mutation| Entry {
        name,
        kernel: None,
        summary,
        build: Build::Shared(Arc::new(move |setup, params| {
            Ok(Built::new(Bbr::mutant(setup, params, Mutated(Some(mutation)))))
        })),
        ..v1::ENTRY
    };
    vec![
        cubic(
            "cubic-overshoot",
            "CUBIC whose slow start goes beyond its threshold",
            Mutation::Overshoot,
        ),
        cubic(
            "cubic-stale-rounds",
            "CUBIC whose HyStart ends no round below 16 segments",
            Mutation::StaleRounds,
        ),
        cubic(
            "cubic-search-forwards",
            "CUBIC whose SEARCH interpolates towards the later bin",
            Mutation::Forwards,
        ),
        cubic(
            "cubic-search-first-rtt",
            "CUBIC whose SEARCH looks back by the first round trip",
            Mutation::FirstRtt,
        ),
        cubic(
            "cubic-search-empty-bins",
            "CUBIC whose SEARCH leaves skipped bins empty",
            Mutation::EmptyBins,
        ),
        cubic(
            "cubic-css-samples",
            "CUBIC whose HyStart++ keeps its samples when it slows down",
            Mutation::SamplesStay,
        ),
        cubic(
            "cubic-rapid-no-floor",
            "CUBIC whose Rapid Start has no floor at its first reduction",
            Mutation::NoFloor,
        ),
        cubic(
            "cubic-resume-whole",
            "CUBIC that resumes with all that was saved",
            Mutation::WholeJump,
        ),
        cubic(
            "cubic-resume-spread",
            "CUBIC whose safe retreat is spread by PRR",
            Mutation::SpreadRetreat,
        ),
        cubic(
            "cubic-flight-stays",
            "CUBIC whose largest flight outlives reductions",
            Mutation::FlightStays,
        ),
        bbr(
            "bbr-equal-rtt",
            "BBR in which a round trip as short as the least renews it",
            Mutation::EqualRtt,
        ),
        bbr(
            "bbr-undo-keeps",
            "BBR that keeps its estimates when losses were spurious",
            Mutation::UndoKeeps,
        ),
        bbr(
            "bbr-idle-probe",
            "BBR in which sending after idleness does not end PROBE_RTT",
            Mutation::IdleProbe,
        ),
        bbr(
            "bbr-unlimited",
            "BBR that takes the application's rate for the path's",
            Mutation::Unlimited,
        ),
        bbr(
            "bbr-forgets",
            "BBR that forgets the bandwidth whenever nothing is in flight",
            Mutation::Forgets,
        ),
        Entry {
            name: "c4-lower-rate",
            summary: "C4 whose nominal rate measurements lower and never raise",
            build: Build::Shared(Arc::new(|setup, params| {
                let mutated = Mutated(Some(Mutation::LowerRate));
                Ok(Built::new(C4::mutant(setup, params, mutated)))
            })),
            ..c4::ENTRY
        },
    ]
});

/// Every mutant. Those of CUBIC are of its profile `linux`.
pub fn all() -> Vec<&'static Entry> {
    ALL.iter().collect()
}
