//! Loss that has nothing to do with queues.

use narrows_units::Random;
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
    /// The two-state model of Gilbert (1960) and Elliott (1963): a state change may follow each packet.
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
        }
    }
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
}

impl LossProcess {
    /// Starts in the good state.
    pub(crate) fn new(model: LossModel, random: Random) -> LossProcess {
        LossProcess { model, random, seen: 0, bad: false }
    }

    /// Goes on with another model: its random draws, its count of packets and its state stay.
    pub(crate) fn set_model(&mut self, model: LossModel) {
        self.model = model;
    }

    /// The fate of the next packet.
    pub(crate) fn loses(&mut self) -> bool {
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
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_in_the_long_run_by_hand() {
        let bursts = |to_bad, to_good, loss_good, loss_bad| LossModel::GilbertElliott { to_bad, to_good, loss_good, loss_bad }.summary();
        // Bad for a hundredth of the packets, of which half are lost; of the others 1 %.
        assert_eq!(bursts(0.01, 0.99, 0.01, 0.5), "1.49 % in bursts");
        assert_eq!(bursts(0.0, 0.0, 0.0, 1.0), "0 % in bursts", "it starts in the good state and stays there");
        assert_eq!(
            [LossModel::None, LossModel::Independent(0.01), LossModel::Periodic(100)].map(|loss| loss.summary()),
            ["", "1 %", "one packet in 100"]
        );
    }
}
