//! The kernel's two controllers a second time, for tests: one record per interval, one function per acknowledgement, all arithmetic in `i64` that wraps. Written
//! from the description of the mechanism, without the C beside it, in the order in which an acknowledgement is processed.

/// What the socket shows with an acknowledgement.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ack {
    pub now: i64,
    pub sent: u32,
    pub delivered: u32,
    pub lost: u32,
    pub in_flight: u32,
    pub srtt: u32,
    pub mss: u32,
    pub clamp: u32,
    pub most: i64,
    pub timed_out: bool,
    pub random: u32,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Interval {
    pub rate: i64,
    pub utility: i64,
    pub base: u32,
    pub end: u32,
    pub lost: u32,
    pub delivered: u32,
    pub send: (i64, i64),
    pub receive: (i64, i64),
    pub rtt: (i64, i64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    Start,
    Probing,
    Moving,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Up,
    Down,
    Stay,
}

fn verdict(old: i64, new: i64) -> Verdict {
    match new {
        _ if new == old => Verdict::Stay,
        _ if new > old => Verdict::Up,
        _ => Verdict::Down,
    }
}

/// Truncates toward zero, wraps, and is zero without a divisor.
fn over(a: i64, b: i64) -> i64 {
    if b == 0 { 0 } else { a.wrapping_div(b) }
}

fn times(a: i64, b: i64) -> i64 {
    a.wrapping_mul(b)
}

/// Rates are without sign.
fn part(rate: i64, percent: u64) -> i64 {
    ((rate as u64).wrapping_mul(percent) / 100) as i64
}

/// What both controllers do alike: intervals, and who is accounted to which.
#[derive(Clone, Debug)]
pub struct Common {
    pub intervals: [Interval; 4],
    pub sending: usize,
    pub receiving: usize,
    pub waiting: bool,
    pub timed_out: bool,
    pub phase: Phase,
    pub rate: i64,
    pub last_rate: i64,
    pub last_verdict: Verdict,
    pub accounted: u32,
    pub spare: u32,
    pub bases: (u32, u32),
    pub pacing: u64,
    pub window: u32,
}

impl Common {
    fn new() -> Common {
        let mut intervals = [Interval::default(); 4];
        intervals[0].utility = i64::MIN;
        Common {
            intervals,
            sending: 0,
            receiving: 0,
            waiting: false,
            timed_out: false,
            phase: Phase::Start,
            rate: 524_288,
            last_rate: 524_288,
            last_verdict: Verdict::Up,
            accounted: 0,
            spare: 0,
            bases: (0, 0),
            pacing: 0,
            window: 0,
        }
    }

    fn set_window(&mut self, ack: &Ack) {
        let rtt = if ack.srtt == 0 { 1000 } else { ack.srtt as u64 };
        let flight = self.pacing.wrapping_mul(rtt) / ack.mss as u64 / 1_000_000;
        self.window = ((2 * flight).max(4) as u32).min(ack.clamp);
    }

    fn start_interval(&mut self, ack: &Ack) {
        let mut rate = self.rate as u64;
        if !self.waiting {
            let interval = &mut self.intervals[self.sending];
            interval.end = 0;
            interval.lost = 0;
            interval.delivered = 0;
            interval.base = ack.sent.max(1);
            interval.send.0 = ack.now;
            rate = interval.rate as u64;
        }
        self.pacing = rate.max(1024).min(ack.most as u64);
        self.set_window(ack);
    }

    fn first_interval(&mut self) {
        self.sending = 0;
        self.receiving = 0;
        self.waiting = false;
    }

    fn set_up_one(&mut self) {
        self.intervals[0].base = 0;
        self.intervals[0].rate = self.rate;
        self.first_interval();
    }

    fn set_up_probes(&mut self, percent: u64, random: u32) {
        let (high, low) = (part(self.rate, 100 + percent), part(self.rate, 100 - percent));
        for pair in 0..2 {
            let low_first = random >> pair & 1 == 1;
            let rates = if low_first { [low, high] } else { [high, low] };
            for (interval, rate) in self.intervals[2 * pair..].iter_mut().zip(rates) {
                interval.rate = rate;
                interval.base = 0;
            }
        }
        self.first_interval();
    }

    /// True if the pairs agree.
    fn agree(&self) -> bool {
        let [a, b, c, d] = &self.intervals;
        ((a.utility > b.utility) == (c.utility > d.utility)) == (a.rate == c.rate)
    }

    fn enter_loss(&mut self, ack: &Ack) {
        self.timed_out = true;
        self.waiting = true;
        self.start_interval(ack);
    }

    fn leave_loss(&mut self, ack: &Ack) {
        self.timed_out = false;
        let difference = ack.delivered.wrapping_add(ack.lost).wrapping_add(ack.in_flight).wrapping_sub(ack.sent).wrapping_sub(self.spare);
        self.spare = self.spare.wrapping_add(difference);
    }

    /// True if an interval has become complete.
    fn account(&mut self, ack: &Ack, ignored: u32, enough: i32) -> bool {
        if !self.waiting {
            let interval = &mut self.intervals[self.sending];
            let sent = ack.sent.wrapping_sub(interval.base) as i32;
            if sent >= enough && self.accounted > interval.base {
                interval.end = ack.sent;
                interval.send.1 = ack.now;
                self.sending += 1;
                if self.sending == 4 || self.phase != Phase::Probing {
                    self.waiting = true;
                }
                self.start_interval(ack);
            }
        }
        let before = self.accounted;
        self.accounted = ack.delivered.wrapping_add(ack.lost).wrapping_sub(self.spare);
        let accounted = self.accounted;
        let bases = self.bases;
        let interval = &mut self.intervals[self.receiving];
        if interval.base == 0 {
            return false;
        }
        if before > interval.base.wrapping_add(ignored) {
            interval.receive.1 = ack.now;
            interval.rtt.1 = ack.srtt as i64;
            if interval.lost.wrapping_add(interval.delivered) == 0 {
                interval.receive.0 = ack.now;
                interval.rtt.0 = ack.srtt as i64;
            }
            interval.delivered = interval.delivered.wrapping_add(ack.delivered.wrapping_sub(bases.0));
            interval.lost = interval.lost.wrapping_add(ack.lost.wrapping_sub(bases.1));
        }
        let complete = interval.end != 0 && accounted > interval.end.wrapping_sub(ignored);
        self.receiving += complete as usize;
        complete
    }
}

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
        let (rate, lost, delivered) = (interval.rate, interval.lost as i64, interval.delivered as i64);
        if delivered == 0 {
            return 0;
        }
        let receiving = interval.receive.1.wrapping_sub(interval.receive.0);
        let throughput = if receiving > 0 { over(times(times(1_000_000, delivered), mss as i64), receiving) } else { 0 };
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
            let first_wins = if self.pair_bug { a.utility > b.utility } else { c.utility > d.utility };
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

#[derive(Clone, Debug)]
pub struct Allegro {
    pub fixed: bool,
    pub common: Common,
    pub epsilon: u64,
}

/// e^(x/1000) in thousandths, by its Taylor series in whole numbers.
pub fn exp(x: i64) -> u32 {
    let (mut term, mut sum, mut i) = (1000_i64, 1000_i64, 1);
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
        let (rate, lost, delivered) = (interval.rate, interval.lost as i64, interval.delivered as i64);
        if lost + delivered == 0 {
            return i64::MIN;
        }
        let loss = 100_000 * lost / (lost + delivered);
        let beyond = loss - 5000;
        let kept = if beyond < 10_000 { times(rate, 1000) / (exp(beyond).wrapping_add(1000) as i64) } else { 0 };
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
            false => (Self::per_rate(before, common.last_rate, slack(before)), Self::per_rate(now, common.rate, slack(now))),
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
