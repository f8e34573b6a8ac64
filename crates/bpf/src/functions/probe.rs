//! Reads that may fail (kernel/trace/bpf_trace.c, mm/maccess.c), and the exchange of pointers.

use super::context::{Call, errno};
use crate::fault::Reason;

/// `bpf_probe_read_kernel(destination, size, source)`: what cannot be read is zero.
pub fn bytes(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    let [to, _, from, ..] = *call.arguments;
    let size = call.short(1) as usize;
    if call.context.memory.read(from, size).is_some() {
        let bytes = call.read(from, size)?;
        call.write(to, &bytes)?;
        return Ok(0);
    }
    zero(call, to, size)
}

fn zero(call: &mut Call<'_, '_>, to: u64, size: usize) -> Result<u64, Reason> {
    call.context.world.could_not_read();
    call.fill(to, size)?;
    Ok(errno::FAULT)
}

/// `bpf_probe_read_kernel_str(destination, size, source)`: up to the zero, which is always there.
/// Answers the bytes with it.
pub fn text(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    let [to, _, from, ..] = *call.arguments;
    let size = call.short(1) as usize;
    if size == 0 {
        return Ok(0);
    }
    let region = call.context.memory.region(from >> 32);
    let rest = region.get(from as u32 as usize..).unwrap_or_default();
    let length = rest.iter().take(size).position(|byte| *byte == 0);
    let Some(length) = length.or((rest.len() >= size).then_some(size - 1)) else {
        return zero(call, to, size);
    };
    let mut bytes = call.read(from, length)?;
    bytes.push(0);
    call.write(to, &bytes)?;
    Ok(bytes.len() as u64)
}

/// `bpf_kptr_xchg(place, pointer)`: the pointer before.
pub fn exchange(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    let [place, pointer, ..] = *call.arguments;
    let before = call.read(place, 8)?;
    call.write(place, &pointer.to_le_bytes())?;
    Ok(u64::from_le_bytes(before.try_into().expect("eight bytes")))
}
