//! The memory that a program sees: numbered regions, each with a length, and every access checked
//! against it.

use crate::program::{Program, address};
use crate::socket::{ACK_SAMPLE_SIZE, RATE_SAMPLE_SIZE, SIZE, may_store};
use std::collections::BTreeMap;
use std::ops::Range;

/// Most bytes of values and records that the maps of one connection hold (ours: in a kernel all
/// connections share what the machine has).
pub const MOST_BYTES_OF_MAPS: usize = 16 << 20;

/// Most arguments of a callback: BPF has five registers for them.
pub const ARGUMENTS: usize = 5;

/// Bytes of a sample, of whichever kind.
pub const SAMPLE_SIZE: usize =
    if ACK_SAMPLE_SIZE > RATE_SAMPLE_SIZE { ACK_SAMPLE_SIZE } else { RATE_SAMPLE_SIZE };

/// Where that lies which every connection has, and which a program only reads: known while we are
/// compiled, so that to fill it needs no check.
mod at {
    use super::{ARGUMENTS, SAMPLE_SIZE, SIZE, whole};

    pub const SOCKET: usize = 0;
    pub const SAMPLE: usize = SOCKET + whole(SIZE);
    pub const ARGUMENTS_OF_CALLBACK: usize = SAMPLE + whole(SAMPLE_SIZE);
    pub const END: usize = ARGUMENTS_OF_CALLBACK + 8 * ARGUMENTS;
}

/// The kind of content of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Nothing: no such region, or one that was given back.
    Nothing,
    /// The frames of functions.
    Stack,
    /// The arguments of a callback.
    Arguments,
    /// The socket.
    Socket,
    /// The sample that a callback was given.
    Sample,
    /// The section of data with this index in [`Program::regions`].
    Data(usize),
    /// A value of the map with this index in [`Program::maps`].
    Value(usize),
    /// A key of the map with this index, for a function that is shown each element.
    Key(usize),
    /// A record that was reserved in the ring with this index.
    Record(usize),
}

/// Where a region lies. One that a program may not write, or only in parts, has no bytes for
/// stores.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    start: u32,
    length: u32,
    stores: u32,
}

/// The regions of one connection.
#[derive(Clone, Debug)]
pub struct Memory {
    spans: Vec<Span>,
    /// Arguments, socket and sample.
    shown: Box<[u8; at::END]>,
    /// The stack, and behind it all others.
    bytes: Vec<u8>,
    /// The content of the regions behind the data.
    behind: Vec<Content>,
    /// Those of them that were given back, by length.
    free: BTreeMap<u32, Vec<u32>>,
    /// Those that are given back when the callback ends: until then its pointers to them hold.
    leaving: Vec<u32>,
    data: usize,
    in_maps: usize,
}

impl Memory {
    /// That of a new connection: a stack of so many bytes, a socket and a sample, all zero, and the
    /// program's data.
    pub fn new(program: &Program, stack: usize) -> Memory {
        let data = program.regions.len();
        let total = whole(stack)
            + program.regions.iter().map(|region| whole(region.bytes.len())).sum::<usize>();
        let mut memory = Memory {
            spans: Vec::with_capacity(address::DATA as usize + data),
            shown: Box::new([0; at::END]),
            bytes: Vec::with_capacity(total),
            behind: Vec::new(),
            free: BTreeMap::new(),
            leaving: Vec::new(),
            data,
            in_maps: 0,
        };
        memory.spans.resize(address::DATA as usize, Span::default());
        for (region, start, length) in [
            (address::SOCKET, at::SOCKET, SIZE),
            (address::SAMPLE, at::SAMPLE, SAMPLE_SIZE),
            (address::ARGUMENTS, at::ARGUMENTS_OF_CALLBACK, 8 * ARGUMENTS),
        ] {
            memory.spans[region as usize] =
                Span { start: start as u32, length: length as u32, stores: 0 };
        }
        memory.spans[address::STACK as usize] = memory.append(stack, true);
        for region in &program.regions {
            let span = memory.append(region.bytes.len(), region.writable);
            memory.spans.push(span);
            memory.bytes[span.start as usize..][..region.bytes.len()]
                .copy_from_slice(&region.bytes);
        }
        memory
    }

    fn append(&mut self, length: usize, writable: bool) -> Span {
        let start = self.bytes.len();
        self.bytes.resize(start + whole(length), 0);
        Span {
            start: start as u32,
            length: length as u32,
            stores: if writable { length as u32 } else { 0 },
        }
    }

    /// The bytes at an address; `None` if they are not all in one region.
    #[inline(always)]
    pub fn load<const N: usize>(&self, address: u64) -> Option<[u8; N]> {
        let offset = address as u32 as usize;
        // Most loads are of what a program is shown, whose place needs no table.
        match address >> 32 {
            address::SOCKET => self.load_from_socket(address),
            address::SAMPLE => self.sample().get(offset..offset + N)?.try_into().ok(),
            address::ARGUMENTS => {
                self.shown[at::ARGUMENTS_OF_CALLBACK..].get(offset..offset + N)?.try_into().ok()
            }
            region => {
                let span = self.spans.get(region as usize)?;
                if offset as u64 + N as u64 > span.length as u64 {
                    return None;
                }
                let at = span.start as usize + offset;
                self.bytes.get(at..at + N)?.try_into().ok()
            }
        }
    }

    /// The bytes at an address in the socket; `None` if they are not all in it.
    #[inline(always)]
    pub fn load_from_socket<const N: usize>(&self, address: u64) -> Option<[u8; N]> {
        let offset = address as u32 as usize;
        self.socket().get(offset..offset + N)?.try_into().ok()
    }

    /// Where a region lies.
    fn holding(&self, region: u64) -> &[u8] {
        if matches!(region, address::ARGUMENTS..=address::SAMPLE) {
            self.shown.as_slice()
        } else {
            &self.bytes
        }
    }

    /// The holding of a region, to write it.
    fn holding_mut(&mut self, region: u64) -> &mut [u8] {
        if matches!(region, address::ARGUMENTS..=address::SAMPLE) {
            self.shown.as_mut_slice()
        } else {
            &mut self.bytes
        }
    }

    /// Stores bytes at an address. False if they are not all in one region that can be written in
    /// every part; the socket cannot.
    #[inline(always)]
    pub fn store<const N: usize>(&mut self, address: u64, bytes: [u8; N]) -> bool {
        let Some(span) = self.spans.get((address >> 32) as usize) else { return false };
        let offset = address as u32;
        if offset as u64 + N as u64 > span.stores as u64 {
            return false;
        }
        let at = span.start as usize + offset as usize;
        let Some(place) = self.bytes.get_mut(at..at + N) else { return false };
        place.copy_from_slice(&bytes);
        true
    }

    /// Stores bytes at an address in the socket. False if the kernel would not allow it.
    pub fn store_in_socket<const N: usize>(&mut self, address: u64, bytes: [u8; N]) -> bool {
        let offset = address as u32 as usize;
        let allowed = address >> 32 == address::SOCKET && may_store(offset, N);
        if allowed {
            self.socket_mut()[offset..offset + N].copy_from_slice(&bytes);
        }
        allowed
    }

    /// The socket.
    #[inline(always)]
    pub fn socket(&self) -> &[u8; SIZE] {
        self.shown[at::SOCKET..].first_chunk().expect("each connection has a socket")
    }

    /// Bytes of a region, to fill them.
    #[inline(always)]
    pub fn socket_mut(&mut self) -> &mut [u8; SIZE] {
        self.shown[at::SOCKET..].first_chunk_mut().expect("each connection has a socket")
    }

    /// The sample.
    #[inline(always)]
    pub fn sample(&self) -> &[u8; SAMPLE_SIZE] {
        self.shown[at::SAMPLE..].first_chunk().expect("each connection has a sample")
    }

    /// Bytes of a region, to fill them.
    #[inline(always)]
    pub fn sample_mut(&mut self) -> &mut [u8; SAMPLE_SIZE] {
        self.shown[at::SAMPLE..].first_chunk_mut().expect("each connection has a sample")
    }

    /// Makes a stack of zeros for a callback with these arguments; those that it is not given are
    /// 0.
    #[inline]
    pub fn begin(&mut self, arguments: &[u64]) {
        let all = self.shown[at::ARGUMENTS_OF_CALLBACK..].as_chunks_mut::<8>().0;
        for (index, place) in all.iter_mut().enumerate() {
            *place = arguments.get(index).copied().unwrap_or(0).to_le_bytes();
        }
        let stack = whole(self.spans[address::STACK as usize].length as usize);
        self.bytes[..stack].fill(0);
    }

    /// So many bytes at an address; `None` if they are not all in one region.
    pub fn read(&self, address: u64, length: usize) -> Option<&[u8]> {
        let range = self.range(address, length, |span| span.length)?;
        Some(&self.holding(address >> 32)[range])
    }

    /// The same to write them; `None` also if the region cannot be written in every part.
    pub fn write(&mut self, address: u64, length: usize) -> Option<&mut [u8]> {
        let range = self.range(address, length, |span| span.stores)?;
        Some(&mut self.holding_mut(address >> 32)[range])
    }

    fn range(&self, address: u64, length: usize, limit: fn(&Span) -> u32) -> Option<Range<usize>> {
        let span = self.spans.get((address >> 32) as usize)?;
        let offset = address as u32 as usize;
        if length > limit(span) as usize || offset > limit(span) as usize - length {
            return None;
        }
        let at = span.start as usize + offset;
        Some(at..at + length)
    }

    /// A whole region, as its owner sees it; empty if it does not exist.
    pub fn region(&self, region: u64) -> &[u8] {
        let span = self.spans.get(region as usize).copied().unwrap_or_default();
        &self.holding(region)[span.start as usize..][..span.length as usize]
    }

    /// A whole region, to write it.
    pub fn region_mut(&mut self, region: u64) -> &mut [u8] {
        let span = self.spans.get(region as usize).copied().unwrap_or_default();
        &mut self.holding_mut(region)[span.start as usize..][..span.length as usize]
    }

    /// Bytes of a region; 0 if it does not exist.
    pub fn length(&self, region: u64) -> u32 {
        usize::try_from(region)
            .ok()
            .and_then(|region| self.spans.get(region))
            .map_or(0, |span| span.length)
    }

    /// Bytes that all regions take, with what is known of them.
    pub fn held(&self) -> usize {
        at::END
            + self.bytes.capacity()
            + self.spans.capacity() * size_of::<Span>()
            + self.behind.capacity() * size_of::<Content>()
    }

    /// The content of a region.
    pub fn content(&self, region: u64) -> Content {
        match region {
            address::STACK => Content::Stack,
            address::ARGUMENTS => Content::Arguments,
            address::SOCKET => Content::Socket,
            address::SAMPLE => Content::Sample,
            _ => {
                let Some(index) =
                    region.checked_sub(address::DATA).and_then(|index| usize::try_from(index).ok())
                else {
                    return Content::Nothing;
                };
                if index < self.data {
                    Content::Data(index)
                } else {
                    self.behind.get(index - self.data).copied().unwrap_or(Content::Nothing)
                }
            }
        }
    }

    /// A new region of `length` zero bytes. `None` if maps would hold more than
    /// [`MOST_BYTES_OF_MAPS`].
    pub fn add(&mut self, content: Content, length: usize) -> Option<u64> {
        if let Some(region) = self.free.get_mut(&(length as u32)).and_then(Vec::pop) {
            self.spans[region as usize] = Span {
                length: length as u32,
                stores: length as u32,
                ..self.spans[region as usize]
            };
            *self.behind(region) = content;
            self.region_mut(region as u64).fill(0);
            return Some(region as u64);
        }
        if length > MOST_BYTES_OF_MAPS - self.in_maps.min(MOST_BYTES_OF_MAPS) {
            return None;
        }
        // A region costs its own entry, too.
        self.in_maps += whole(length) + size_of::<Span>() + size_of::<Content>();
        let span = self.append(length, true);
        self.spans.push(span);
        self.behind.push(content);
        Some(self.spans.len() as u64 - 1)
    }

    /// Gives back a region that [`add`](Memory::add) made, when the callback ends.
    pub fn give_back(&mut self, region: u64) {
        self.leaving.push(region as u32);
    }

    /// The callback has ended: what was given back can be used again.
    #[inline]
    pub fn settle(&mut self) {
        while let Some(region) = self.leaving.pop() {
            self.release(region as u64);
        }
    }

    /// Gives back a region that [`add`](Memory::add) made, at once.
    pub fn release(&mut self, region: u64) {
        let region = region as u32;
        *self.behind(region) = Content::Nothing;
        let span = &mut self.spans[region as usize];
        self.free.entry(span.length).or_default().push(region);
        (span.length, span.stores) = (0, 0);
    }

    fn behind(&mut self, region: u32) -> &mut Content {
        &mut self.behind[region as usize - address::DATA as usize - self.data]
    }
}

/// Each region begins at a multiple of 8.
const fn whole(length: usize) -> usize {
    length.next_multiple_of(8)
}
