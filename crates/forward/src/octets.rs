//! Octets of packets, in pooled buffers.

use prefetch_index::prefetch_index;
use std::cell::RefCell;
use triomphe::Arc;

/// Octets that a name, a packet and the tables share. A clone costs a reference count. The buffer
/// returns to the pool of the thread that drops the last clone.
#[derive(Clone, Default)]
pub(crate) struct Octets {
    /// `None` if there are no octets.
    buffer: Option<Arc<[u8]>>,
    length: u16,
}

impl Octets {
    /// Copies at most 65,535 octets.
    pub(crate) fn copy(octets: &[u8]) -> Octets {
        if octets.is_empty() {
            return Octets::default();
        }
        let mut buffer = POOL.with_borrow_mut(|pool| pool.take(octets.len()));
        if let Some(room) = Arc::get_mut(&mut buffer) {
            room[..octets.len()].copy_from_slice(octets);
        }
        Octets { buffer: Some(buffer), length: octets.len() as u16 }
    }

    /// Prefetches the buffer, which is about to be used. Does not wait for the memory.
    pub(crate) fn warm(&self) {
        for line in self.as_slice().chunks(LINE) {
            prefetch_index(line, 0);
        }
    }

    #[inline]
    pub(crate) fn as_slice(&self) -> &[u8] {
        self.buffer.as_ref().map_or(&[], |buffer| &buffer[..usize::from(self.length)])
    }
}

impl Drop for Octets {
    #[inline]
    fn drop(&mut self) {
        if let Some(buffer) = self.buffer.take()
            && buffer.is_unique()
        {
            // A thread that ends has no pool any more.
            let _ = POOL.try_with(|pool| pool.borrow_mut().give(buffer));
        }
    }
}

thread_local! {
    static POOL: RefCell<Pool> = const { RefCell::new(Pool { free: [const { Vec::new() }; SIZES] }) };
}

/// Octets of a cache line.
const LINE: usize = 64;
/// Step between the sizes of buffers, in octets.
const STEP: usize = 64;
/// Number of pooled sizes. The largest pooled buffer has 8832 octets, enough for every packet.
const SIZES: usize = 138;
/// Most octets of free buffers of one size. All sizes together have at most 36 MB.
const MOST_FREE_OCTETS: usize = 1 << 18;

struct Pool {
    /// Free buffers by size: `STEP` octets, twice as many, and so on. The pool holds the only
    /// reference to each.
    free: [Vec<Arc<[u8]>>; SIZES],
}

impl Pool {
    /// A buffer with room for `length` octets.
    fn take(&mut self, length: usize) -> Arc<[u8]> {
        let steps = length.div_ceil(STEP).max(1);
        self.free
            .get_mut(steps - 1)
            .and_then(Vec::pop)
            .unwrap_or_else(|| std::iter::repeat_n(0, steps * STEP).collect())
    }

    fn give(&mut self, buffer: Arc<[u8]>) {
        let length = buffer.len();
        if let Some(free) = self.free.get_mut(length / STEP - 1)
            && (free.len() + 1) * length <= MOST_FREE_OCTETS
        {
            free.push(buffer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number of free buffers of one size, in steps.
    fn free(steps: usize) -> usize {
        POOL.with_borrow(|pool| pool.free[steps - 1].len())
    }

    #[test]
    fn a_buffer_is_used_again_when_nobody_has_it() {
        let first = Octets::copy(&[1; 100]);
        let second = first.clone();
        drop(first);
        assert_eq!((free(2), second.as_slice()), (0, &[1; 100][..]));
        let place = second.as_slice().as_ptr();
        drop(second);
        assert_eq!(free(2), 1);
        let third = Octets::copy(&[2; 65]);
        assert_eq!(
            (free(2), third.as_slice().as_ptr(), third.as_slice()),
            (0, place, &[2; 65][..])
        );
    }

    #[test]
    fn few_buffers_are_kept_and_none_that_are_too_large() {
        drop((0..100).map(|_| Octets::copy(&[3; 8832])).collect::<Vec<_>>());
        assert_eq!(free(SIZES), MOST_FREE_OCTETS / 8832);
        drop(Octets::copy(&[4; 9000]));
        assert_eq!(
            POOL.with_borrow(|pool| pool.free.iter().flatten().map(|buffer| buffer.len()).max()),
            Some(8832)
        );
    }

    #[test]
    fn no_octets_take_no_buffer() {
        assert!(Octets::copy(&[]).buffer.is_none() && Octets::default().as_slice().is_empty());
    }
}
