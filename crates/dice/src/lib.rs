//! Seeds for random generators that code from outside makes by itself.
//!
//! A library may seed a generator from the operating system, in a place that no interface reaches.
//! A simulation of this library is repeatable only if the generator takes its seed from here. The
//! crate `rand_pcg` of this repository does.
#![forbid(unsafe_code)]

use std::cell::Cell;

thread_local! {
    static SEED: Cell<Option<u64>> = const { Cell::new(None) };
    static TAKEN: Cell<u64> = const { Cell::new(0) };
}

/// Runs `call`. Generators that this thread makes in it take `seed`, all of them the same.
pub fn seeded<T>(seed: u64, call: impl FnOnce() -> T) -> T {
    // Restored also if the call panics.
    struct Restore(Option<u64>);
    impl Drop for Restore {
        fn drop(&mut self) {
            SEED.set(self.0);
        }
    }
    let _restore = Restore(SEED.replace(Some(seed)));
    call()
}

/// The seed for a generator that this thread makes now; `None` outside [`seeded`], where it seeds
/// itself. Each seed taken is counted.
pub fn take() -> Option<u64> {
    let seed = SEED.get();
    TAKEN.set(TAKEN.get() + u64::from(seed.is_some()));
    seed
}

/// The number of seeds that this thread has taken: it tells whether a library's generators take
/// their seeds from here.
pub fn taken() -> u64 {
    TAKEN.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_there_within_the_call_alone_even_if_that_panics() {
        assert_eq!((take(), taken()), (None, 0));
        assert_eq!(seeded(7, || (take(), seeded(8, take), take())), (Some(7), Some(8), Some(7)));
        let panicked = std::panic::catch_unwind(|| seeded(9, || assert_eq!(take(), None)));
        assert!(panicked.is_err());
        assert_eq!((take(), taken()), (None, 4));
    }
}
