//! The functions of the kernel's DCTCP, which programs call by name: net/ipv4/tcp_dctcp.c and
//! tcp_dctcp.h of Linux 6.18, with the module's parameters as they are by default; path changes
//! after congestion (PLB) are off, as in a kernel where nobody turned them on.
//!
//! The controller `dctcp` follows RFC 8257 with fractions; this is the kernel's arithmetic in whole
//! segments and 1/1024, on `struct dctcp` in the private area.

use super::area::{Area, area};
use super::clock::before;
use super::context::Call;
use crate::fault::Reason;
use crate::socket::fields as f;

/// `DCTCP_MAX_ALPHA`, and `dctcp_alpha_on_init`: α of 1.
const WHOLE: u32 = 1024;
/// `dctcp_shift_g`: the latest window counts for 1/2^4.
const SHIFT: u32 = 4;
/// `TCP_ECN_OK` and `TCP_ECN_DEMAND_CWR` of `ecn_flags`.
const ECN_OK: u32 = 1;
const DEMAND_CWR: u32 = 4;
/// `ICSK_ACK_NOW`.
const ACK_NOW: u32 = 16;
/// `CA_EVENT_*`.
const LOSS: u32 = 3;
const NO_CE: u32 = 4;
const CE: u32 = 5;
/// `TCP_CA_Recovery`.
const RECOVERY: u32 = 3;

area! {
    /// `struct dctcp`, up to the state of PLB.
    Dctcp {
        old_delivered: u32,
        old_delivered_ce: u32,
        prior_rcv_nxt: u32,
        alpha: u32,
        next_seq: u32,
        ce_state: u32,
        loss_cwnd: u32,
    }
}

impl Dctcp {
    /// `dctcp_reset`: a window of data begins.
    fn begin_window(&mut self, call: &Call<'_, '_>) {
        self.next_seq = call.get(f::NEXT);
        self.old_delivered = call.get(f::DELIVERED);
        self.old_delivered_ce = call.get(f::DELIVERED_CE);
    }
}

/// `dctcp_init(sk)`.
pub fn init(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    call.needs_socket(0)?;
    if call.get(f::ECN_FLAGS) & ECN_OK == 0 {
        return Err(Reason::NoEcn(call.name));
    }
    let mut area = Dctcp::of(call);
    area.prior_rcv_nxt = call.get(f::RCV_NXT);
    area.alpha = WHOLE;
    area.loss_cwnd = 0;
    area.ce_state = 0;
    area.begin_window(call);
    area.keep(call);
    Ok(0)
}

/// `dctcp_ssthresh(sk)`: half of α is taken.
pub fn threshold(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    call.needs_socket(0)?;
    let mut area = Dctcp::of(call);
    let window = call.get(f::CWND);
    area.loss_cwnd = window;
    area.keep(call);
    Ok(window.wrapping_sub(window.wrapping_mul(area.alpha) >> 11).max(2) as u64)
}

/// `dctcp_update_alpha(sk, flags)`: once in a window of data, α goes 1/16 of the way to the share
/// that was marked.
pub fn update_alpha(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    call.needs_socket(0)?;
    let mut area = Dctcp::of(call);
    if before(call.get(f::UNA), area.next_seq) {
        return Ok(0);
    }
    let marked = call.get(f::DELIVERED_CE).wrapping_sub(area.old_delivered_ce);
    let delivered = call.get(f::DELIVERED).wrapping_sub(area.old_delivered);
    // Below 16/1024 a sixteenth is nothing, and all goes.
    let step = area.alpha >> SHIFT;
    area.alpha -= if step == 0 { area.alpha } else { step };
    if marked > 0 {
        let share = marked.wrapping_shl(10 - SHIFT) / delivered.max(1);
        area.alpha = area.alpha.wrapping_add(share).min(WHOLE);
    }
    area.begin_window(call);
    area.keep(call);
    Ok(0)
}

/// `dctcp_react_to_loss`: half of the window.
fn react_to_loss(call: &mut Call<'_, '_>) {
    let mut area = Dctcp::of(call);
    let window = call.get(f::CWND);
    area.loss_cwnd = window;
    area.keep(call);
    call.set(f::SSTHRESH, (window >> 1).max(2));
}

/// `dctcp_state(sk, new_state)`.
pub fn state(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    call.needs_socket(0)?;
    let new = call.arguments[1] as u8 as u32;
    if new == RECOVERY && call.get(f::CA_STATE) != RECOVERY {
        react_to_loss(call);
    }
    Ok(0)
}

/// `dctcp_cwnd_event(sk, event)`. An acknowledgement that a receiver would send at once is not
/// sent: only senders are simulated so.
pub fn event(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    call.needs_socket(0)?;
    match call.short(1) {
        event @ (NO_CE | CE) => echo(call, event == CE),
        LOSS => react_to_loss(call),
        _ => {}
    }
    Ok(0)
}

/// `dctcp_ece_ack_update`.
fn echo(call: &mut Call<'_, '_>, marked: bool) {
    let mut area = Dctcp::of(call);
    if area.ce_state != marked as u32 {
        let pending = call.get(f::ACK_PENDING) | ACK_NOW;
        call.set(f::ACK_PENDING, pending);
    }
    area.prior_rcv_nxt = call.get(f::RCV_NXT);
    area.ce_state = marked as u32;
    area.keep(call);
    let flags = call.get(f::ECN_FLAGS);
    call.set(f::ECN_FLAGS, if marked { flags | DEMAND_CWR } else { flags & !DEMAND_CWR });
}

/// `dctcp_cwnd_undo(sk)`.
pub fn undo(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    call.needs_socket(0)?;
    let area = Dctcp::of(call);
    Ok(call.get(f::CWND).max(area.loss_cwnd) as u64)
}
