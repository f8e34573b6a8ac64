//! The kernel's two controllers a second time, for tests: one record per interval, one function per
//! acknowledgement, all arithmetic in `i64` that wraps. Written from the description of the
//! mechanism, without the C beside it, in the order in which an acknowledgement is processed.

mod allegro;
mod vivace;

pub use allegro::Allegro;
pub use vivace::Vivace;

/// The view of the socket with an acknowledgement.
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

/// The common part of both controllers: intervals, and who is accounted to which.
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
        let high = part(self.rate, 100 + percent);
        let low = part(self.rate, 100 - percent);
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
        let difference = ack
            .delivered
            .wrapping_add(ack.lost)
            .wrapping_add(ack.in_flight)
            .wrapping_sub(ack.sent)
            .wrapping_sub(self.spare);
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
            interval.delivered =
                interval.delivered.wrapping_add(ack.delivered.wrapping_sub(bases.0));
            interval.lost = interval.lost.wrapping_add(ack.lost.wrapping_sub(bases.1));
        }
        let complete = interval.end != 0 && accounted > interval.end.wrapping_sub(ignored);
        self.receiving += complete as usize;
        complete
    }
}
