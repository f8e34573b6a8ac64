//! All queue disciplines, those of routers included, by name.

use crate::link::Packet;
use crate::queue::backlog::{Backlog, Limit};
use crate::queue::discipline::{
    Discipline, DisciplineChoice, DisciplineEntry, DisciplineSetup, Fate, Queued, Verdicts,
};
use narrows_params::{Catalogue, Need, Registered, Spec};
use narrows_units::{Rate, Time};
use std::borrow::Cow;

impl Registered for &'static DisciplineEntry {
    const WHAT: &'static str = "queue discipline";
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

impl Catalogue for DisciplineEntry {
    type Entry = &'static DisciplineEntry;
    fn built_in() -> Vec<&'static DisciplineEntry> {
        DISCIPLINES.to_vec()
    }
}

/// The discipline whose routers give controllers what they need, if any does.
pub fn offering(need: Need) -> Option<&'static DisciplineEntry> {
    DISCIPLINES.iter().copied().find(|entry| entry.offers.contains(&need))
}

/// Declares all disciplines once, each by the path of its type, beside which its `ENTRY` is: their
/// list, and the enum through which a link calls them without dynamic dispatch.
macro_rules! disciplines {
    ($($room:ident::$module:ident::$name:ident;)*) => {
        /// Every discipline, in the order in which lists show them.
        pub static DISCIPLINES: &[&DisciplineEntry] = &[$(&crate::$room::$module::ENTRY),*];

        /// Any of the disciplines.
        #[derive(Clone, Debug)]
        pub enum AnyDiscipline<P> {
            $(#[doc = concat!("That of `", stringify!($room), "/", stringify!($module), "`.")] $name(crate::$room::$module::$name<P>)),*
        }

        impl<P: Packet> AnyDiscipline<P> {
            /// The discipline chosen, empty.
            pub fn new(choice: &DisciplineChoice, setup: &DisciplineSetup) -> AnyDiscipline<P> {
                let params = choice.params();
                $(if choice.entry().name == crate::$room::$module::ENTRY.name {
                    return AnyDiscipline::$name(crate::$room::$module::$name::new(setup, &params));
                })*
                unreachable!("{} is in the registry and not in the enum", choice.entry().name)
            }
        }

        impl<P: Packet> Discipline<P> for AnyDiscipline<P> {
            fn enqueue(&mut self, now: Time, packet: P, verdicts: &mut Verdicts<P>) -> Fate {
                match self { $(AnyDiscipline::$name(queue) => queue.enqueue(now, packet, verdicts)),* }
            }
            fn dequeue(&mut self, now: Time, verdicts: &mut Verdicts<P>) -> Option<Queued<P>> {
                match self { $(AnyDiscipline::$name(queue) => queue.dequeue(now, verdicts)),* }
            }
            fn may_be_passed(&self) -> bool {
                match self { $(AnyDiscipline::$name(queue) => Discipline::<P>::may_be_passed(queue)),* }
            }
            fn backlog(&self) -> &Backlog {
                match self { $(AnyDiscipline::$name(queue) => Discipline::<P>::backlog(queue)),* }
            }
            fn backlog_mut(&mut self) -> &mut Backlog {
                match self { $(AnyDiscipline::$name(queue) => Discipline::<P>::backlog_mut(queue)),* }
            }
            fn set_rate(&mut self, now: Time, rate: Option<Rate>) {
                match self { $(AnyDiscipline::$name(queue) => Discipline::<P>::set_rate(queue, now, rate)),* }
            }
            fn set_limit(&mut self, limit: Limit) {
                match self { $(AnyDiscipline::$name(queue) => Discipline::<P>::set_limit(queue, limit)),* }
            }
        }
    };
}

disciplines! {
    queue::fifo::Fifo;
    queue::codel::Codel;
    queue::fq_codel::FqCodel;
    queue::pie::Pie;
    queue::red::Red;
    queue::step::Step;
    queue::policer::Policer;
    queue::priority::Priority;
    queue::dualpi2::DualPi2;
    router::vcp::Vcp;
    router::xcp::Xcp;
    router::rcp::Rcp;
}
