//! Pointers that know their length, `struct bpf_dynptr` (kernel/bpf/helpers.c). A program sees 16
//! bytes: here the address and the length.

use super::context::{Call, errno};
use crate::fault::Reason;

/// Most bytes that one spans (`DYNPTR_SIZE_MASK`, include/linux/bpf.h).
const MOST: u32 = (1 << 24) - 1;

/// A pointer and how many bytes it spans.
#[derive(Clone, Copy, Debug)]
pub struct Dynamic {
    /// 0 for one that spans nothing.
    pub address: u64,
    /// Bytes.
    pub size: u32,
}

impl Dynamic {
    /// One that spans nothing.
    pub const NULL: Dynamic = Dynamic { address: 0, size: 0 };

    /// That which lies at an address.
    pub fn load(call: &mut Call<'_, '_>, at: u64) -> Result<Dynamic, Reason> {
        let bytes = call.read(at, 16)?;
        let (address, rest) = bytes.split_at(8);
        let address = u64::from_le_bytes(address.try_into().expect("eight bytes"));
        Ok(Dynamic { address, size: u32::from_le_bytes(rest[..4].try_into().expect("four bytes")) })
    }

    /// Leaves it at an address.
    pub fn store(self, call: &mut Call<'_, '_>, at: u64) -> Result<(), Reason> {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.address.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.size.to_le_bytes());
        call.write(at, &bytes)
    }

    /// Where a part lies; `None` if it is not all inside.
    fn part(self, offset: u32, size: u32) -> Option<u64> {
        let inside = size <= self.size && offset <= self.size - size;
        inside.then(|| self.address.wrapping_add(offset as u64))
    }
}

/// `bpf_dynptr_from_mem(data, size, flags, pointer)`.
pub fn from_memory(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    let [address, _, flags, pointer, _] = *call.arguments;
    let size = call.short(1);
    let (made, answer) = if size > MOST {
        (Dynamic::NULL, errno::TOO_BIG)
    } else if flags != 0 {
        (Dynamic::NULL, errno::INVALID)
    } else {
        (Dynamic { address, size }, 0)
    };
    made.store(call, pointer)?;
    Ok(answer)
}

/// `bpf_dynptr_read(destination, size, pointer, offset, flags)`.
pub fn read(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    let [to, _, pointer, _, flags] = *call.arguments;
    let size = call.short(1);
    let offset = call.short(3);
    let source = Dynamic::load(call, pointer)?;
    if source.address == 0 || flags != 0 {
        return Ok(errno::INVALID);
    }
    let Some(from) = source.part(offset, size) else { return Ok(errno::TOO_BIG) };
    let bytes = call.read(from, size as usize)?;
    call.write(to, &bytes)?;
    Ok(0)
}

/// `bpf_dynptr_write(pointer, offset, source, size, flags)`.
pub fn write(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    let [pointer, _, from, _, flags] = *call.arguments;
    let offset = call.short(1);
    let size = call.short(3);
    let target = Dynamic::load(call, pointer)?;
    if target.address == 0 || flags != 0 {
        return Ok(errno::INVALID);
    }
    let Some(to) = target.part(offset, size) else { return Ok(errno::TOO_BIG) };
    let bytes = call.read(from, size as usize)?;
    call.write(to, &bytes)?;
    Ok(0)
}

/// `bpf_dynptr_data(pointer, offset, size)`.
pub fn data(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    let pointer = call.arguments[0];
    let offset = call.short(1);
    let size = call.short(2);
    let source = Dynamic::load(call, pointer)?;
    Ok(if source.address == 0 { 0 } else { source.part(offset, size).unwrap_or(0) })
}
