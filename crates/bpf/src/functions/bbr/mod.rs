//! The functions of the kernel's BBR, which programs call by name: net/ipv4/tcp_bbr.c of Linux
//! 6.18.
//!
//! The controller `bbr` has the same arithmetic in parts with states of their own; here it works on
//! `struct bbr` in the private area and on the socket, with the kernel's ticks, its lower bits and
//! its departure times. Both share what needs no state.

mod area;
mod connection;
mod model;
mod policer;
mod sample;
mod window;

use super::context::Call;
use crate::fault::Reason;
use crate::socket::fields as f;
use area::{
    ACK_EPOCH_ACKED, CYCLE_IDX, FULL_BW_CNT, FULL_BW_REACHED, HAS_SEEN_RTT, IDLE_RESTART, MODE,
    PACING_GAIN, PREV_CA_STATE, ROUND_START, mode,
};
use connection::{Connection, UNIT};
use sample::Sample;

/// `TCP_INFINITE_SSTHRESH`.
const NO_THRESHOLD: u32 = 0x7fff_ffff;
/// `SK_PACING_NONE` and `SK_PACING_NEEDED`.
const NO_PACING: u32 = 0;
const PACING: u32 = 1;
/// `CA_EVENT_TX_START`.
const TX_START: u32 = 0;
/// `TCP_CA_Loss`.
const LOSS: u32 = 4;

/// `bbr_init(sk)`.
pub fn init(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    call.needs_socket(0)?;
    call.set(f::SSTHRESH, NO_THRESHOLD);
    let mut connection = Connection::of(call);
    let (now, socket) = (connection.now(), &*connection.call);
    let area = &mut connection.area;
    *area = area::Bbr {
        min_rtt_us: socket.get(f::RTT_MIN[0][1]),
        min_rtt_stamp: now,
        next_rtt_delivered: socket.get(f::DELIVERED),
        ack_epoch_mstamp: socket.wide(f::MSTAMP),
        // Gains that were set before the connection began stay until the next acknowledgement.
        gains: area.gains,
        ..area::Bbr::default()
    };
    for bits in [FULL_BW_REACHED, FULL_BW_CNT, CYCLE_IDX, HAS_SEEN_RTT] {
        area.set_bits(bits, 0);
    }
    connection.begin_pacing();
    connection.forget_policer();
    connection.keep();
    if call.get(f::PACING_STATUS) == NO_PACING {
        call.set(f::PACING_STATUS, PACING);
    }
    Ok(0)
}

/// `bbr_main(sk, ack, flag, sample)`.
pub fn main(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    call.needs_socket(0)?;
    call.needs_sample(3)?;
    let sample = Sample::of(call);
    let mut connection = Connection::of(call);
    connection.update_model(&sample);
    let bandwidth = connection.bandwidth();
    let gain = connection.area.bits(PACING_GAIN);
    connection.set_pacing(bandwidth, gain);
    connection.set_window(&sample, bandwidth);
    connection.keep();
    Ok(0)
}

/// `bbr_sndbuf_expand(sk)`: of a send buffer, three windows.
pub fn buffer(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    call.needs_socket(0)?;
    Ok(3)
}

/// `bbr_undo_cwnd(sk)`: the bandwidth is measured anew, and the window stays.
pub fn undo(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    call.needs_socket(0)?;
    let mut connection = Connection::of(call);
    connection.area.full_bw = 0;
    connection.area.set_bits(FULL_BW_CNT, 0);
    connection.forget_policer();
    connection.keep();
    Ok(call.get(f::CWND) as u64)
}

/// `bbr_cwnd_event(sk, event)`: sending begins again after idleness.
pub fn event(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    call.needs_socket(0)?;
    if call.short(1) != TX_START || call.get(f::APP_LIMITED) == 0 {
        return Ok(0);
    }
    let mut connection = Connection::of(call);
    connection.area.set_bits(IDLE_RESTART, 1);
    connection.area.ack_epoch_mstamp = connection.call.wide(f::MSTAMP);
    connection.area.set_bits(ACK_EPOCH_ACKED, 0);
    match connection.area.bits(MODE) {
        mode::PROBE_BW => {
            let bandwidth = connection.bandwidth();
            connection.set_pacing(bandwidth, UNIT);
        }
        mode::PROBE_RTT => connection.leave_probe_rtt_if_done(),
        _ => {}
    }
    connection.keep();
    Ok(0)
}

/// `bbr_ssthresh(sk)`: the window is saved, and the threshold stays.
pub fn threshold(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    call.needs_socket(0)?;
    let mut connection = Connection::of(call);
    connection.save_window();
    connection.keep();
    Ok(call.get(f::SSTHRESH) as u64)
}

/// `bbr_min_tso_segs(sk)`.
pub fn least_burst(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    call.needs_socket(0)?;
    Ok(Connection::of(call).least_burst() as u64)
}

/// `bbr_set_state(sk, new_state)`: a timeout ends a round.
pub fn state(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    call.needs_socket(0)?;
    if call.arguments[1] as u8 as u32 == LOSS {
        let mut connection = Connection::of(call);
        connection.area.set_bits(PREV_CA_STATE, LOSS);
        connection.area.full_bw = 0;
        connection.area.set_bits(ROUND_START, 1);
        connection.look_for_policer(&Sample { losses: 1, ..Sample::default() });
        connection.keep();
    }
    Ok(0)
}
