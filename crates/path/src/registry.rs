//! All queue disciplines, those of routers included, by name.

use crate::link::Packet;
use crate::queue::codel::{self, Codel};
use crate::queue::discipline::{Discipline, DisciplineChoice, DisciplineEntry, DisciplineSetup, Fate, Limit, Queued, Verdicts};
use crate::queue::dualpi2::{self, DualPi2};
use crate::queue::fifo::{self, Fifo};
use crate::queue::fq_codel::{self, FqCodel};
use crate::queue::pie::{self, Pie};
use crate::queue::red::{self, Red};
use crate::queue::step::{self, Step};
use crate::router::rcp::{self, Rcp};
use crate::router::vcp::{self, Vcp};
use crate::router::xcp::{self, Xcp};
use narrows_params::{Need, Registered, Spec};
use narrows_units::{Bytes, Rate, Time};

impl Registered for DisciplineEntry {
    const WHAT: &'static str = "queue discipline";
    fn all() -> &'static [&'static DisciplineEntry] {
        DISCIPLINES
    }
    fn name(&self) -> &'static str {
        self.name
    }
    fn params(&self) -> &'static [Spec] {
        self.params
    }
}

/// The discipline whose routers give controllers what they need, if any does.
pub fn offering(need: Need) -> Option<&'static DisciplineEntry> {
    DISCIPLINES.iter().copied().find(|entry| entry.offers.contains(&need))
}

/// Declares all disciplines once: their list, and the enum through which a link calls them without dynamic dispatch.
macro_rules! disciplines {
    ($($name:ident($type:ty), $entry:expr;)*) => {
        /// Every discipline, in the order in which lists show them.
        pub const DISCIPLINES: &[&DisciplineEntry] = &[$(&$entry),*];

        /// Any of the disciplines.
        #[derive(Clone, Debug)]
        pub enum AnyDiscipline<P> {
            $(#[doc = concat!("[`", stringify!($name), "`].")] $name($type)),*
        }

        impl<P: Packet> AnyDiscipline<P> {
            /// The discipline chosen, empty.
            pub fn new(choice: &DisciplineChoice, setup: &DisciplineSetup) -> AnyDiscipline<P> {
                let params = choice.params();
                $(if choice.entry().name == $entry.name {
                    return AnyDiscipline::$name(<$type>::new(setup, &params));
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
            fn bytes(&self) -> Bytes {
                match self { $(AnyDiscipline::$name(queue) => Discipline::<P>::bytes(queue)),* }
            }
            fn packets(&self) -> usize {
                match self { $(AnyDiscipline::$name(queue) => Discipline::<P>::packets(queue)),* }
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
    Fifo(Fifo<P>), fifo::ENTRY;
    Codel(Codel<P>), codel::ENTRY;
    FqCodel(FqCodel<P>), fq_codel::ENTRY;
    Pie(Pie<P>), pie::ENTRY;
    Red(Red<P>), red::ENTRY;
    Step(Step<P>), step::ENTRY;
    DualPi2(DualPi2<P>), dualpi2::ENTRY;
    Vcp(Vcp<P>), vcp::ENTRY;
    Xcp(Xcp<P>), xcp::ENTRY;
    Rcp(Rcp<P>), rcp::ENTRY;
}
