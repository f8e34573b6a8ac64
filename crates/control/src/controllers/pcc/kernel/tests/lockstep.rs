//! The C against the transcription: the same in every output and in what decides the next, over
//! random acknowledgements, likely ones and impossible ones.

use super::transcription::{self, Ack, Common, Phase, Verdict};
use super::*;
use narrows_cores::Output;
use narrows_units::Random;

const SEQUENCES: u64 = 200_000;

/// A connection that acknowledges at random.
struct Wild {
    random: Random,
    input: Input,
    /// One acknowledgement in so many has anything in its fields; 0 for none.
    absurd: u64,
    most: u64,
}

impl Wild {
    fn new(mut random: Random) -> Wild {
        let mss = [1448, 1448, 1448, 536, 9000, 1, 65_535][random.below(7) as usize];
        let max_pacing_rate =
            [u32::MAX as u64, u32::MAX as u64, u64::MAX >> 1, 1_000_000][random.below(4) as usize];
        let cwnd_clamp = if random.chance(0.1) { random.below(1_000) as u32 } else { u32::MAX };
        let absurd = [0, 0, 0, 50, 3][random.below(5) as usize];
        let start = if random.chance(0.1) { random.bits() as u32 } else { 0 };
        let srtt = if random.chance(0.2) { 0 } else { 1 + random.below(300_000) as u32 };
        let input = Input {
            max_pacing_rate,
            cwnd_clamp,
            mss,
            srtt,
            sent: start,
            delivered: start,
            random: random.bits() as u32,
            ..input()
        };
        let most = [3, 12, 60, 400][random.below(4) as usize];
        Wild { random, input, absurd, most }
    }

    fn next(&mut self) -> Input {
        let Wild { random, input, most, .. } = self;
        let pause = if random.chance(0.9) { 5_000 } else { 200_000 };
        input.now += random.below(pause);
        input.sent = input.sent.wrapping_add(random.below(*most) as u32);
        let flying = input.sent.wrapping_sub(input.delivered).wrapping_sub(input.lost) as i32;
        let settled = random.below(flying.clamp(1, 2 * *most as i32) as u64 + 1) as u32;
        let lost = if random.chance(0.1) { random.below(settled as u64 + 1) as u32 } else { 0 };
        input.lost = input.lost.wrapping_add(lost);
        input.delivered = input.delivered.wrapping_add(settled - lost);
        input.in_flight = (flying - settled as i32).max(0) as u32;
        if input.srtt > 0 || random.chance(0.5) {
            let most = if random.chance(0.9) { 400 } else { 20_000 };
            let change = random.below(most) as i64;
            input.srtt = (input.srtt as i64 + if random.chance(0.5) { change } else { -change })
                .max(1) as u32;
        }
        input.recovery = 4 * if input.recovery == 4 {
            !random.chance(0.2) as u32
        } else {
            random.chance(0.004) as u32
        };
        input.random = random.bits() as u32;
        if self.absurd > 0 && random.below(self.absurd) == 0 {
            let anything = random.bits();
            let low = anything as u32;
            let high = (anything >> 32) as u32;
            match random.below(7) {
                0 => input.now = anything >> random.below(60) >> 2,
                1 => input.sent = low,
                2 => input.delivered = low,
                3 => input.lost = low,
                4 => input.srtt = low >> (high % 32),
                5 => input.in_flight = low,
                _ => {
                    (input.sent, input.delivered, input.lost) = (low, high, low.wrapping_sub(high))
                }
            }
        }
        *input
    }
}

fn shown(input: &Input) -> Ack {
    Ack {
        now: input.now as i64,
        sent: input.sent,
        delivered: input.delivered,
        lost: input.lost,
        in_flight: input.in_flight,
        srtt: input.srtt,
        mss: input.mss,
        clamp: input.cwnd_clamp,
        most: input.max_pacing_rate as i64,
        timed_out: input.recovery == 4,
        random: input.random,
    }
}

/// Everything that the two have in common.
#[derive(Debug, PartialEq)]
struct Seen {
    output: Output,
    rates: [i64; 2],
    phase: u32,
    decision: u32,
    accounts: [u32; 4],
    turn: (u32, u32, bool, bool),
    intervals: [(u64, i64, [u32; 4]); 4],
    /// Amplifier, swing buffer, bound, epsilon.
    own: [i64; 4],
}

fn seen_in_core<C: CoreConstants<State = State>>(core: &Core<C>) -> Seen {
    let state = core.state;
    Seen {
        output: core.output,
        rates: [state.rate, state.last_rate],
        phase: state.phase,
        decision: state.last_decision,
        accounts: [state.accounted, state.spare, state.delivered_base, state.lost_base],
        turn: (state.sending, state.receiving, state.waiting == 1, state.in_loss == 1),
        intervals: core
            .state
            .intervals
            .map(|i| (i.rate, i.utility, [i.base, i.end, i.delivered, i.lost])),
        own: [
            state.amplifier as i64,
            state.swing_buffer as i64,
            state.change_bound as i64,
            state.epsilon as i64,
        ],
    }
}

fn seen_in(common: &Common, own: [i64; 4]) -> Seen {
    Seen {
        output: Output { pacing_rate: common.pacing, cwnd: common.window, ssthresh: 0 },
        rates: [common.rate, common.last_rate],
        phase: [Phase::Start, Phase::Probing, Phase::Moving]
            .iter()
            .position(|phase| *phase == common.phase)
            .unwrap() as u32,
        decision: [Verdict::Up, Verdict::Down, Verdict::Stay]
            .iter()
            .position(|verdict| *verdict == common.last_verdict)
            .unwrap() as u32,
        accounts: [common.accounted, common.spare, common.bases.0, common.bases.1],
        turn: (common.sending as u32, common.receiving as u32, common.waiting, common.timed_out),
        intervals: common
            .intervals
            .map(|i| (i.rate as u64, i.utility, [i.base, i.end, i.delivered, i.lost])),
        own,
    }
}

/// The transcription of either controller.
trait Twin {
    fn state(&mut self, ack: &Ack);
    fn ack(&mut self, ack: &Ack);
    fn seen(&self) -> Seen;
}

impl Twin for transcription::Vivace {
    fn state(&mut self, ack: &Ack) {
        self.state(ack);
    }
    fn ack(&mut self, ack: &Ack) {
        self.ack(ack);
    }
    fn seen(&self) -> Seen {
        seen_in(&self.common, [self.amplifier, self.swing, self.bound, 0])
    }
}

impl Twin for transcription::Allegro {
    fn state(&mut self, ack: &Ack) {
        self.state(ack);
    }
    fn ack(&mut self, ack: &Ack) {
        self.ack(ack);
    }
    fn seen(&self) -> Seen {
        seen_in(&self.common, [0, 0, 0, self.epsilon as i64])
    }
}

/// Runs both side by side; answers how many acknowledgements there were in each phase, and how many
/// changed the rate.
fn run<C: CoreConstants<State = State>, T: Twin>(
    name: &str,
    constants: C,
    twin: impl Fn(&Ack) -> T,
) -> ([u64; 3], u64) {
    let mut phases = [0; 3];
    let mut decisions = 0;
    for sequence in 0..SEQUENCES {
        let mut wild = Wild::new(Random::stream(sequence, name));
        let mut core = begun(constants, &wild.input);
        let mut twin = twin(&shown(&wild.input));
        assert_eq!(seen_in_core(&core), twin.seen(), "{name} {sequence} at the start");
        let length = if wild.random.chance(0.02) { 1_000 } else { 5 + wild.random.below(60) };
        for step in 0..length {
            let input = wild.next();
            let rate = core.state.rate;
            core.next(Event::State, &input);
            core.next(Event::Ack, &input);
            twin.state(&shown(&input));
            twin.ack(&shown(&input));
            let seen = seen_in_core(&core);
            assert_eq!(seen, twin.seen(), "{name} {sequence} at {step}: {input:?}");
            phases[seen.phase as usize] += 1;
            decisions += (core.state.rate != rate) as u64;
        }
    }
    (phases, decisions)
}

/// None of it was for nothing: every phase was long seen, and rates were decided.
fn check((phases, decisions): ([u64; 3], u64)) {
    assert!(
        phases.iter().all(|&steps| steps > SEQUENCES / 2) && decisions > SEQUENCES / 2,
        "{phases:?} {decisions}"
    );
}

#[test]
fn vivace() {
    check(run("vivace", VIVACE_CONSTANTS, |ack| transcription::Vivace::new(false, false, ack)));
}

#[test]
fn vivace_repaired() {
    check(run("vivace fixed", FIXED, |ack| transcription::Vivace::new(true, false, ack)));
}

#[test]
fn vivace_of_2018() {
    let constants = Vivace { pair_bug: 1, ..VIVACE_CONSTANTS };
    check(run("vivace pair_bug", constants, |ack| transcription::Vivace::new(false, true, ack)));
}

#[test]
fn allegro() {
    check(run("allegro", ALLEGRO_CONSTANTS, |ack| transcription::Allegro::new(false, ack)));
}

#[test]
fn allegro_repaired() {
    let constants = Allegro { fixed: 1, ..ALLEGRO_CONSTANTS };
    check(run("allegro fixed", constants, |ack| transcription::Allegro::new(true, ack)));
}
