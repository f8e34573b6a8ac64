//! The best value of a sliding window and the two that succeed it when it grows old, as the kernel
//! keeps them (lib/win_minmax.c).

/// A time and the value that was measured then. Times wrap at 32 bits.
pub type Measured = (u32, u32);

/// Takes `new` into the three best of the last `window` units of time, the best first. `better`
/// says whether a value is at least as good as another.
#[inline]
pub fn running(
    best: [Measured; 3],
    window: u32,
    new: Measured,
    better: fn(u32, u32) -> bool,
) -> [Measured; 3] {
    let [first, second, third] = best;
    let (now, value) = new;
    if better(value, first.1) || now.wrapping_sub(third.0) > window {
        return [new; 3];
    }
    let mut best = if better(value, second.1) {
        [first, new, new]
    } else if better(value, third.1) {
        [first, second, new]
    } else {
        best
    };
    // Successors of the best come from the second quarter and the last half of the window.
    let age = now.wrapping_sub(best[0].0);
    if age > window {
        best = [best[1], best[2], new];
        if now.wrapping_sub(best[0].0) > window {
            best = [best[1], best[2], new];
        }
    } else if best[1].0 == best[0].0 && age > window / 4 {
        best = [best[0], new, new];
    } else if best[2].0 == best[1].0 && age > window / 2 {
        best[2] = new;
    }
    best
}
