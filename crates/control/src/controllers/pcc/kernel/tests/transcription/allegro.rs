//! The kernel's Allegro.

use super::*;

#[derive(Clone, Debug)]
pub struct Allegro {
    pub fixed: bool,
    pub common: Common,
    pub epsilon: u64,
}

/// e^(x/1000) in thousandths, by its Taylor series in whole numbers.
pub fn exp(x: i64) -> u32 {
    let mut term = 1000_i64;
    let mut sum = 1000_i64;
    let mut i = 1;
    while term != 0 {
        term = term * x / i / 1000;
        sum += term;
        i += 1;
    }
    sum as u32
}

impl Allegro {
    pub fn new(fixed: bool, ack: &Ack) -> Allegro {
        let mut common = Common::new();
        common.set_up_one();
        common.start_interval(ack);
        Allegro { fixed, common, epsilon: 1 }
    }

    pub fn state(&mut self, ack: &Ack) {
        match (self.common.timed_out, ack.timed_out) {
            (true, false) => {
                self.common.leave_loss(ack);
                self.common.phase = Phase::Probing;
                self.common.set_up_probes(self.epsilon, ack.random);
                self.common.start_interval(ack);
            }
            (false, true) => self.common.enter_loss(ack),
            _ => {}
        }
    }

    pub fn ack(&mut self, ack: &Ack) {
        self.common.set_window(ack);
        let enough = if self.common.phase == Phase::Probing { 40 } else { 35 };
        if !self.common.timed_out && self.common.account(ack, 5, enough) {
            let decided = match self.common.phase {
                Phase::Start => self.decide_start(ack),
                Phase::Moving => self.adjust(),
                Phase::Probing if self.common.receiving == 4 => self.decide_probing(),
                Phase::Probing => false,
            };
            if decided {
                match self.common.phase {
                    Phase::Probing => self.common.set_up_probes(self.epsilon, ack.random),
                    _ => self.common.set_up_one(),
                }
                self.common.start_interval(ack);
            }
        }
        self.common.bases = (ack.delivered, ack.lost);
    }

    pub fn utility(interval: &Interval) -> i64 {
        let rate = interval.rate;
        let lost = interval.lost as i64;
        let delivered = interval.delivered as i64;
        if lost + delivered == 0 {
            return i64::MIN;
        }
        let loss = 100_000 * lost / (lost + delivered);
        let beyond = loss - 5000;
        let kept = if beyond < 10_000 {
            times(rate, 1000) / (exp(beyond).wrapping_add(1000) as i64)
        } else {
            0
        };
        let goodput = times(kept, 100_000 - loss) / 100_000;
        goodput.wrapping_sub(times(rate, loss) / 100_000)
    }

    fn per_rate(utility: i64, rate: i64, thousandths: i64) -> i64 {
        match utility {
            i64::MIN => i64::MIN,
            _ => over(times(utility, thousandths), (rate as u32) as i64),
        }
    }

    fn decide_start(&mut self, ack: &Ack) -> bool {
        let common = &mut self.common;
        let slack = |utility: i64| if utility < 0 { 1000 } else { 750 };
        let before = common.intervals[0].utility;
        let now = Self::utility(&common.intervals[0]);
        common.intervals[0].utility = now;
        let (value_before, value_now) = match self.fixed {
            true => (before, now),
            false => (
                Self::per_rate(before, common.last_rate, slack(before)),
                Self::per_rate(now, common.rate, slack(now)),
            ),
        };
        if value_now > value_before {
            common.last_rate = common.rate;
            let bytes = common.intervals[0].delivered.wrapping_mul(ack.mss) as u64;
            let rate = common.rate as u64;
            let more = if self.fixed { rate } else { bytes.min(rate) };
            common.rate = rate.wrapping_add(more) as i64;
        } else {
            common.rate = common.last_rate;
            common.phase = Phase::Probing;
        }
        true
    }

    fn decide_probing(&mut self) -> bool {
        let common = &mut self.common;
        for interval in &mut common.intervals {
            interval.utility = Self::utility(interval);
        }
        let old = common.rate;
        let mut new = old;
        if common.agree() {
            common.phase = Phase::Moving;
            let [a, b, ..] = common.intervals;
            new = if a.utility > b.utility { a.rate } else { b.rate };
        }
        let decided = verdict(old, new);
        self.epsilon = if decided == common.last_verdict { (self.epsilon + 1).min(5) } else { 1 };
        common.last_verdict = decided;
        if common.phase == Phase::Moving {
            common.last_rate = new;
            let step = (new as u64).wrapping_mul(self.epsilon) / 100;
            // Up also if the winner's rate is the old one, as at very low rates.
            common.rate = match decided {
                Verdict::Down => (new as u64).wrapping_sub(step),
                _ => (new as u64).wrapping_add(step),
            } as i64;
        }
        true
    }

    fn adjust(&mut self) -> bool {
        let before = self.common.intervals[0].utility;
        let utility = Self::utility(&self.common.intervals[0]);
        self.common.intervals[0].utility = utility;
        if before < utility {
            self.epsilon = (self.epsilon + 1).min(5);
            self.common.last_rate = self.common.rate;
            let rate = self.common.rate as u64;
            let step = rate.wrapping_mul(self.epsilon) / 100;
            self.common.rate = match self.common.last_verdict {
                Verdict::Up => rate.wrapping_add(step),
                _ => rate.wrapping_sub(step),
            } as i64;
        } else {
            self.common.rate = self.common.last_rate;
            self.epsilon = 1;
            self.common.phase = Phase::Probing;
        }
        true
    }
}
