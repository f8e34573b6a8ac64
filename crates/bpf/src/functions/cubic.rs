//! The functions of the kernel's CUBIC, which programs call by name: net/ipv4/tcp_cubic.c of Linux
//! 6.18, with the module's parameters as they are by default.
//!
//! The curve's arithmetic is the arithmetic of controller `cubic`; here it works on `struct bictcp`
//! in the private area. HyStart is the kernel's own: its rounds end by sequence numbers and its
//! cushion follows the pacing rate, where the controller counts segments and derives a rate.

use super::area::{Area, area};
use super::clock::{before, tick};
use super::context::Call;
use super::tcp::{beyond_slow_start, increase};
use crate::fault::Reason;
use crate::socket::fields as f;
use narrows_control::arithmetic::{Curve, CurveState, Ticks};

/// `hystart_low_window`: segments below which slow start goes on.
const LOW_WINDOW: u32 = 16;
/// `hystart_ack_delta_us`: µs within which acknowledgements are one train.
const TRAIN_GAP: i32 = 2_000;
/// `HYSTART_MIN_SAMPLES`: round trips of a round before its least is judged.
const SAMPLES: u8 = 8;
/// `HYSTART_DELAY_MIN` and `HYSTART_DELAY_MAX`: the rise of the round trip that counts, in µs.
const RISE: (u32, u32) = (4_000, 16_000);
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

    /// `bictcp_hystart_reset`: a round begins.
    fn begin_round(&mut self, call: &Call<'_, '_>) {
        self.round_start = call.get(f::MSTAMP);
        self.last_ack = self.round_start;
        self.end_seq = call.get(f::NEXT);
        self.curr_rtt = u32::MAX;
        self.sample_cnt = 0;
    }

    /// The curve as the area has it at a tick, which is widened so that it does not wrap.
    fn curve(&self, now: u32) -> (Curve, u64) {
        let wide = 1 << 32 | now as u64;
        let at = |tick: u32| wide - (now.wrapping_sub(tick) as i32).max(0) as u64;
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

    /// `hystart_update`. Whether slow start should end.
    fn slow_start_ends(&mut self, call: &Call<'_, '_>, delay: u32) -> bool {
        if before(self.end_seq, call.get(f::UNA)) {
            self.begin_round(call);
        }
        if call.get(f::CWND) < LOW_WINDOW {
            return false;
        }
        let train = self.train_is_long(call);
        // Judged whatever the train says.
        let rise = self.delay_has_risen(delay);
        train || rise
    }

    fn train_is_long(&mut self, call: &Call<'_, '_>) -> bool {
        let now = call.get(f::MSTAMP);
        if now.wrapping_sub(self.last_ack) as i32 > TRAIN_GAP {
            return false;
        }
        self.last_ack = now;
        let mut longest = self.delay_min.wrapping_add(cushion(call));
        if call.get(f::PACING_STATUS) == 0 {
            longest >>= 1;
        }
        let length = now.wrapping_sub(self.round_start) as i32;
        length as i64 > longest as i64
    }

    fn delay_has_risen(&mut self, delay: u32) -> bool {
        self.curr_rtt = self.curr_rtt.min(delay);
        if self.sample_cnt < SAMPLES {
            self.sample_cnt += 1;
            return false;
        }
        self.curr_rtt > self.delay_min.wrapping_add((self.delay_min >> 3).clamp(RISE.0, RISE.1))
    }
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
    area.begin_round(call);
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
    let window = call.get(f::CWND);
    if area.found == 0 && window < call.get(f::SSTHRESH) && area.slow_start_ends(call, delay) {
        area.found = 1;
        call.set(f::SSTHRESH, window);
    }
    area.keep(call);
    Ok(0)
}
