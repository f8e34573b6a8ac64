//! Random connections with plausible and impossible inputs.

use narrows_cores::{Event, Input, Output};
use narrows_units::Random;

const EVENTS: [Event; 7] =
    [Event::Init, Event::State, Event::Rtt, Event::Ack, Event::Reduce, Event::Undo, Event::Restart];

/// A random connection, with the values that its socket shows.
pub struct Wild {
    pub random: Random,
    input: Input,
    /// One call in this many has a random value in some field; 0 for none.
    absurd: u64,
    /// Most segments acknowledged at once.
    most: u64,
    /// Remaining calls.
    left: u64,
}

impl Wild {
    pub fn new(seed: u64, name: &str) -> Wild {
        let mut random = Random::stream(seed, name);
        let mut one_of = |values: &[u64]| values[random.below(values.len() as u64) as usize];
        let mss = one_of(&[1448, 1448, 1448, 536, 9000, 1, 65_535]) as u32;
        let max_pacing_rate =
            one_of(&[u64::MAX, u64::MAX, u32::MAX as u64, u64::MAX >> 1, 1_000_000]);
        let absurd = one_of(&[0, 0, 0, 50, 3]);
        let most = one_of(&[3, 12, 60, 400]);
        let left = one_of(&[20, 60, 60, 200, 2_000]);
        let cwnd_clamp = if random.chance(0.1) { random.below(1_000) as u32 } else { u32::MAX };
        let start = if random.chance(0.1) { random.bits() as u32 } else { 0 };
        let input = Input {
            now: 1_000_000 + random.below(1 << 40),
            pacing_rate: random.below(10_000_000),
            max_pacing_rate,
            random: random.bits() as u32,
            sent: start,
            delivered: start,
            srtt: if random.chance(0.2) { 0 } else { 1 + random.below(300_000) as u32 },
            cwnd: 10,
            ssthresh: i32::MAX as u32,
            cwnd_clamp,
            mss,
            priced: random.chance(0.3) as u32,
            price_of_loss: random.below(100) as u32,
            price_of_latency: random.below(2_000) as u32,
            ..Input::default()
        };
        Wild { random, input, absurd, most, left }
    }

    /// Returns the next call, with the last decision in force. The first call begins the
    /// connection. `None` after the last call.
    pub fn next(&mut self, decided: Option<Output>) -> Option<Input> {
        self.left = self.left.checked_sub(1)?;
        if let Some(Output { pacing_rate, cwnd, ssthresh }) = decided {
            self.input = Input { pacing_rate, cwnd, ssthresh, ..self.input };
        }
        let event = self.event(decided.is_none());
        self.input.event = event as u32;
        self.input.random = self.random.bits() as u32;
        match event {
            Event::Init => {}
            Event::State => self.recovery(),
            Event::Rtt => self.acknowledged(),
            Event::Ack if self.input.rtt == 0 => self.acknowledged(),
            Event::Ack | Event::Reduce | Event::Undo => {}
            Event::Restart => {
                self.input.now = self.input.now.wrapping_add(self.random.below(2_000_000))
            }
        }
        let shown = self.input;
        if event == Event::Ack {
            self.input.rtt = 0;
        }
        if self.absurd > 0 && self.random.below(self.absurd) == 0 {
            return Some(self.anything(shown));
        }
        Some(shown)
    }

    fn event(&mut self, first: bool) -> Event {
        if first {
            return Event::Init;
        }
        if self.input.event == Event::Rtt as u32 {
            return Event::Ack;
        }
        match self.random.below(100) {
            0..50 => Event::Rtt,
            50..85 => Event::Ack,
            85..91 => Event::State,
            91..95 => Event::Reduce,
            95..97 => Event::Undo,
            97..99 => Event::Restart,
            _ => EVENTS[self.random.below(7) as usize],
        }
    }

    fn recovery(&mut self) {
        self.input.recovery = if self.input.recovery != 0 && self.random.chance(0.6) {
            0
        } else {
            self.random.below(5) as u32
        };
        if self.input.recovery > 1 {
            self.input.prior_cwnd = self.input.cwnd;
        }
    }

    /// Sends segments, and acknowledges or loses some.
    fn acknowledged(&mut self) {
        let Wild { random, input, most, .. } = self;
        let pause = if random.chance(0.9) { 5_000 } else { 200_000 };
        input.now = input.now.wrapping_add(random.below(pause));
        input.sent = input.sent.wrapping_add(random.below(*most) as u32);
        let flying = input.sent.wrapping_sub(input.delivered).wrapping_sub(input.lost) as i32;
        let settled = random.below(flying.clamp(1, 2 * *most as i32) as u64 + 1) as u32;
        let lost = if random.chance(0.1) { random.below(settled as u64 + 1) as u32 } else { 0 };
        input.acked = settled - lost;
        input.lost = input.lost.wrapping_add(lost);
        input.delivered = input.delivered.wrapping_add(input.acked);
        input.flight_when_sent = flying.max(0) as u32;
        input.in_flight = flying.saturating_sub(settled as i32).max(0) as u32;
        input.cwnd_limited = random.chance(0.7) as u32;
        if input.srtt > 0 || random.chance(0.5) {
            let most = if random.chance(0.9) { 400 } else { 20_000 };
            let change = random.below(most) as i64;
            input.srtt = (input.srtt as i64 + if random.chance(0.5) { change } else { -change })
                .max(1) as u32;
            input.rtt = if random.chance(0.9) {
                (input.srtt / 2).saturating_add(1 + random.below(input.srtt as u64) as u32)
            } else {
                0
            };
        }
        // Payload by code point; each call adds to one code point at most.
        let payload = input.acked.wrapping_mul(input.mss);
        match random.below(4) {
            0 => {}
            1 => input.ce_bytes = input.ce_bytes.wrapping_add(payload),
            2 => input.ect0_bytes = input.ect0_bytes.wrapping_add(payload),
            _ => input.ect1_bytes = input.ect1_bytes.wrapping_add(payload),
        }
    }

    /// Sets a field to a random value, for this call only or from now on.
    fn anything(&mut self, mut shown: Input) -> Input {
        let words: &mut [u32] = bytemuck::cast_slice_mut(std::slice::from_mut(&mut shown));
        let word = self.random.below(words.len() as u64) as usize;
        let bits = self.random.bits();
        words[word] = bits as u32 >> ((bits >> 32) % 32);
        // The kernel always has a segment size.
        shown.mss = shown.mss.max(1);
        if bits >> 63 == 1 {
            self.input = Input { rtt: self.input.rtt, event: self.input.event, ..shown };
        }
        shown
    }
}
