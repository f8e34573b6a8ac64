//! A lock between a thread that holds it nearly always and another thread that needs it rarely.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A value that one thread uses all the time and another thread rarely. With a plain mutex, the
/// first thread could take the lock again and again before the second one has woken.
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

    /// Locks the value for the thread that uses it all the time. Waits first while another thread
    /// wants the lock. A lock poisoned by a panic in another thread can still be taken.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        while self.wanted.load(Ordering::Acquire) > 0 {
            std::thread::yield_now();
        }
        self.value.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the value for the other thread, as soon as the thread that uses it all the time
    /// releases it.
    pub(crate) fn borrow(&self) -> MutexGuard<'_, T> {
        self.wanted.fetch_add(1, Ordering::AcqRel);
        let value = self.value.lock().unwrap_or_else(PoisonError::into_inner);
        self.wanted.fetch_sub(1, Ordering::AcqRel);
        value
    }
}
