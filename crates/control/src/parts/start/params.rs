//! The parameters that choose a start, for every controller that lists them.

use super::hystart::MeasuringHyStart;
use super::hystartpp::{CssRule, HyStartPlusPlus};
use super::rapid::{Rapid, RapidThreshold};
use super::resume::Resume;
use super::search::{Drain, Search, SearchRule};
use super::{Choices, Start, Starter};
use crate::Setup;
use crate::parts::growth::newcwv::NewCwv;
use crate::parts::growth::{Growth, LargestFlight};
use crate::parts::mutated::{Mutated, Mutation};
use narrows_params::{Need, Param, ParamError, Params};

/// The start.
pub const START: Param<StartChoice> = Param::choice(
    "start",
    "auto",
    &[
        ("auto", StartChoice::Auto),
        ("classic", StartChoice::Classic),
        ("hystart", StartChoice::HyStart),
        ("hystart++", StartChoice::HyStartPlusPlus),
        ("search", StartChoice::Search),
        ("rapid", StartChoice::Rapid),
    ],
    "how slow start grows and ends: auto: as the controller's source has it; classic: RFC 5681; hystart: Linux; hystart++: RFC 9406; search: draft-chung-ccwg-search-09; rapid: draft-kazuho-ccwg-rapid-start-02",
);
/// Also after timeouts.
pub const START_AGAIN: Param<bool> = Param::flag(
    "start_again",
    false,
    "slow start after a timeout is as the first one, as in neqo (start=hystart++, search, rapid)",
);
/// The reference of deliveries.
pub const SEARCH_VERSION: Param<bool> = Param::choice(
    "search_version",
    "4",
    &[("4", true), ("3", false)],
    "4: deliveries are compared with what was sent one round trip before; 3: with twice what was delivered (start=search)",
);
/// THRESH.
pub const SEARCH_THRESHOLD: Param<Option<f64>> = Param::number_or(
    "search_threshold",
    "auto",
    (0.01, 0.99),
    "",
    "part by which deliveries may fall behind; auto: 0.26 as in neqo, with search_version=3 0.35 (start=search)",
);
/// Segments that SEARCH evaluates.
pub const SEARCH_LIMITED: Param<bool> = Param::choice(
    "search_limited",
    "skip",
    &[("skip", false), ("evaluate", true)],
    "acknowledgements of segments that the application limited: skip: counted only (neqo); evaluate: as all others (Linux module) (start=search)",
);
/// The fall after SEARCH.
pub const DRAIN: Param<Drain> = Param::choice(
    "drain",
    "none",
    &[("none", Drain::Stays), ("sixteenth", Drain::Sixteenth), ("third", Drain::Third)],
    "after slow start the window: none: stays (neqo); sixteenth: falls to the flight and 1/16 of what is delivered (Linux module); third: falls by 1 for 3 delivered (start=search)",
);
/// The round trip up to which Rapid Start triples.
pub const RAPID_THRESHOLD: Param<RapidThreshold> = Param::choice(
    "rapid_threshold",
    "draft",
    &[
        ("draft", RapidThreshold::Draft),
        ("quicly", RapidThreshold::Quicly),
        ("off", RapidThreshold::Off),
    ],
    "round trip up to which the window triples: draft: min(min_rtt + 4 ms, 1.1 min_rtt); quicly: max(min_rtt + 4 ms, 35/32 min_rtt); off: any (start=rapid)",
);
/// K of Rapid Start.
pub const RAPID_K: Param<f64> = Param::choice(
    "rapid_k",
    "draft",
    &[("draft", 2.0 / 3.0), ("quicly", 11.0 / 18.0)],
    "K of the first reduction: draft: 2/3; quicly: 11/18, as in -00 (start=rapid)",
);
/// How conservative slow start begins.
pub const CSS: Param<CssRule> = Param::choice(
    "css",
    "rfc9406",
    &[
        ("rfc9406", CssRule { restarts: false, from_last: false }),
        ("restart", CssRule { restarts: true, from_last: false }),
        ("threshold", CssRule { restarts: false, from_last: true }),
        ("mended", CssRule { restarts: true, from_last: true }),
    ],
    "conservative slow start begins: rfc9406: as printed; restart: with samples anew (neqo issue 3505); threshold: with the rise that counts as baseline (neqo issue 3507); mended: with both (start=hystart++)",
);
/// Careful Resume.
pub const RESUME: Param<bool> = Param::flag(
    "resume",
    false,
    "resume from what an earlier connection found on the path (RFC 9959): `saved` of the flow, or reconnect = \"saved\" of its workload",
)
.needing(Need::Pacing);
/// β of a safe retreat.
pub const RESUME_BETA: Param<f64> = Param::number(
    "resume_beta",
    0.5,
    (0.1, 1.0),
    "",
    "threshold after a safe retreat, over what was delivered (RFC 9959; resume)",
);
/// The largest jump.
pub const MAX_JUMP: Param<Option<f64>> = Param::number_or(
    "max_jump",
    "none",
    (1.0, 1e6),
    "segments",
    "largest window of a jump (RFC 9959; resume)",
);
/// The rule of growth.
pub const GROWTH: Param<GrowthChoice> = Param::choice(
    "growth",
    "used",
    &[
        ("used", GrowthChoice::Used),
        ("free", GrowthChoice::Free),
        ("rate-limited", GrowthChoice::RateLimited),
        ("newcwv", GrowthChoice::NewCwv),
    ],
    "acknowledgements that count for growth: used: of segments that the window limited; free: all (RFC 5681); rate-limited: all, up to one round trip's growth from the largest flight (draft-ietf-ccwg-ratelimited-increase-10); newcwv: all while half of the window is used (RFC 7661)",
);

/// A start by its name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum StartChoice {
    /// The controller's own.
    Auto,
    /// RFC 5681.
    Classic,
    /// Linux.
    HyStart,
    /// RFC 9406.
    HyStartPlusPlus,
    /// draft-chung-ccwg-search.
    Search,
    /// draft-kazuho-ccwg-rapid-start.
    Rapid,
}

/// A rule of growth by its name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum GrowthChoice {
    /// The controller's own.
    Used,
    /// RFC 5681.
    Free,
    /// draft-ietf-ccwg-ratelimited-increase.
    RateLimited,
    /// RFC 7661.
    NewCwv,
}

/// Parameters of a controller, and after them those of its start.
macro_rules! with_start {
    ($($spec:expr),* $(,)?) => {{
        use $crate::parts::start::params as start;
        &[
            $($spec,)*
            start::START.spec,
            start::START_AGAIN.spec,
            start::SEARCH_VERSION.spec,
            start::SEARCH_THRESHOLD.spec,
            start::SEARCH_LIMITED.spec,
            start::DRAIN.spec,
            start::RAPID_THRESHOLD.spec,
            start::RAPID_K.spec,
            start::CSS.spec,
            start::RESUME.spec,
            start::RESUME_BETA.spec,
            start::MAX_JUMP.spec,
            start::GROWTH.spec,
        ]
    }};
}
pub(crate) use with_start;

/// The starts that a controller has by itself.
pub struct OwnStarts {
    /// For `start=auto`.
    pub auto: Start,
    /// For `start=hystart`, if it drives HyStart itself.
    pub hystart: Option<Start>,
    /// It paces.
    pub paced: bool,
    /// A published fault put back.
    pub mutated: Mutated,
}

impl OwnStarts {
    /// Classic slow start of a controller that paces or not.
    pub fn classic(paced: bool) -> OwnStarts {
        OwnStarts { auto: Start::Classic, hystart: None, paced, mutated: Mutated::default() }
    }

    /// The start that the parameters choose.
    ///
    /// # Errors
    ///
    /// A parameter that nothing would use.
    pub fn choose(self, setup: &Setup, params: &Params) -> Result<Starter, ParamError> {
        let choice = params.get(&START);
        let OwnStarts { auto, hystart, paced, mutated } = self;
        refuse_unused(params, choice)?;
        let growth = params.get(&GROWTH);
        let resumes = params.get(&RESUME);
        if choice == StartChoice::Auto && growth == GrowthChoice::Used && !resumes {
            return Ok(Starter::own(auto));
        }
        let initial = setup.initial_window.get();
        let mss = setup.mss.get();
        let css = CssRule {
            restarts: params.get(&CSS).restarts && !mutated.has(Mutation::SamplesStay),
            ..params.get(&CSS)
        };
        let version_4 = params.get(&SEARCH_VERSION);
        let usual = if version_4 { 0.26 } else { 0.35 };
        let rule = SearchRule {
            of_sent: version_4,
            threshold: params.get(&SEARCH_THRESHOLD).unwrap_or(usual),
            drain: params.get(&DRAIN),
            always: params.get(&SEARCH_LIMITED),
        };
        let start = match choice {
            StartChoice::Auto => auto,
            StartChoice::Classic => Start::Classic,
            StartChoice::HyStart => hystart
                .unwrap_or_else(|| Start::HyStartMeasuring(Box::new(MeasuringHyStart::new(mss)))),
            StartChoice::HyStartPlusPlus => {
                Start::HyStartPlusPlus(HyStartPlusPlus::with(css, paced))
            }
            StartChoice::Search => Start::Search(Box::new(Search::mutant(rule, mutated))),
            StartChoice::Rapid => Start::Rapid(Box::new(Rapid::new(params.get(&RAPID_THRESHOLD)))),
        };
        let growth = match growth {
            GrowthChoice::Used => Growth::Used,
            GrowthChoice::Free => Growth::Free,
            GrowthChoice::RateLimited => Growth::RateLimited(
                LargestFlight::new(initial).keeping(mutated.has(Mutation::FlightStays)),
            ),
            GrowthChoice::NewCwv => Growth::NewCwv(Box::new(NewCwv::new(initial))),
        };
        let most = params.get(&MAX_JUMP).unwrap_or(f64::INFINITY);
        let resume = resumes.then(|| {
            Resume::new(setup.saved, initial, most)
                .without_halving(mutated.has(Mutation::WholeJump))
        });
        Ok(Starter::chosen(Choices {
            start,
            again: params.get(&START_AGAIN),
            rapid_k: params.get(&RAPID_K),
            growth,
            resume,
            resume_beta: params.get(&RESUME_BETA),
            initial,
            mutated,
        }))
    }
}

fn refuse_unused(params: &Params, start: StartChoice) -> Result<(), ParamError> {
    if start != StartChoice::Search {
        let allowed = "left out without start=search";
        params.refuse(&SEARCH_VERSION, allowed)?;
        params.refuse(&SEARCH_THRESHOLD, allowed)?;
        params.refuse(&SEARCH_LIMITED, allowed)?;
        params.refuse(&DRAIN, allowed)?;
    }
    if start != StartChoice::Rapid {
        params.refuse(&RAPID_THRESHOLD, "left out without start=rapid")?;
        params.refuse(&RAPID_K, "left out without start=rapid")?;
    }
    if start != StartChoice::HyStartPlusPlus {
        params.refuse(&CSS, "left out without start=hystart++")?;
    }
    if matches!(start, StartChoice::Auto | StartChoice::Classic) {
        params.refuse(&START_AGAIN, "left out without start=hystart++, search or rapid")?;
    }
    if !params.get(&RESUME) {
        params.refuse(&RESUME_BETA, "left out without resume")?;
        params.refuse(&MAX_JUMP, "left out without resume")?;
    }
    Ok(())
}

/// Refuses the parameters of starts where slow start is in a core; `reason` ends "left out with".
///
/// # Errors
///
/// One of them is set.
pub fn refuse_all(params: &Params, reason: &str) -> Result<(), ParamError> {
    let allowed = format!("left out with {reason}");
    params.refuse(&START, &allowed)?;
    params.refuse(&RESUME, &allowed)?;
    params.refuse(&GROWTH, &allowed)?;
    refuse_unused(params, StartChoice::Auto)
}
