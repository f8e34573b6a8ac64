//! The functions of the kernel's CUBIC, which programs call by name: net/ipv4/tcp_cubic.c of Linux
//! 6.18, with the module's parameters as they are by default.
//!
//! Curve and HyStart are those of the controller `cubic`; here they work on `struct bictcp` in the
//! private area. Rounds of HyStart end by sequence numbers, and how long a train may last follows
//! the pacing rate, where the controller counts segments and derives a rate.

use super::area::{Area, area};
use super::clock::{before, tick};
use super::context::Call;
use super::tcp::{beyond_slow_start, increase};
use crate::fault::Reason;
use crate::socket::fields as f;
use narrows_control::arithmetic::{Curve, CurveState, HyStart, HyStartState, Sample, Ticks};

/// Most µs by which batches may lengthen a train (`hystart_ack_delay`).
const MOST_CUSHION: u64 = 1_000;
/// `TCP_CA_Loss`.
const LOSS: u8 = 4;
/// `CA_EVENT_TX_START`.
const TX_START: u32 = 0;

area! {
    /// `struct bictcp`.
    Bictcp {
        cnt: u32,
        last_max_cwnd: u32,
        last_cwnd: u32,
        last_time: u32,
        bic_origin_point: u32,
        bic_k: u32,
        delay_min: u32,
        epoch_start: u32,
        ack_cnt: u32,
        tcp_cwnd: u32,
        unused: u16,
        sample_cnt: u8,
        found: u8,
        round_start: u32,
        end_seq: u32,
        last_ack: u32,
        curr_rtt: u32,
    }
}

impl Bictcp {
    /// `bictcp_reset`: all that a timeout forgets.
    fn reset(&mut self) {
        let Bictcp { unused, sample_cnt, round_start, end_seq, last_ack, curr_rtt, .. } = *self;
        *self = Bictcp {
            unused,
            sample_cnt,
            round_start,
            end_seq,
            last_ack,
            curr_rtt,
            ..Bictcp::default()
        };
    }

    /// The curve as the area has it at a tick, and that tick, widened.
    fn curve(&self, now: u32) -> (Curve, u64) {
        let wide = widened(now, now);
        let at = |tick: u32| widened(tick, now).min(wide);
        let state = CurveState {
            count: self.cnt,
            last_max: self.last_max_cwnd,
            last_window: self.last_cwnd,
            last_update: at(self.last_time),
            origin: self.bic_origin_point,
            k: self.bic_k as u64,
            epoch: (self.epoch_start != 0).then(|| at(self.epoch_start)),
            acked: self.ack_cnt,
            reno: self.tcp_cwnd,
        };
        (Curve::resume(state), wide)
    }

    fn take(&mut self, curve: &Curve) {
        let state = curve.state();
        self.cnt = state.count;
        self.last_max_cwnd = state.last_max;
        self.last_cwnd = state.last_window;
        self.last_time = state.last_update as u32;
        self.bic_origin_point = state.origin;
        self.bic_k = state.k as u32;
        self.epoch_start = state.epoch.map_or(0, |epoch| epoch as u32);
        self.ack_cnt = state.acked;
        self.tcp_cwnd = state.reno;
    }

    /// HyStart as the area has it at a time in µs with `una` as the first sequence number that is
    /// not acknowledged.
    fn hystart(&self, now: u32, una: u32) -> HyStart {
        HyStart::resume(HyStartState {
            end: widened(self.end_seq, una),
            found: self.found != 0,
            began: widened(self.round_start, now),
            train: widened(self.last_ack, now),
            least: self.curr_rtt,
            samples: self.sample_cnt,
        })
    }

    fn take_hystart(&mut self, hystart: &HyStart) {
        let state = hystart.state();
        self.end_seq = state.end as u32;
        self.found = state.found as u8;
        self.round_start = state.began as u32;
        self.last_ack = state.train as u32;
        self.curr_rtt = state.least;
        self.sample_cnt = state.samples;
    }

    /// `hystart_update`: the threshold falls to the window where slow start should end.
    fn look_for_the_end(&mut self, call: &mut Call<'_, '_>, rtt: u32) {
        let now = call.get(f::MSTAMP);
        let una = call.get(f::UNA);
        let window = call.get(f::CWND);
        let sample = Sample {
            now: widened(now, now),
            una: widened(una, una),
            next: widened(call.get(f::NEXT), una),
            rtt,
            min_rtt: self.delay_min,
            window,
        };
        let mut hystart = self.hystart(now, una);
        if hystart.ends(sample, || longest_train(call, self.delay_min)) {
            call.set(f::SSTHRESH, window);
        }
        self.take_hystart(&hystart);
    }
}

/// A tick, a time or a sequence number of 32 bits as one that does not wrap, by one of its kind
/// that is near.
fn widened(count: u32, near: u32) -> u64 {
    (1 << 32 | near as u64).wrapping_add_signed(count.wrapping_sub(near) as i32 as i64)
}

/// The time in µs that a train of acknowledgements may last (`hystart_update`): half of it on a
/// connection that is not paced.
fn longest_train(call: &Call<'_, '_>, delay_min: u32) -> u32 {
    let whole = delay_min.saturating_add(cushion(call));
    if call.get(f::PACING_STATUS) == 0 { whole / 2 } else { whole }
}

/// `hystart_ack_delay`: four of the largest batches at the pacing rate, in µs.
fn cushion(call: &Call<'_, '_>) -> u32 {
    let batches = call.wide(f::GSO_MAX_SIZE) * 4 * 1_000_000;
    batches.checked_div(call.wide(f::PACING_RATE)).unwrap_or(0).min(MOST_CUSHION) as u32
}

/// `cubictcp_init(sk)`.
pub fn init(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    call.needs_socket(0)?;
    let mut area = Bictcp::of(call);
    area.reset();
    let now = call.get(f::MSTAMP);
    let una = call.get(f::UNA);
    let next = call.get(f::NEXT);
    let mut hystart = area.hystart(now, una);
    hystart.begin(widened(now, now), widened(next, una));
    area.take_hystart(&hystart);
    area.keep(call);
    Ok(0)
}

/// `cubictcp_cwnd_event(sk, event)`: time of idleness does not count on the curve.
pub fn event(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    call.needs_socket(0)?;
    let mut area = Bictcp::of(call);
    let now = tick(call.context.world);
    let idle = now.wrapping_sub(call.get(f::LSNDTIME)) as i32;
    if call.short(1) == TX_START && area.epoch_start != 0 && idle > 0 {
        let moved = area.epoch_start.wrapping_add(idle as u32);
        area.epoch_start = if before(now, moved) { now } else { moved };
        area.keep(call);
    }
    Ok(0)
}

/// `cubictcp_cong_avoid(sk, ack, acked)`.
pub fn avoid(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    call.needs_socket(0)?;
    let Some(acked) = beyond_slow_start(call) else { return Ok(0) };
    let window = call.get(f::CWND);
    if window == 0 {
        return Err(Reason::NoWindow);
    }
    let mut area = Bictcp::of(call);
    let (mut curve, now) = area.curve(tick(call.context.world));
    let count = curve.count(
        window,
        acked,
        now,
        area.delay_min,
        &Ticks::new(call.context.world.hz().max(1) as u64),
    );
    area.take(&curve);
    area.keep(call);
    increase(call, count, acked)?;
    Ok(0)
}

/// `cubictcp_recalc_ssthresh(sk)`.
pub fn threshold(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    call.needs_socket(0)?;
    let mut area = Bictcp::of(call);
    let (mut curve, _) = area.curve(tick(call.context.world));
    let left = curve.reduce(call.get(f::CWND));
    area.take(&curve);
    area.keep(call);
    Ok(left as u64)
}

/// `cubictcp_state(sk, new_state)`.
pub fn state(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    call.needs_socket(0)?;
    if call.arguments[1] as u8 == LOSS {
        return init(call);
    }
    Ok(0)
}

/// `cubictcp_acked(sk, sample)`.
pub fn acked(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    call.needs_socket(0)?;
    call.needs_sample(1)?;
    let rtt = call.sampled(f::ACK_RTT) as i32;
    let mut area = Bictcp::of(call);
    let settles = area.epoch_start != 0
        && before(tick(call.context.world), area.epoch_start.wrapping_add(call.context.world.hz()));
    if rtt < 0 || settles {
        return Ok(0);
    }
    let delay = rtt.max(1) as u32;
    if area.delay_min == 0 || area.delay_min > delay {
        area.delay_min = delay;
    }
    if call.get(f::CWND) < call.get(f::SSTHRESH) {
        area.look_for_the_end(call, delay);
    }
    area.keep(call);
    Ok(0)
}
