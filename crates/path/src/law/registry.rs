//! All rate laws, by name.

use super::contract::{LawChoice, LawEntry, LawSetup, Observed, RateLaw};
use super::mircc::{self, Mircc, MirccSingle};
use super::rcp::{self, RcpLaw};
use narrows_params::{Catalogue, Registered, Spec};
use narrows_units::{Rate, Span};
use narrows_wire::Rates;
use std::borrow::Cow;

impl Registered for &'static LawEntry {
    const WHAT: &'static str = "rate law";
    fn name(&self) -> &str {
        self.name
    }
    fn params(&self) -> &[Spec] {
        self.params
    }
    fn kept(&self) -> (Cow<'static, str>, Cow<'static, [Spec]>) {
        (Cow::Borrowed(self.name), Cow::Borrowed(self.params))
    }
}

impl Catalogue for LawEntry {
    type Entry = &'static LawEntry;
    fn built_in() -> Vec<&'static LawEntry> {
        LAWS.to_vec()
    }
}

/// Declares all laws once: their list, and the enum through which a link calls them without dynamic
/// dispatch.
macro_rules! laws {
    ($($name:ident($type:ty), $entry:expr;)*) => {
        /// Every rate law, in the order in which lists show them.
        pub static LAWS: &[&LawEntry] = &[$(&$entry),*];

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
    Rcp(RcpLaw), rcp::ENTRY;
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_units::Bytes;

    const SETUP: LawSetup = LawSetup { capacity: Rate::from_mbps(10) };

    fn made(text: &str) -> AnyRateLaw {
        AnyRateLaw::new(&text.parse().expect("a law"), &SETUP)
    }

    #[test]
    fn every_entry_is_complete() {
        for entry in LAWS {
            assert_eq!(
                LAWS.iter().filter(|other| other.name == entry.name).count(),
                1,
                "{} twice",
                entry.name
            );
            assert!(!entry.summary.is_empty() && !entry.source.is_empty());
        }
    }

    #[test]
    fn laws_of_one_class_leave_the_secondary_rate_at_zero_and_all_name_their_state_once() {
        let seen = Observed {
            dt: Span::from_millis(100),
            arrivals: [3e5, 2e5],
            queue: 0.0,
            rtt: None,
            packet: Bytes::new(1000),
        };
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
        assert_eq!(error("mirc"), r#"there is no rate law "mirc"; did you mean "mircc"?"#);
        assert_eq!(
            error("mircc?pool=both"),
            "mircc: pool=both is not allowed; it must be one of consistent, literal"
        );
        assert_eq!(
            error("mircc-single?pool=literal"),
            "mircc-single has no parameter \"pool\"; known parameters: eta, alpha, beta, cap, count, kt, shortest, within, longest, floor"
        );
    }
}
