//! The kernel's Vivace.

use super::*;

#[derive(Clone, Debug)]
pub struct Vivace {
    pub fixed: bool,
    pub pair_bug: bool,
    pub common: Common,
    pub amplifier: i64,
    pub swing: i64,
    pub bound: i64,
}

impl Vivace {
    pub fn new(fixed: bool, pair_bug: bool, ack: &Ack) -> Vivace {
        let mut common = Common::new();
        common.set_up_probes(5, ack.random);
        common.start_interval(ack);
        Vivace { fixed, pair_bug, common, amplifier: 2, swing: 0, bound: 100 }
    }

    pub fn state(&mut self, ack: &Ack) {
        match (self.common.timed_out, ack.timed_out) {
            (true, false) => {
                self.common.leave_loss(ack);
                self.common.set_up_probes(5, ack.random);
                self.common.start_interval(ack);
            }
            (false, true) => self.common.enter_loss(ack),
            _ => {}
        }
    }

    pub fn ack(&mut self, ack: &Ack) {
        self.common.set_window(ack);
        if !self.common.timed_out && self.common.account(ack, 10, 50) {
            match self.common.phase {
                Phase::Start => self.decide_start(ack),
                Phase::Moving => self.decide_moving(ack),
                Phase::Probing if self.common.receiving == 4 => self.decide_probing(ack),
                Phase::Probing => {}
            }
        }
        self.common.bases = (ack.delivered, ack.lost);
    }

    pub fn utility(interval: &Interval, start: bool, mss: u32) -> i64 {
        let rate = interval.rate;
        let lost = interval.lost as i64;
        let delivered = interval.delivered as i64;
        if delivered == 0 {
            return 0;
        }
        let receiving = interval.receive.1.wrapping_sub(interval.receive.0);
        let throughput = if receiving > 0 {
            over(times(times(1_000_000, delivered), mss as i64), receiving)
        } else {
            0
        };
        let sending = interval.send.1.wrapping_sub(interval.send.0);
        let risen = interval.rtt.1.wrapping_sub(interval.rtt.0);
        let mut latency = if sending > 0 { over(times(1000, risen), sending) } else { 0 };
        let noise = if throughput > 0 { over(2_000_000 * mss as i64, throughput) } else { 0 };
        if risen < noise && risen > -noise {
            latency = 0;
        }
        if latency < 30 && latency > -30 {
            latency = 0;
        }
        if start && latency < 0 {
            latency = 0;
        }
        let mut loss = 1000 * lost / (lost + delivered);
        if start && loss < 100 {
            loss = 0;
        }
        let penalty = times(rate, times(900, latency).wrapping_add(11 * loss));
        rate.wrapping_sub(over(penalty, 1000))
    }

    fn decide_start(&mut self, ack: &Ack) {
        let common = &mut self.common;
        let before = common.intervals[0].utility;
        let now = Self::utility(&common.intervals[0], true, ack.mss);
        common.intervals[0].utility = now;
        if now > before {
            common.last_rate = common.rate;
            let more = if self.fixed { common.rate } else { over(common.rate, 2) };
            common.rate = common.rate.wrapping_add(more);
            common.set_up_one();
        } else {
            std::mem::swap(&mut common.rate, &mut common.last_rate);
            common.phase = Phase::Probing;
            common.set_up_probes(5, ack.random);
        }
        common.start_interval(ack);
    }

    fn decide_probing(&mut self, ack: &Ack) {
        let common = &mut self.common;
        for interval in &mut common.intervals {
            interval.utility = Self::utility(interval, false, ack.mss);
        }
        let old = common.rate;
        let mut new = (old as u32) as i64;
        if common.agree() {
            let [a, b, c, d] = common.intervals;
            let first_wins =
                if self.pair_bug { a.utility > b.utility } else { c.utility > d.utility };
            let (winner, loser) = if first_wins { (c, d) } else { (d, c) };
            new = (winner.rate as u32) as i64;
            let kept = if self.fixed { loser } else { winner };
            common.last_rate = kept.rate;
            common.intervals[0].utility = kept.utility;
        }
        if new == old {
            common.set_up_probes(5, ack.random);
        } else {
            common.phase = Phase::Moving;
            if self.fixed {
                common.last_verdict = verdict(old, new);
                common.rate = new;
            }
            common.set_up_one();
        }
        common.rate = new;
        common.start_interval(ack);
    }

    fn decide_moving(&mut self, ack: &Ack) {
        let common = &mut self.common;
        let before = common.intervals[0].utility;
        let now = Self::utility(&common.intervals[0], false, ack.mss);
        common.intervals[0].utility = now;

        let difference = common.last_rate.wrapping_sub(common.rate);
        let apart = over(times(1000, difference), common.rate);
        let gradient = match apart {
            -19..=19 => 0,
            _ => over(times(1_000_000, before.wrapping_sub(now)), difference),
        };
        let mut step = times(gradient, 25);
        if (step > 0) == (common.rate > common.last_rate) {
            if self.swing > 0 {
                self.swing -= 1;
            } else {
                self.amplifier += 1;
            }
        } else {
            self.swing = (self.swing + 1).min(2);
            self.amplifier = 2;
            self.bound = 100;
        }
        step = over(times(step, self.amplifier), 1000);
        if common.rate != 0 {
            let sign = if step > 0 { 1 } else { -1 };
            let mut size = times(step, sign);
            if over(times(1000, size), common.rate) > self.bound {
                size = over(times(common.rate, self.bound), 1000);
                self.bound += 70;
            } else {
                self.bound = 100;
            }
            step = times(size, sign);
        }
        let least = times(over(times(common.rate, 20), 1000), 11) / 10;
        if step >= 0 && step < least {
            step = least;
        } else if step < 0 && step > -least {
            step = -least;
        }
        let new = (common.rate.wrapping_add(step) as u32) as i64;

        let verdict = verdict(common.rate, new);
        let rtt = if ack.srtt == 0 { 1000 } else { ack.srtt as i64 };
        common.last_rate = common.rate;
        common.rate = new.max(2_000_000 * ack.mss as i64 / rtt);
        if verdict == common.last_verdict {
            common.set_up_one();
        } else {
            common.phase = Phase::Probing;
            common.set_up_probes(5, ack.random);
        }
        if self.fixed {
            common.last_verdict = verdict;
        }
        common.start_interval(ack);
    }
}
