//! Reusable buffers for frames.

use super::buffer::{Contents, Free, LONGEST, SIZES};
use super::frame::Frame;
use std::rc::Rc;

/// A supply of frames for one thread. It keeps as many buffers as were in use at the same time, and
/// allocates only if it needs more.
pub struct Pool {
    free: Rc<Free>,
    staging: Box<[u8]>,
}

impl Default for Pool {
    fn default() -> Pool {
        Pool::new()
    }
}

impl Pool {
    /// Makes a pool without buffers, except the one for reads.
    pub fn new() -> Pool {
        Pool { free: Rc::default(), staging: vec![0; LONGEST].into() }
    }

    /// Makes a frame of the bytes that `read` puts into the given buffer, which has room for the
    /// longest packet with its virtio header. `read` returns the number of bytes.
    pub fn fill<E>(
        &mut self,
        read: impl FnOnce(&mut [u8]) -> Result<usize, E>,
    ) -> Result<Frame, E> {
        let length = read(&mut self.staging)?.min(LONGEST);
        let class = SIZES
            .iter()
            .position(|size| length <= *size)
            .expect("a length cut to the largest size");
        let taken = self.free.borrow_mut()[class].pop();
        let mut shared = taken.unwrap_or_else(|| {
            Rc::new(Contents::new(SIZES[class], class, Rc::downgrade(&self.free)))
        });
        let contents = Rc::get_mut(&mut shared).expect("nobody holds a free frame");
        if SIZES[class] == LONGEST {
            std::mem::swap(&mut contents.buffer, &mut self.staging);
        } else {
            contents.buffer[..length].copy_from_slice(&self.staging[..length]);
        }
        contents.parse(length);
        Ok(Frame::new(shared))
    }

    /// Returns the number of free buffers.
    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        self.free.borrow().iter().map(Vec::len).sum()
    }
}
