//! Loss that has nothing to do with queues.

use narrows_units::{Random, Span, Time};
use std::fmt::{self, Display};

/// Which packets a link loses before they reach its queue (as in mahimahi's nested shells).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum LossModel {
    /// None.
    #[default]
    None,
    /// Each packet with this probability, independently.
    Independent(f64),
    /// Every n-th packet: the n-th, the 2n-th and so on.
    Periodic(u64),
    /// The two-state model of Gilbert (1960) and Elliott (1963): a state change may follow each
    /// packet, as in netem (`net/sched/sch_netem.c`, `loss_gilb_ell`). Where no packet comes, a
    /// state stays: a sender that waits for a timeout finds the state in which it stopped.
    GilbertElliott {
        /// Probability of going from the good to the bad state after a packet.
        to_bad: f64,
        /// Probability of going from the bad to the good state after a packet.
        to_good: f64,
        /// Loss probability in the good state.
        loss_good: f64,
        /// Loss probability in the bad state.
        loss_bad: f64,
    },
    /// The same two states in continuous time: each lasts for a time drawn from an exponential
    /// distribution, whether packets come or not.
    GilbertElliottInTime {
        /// Mean time in the good state, above zero.
        good_for: Span,
        /// Mean time in the bad state, above zero.
        bad_for: Span,
        /// Loss probability in the good state.
        loss_good: f64,
        /// Loss probability in the bad state.
        loss_bad: f64,
    },
}

impl LossModel {
    /// How much it loses in the long run, in words; empty for nothing.
    pub fn summary(&self) -> String {
        match *self {
            LossModel::None => String::new(),
            LossModel::GilbertElliott { to_bad, to_good, loss_good, loss_bad } => {
                let bad = if to_bad + to_good > 0.0 { to_bad / (to_bad + to_good) } else { 0.0 };
                format!("{} in bursts", percent(bad * loss_bad + (1.0 - bad) * loss_good))
            }
            LossModel::GilbertElliottInTime { good_for, bad_for, loss_good, loss_bad } => {
                let bad = bad_part(good_for, bad_for);
                format!("{} in bursts", percent(bad * loss_bad + (1.0 - bad) * loss_good))
            }
            LossModel::Independent(_) | LossModel::Periodic(_) => self.to_string(),
        }
    }
}

impl Display for LossModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            LossModel::None => f.write_str("none"),
            LossModel::Independent(share) => f.write_str(&percent(share)),
            LossModel::Periodic(n) => write!(f, "one packet in {n}"),
            LossModel::GilbertElliott { to_bad, to_good, loss_good, loss_bad } => write!(
                f,
                "Gilbert-Elliott: {} to bad, {} to good, {} lost in good, {} in bad",
                percent(to_bad),
                percent(to_good),
                percent(loss_good),
                percent(loss_bad)
            ),
            LossModel::GilbertElliottInTime { good_for, bad_for, loss_good, loss_bad } => write!(
                f,
                "Gilbert-Elliott in time: {good_for} good, {bad_for} bad, {} lost in good, {} in bad",
                percent(loss_good),
                percent(loss_bad)
            ),
        }
    }
}

/// The part of time in the bad state.
fn bad_part(good_for: Span, bad_for: Span) -> f64 {
    bad_for.as_secs_f64() / (good_for.as_secs_f64() + bad_for.as_secs_f64())
}

/// A share to four digits, without zeros at the end.
fn percent(share: f64) -> String {
    let text = format!("{:.4}", 100.0 * share);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

/// A loss model at work.
#[derive(Clone, Debug)]
pub(crate) struct LossProcess {
    model: LossModel,
    random: Random,
    seen: u64,
    bad: bool,
    /// Time for which the state in continuous time is known.
    known: Time,
}

impl LossProcess {
    /// Starts in the good state.
    pub(crate) fn new(model: LossModel, random: Random) -> LossProcess {
        LossProcess { model, random, seen: 0, bad: false, known: Time::ZERO }
    }

    /// Goes on with another model: its random draws, its count of packets and its state stay.
    pub(crate) fn set_model(&mut self, model: LossModel) {
        self.model = model;
    }

    /// The fate of the next packet, which arrives at `at`.
    pub(crate) fn loses(&mut self, at: Time) -> bool {
        match self.model {
            LossModel::None => false,
            LossModel::Independent(p) => self.random.chance(p),
            LossModel::Periodic(n) => {
                self.seen += 1;
                self.seen.is_multiple_of(n)
            }
            LossModel::GilbertElliott { to_bad, to_good, loss_good, loss_bad } => {
                let lost = self.random.chance(if self.bad { loss_bad } else { loss_good });
                if self.random.chance(if self.bad { to_good } else { to_bad }) {
                    self.bad = !self.bad;
                }
                lost
            }
            LossModel::GilbertElliottInTime { good_for, bad_for, loss_good, loss_bad } => {
                // The chain forgets: after `passed` it is bad with its long-run probability, but
                // for a part that decays with the sum of both rates. One draw for each packet is
                // exact however long nothing came.
                let passed = at.max(self.known).since(self.known).as_secs_f64();
                self.known = at.max(self.known);
                let rates = 1.0 / good_for.as_secs_f64() + 1.0 / bad_for.as_secs_f64();
                let long_run = bad_part(good_for, bad_for);
                let began = if self.bad { 1.0 } else { 0.0 };
                self.bad =
                    self.random.chance(long_run + (began - long_run) * libm::exp(-rates * passed));
                self.random.chance(if self.bad { loss_bad } else { loss_good })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_in_the_long_run_by_hand() {
        let bursts = |to_bad, to_good, loss_good, loss_bad| {
            LossModel::GilbertElliott { to_bad, to_good, loss_good, loss_bad }.summary()
        };
        // Bad for a hundredth of the packets, of which half are lost; of the others 1 %.
        assert_eq!(bursts(0.01, 0.99, 0.01, 0.5), "1.49 % in bursts");
        let good_for = Span::from_millis(900);
        let bad_for = Span::from_millis(100);
        let in_time =
            LossModel::GilbertElliottInTime { good_for, bad_for, loss_good: 0.01, loss_bad: 0.5 };
        assert_eq!(in_time.summary(), "5.9 % in bursts", "bad for a tenth of the time");
        assert_eq!(
            bursts(0.0, 0.0, 0.0, 1.0),
            "0 % in bursts",
            "it starts in the good state and stays there"
        );
        assert_eq!(
            [LossModel::None, LossModel::Independent(0.01), LossModel::Periodic(100)]
                .map(|loss| loss.summary()),
            ["", "1 %", "one packet in 100"]
        );
    }

    /// The fates of packets `apart` from each other, by a model that loses all in the bad state and
    /// nothing in the good one.
    fn fates(model: LossModel, apart: Span, count: u64) -> Vec<bool> {
        let mut process = LossProcess::new(model, Random::stream(1, "loss"));
        (1..=count).map(|number| process.loses(Time::ZERO + apart * number)).collect()
    }

    /// The mean length of runs of losses.
    fn burst(fates: &[bool]) -> f64 {
        let lost = fates.iter().filter(|lost| **lost).count();
        let runs = fates.windows(2).filter(|two| two[1] && !two[0]).count();
        lost as f64 / runs as f64
    }

    #[test]
    fn states_in_time_last_as_long_however_many_packets_come() {
        let good_for = Span::from_millis(900);
        let bad_for = Span::from_millis(100);
        let in_time =
            LossModel::GilbertElliottInTime { good_for, bad_for, loss_good: 0.0, loss_bad: 1.0 };
        let per_packet = LossModel::GilbertElliott {
            to_bad: 1.0 / 900.0,
            to_good: 0.01,
            loss_good: 0.0,
            loss_bad: 1.0,
        };
        for ms in [1, 10] {
            let apart = Span::from_millis(ms);
            let lost = fates(in_time, apart, 4_000_000);
            let part = lost.iter().filter(|lost| **lost).count() as f64 / lost.len() as f64;
            assert!((0.09..0.11).contains(&part), "{part}");
            // A burst is as many packets as come in 100 ms, and 6 % more at 10 ms: a good state
            // that begins and ends between two packets is not seen.
            let expected = 100.0 / ms as f64;
            assert!(
                (burst(&lost) / expected - 1.0).abs() < 0.1,
                "{} packets {ms} ms apart",
                burst(&lost)
            );
            let lost = fates(per_packet, apart, 4_000_000);
            assert!(
                (burst(&lost) / 100.0 - 1.0).abs() < 0.1,
                "a state per packet has {} packets at any rate",
                burst(&lost)
            );
        }
        // After ten seconds nothing is known of the state before: a tenth of such packets is lost,
        // each by itself.
        let rare = fates(in_time, Span::from_secs(10), 20_000);
        assert!((burst(&rare) - 1.0 / 0.9).abs() < 0.05, "{}", burst(&rare));
    }
}
