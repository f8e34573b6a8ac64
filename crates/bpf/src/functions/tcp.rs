//! Functions of the kernel's TCP that programs call by name (net/ipv4/tcp_cong.c). Counts are 32 bits wide and wrap.

use super::context::Call;
use crate::fault::Reason;
use crate::program::address;
use crate::socket::Field;

const WINDOW: Field = Field::of("tcp_sock.snd_cwnd");
const THRESHOLD: Field = Field::of("tcp_sock.snd_ssthresh");
const COUNT: Field = Field::of("tcp_sock.snd_cwnd_cnt");
const CLAMP: Field = Field::of("tcp_sock.snd_cwnd_clamp");
const PRIOR_WINDOW: Field = Field::of("tcp_sock.prior_cwnd");
const LIMITED: Field = Field::of("tcp_sock.is_cwnd_limited");
const MOST_OUT: Field = Field::of("tcp_sock.max_packets_out");

fn get(call: &Call<'_, '_>, field: Field) -> u32 {
    field.get(call.context.memory.region(address::SOCKET)) as u32
}

fn set(call: &mut Call<'_, '_>, field: Field, value: u32) {
    field.set(call.context.memory.region_mut(address::SOCKET), value as u64);
}

/// `tcp_slow_start(tp, acked)`: the segments that the threshold leaves over.
pub fn slow_start(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    call.needs_socket(0)?;
    let acked = call.short(1);
    Ok(start_slowly(call, acked) as u64)
}

fn start_slowly(call: &mut Call<'_, '_>, acked: u32) -> u32 {
    let before = get(call, WINDOW);
    let window = before.wrapping_add(acked).min(get(call, THRESHOLD));
    let window_in_force = window.min(get(call, CLAMP));
    set(call, WINDOW, window_in_force);
    acked.wrapping_sub(window.wrapping_sub(before))
}

/// `tcp_cong_avoid_ai(tp, w, acked)`: one segment more for each `w` acknowledged.
pub fn avoid_additively(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    call.needs_socket(0)?;
    let (width, acked) = (call.short(1), call.short(2));
    increase(call, width, acked)?;
    Ok(0)
}

fn increase(call: &mut Call<'_, '_>, width: u32, acked: u32) -> Result<(), Reason> {
    if width == 0 {
        return Err(Reason::ZeroWidth);
    }
    let (mut window, mut count) = (get(call, WINDOW), get(call, COUNT));
    if count >= width {
        count = 0;
        window = window.wrapping_add(1);
    }
    count = count.wrapping_add(acked);
    if count >= width {
        window = window.wrapping_add(count / width);
        count %= width;
    }
    set(call, COUNT, count);
    let window = window.min(get(call, CLAMP));
    set(call, WINDOW, window);
    Ok(())
}

/// `tcp_reno_ssthresh(sk)`.
pub fn reno_threshold(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    call.needs_socket(0)?;
    Ok((get(call, WINDOW) >> 1).max(2) as u64)
}

/// `tcp_reno_undo_cwnd(sk)`.
pub fn reno_undo(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    call.needs_socket(0)?;
    Ok(get(call, WINDOW).max(get(call, PRIOR_WINDOW)) as u64)
}

/// `tcp_is_cwnd_limited` (include/net/tcp.h): whether the window is what holds sending back.
fn is_limited(call: &Call<'_, '_>) -> bool {
    let window = get(call, WINDOW);
    get(call, LIMITED) != 0 || window < get(call, THRESHOLD) && window < get(call, MOST_OUT).wrapping_mul(2)
}

/// `tcp_reno_cong_avoid(sk, ack, acked)`.
pub fn reno_avoid(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    call.needs_socket(0)?;
    if !is_limited(call) {
        return Ok(0);
    }
    let mut acked = call.short(2);
    if get(call, WINDOW) < get(call, THRESHOLD) {
        acked = start_slowly(call, acked);
        if acked == 0 {
            return Ok(0);
        }
    }
    let width = get(call, WINDOW);
    increase(call, width, acked)?;
    Ok(0)
}
