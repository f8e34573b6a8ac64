//! Ring buffers: nobody reads them here, so that what is written is counted and dropped
//! (kernel/bpf/ringbuf.c).

use super::context::{Call, errno};
use super::dynamic::Dynamic;
use super::maps::Held;
use crate::fault::Reason;
use crate::memory::{Content, MOST_BYTES_OF_MAPS};
use crate::program::address;

/// Bytes before each record (`BPF_RINGBUF_HDR_SZ`).
const HEADER: u64 = 8;

/// The questions of `bpf_ringbuf_query` (`BPF_RB_*`).
mod query {
    pub const SIZE: u64 = 1;
    pub const READ: u64 = 2;
    pub const WRITTEN: u64 = 3;
}

/// The most that a record may have (`RINGBUF_MAX_RECORD_SZ`).
const MOST_RECORD: u64 = u32::MAX as u64 / 4;

fn ring(call: &Call<'_, '_>, index: usize) -> Result<usize, Reason> {
    let map = call.map(index)?;
    match call.context.maps.peek(map) {
        Held::Ring(_) => Ok(map),
        _ => Err(call.refuse(index, "the ring", "a map of the kind BPF_MAP_TYPE_RINGBUF")),
    }
}

fn room(size: u64) -> u64 {
    (size + HEADER).next_multiple_of(8)
}

/// Whether a record of so many bytes goes into the ring, of which it may take all.
fn fits(call: &Call<'_, '_>, ring: usize, size: u64) -> bool {
    size <= MOST_RECORD && room(size) <= call.context.program.maps[ring].max_entries as u64
}

fn written(call: &mut Call<'_, '_>, ring: usize, size: u64) {
    if let Held::Ring(written) = call.context.maps.held(ring) {
        *written += room(size);
    }
}

/// `bpf_ringbuf_output(ring, data, size, flags)`.
pub fn output(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    let ring = ring(call, 0)?;
    let [_, data, size, _, _] = *call.arguments;
    call.read(data, size as usize)?;
    if !fits(call, ring, size) {
        return Ok(errno::AGAIN);
    }
    written(call, ring, size);
    Ok(0)
}

/// A record for the callback; `None` if the ring does not hold it.
fn record(call: &mut Call<'_, '_>, ring: usize, size: u64) -> Result<Option<u64>, Reason> {
    if !fits(call, ring, size) {
        return Ok(None);
    }
    call.context.charge(size as usize)?;
    let full = || Reason::Full {
        map: call.context.program.maps[ring].name.clone(),
        most: MOST_BYTES_OF_MAPS,
    };
    let Some(region) = call.context.memory.add(Content::Record(ring), size as usize) else {
        return Err(full());
    };
    call.context.maps.reserve(region, ring);
    written(call, ring, size);
    Ok(Some(region))
}

/// `bpf_ringbuf_reserve(ring, size, flags)`.
pub fn reserve(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    let ring = ring(call, 0)?;
    let [_, size, flags, _, _] = *call.arguments;
    if flags != 0 {
        return Ok(0);
    }
    Ok(record(call, ring, size)?.map_or(0, |region| address::of(region, 0)))
}

/// `bpf_ringbuf_submit(record, flags)` and `bpf_ringbuf_discard`.
pub fn submit(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    let at = call.arguments[0];
    if at as u32 != 0 || !call.context.maps.submit(at >> 32) {
        return Err(call.refuse(0, "the record", "what bpf_ringbuf_reserve answered, once"));
    }
    call.context.memory.release(at >> 32);
    Ok(0)
}

/// `bpf_ringbuf_query(ring, flags)`.
pub fn query(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    let ring = ring(call, 0)?;
    let Held::Ring(written) = *call.context.maps.peek(ring) else { return Ok(0) };
    Ok(match call.arguments[1] {
        query::SIZE => call.context.program.maps[ring].max_entries as u64,
        // All was read at once.
        query::READ | query::WRITTEN => written,
        _ => 0,
    })
}

/// `bpf_ringbuf_reserve_dynptr(ring, size, flags, pointer)`.
pub fn reserve_dynamic(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    let ring = ring(call, 0)?;
    let [_, size, flags, pointer, _] = *call.arguments;
    if flags != 0 {
        Dynamic::NULL.store(call, pointer)?;
        return Ok(errno::INVALID);
    }
    let size = size as u32;
    match record(call, ring, size as u64)? {
        Some(region) => {
            Dynamic { address: address::of(region, 0), size }.store(call, pointer)?;
            Ok(0)
        }
        None => {
            Dynamic::NULL.store(call, pointer)?;
            Ok(errno::NO_MEMORY)
        }
    }
}

/// `bpf_ringbuf_submit_dynptr(pointer, flags)` and `bpf_ringbuf_discard_dynptr`.
pub fn submit_dynamic(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    let pointer = call.arguments[0];
    let Dynamic { address, .. } = Dynamic::load(call, pointer)?;
    if address == 0 {
        return Ok(0);
    }
    if !call.context.maps.submit(address >> 32) {
        return Err(call.refuse(0, "the record", "what bpf_ringbuf_reserve_dynptr filled, once"));
    }
    call.context.memory.release(address >> 32);
    Dynamic::NULL.store(call, pointer)?;
    Ok(0)
}
