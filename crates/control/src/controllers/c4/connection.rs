//! The state of a connection, and its parameters.

use super::cascade::Cascade;
use super::cycle::Cycle;
use super::initial::Initial;
use super::profile::{self, Constants, Profile};
use super::rate::{NominalRate, Samples};
use super::rtts::Rtts;
use super::signals::{LossRate, MarkRate};
use super::state::{C4State, Era};
use crate::parts::mutated::Mutated;
use crate::{Saved, Setup};
use narrows_params::{Need, Param, Params};
use narrows_units::Span;
use narrows_wire::Ecn;

pub(super) const PROFILE: Param<Profile> = Param::choice(
    "profile",
    "draft",
    &[("draft", Profile::Draft), ("picoquic", Profile::Picoquic)],
    "draft: draft-huitema-ccwg-c4-spec, after -04; picoquic: its c4.c, without trimming",
);
pub(super) const SAMPLES: Param<Option<Samples>> = Param::choice(
    "samples",
    "auto",
    &[
        ("auto", None),
        ("departure", Some(Samples::Departure)),
        ("delivery", Some(Samples::Delivery)),
    ],
    "rates are measured over the time since a packet left (departure) or since the delivery before that (delivery); auto: the draft's departure, picoquic's delivery",
);
pub(super) const ECN: Param<bool> =
    Param::flag("ecn", true, "send ECT(1) and answer the share of marks").sparing(Need::EcnCounts);

/// Window and rate of an earlier connection, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Seed {
    /// Window.
    pub window: f64,
    /// Rate per second.
    pub rate: f64,
}

/// The controller.
#[derive(Clone, Debug)]
pub(crate) struct C4 {
    pub(super) profile: Profile,
    pub(super) constants: &'static Constants,
    pub(super) samples: Samples,
    pub(super) state: C4State,
    /// Multiple of the nominal rate (`alpha_current`).
    pub(super) alpha: f64,
    pub(super) era: Era,
    pub(super) rate: NominalRate,
    pub(super) rtts: Rtts,
    pub(super) losses: LossRate,
    pub(super) marks: MarkRate,
    pub(super) initial: Initial,
    pub(super) seed: Option<Seed>,
    pub(super) cycle: Cycle,
    /// Congestion led to Recovery or was reported since; in picoquic, since the last reset.
    pub(super) congested: bool,
    /// Recoveries with congestion in a row.
    pub(super) successive: u32,
    /// Losses of transmissions before this one are answered: Recovery began with it.
    pub(super) settled: u32,
    pub(super) cascade: Cascade,
    /// Transmissions.
    pub(super) sent: u32,
    pub(super) srtt: Span,
    pub(super) mss: f64,
    /// A full packet, headers included.
    pub(super) packet: f64,
    pub(super) saved: Option<Saved>,
    pub(super) ecn: Ecn,
}

impl C4 {
    /// One that may have a published fault.
    pub(crate) fn mutant(setup: &Setup, params: &Params, mutated: Mutated) -> C4 {
        let profile = params.get(&PROFILE);
        let mss = setup.mss.get().max(1) as f64;
        C4 {
            profile,
            constants: profile.constants(),
            samples: params.get(&SAMPLES).unwrap_or(match profile {
                Profile::Draft => Samples::Departure,
                Profile::Picoquic => Samples::Delivery,
            }),
            state: C4State::Initial,
            alpha: profile::INITIAL,
            era: Era { first: 0, alpha_before: profile::INITIAL, rate: 0.0, limited: false },
            rate: NominalRate::new(mutated),
            rtts: Rtts::default(),
            losses: LossRate::default(),
            marks: MarkRate::default(),
            initial: Initial::new(setup.initial_window.get() * mss),
            seed: None,
            cycle: Cycle::default(),
            congested: false,
            successive: 0,
            settled: 0,
            cascade: Cascade::new(),
            sent: 0,
            srtt: Span::ZERO,
            mss,
            packet: (setup.mss + setup.headers).get() as f64,
            saved: setup.saved,
            ecn: if params.get(&ECN) { Ecn::Ect1 } else { Ecn::NotEct },
        }
    }
}
