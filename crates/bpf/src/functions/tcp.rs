//! Functions of the kernel's TCP that programs call by name (net/ipv4/tcp_cong.c). Counts are 32
//! bits wide and wrap.

use super::context::Call;
use crate::fault::Reason;
use crate::socket::fields as f;
use narrows_control::arithmetic;

/// `tcp_slow_start(tp, acked)`: the segments that the threshold leaves over.
pub fn slow_start(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    call.needs_socket(0)?;
    let acked = call.short(1);
    Ok(start_slowly(call, acked) as u64)
}

/// `tcp_slow_start` of the kernel.
fn start_slowly(call: &mut Call<'_, '_>, acked: u32) -> u32 {
    let (window, rest) = arithmetic::slow_start(call.get(f::CWND), call.get(f::SSTHRESH), acked);
    let window = window.min(call.get(f::CWND_CLAMP));
    call.set(f::CWND, window);
    rest
}

/// `tcp_cong_avoid_ai(tp, w, acked)`: one segment more for each `w` acknowledged.
pub fn avoid_additively(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    call.needs_socket(0)?;
    let width = call.short(1);
    let acked = call.short(2);
    increase(call, width, acked)?;
    Ok(0)
}

/// `tcp_cong_avoid_ai` of the kernel.
pub(super) fn increase(call: &mut Call<'_, '_>, width: u32, acked: u32) -> Result<(), Reason> {
    if width == 0 {
        return Err(Reason::ZeroWidth);
    }
    let (window, credit) = arithmetic::step(call.get(f::CWND), call.get(f::CWND_CNT), width, acked);
    call.set(f::CWND_CNT, credit);
    let window = window.min(call.get(f::CWND_CLAMP));
    call.set(f::CWND, window);
    Ok(())
}

/// `tcp_reno_ssthresh(sk)`.
pub fn reno_threshold(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    call.needs_socket(0)?;
    Ok((call.get(f::CWND) >> 1).max(2) as u64)
}

/// `tcp_reno_undo_cwnd(sk)`.
pub fn reno_undo(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    call.needs_socket(0)?;
    Ok(call.get(f::CWND).max(call.get(f::PRIOR_CWND)) as u64)
}

/// `tcp_is_cwnd_limited` (include/net/tcp.h): whether the window is what holds sending back.
fn is_limited(call: &Call<'_, '_>) -> bool {
    let window = call.get(f::CWND);
    call.get(f::CWND_LIMITED) != 0
        || window < call.get(f::SSTHRESH) && window < call.get(f::MAX_PACKETS_OUT).wrapping_mul(2)
}

/// The segments of a call of `cong_avoid(sk, ack, acked)` that slow start
/// leaves over. `None` if the window is not to grow beyond it: it does not hold sending back, or
/// slow start took all.
pub(super) fn beyond_slow_start(call: &mut Call<'_, '_>) -> Option<u32> {
    let acked = call.short(2);
    if !is_limited(call) {
        return None;
    }
    if call.get(f::CWND) >= call.get(f::SSTHRESH) {
        return Some(acked);
    }
    Some(start_slowly(call, acked)).filter(|left| *left > 0)
}

/// `tcp_reno_cong_avoid(sk, ack, acked)`.
pub fn reno_avoid(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    call.needs_socket(0)?;
    let Some(acked) = beyond_slow_start(call) else { return Ok(0) };
    let width = call.get(f::CWND);
    increase(call, width, acked)?;
    Ok(0)
}
