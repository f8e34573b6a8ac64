//! Parallel work on several items.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Does `work` for each of `items`, for at most `most` items at a time and not more than there are
/// cores. The results are in the order of the items. If several items fail, the error of the first
/// of them is returned.
pub(crate) fn each<T: Sync, R: Send, E: Send>(
    items: &[T],
    most: usize,
    work: impl Fn(&T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let threads =
        thread::available_parallelism().map_or(1, NonZero::get).min(most).min(items.len());
    if threads <= 1 {
        return items.iter().map(work).collect();
    }
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(items.len())));
    let one = || {
        while let Some((place, item)) = Some(next.fetch_add(1, Ordering::Relaxed))
            .and_then(|place| Some((place, items.get(place)?)))
        {
            let result = work(item);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((place, result));
        }
    };
    thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(one))));
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_and_the_first_error_counts() {
        let items: Vec<u32> = (0..100).collect();
        for most in [0, 1, 2, 200] {
            let doubled: Result<Vec<u32>, ()> = each(&items, most, |item| Ok(item * 2));
            assert_eq!(doubled, Ok((0..200).step_by(2).collect()));
            assert_eq!(
                each(&items, most, |item| if *item % 7 == 6 { Err(*item) } else { Ok(()) }),
                Err(6)
            );
        }
    }
}
