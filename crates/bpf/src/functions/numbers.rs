//! The iterator behind `bpf_for` and `bpf_repeat`, `struct bpf_iter_num`: 8 bytes on the program's
//! stack, the number before the next and the end (kernel/bpf/bpf_iter.c).

use super::context::{Call, errno};
use crate::fault::Reason;

/// Most numbers of one (`BPF_MAX_LOOPS`).
const MOST: i64 = 8 << 20;

fn store(call: &mut Call<'_, '_>, at: u64, current: i32, end: i32) -> Result<(), Reason> {
    let both = current as u32 as u64 | (end as u32 as u64) << 32;
    call.write(at, &both.to_le_bytes())
}

/// `bpf_iter_num_new(iterator, start, end)`.
pub fn new(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    let start = call.short(1) as i32;
    let end = call.short(2) as i32;
    let (current, end, answer) = match end as i64 - start as i64 {
        ..0 => (0, 0, errno::INVALID),
        count if count > MOST => (0, 0, errno::TOO_BIG),
        // Before the least number the count wraps, and comes back with the first.
        _ => (start.wrapping_sub(1), end, 0),
    };
    store(call, call.arguments[0], current, end)?;
    Ok(answer as u32 as i32 as i64 as u64)
}

/// `bpf_iter_num_next(iterator)`: the address of the number, or null behind the last.
pub fn next(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    let at = call.arguments[0];
    let bytes = call.read(at, 8)?;
    let half =
        |from: usize| i32::from_le_bytes(bytes[from..from + 4].try_into().expect("four bytes"));
    let current = half(0).wrapping_add(1);
    let end = half(4);
    if current >= end {
        store(call, at, 0, 0)?;
        return Ok(0);
    }
    store(call, at, current, end)?;
    Ok(at)
}

/// `bpf_iter_num_destroy(iterator)`.
pub fn destroy(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    store(call, call.arguments[0], 0, 0)?;
    Ok(0)
}
