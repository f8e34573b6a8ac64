//! Progress of the runs as browsers see it: in progress, or over with a report.

use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Time that a page may take between its download and its request for events: a browser first
/// unpacks the plotting script.
const LOADING: Duration = Duration::from_secs(5);

/// State shared by the thread of the runs and the threads of the browsers.
#[derive(Default)]
pub struct Stage {
    inside: Mutex<Inside>,
    changed: Condvar,
}

#[derive(Default)]
struct Inside {
    /// Number of pages that receive events.
    hearing: usize,
    /// Download times of pages that do not receive events yet.
    fetched: Vec<Instant>,
    /// The report. `None` while the runs are in progress.
    report: Option<Arc<[u8]>>,
    /// Number of pages that have not fetched the report yet.
    awaited: usize,
}

impl Stage {
    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Returns the report if the runs are over.
    pub fn report(&self) -> Option<Arc<[u8]>> {
        self.lock().report.clone()
    }

    /// Records that a browser has fetched the page of the runs.
    pub fn page_fetched(&self) {
        self.lock().fetched.push(Instant::now());
    }

    /// Records that a page has requested events.
    pub fn page_hears(&self) {
        let mut inside = self.lock();
        if !inside.fetched.is_empty() {
            inside.fetched.remove(0);
        }
        inside.hearing += 1;
    }

    /// Records that a page has received the end of the runs, or has disconnected (`gone`).
    pub fn page_left(&self, gone: bool) {
        let mut inside = self.lock();
        inside.hearing -= 1;
        if gone && inside.report.is_some() {
            inside.awaited = inside.awaited.saturating_sub(1);
            self.changed.notify_all();
        }
    }

    /// Records that a browser has fetched the report.
    pub fn report_fetched(&self) {
        let mut inside = self.lock();
        inside.awaited = inside.awaited.saturating_sub(1);
        self.changed.notify_all();
    }

    /// Waits until the runs are over, at most for `time`. True if they are over.
    pub fn over_within(&self, time: Duration) -> bool {
        let waited =
            self.changed.wait_timeout_while(self.lock(), time, |inside| inside.report.is_none());
        waited.unwrap_or_else(|poisoned| poisoned.into_inner()).0.report.is_some()
    }

    /// True if there are pages that would fetch a report.
    pub fn is_watched(&self) -> bool {
        self.lock().pages() > 0
    }

    /// Publishes the report. Waits until every page has fetched it, at most for `patience`, or
    /// until `stop` returns true.
    pub fn end(&self, report: Vec<u8>, patience: Duration, stop: impl Fn() -> bool) {
        let begun = Instant::now();
        let mut inside = self.lock();
        inside.awaited = inside.pages();
        inside.report = Some(report.into());
        self.changed.notify_all();
        while inside.awaited > 0 && begun.elapsed() < patience && !stop() {
            let waited = self.changed.wait_timeout(inside, Duration::from_millis(50));
            inside = waited.unwrap_or_else(|poisoned| poisoned.into_inner()).0;
        }
    }
}

impl Inside {
    /// Returns the number of pages that receive events or will soon request them.
    fn pages(&self) -> usize {
        self.hearing + self.fetched.iter().filter(|fetched| fetched.elapsed() < LOADING).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn nobody_waits_for_pages_that_are_not_there() {
        let stage = Stage::default();
        assert!(!stage.is_watched());
        stage.end(b"report".to_vec(), LONG, || false);
        assert_eq!(stage.report().as_deref(), Some(&b"report"[..]));
    }

    #[test]
    fn the_end_comes_when_each_page_has_the_report_or_is_gone() {
        let stage = Stage::default();
        stage.page_fetched();
        stage.page_hears();
        stage.page_hears();
        std::thread::scope(|scope| {
            let ended = scope.spawn(|| stage.end(Vec::new(), LONG, || false));
            assert!(stage.over_within(LONG));
            stage.page_left(false);
            stage.report_fetched();
            assert!(!ended.is_finished(), "one page is still there");
            stage.page_left(true);
            ended.join().expect("it ends");
        });
    }

    #[test]
    fn a_page_that_never_fetches_it_is_waited_for_in_vain_but_not_for_long() {
        let stage = Stage::default();
        stage.page_fetched();
        let begun = Instant::now();
        stage.end(Vec::new(), Duration::from_millis(200), || false);
        assert!(begun.elapsed() >= Duration::from_millis(200));
        stage.page_hears();
        stage.end(Vec::new(), LONG, || true);
    }
}
