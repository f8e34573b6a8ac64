//! Published faults, each put back by one line. Without the feature `mutants` [`Mutated`] is a type
//! of no size that has none.

/// A published fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutation {
    /// CUBIC: slow start goes beyond its threshold if one acknowledgement is for many segments
    /// (CC-Fuzz, HotNets 2022, of ns-3).
    Overshoot,
    /// HyStart: no round ends below 16 segments (Linux until commit 25c1a9ca53db, 2025).
    StaleRounds,
    /// BBR: a round trip as short as the least renews it, which puts off PROBE_RTT (Linux until
    /// commit 1b9e2a8c99a5, 5.10).
    EqualRtt,
    /// BBR: spurious losses leave the estimates of a full pipe and of a policer as they are (Linux
    /// until December 2017).
    UndoKeeps,
    /// BBR: sending again after idleness does not end PROBE_RTT (Linux until commit 5490b32dce69,
    /// 2018).
    IdleProbe,
    /// BBR: what the application holds back counts as the path's bandwidth (picoquic issue 839).
    Unlimited,
    /// BBR: the bandwidth is forgotten whenever nothing is in flight (freenet-core issue 2706).
    Forgets,
    /// SEARCH: the interpolation between bins is the wrong way round (draft-chung-ccwg-search-09,
    /// neqo issue 3518).
    Forwards,
    /// SEARCH: looks back by the first round trip, not by the latest.
    FirstRtt,
    /// SEARCH: bins that are skipped are empty.
    EmptyBins,
    /// HyStart++: samples go on at the beginning of conservative slow start (neqo issue 3505).
    SamplesStay,
    /// Rapid Start: the first reduction has no floor.
    NoFloor,
    /// Careful Resume: jumps to all that was saved.
    WholeJump,
    /// Careful Resume: PRR spreads the safe retreat.
    SpreadRetreat,
    /// Rate-limited increase: a reduction does not reset the largest flight.
    FlightStays,
    /// C4: a measurement lowers the nominal rate and never raises it (the pseudocode of
    /// draft-huitema-ccwg-c4-spec).
    LowerRate,
}

/// The fault of an instance, if it has one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mutated(#[cfg(feature = "mutants")] pub Option<Mutation>);

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
