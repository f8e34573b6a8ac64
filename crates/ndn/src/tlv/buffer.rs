//! Buffers that packets are written to.

use super::var_number::{nni_size, var_number_size};
use thiserror::Error;

/// A buffer that grows at its end: a `Vec<u8>`, or a [`Fixed`] slice.
pub trait Buffer {
    /// The octets written so far.
    fn written(&self) -> &[u8];

    /// Number of octets written so far. For a [`Fixed`] slice, includes octets that did not fit.
    fn position(&self) -> usize;

    /// Appends octets.
    fn put(&mut self, octets: &[u8]);

    /// Overwrites octets from position `at` on, which must have been written before.
    fn replace(&mut self, at: usize, octets: &[u8]);

    /// Inserts octets at position `at`. Later octets move back.
    fn insert(&mut self, at: usize, octets: &[u8]);
}

impl Buffer for Vec<u8> {
    #[inline]
    fn written(&self) -> &[u8] {
        self
    }

    #[inline]
    fn position(&self) -> usize {
        self.len()
    }

    #[inline]
    fn put(&mut self, octets: &[u8]) {
        self.extend_from_slice(octets);
    }

    #[inline]
    fn replace(&mut self, at: usize, octets: &[u8]) {
        self[at..at + octets.len()].copy_from_slice(octets);
    }

    fn insert(&mut self, at: usize, octets: &[u8]) {
        let end = self.len();
        self.extend_from_slice(octets);
        self.copy_within(at..end, at + octets.len());
        self[at..at + octets.len()].copy_from_slice(octets);
    }
}

/// A buffer on a slice. Octets beyond its end are counted and lost; [`Fixed::finish`] reports them.
#[derive(Debug)]
pub struct Fixed<'a> {
    octets: &'a mut [u8],
    position: usize,
}

/// Error: a slice is too small for the packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the packet takes {needed} octets, the buffer has {room}")]
pub struct TooSmall {
    /// Octets of the packet.
    pub needed: usize,
    /// Octets of the slice.
    pub room: usize,
}

impl<'a> Fixed<'a> {
    /// An empty buffer on `octets`.
    pub fn new(octets: &'a mut [u8]) -> Fixed<'a> {
        Fixed { octets, position: 0 }
    }

    /// The octets that were written.
    ///
    /// # Errors
    /// The slice had no room for all of them.
    pub fn finish(self) -> Result<&'a mut [u8], TooSmall> {
        let room = self.octets.len();
        self.octets.get_mut(..self.position).ok_or(TooSmall { needed: self.position, room })
    }
}

impl Buffer for Fixed<'_> {
    fn written(&self) -> &[u8] {
        &self.octets[..self.position.min(self.octets.len())]
    }

    fn position(&self) -> usize {
        self.position
    }

    #[inline]
    fn put(&mut self, octets: &[u8]) {
        let end = self.position + octets.len();
        if let Some(room) = self.octets.get_mut(self.position..end) {
            room.copy_from_slice(octets);
        }
        self.position = end;
    }

    fn replace(&mut self, at: usize, octets: &[u8]) {
        if let Some(room) = self.octets.get_mut(at..at + octets.len()) {
            room.copy_from_slice(octets);
        }
    }

    fn insert(&mut self, at: usize, octets: &[u8]) {
        let end = self.position;
        self.position += octets.len();
        if self.position <= self.octets.len() {
            self.octets.copy_within(at..end, at + octets.len());
            self.octets[at..at + octets.len()].copy_from_slice(octets);
        }
    }
}

/// Appends a TYPE or LENGTH in its shortest form.
#[inline]
pub(crate) fn put_var_number(out: &mut (impl Buffer + ?Sized), value: u64) {
    let bytes = value.to_be_bytes();
    match var_number_size(value) {
        1 => out.put(&bytes[7..]),
        3 => out.put(&[253, bytes[6], bytes[7]]),
        5 => out.put(&[254, bytes[4], bytes[5], bytes[6], bytes[7]]),
        _ => {
            out.put(&[255]);
            out.put(&bytes);
        }
    }
}

/// Appends TYPE and LENGTH of an element whose VALUE of `length` octets follows.
#[inline]
pub(crate) fn put_head(out: &mut (impl Buffer + ?Sized), number: u32, length: usize) {
    put_var_number(out, u64::from(number));
    put_var_number(out, length as u64);
}

/// Octets of a TLV whose VALUE has `length` octets.
#[inline]
pub(crate) const fn element_size(number: u32, length: usize) -> usize {
    var_number_size(number as u64) + var_number_size(length as u64) + length
}

/// Appends an element.
#[inline]
pub fn put_element(out: &mut (impl Buffer + ?Sized), number: u32, value: &[u8]) {
    put_head(out, number, value.len());
    out.put(value);
}

/// Appends an element with a NonNegativeInteger in its shortest form.
#[inline]
pub fn put_nni(out: &mut (impl Buffer + ?Sized), number: u32, value: u64) {
    put_element(out, number, &value.to_be_bytes()[8 - nni_size(value)..]);
}

/// Appends an element with a NonNegativeInteger in 8 octets, so that any other number can later be
/// written over it.
#[inline]
pub fn put_wide(out: &mut (impl Buffer + ?Sized), number: u32, value: u64) {
    put_element(out, number, &value.to_be_bytes());
}

/// Appends an element whose VALUE is written by `body`. The octets that `body` has written do not
/// move while it runs.
pub fn put_nested<B: Buffer + ?Sized, T>(
    out: &mut B,
    number: u32,
    body: impl FnOnce(&mut B) -> T,
) -> T {
    put_var_number(out, u64::from(number));
    let at = out.position();
    out.put(&[0]);
    let result = body(out);
    let length = (out.position() - at - 1) as u64;
    let bytes = length.to_be_bytes();
    let (first, more) = match var_number_size(length) {
        1 => (bytes[7], &[][..]),
        3 => (253, &bytes[6..]),
        5 => (254, &bytes[4..]),
        _ => (255, &bytes[..]),
    };
    out.replace(at, &[first]);
    if !more.is_empty() {
        out.insert(at + 1, more);
    }
    result
}
