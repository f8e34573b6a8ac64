//! The 22 cases of appendix A, in our own words.

use super::outcome::Trial;
use super::subject::Subject;
use super::{aggregation, drain, idle, probe_rtt, probe_up, small, spurious, startup, steps};

/// An example test case of the draft.
pub struct Case {
    /// Identifier: `T01` to `T22`, for A.1 to A.22.
    pub id: &'static str,
    /// Subject of the case.
    pub title: &'static str,
    /// Conditions that must hold.
    pub demand: &'static str,
    /// Differences between the words of the example and the pseudocode, or between the example and
    /// this set-up.
    pub differs_from_text: Option<&'static str>,
    /// Runs the case.
    pub(super) carry_out: fn(&Subject) -> Vec<Trial>,
}

/// Returns all cases, in order.
pub fn cases() -> &'static [Case] {
    CASES
}

const CASES: &[Case] = &[
    Case {
        id: "T01",
        title: "Startup ends on a plateau",
        demand: "Three rounds running in which the delivery rate grows by less than a quarter set full_bw_now and full_bw_reached, and Drain begins on the same acknowledgement. max_bw is within 2 % of the capacity. At most 12 rounds (ours: 4.1 doublings from 10 to 167 packets, 3 rounds and slack).",
        differs_from_text: None,
        carry_out: startup::plateau,
    },
    Case {
        id: "T02",
        title: "Startup ends on losses while the application is the limit",
        demand: "At 20 Mbit/s offered, more than 2 % of a round lost in at least 6 places, after a round in recovery, lead to Drain within 2 rounds, and inflight_longterm is the larger of BDP and inflight_latest.",
        differs_from_text: Some(
            "The example expects full_bw_now and full_bw_reached; section 5.3.1.3 sets full_bw_reached only.",
        ),
        carry_out: startup::loss,
    },
    Case {
        id: "T03",
        title: "Drain ends by its flight",
        demand: "The pacing gain is exactly 0.5, and Drain ends on the first acknowledgement with no more in flight than Inflight(1.0).",
        differs_from_text: None,
        carry_out: drain::by_flight,
    },
    Case {
        id: "T04",
        title: "Drain ends by its time",
        demand: "With capacity reduced at Drain, Drain ends on the first acknowledgement more than 3 rounds after its start although more than Inflight(1.0) is in flight.",
        differs_from_text: Some(
            "The example speaks of 3 round trips: CheckDrainDone asks for round_count > drain_start_round + 3, the fourth start of a round. With the example's nine tenths of the capacity the flight falls all the same, and usually ends Drain first; four tenths show the exit by time.",
        ),
        carry_out: drain::by_time,
    },
    Case {
        id: "T05",
        title: "ProbeBW_UP ends on a plateau",
        demand: "Without loss, three rounds that grow by less than a quarter set full_bw_now, and Down follows.",
        differs_from_text: Some(
            "The example has inflight_longterm or cwnd fully used. CheckFullBWReached asks only that the application is not the limit, and three rounds at a gain of 1.25 end Up before 2.25 BDP are in flight.",
        ),
        carry_out: probe_up::plateau,
    },
    Case {
        id: "T06",
        title: "ProbeBW_UP ends on losses while the application is the limit",
        demand: "More than 2 % lost in a round lead to Down within a round, with prev_probe_too_high; inflight_longterm stays.",
        differs_from_text: Some(
            "The example has inflight_longterm updated whether the application is the limit or not; HandleInflightTooHigh sets it only if the application is not.",
        ),
        carry_out: probe_up::limited_loss,
    },
    Case {
        id: "T07",
        title: "Nothing ends Up or Startup while the application is the limit and nothing is lost",
        demand: "For 60 s at 10 Mbit/s offered no plateau and no loss ends Up or Startup.",
        differs_from_text: Some(
            "The example says indefinitely: ProbeRTT still comes 5 s after the last shorter round trip. It ends Up; Startup it returns to.",
        ),
        carry_out: probe_up::stays,
    },
    Case {
        id: "T08",
        title: "ProbeBW_DOWN ends by its flight",
        demand: "The pacing gain is exactly 0.90. Cruise begins on the first acknowledgement with no more in flight than InflightWithHeadroom() and Inflight(max_bw, 1.0).",
        differs_from_text: Some(
            "The example names Inflight(1.0); IsTimeToCruise uses max_bw in the place of bw. Without inflight_longterm only that bound holds.",
        ),
        carry_out: probe_up::down_by_flight,
    },
    Case {
        id: "T09",
        title: "ProbeBW_DOWN ends by its time",
        demand: "With capacity reduced at Down, Refill follows without Cruise when bw_probe_wait of 2 to 3 s is over.",
        differs_from_text: None,
        carry_out: probe_up::down_by_time,
    },
    Case {
        id: "T10",
        title: "ProbeRTT",
        demand: "It begins when 5 s passed without a shorter round trip, with a gain of the window of 0.5; no more than half a BDP, or 4 packets, are in flight for at least 200 ms and a round; ProbeBW follows. At least 96 % of the link are used over 30 s (the draft aims at 98).",
        differs_from_text: None,
        carry_out: probe_rtt::half_a_product,
    },
    Case {
        id: "T11",
        title: "No ProbeRTT after idleness",
        demand: "After 6 s without data the first packet leaves with nothing in flight and sets idle_restart; pacing is that of bw at once, and ProbeRTT does not come for 4.9 s.",
        differs_from_text: Some(
            "Section 5.4.1 says paces at exactly bw; SetPacingRateWithGain(1) takes the margin of 1 % off.",
        ),
        carry_out: idle::restart,
    },
    Case {
        id: "T12",
        title: "Startup on a path that aggregates",
        demand: "Acknowledgements, or data, in bursts each 10 ms: before the pipe is full, extra_acked is above 0 and cwnd above 2 BDP; no delivery rate exceeds 1.05 of the capacity, max_bw is within 10 % (ours; the draft gives no number), and the 2 s after Startup use at least 95 %.",
        differs_from_text: None,
        carry_out: aggregation::startup,
    },
    Case {
        id: "T13",
        title: "Cruise on a path that aggregates",
        demand: "extra_acked is the maximum of the last 10 rounds within a packet, cwnd is its target plus extra_acked, and at least 95 % of the link are used.",
        differs_from_text: None,
        carry_out: aggregation::cruise,
    },
    Case {
        id: "T14",
        title: "A path that holds less than a packet",
        demand: "At 100 kbit/s and 20 ms cwnd is at least 4, pacing is gain times bw within 2 %, at least 95 % of the link are used, and no timeout expires.",
        differs_from_text: Some(
            "Without tail loss probes, with which Linux's timeout comes too soon on such a path whatever the controller.",
        ),
        carry_out: small::sub_packet,
    },
    Case {
        id: "T15",
        title: "Ten times the capacity",
        demand: "The bound grows by 1, 2, 4 … packets in successive rounds while the window limits, and nine tenths of the new rate are used within 6 s (ours: 3 s of wait and two probes of 9 rounds).",
        differs_from_text: Some(
            "The steps show only with a finite inflight_longterm, which losses in the probe before set.",
        ),
        carry_out: steps::up,
    },
    Case {
        id: "T16",
        title: "A tenth of the capacity",
        demand: "From the first loss on bw_shortterm falls by Beta at most once a round, to no less than what was delivered, and max_bw is at most 1.05 times the new rate at the end of the second whole cycle.",
        differs_from_text: Some(
            "Few rounds cannot bring bw_shortterm near the new rate: cuts to 0.7 take six from ten times to 1.5 times. How many it takes is recorded, not judged.",
        ),
        carry_out: steps::down,
    },
    Case {
        id: "T17",
        title: "A policer",
        demand: "After the first loss outside of probes both short-term bounds are set; from 20 s on at least 80 % of the tokens are used and at most 5 % lost (ours; the draft asks for no excessive continuous loss).",
        differs_from_text: None,
        carry_out: steps::policer,
    },
    Case {
        id: "T18",
        title: "A spurious fast recovery",
        demand: "The bounds are saved at the first loss; after the undo they are at least as large, and the flow returns to its probe.",
        differs_from_text: Some(
            "The example has the flow return to Up: HandleSpuriousLossDetection begins Refill, and Up follows after a round. From Startup it returns to Startup, with full_bw_reached false.",
        ),
        carry_out: spurious::fast_recovery,
    },
    Case {
        id: "T19",
        title: "A spurious timeout",
        demand: "As T18, for a timeout: data 400 ms late for a round trip, nothing lost, and nothing sent twice beyond the first packet.",
        differs_from_text: Some(
            "The example has the flow return to Up: HandleSpuriousLossDetection begins Refill, and Up follows after a round.",
        ),
        carry_out: spurious::timeout,
    },
    Case {
        id: "T20",
        title: "ProbeRTT in Startup",
        demand: "ProbeRTT before the pipe was full returns to Startup, which then ends on a plateau as T01 has it.",
        differs_from_text: None,
        carry_out: probe_rtt::in_startup,
    },
    Case {
        id: "T21",
        title: "Losses in ProbeBW_UP",
        demand: "With inflight_longterm set, more than 2 % lost in Up lead to Down on that acknowledgement, and inflight_longterm is what was in flight when the lost packet left, at least 0.7 of min(BDP, cwnd).",
        differs_from_text: Some(
            "The example has inflight_longterm scaled by Beta: 0.7 is a floor.",
        ),
        carry_out: probe_up::loss_in_up,
    },
    Case {
        id: "T22",
        title: "The application is the limit in ProbeBW_REFILL",
        demand: "Nothing offered for a round trip at Refill: low samples are marked as limited by the application and leave max_bw as it was; Up follows after the round.",
        differs_from_text: None,
        carry_out: probe_up::limited_refill,
    },
];
