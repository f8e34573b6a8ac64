//! Rate laws: what the links of an information-centric network tell consumers to ask for.

use crate::Rates;
use crate::mircc::{self, Mircc, MirccSingle};
use crate::rcp::{self, RcpLaw};
use narrows_control::params::{self, Param, Registered};
use narrows_units::{Bytes, Rate, Span};

/// What a link saw since its last tick. All counts are bits of Data: Interests offered to the shaper, inflated by the ratio of the mean sizes of Data and Interests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observed {
    /// Time since the last tick.
    pub dt: Span,
    /// Bits, not bits per second, that arrived over `dt`: primary and secondary. What is sent, waits or is refused counts alike.
    pub arrivals: [f64; 2],
    /// Bits that wait now, of both classes.
    pub queue: f64,
    /// Mean of the round trips that arrivals carried; `None` if nobody told.
    pub rtt: Option<Span>,
    /// Mean size of a Data packet: what floors are counted in.
    pub packet: Bytes,
}

/// A law that gives a link its rates. It knows nothing of packets: whoever owns the link counts, and calls [`tick`](RateLaw::tick) when
/// [`interval`](RateLaw::interval) has passed since the last time.
pub trait RateLaw {
    /// Takes what was seen since the last tick and returns the rates that hold until the next one. A sample with a count that is not a finite number, or over no
    /// time, changes nothing.
    fn tick(&mut self, observed: &Observed) -> Rates;

    /// The rates that hold now.
    fn rates(&self) -> Rates;

    /// Time to the next tick. Whoever owns the link puts the first one at a random part of it, so that links do not tick in step.
    fn interval(&self) -> Span;

    /// From now on the link carries so much Data, zero for a link that is down. Rates follow at the next tick.
    fn set_capacity(&mut self, capacity: Rate);

    /// Names inner state for traces; rates in Mbit/s, times in seconds.
    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64));

    /// Samples that were not numbers, and changed nothing.
    fn discarded(&self) -> u64;
}

/// What a registry line says of a rate law.
pub struct LawEntry {
    /// Its name in scenarios.
    pub name: &'static str,
    /// One line on what it does.
    pub summary: &'static str,
    /// The document it follows.
    pub source: &'static str,
    /// How many classes it gives rates to: 1 or 2.
    pub classes: u8,
    /// What can be set.
    pub params: &'static [Param],
}

/// A rate law chosen by name, with its parameters checked: `mircc`, `rcp?a=0.1&b=1`.
pub type LawChoice = params::Choice<LawEntry>;

impl Registered for LawEntry {
    const WHAT: &'static str = "rate law";
    fn all() -> &'static [&'static LawEntry] {
        LAWS
    }
    fn name(&self) -> &'static str {
        self.name
    }
    fn params(&self) -> &'static [Param] {
        self.params
    }
}

/// What a rate law must know of its link.
#[derive(Clone, Copy, Debug)]
pub struct LawSetup {
    /// What the link carries in the direction of Data.
    pub capacity: Rate,
}

/// Declares all laws once: their list, and the enum through which a link calls them without dynamic dispatch.
macro_rules! laws {
    ($($name:ident($type:ty), $entry:expr;)*) => {
        /// Every rate law, in the order in which lists show them.
        pub const LAWS: &[&LawEntry] = &[$(&$entry),*];

        /// Any of the rate laws.
        #[derive(Clone, Debug)]
        pub enum AnyRateLaw {
            $(#[doc = concat!("[`", stringify!($type), "`].")] $name($type)),*
        }

        impl AnyRateLaw {
            /// The law chosen, before its first tick.
            pub fn new(choice: &LawChoice, setup: &LawSetup) -> AnyRateLaw {
                let params = choice.params();
                $(if choice.entry().name == $entry.name {
                    return AnyRateLaw::$name(<$type>::new(setup, &params));
                })*
                unreachable!("{} is in the registry and not in the enum", choice.entry().name)
            }
        }

        impl RateLaw for AnyRateLaw {
            fn tick(&mut self, observed: &Observed) -> Rates {
                match self { $(AnyRateLaw::$name(law) => law.tick(observed)),* }
            }
            fn rates(&self) -> Rates {
                match self { $(AnyRateLaw::$name(law) => law.rates()),* }
            }
            fn interval(&self) -> Span {
                match self { $(AnyRateLaw::$name(law) => law.interval()),* }
            }
            fn set_capacity(&mut self, capacity: Rate) {
                match self { $(AnyRateLaw::$name(law) => law.set_capacity(capacity)),* }
            }
            fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
                match self { $(AnyRateLaw::$name(law) => law.inspect(visit)),* }
            }
            fn discarded(&self) -> u64 {
                match self { $(AnyRateLaw::$name(law) => law.discarded()),* }
            }
        }
    };
}

laws! {
    Mircc(Mircc), mircc::DUAL;
    MirccSingle(MirccSingle), mircc::SINGLE;
    Rcp(RcpLaw), rcp::LAW;
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_control::params::Kind;

    const SETUP: LawSetup = LawSetup { capacity: Rate::from_mbps(10) };

    fn made(text: &str) -> AnyRateLaw {
        AnyRateLaw::new(&text.parse().expect("a law"), &SETUP)
    }

    #[test]
    fn every_entry_is_complete() {
        for entry in LAWS {
            assert_eq!(LAWS.iter().filter(|other| other.name == entry.name).count(), 1, "{} twice", entry.name);
            assert!(!entry.summary.is_empty() && !entry.source.is_empty());
            for param in entry.params {
                match param.kind {
                    Kind::Number { default, min, max, .. } => assert!((min..=max).contains(&default), "{}", param.name),
                    Kind::Choice { default, options } => assert!(options.contains(&default), "{}", param.name),
                    Kind::NumberOr { .. } | Kind::Flag { .. } => {}
                }
            }
        }
    }

    #[test]
    fn laws_of_one_class_leave_the_secondary_rate_at_zero_and_all_name_their_state_once() {
        let seen = Observed { dt: Span::from_millis(100), arrivals: [3e5, 2e5], queue: 0.0, rtt: None, packet: Bytes::new(1000) };
        for entry in LAWS {
            let mut law = made(entry.name);
            for rates in [law.rates(), law.tick(&seen)] {
                assert!(!rates.primary.is_zero(), "{}", entry.name);
                assert_eq!(rates.secondary.is_zero(), entry.classes == 1, "{}", entry.name);
            }
            assert_eq!(law.tick(&seen), law.rates());
            let mut names = Vec::new();
            law.inspect(&mut |name, value| {
                assert!(value.is_finite() && !names.contains(&name), "{name}");
                names.push(name);
            });
            assert!(names.contains(&"rate_mbps") && names.contains(&"rtt_s"), "{names:?}");
        }
    }

    #[test]
    fn what_is_wrong_and_what_would_be_right() {
        let error = |text: &str| text.parse::<LawChoice>().unwrap_err().to_string();
        assert_eq!(error("mirc"), "there is no rate law \"mirc\"; known are mircc, mircc-single, rcp");
        assert_eq!(error("mircc?pool=both"), "mircc: pool=both is not allowed; it must be one of consistent, literal");
        assert_eq!(
            error("mircc-single?pool=literal"),
            "mircc-single has no parameter \"pool\"; it has eta, alpha, beta, cap, kt, shortest, longest, floor"
        );
    }
}
