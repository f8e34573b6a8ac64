mod association;
mod equations;
mod facts;
mod lockstep;
mod socket;
mod transcription;

use super::allegro::CONSTANTS as ALLEGRO_CONSTANTS;
use super::vivace::CONSTANTS as VIVACE_CONSTANTS;
use narrows_cores::pcc::{Interval, State};
use narrows_cores::pcc_allegro::Constants as Allegro;
use narrows_cores::pcc_vivace::Constants as Vivace;
use narrows_cores::{Core, CoreConstants, Event, Input};

/// The core's names of phases and decisions.
const START: u32 = 0;
const PROBING: u32 = 1;
const MOVING: u32 = 2;
const UP: u32 = 0;

const FIXED: Vivace = Vivace { fixed: 1, ..VIVACE_CONSTANTS };

/// The view of a socket with segments of 1448 B.
fn input() -> Input {
    Input {
        max_pacing_rate: u32::MAX as u64,
        cwnd_clamp: u32::MAX,
        mss: 1448,
        srtt: 30_000,
        ..Input::default()
    }
}

fn begun<C: CoreConstants<State = State>>(constants: C, input: &Input) -> Core<C> {
    let mut core = Core::new(constants);
    core.next(Event::Init, input);
    core
}

fn core<C: CoreConstants<State = State>>(constants: C) -> Core<C> {
    begun(constants, &input())
}

/// An interval of 100 packets at `rate`, sent and received in 30 ms, of which `lost` were lost,
/// with the round trip grown by `risen` µs.
fn interval(rate: u64, lost: u32, risen: u32) -> Interval {
    Interval {
        rate,
        lost,
        delivered: 1000 - lost,
        send_start: 0,
        send_end: 30_000,
        recv_start: 30_000,
        recv_end: 60_000,
        rtt_start: 30_000,
        rtt_end: 30_000 + risen,
        base: 1,
        end: 12,
        ..Interval::default()
    }
}

/// Makes the interval that is being received complete with the next step, in `phase` and at `rate`.
fn complete<C: CoreConstants<State = State>>(
    core: &mut Core<C>,
    phase: u32,
    (rate, last_rate): (i64, i64),
    intervals: &[Interval],
) {
    core.state.intervals[..intervals.len()].copy_from_slice(intervals);
    core.state.phase = phase;
    core.state.rate = rate;
    core.state.last_rate = last_rate;
    core.state.waiting = 1;
    core.state.accounted = 0;
    core.state.receiving = intervals.len() as u32 - 1;
    core.next(Event::Ack, &Input { sent: 2000, delivered: 1000, ..input() });
}
