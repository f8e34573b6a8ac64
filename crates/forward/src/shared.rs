//! A lock between a thread that has it nearly always and one that wants it seldom.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A value that one thread works with, and another one sometimes. A plain mutex would let the first take it again and again before the second
/// has woken.
#[derive(Debug, Default)]
pub struct Shared<T> {
    value: Mutex<T>,
    wanted: AtomicUsize,
}

impl<T> Shared<T> {
    /// Shares a value.
    pub fn new(value: T) -> Shared<T> {
        Shared { value: Mutex::new(value), wanted: AtomicUsize::new(0) }
    }

    /// Takes the value for the thread that works with it, once nobody else wants it. A panic of another thread with the value ends no other.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        while self.wanted.load(Ordering::Acquire) > 0 {
            std::thread::yield_now();
        }
        self.value.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the value for another thread, as soon as the one that works with it lets go.
    pub(crate) fn borrow(&self) -> MutexGuard<'_, T> {
        self.wanted.fetch_add(1, Ordering::AcqRel);
        let value = self.value.lock().unwrap_or_else(PoisonError::into_inner);
        self.wanted.fetch_sub(1, Ordering::AcqRel);
        value
    }
}
