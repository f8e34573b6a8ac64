//! The window before the latest reduction, to which an undo returns.

use crate::Timeout;

/// A window to return to, in the controller's unit. Controllers with slow start keep it in
/// [`Window`](super::window::Window), with its threshold.
#[derive(Clone, Copy, Debug, Default)]
pub struct Prior(Option<f64>);

impl Prior {
    /// Losses or marks reduce this window.
    pub fn reduce(&mut self, window: f64) {
        self.0 = Some(window);
    }

    /// A timeout collapses this window; if it repeats a reduction for the same losses, that one
    /// counts.
    pub fn collapse(&mut self, timeout: &Timeout, window: f64) {
        if !timeout.repeated || self.0.is_none() {
            self.0 = Some(window);
        }
    }

    /// Losses or marks begin that reduce nothing.
    pub fn forget(&mut self) {
        self.0 = None;
    }

    /// The latest reduction was spurious: the window from now on. One that has grown beyond the
    /// earlier one stays.
    pub fn restore(&mut self, window: f64) -> f64 {
        window.max(self.0.take().unwrap_or(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::at;

    #[test]
    fn a_repeated_timeout_keeps_the_window_before_the_first() {
        let mut prior = Prior::default();
        let timeout = |repeated| Timeout::new(at(1_000), 10, 10, repeated);
        prior.collapse(&timeout(false), 40.0);
        prior.collapse(&timeout(true), 1.0);
        assert_eq!((prior.restore(1.0), prior.restore(1.0)), (40.0, 1.0), "an undo happens once");
        prior.reduce(30.0);
        assert_eq!(prior.restore(50.0), 50.0, "a window that has grown stays");
        prior.reduce(30.0);
        prior.forget();
        prior.collapse(&timeout(true), 20.0);
        assert_eq!(
            prior.restore(2.0),
            20.0,
            "losses that reduced nothing are followed by a timeout"
        );
    }
}
