//! The start of a connection: twice the rate with every interval until the utility falls.

use super::interval::Discarded;
use super::law::{Context, Outcome};
use narrows_params::Param;

/// Losses of each interval of slow start that do not count.
pub const FORGIVEN: Param<f64> = Param::number(
    "forgiven_losses",
    0.0,
    (0.0, 1e6),
    "packets",
    "losses of an interval that slow start does not count; 50 in PCC-Uspace, NSDI-2018",
);

/// Doubles interval by interval while outcomes are a round trip late, so the rate to fall back to
/// is the rate of the best interval, not half of the latest.
#[derive(Clone, Copy, Debug)]
pub struct SlowStart {
    /// The first rate, in Mbit/s.
    first: f64,
    /// The rate of the next interval.
    next: f64,
    /// Rate and utility of the latest interval judged.
    best: Option<(f64, f64)>,
}

/// The meaning of an outcome for slow start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Progress {
    /// Not yet over.
    On,
    /// The interval could not be judged: again from its rate on.
    Again,
    /// The utility fell, or the host cannot send as fast: the rate before was the best.
    Over,
}

impl SlowStart {
    /// From `rate` on.
    pub fn new(rate: f64) -> SlowStart {
        SlowStart { first: rate, next: rate, best: None }
    }

    /// The rate of the next interval.
    pub fn plan(&mut self, context: &Context<'_>) -> f64 {
        let rate = context.bound(self.next);
        self.next = context.bound(2.0 * rate);
        rate
    }

    /// An interval's outcome.
    pub fn on_outcome(&mut self, outcome: &Outcome) -> Progress {
        let judged = match outcome.judged {
            Ok(judged) => judged,
            // No host sends faster for being asked again.
            Err(Discarded::Slow) if self.best.is_some() => return Progress::Over,
            Err(_) => {
                self.next = outcome.rate;
                return Progress::Again;
            }
        };
        if self.best.is_some_and(|(_, utility)| judged.utility < utility) {
            return Progress::Over;
        }
        self.best = Some((outcome.rate, judged.utility));
        Progress::On
    }

    /// The rate that has proved best so far; before that, the first.
    pub fn rate(&self) -> f64 {
        self.best.map_or(self.first, |(rate, _)| rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controllers::pcc::interval::Statistics;
    use crate::controllers::pcc::law::Judged;
    use narrows_units::Random;

    fn outcome(rate: f64, utility: f64) -> Outcome {
        Outcome { rate, judged: Ok(Judged { utility, statistics: Statistics::default() }) }
    }

    #[test]
    fn it_doubles_ahead_of_its_outcomes_and_falls_back_to_the_best() {
        let mut random = Random::stream(1, "test");
        let context = Context { floor: 0.5, random: &mut random };
        let mut start = SlowStart::new(1.0);
        assert_eq!([(); 4].map(|()| start.plan(&context)), [1.0, 2.0, 4.0, 8.0]);
        assert_eq!(start.on_outcome(&outcome(1.0, 1.0)), Progress::On);
        assert_eq!(start.on_outcome(&outcome(2.0, 1.9)), Progress::On);
        assert_eq!(start.on_outcome(&outcome(4.0, 1.8)), Progress::Over);
        assert_eq!(start.rate(), 2.0);
    }

    #[test]
    fn an_interval_without_verdict_is_repeated() {
        let mut random = Random::stream(1, "test");
        let context = Context { floor: 0.5, random: &mut random };
        let mut start = SlowStart::new(1.0);
        let _ = [(); 4].map(|()| start.plan(&context));
        assert_eq!(
            start.on_outcome(&Outcome { rate: 2.0, judged: Err(Discarded::NoData) }),
            Progress::Again
        );
        assert_eq!(start.plan(&context), 2.0);
    }

    #[test]
    fn a_host_that_cannot_send_as_fast_ends_it() {
        let mut start = SlowStart::new(1.0);
        assert_eq!(start.on_outcome(&outcome(1.0, 1.0)), Progress::On);
        assert_eq!(
            start.on_outcome(&Outcome { rate: 2.0, judged: Err(Discarded::Slow) }),
            Progress::Over
        );
        assert_eq!(start.rate(), 1.0);
    }
}
