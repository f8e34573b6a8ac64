//! Controllers that one command adds to those of the program.

use crate::Entry;
use crate::files::KeptFile;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

/// The controllers that were added for one command, and those of the files that it has loaded.
///
/// A thread that [enters](Session::enter) a session chooses among them by name, beside those of the
/// program. Threads that work for a command enter its session: commands of one process that run at
/// the same time do not see each other's controllers. A thread that has entered none uses the
/// session of the process.
#[derive(Clone, Default)]
pub struct Session(Arc<Inner>);

#[derive(Default)]
struct Inner {
    added: Mutex<Vec<Added>>,
    loaded: Mutex<BTreeMap<PathBuf, &'static Entry>>,
}

/// A controller added at run time.
#[derive(Clone, Copy)]
pub(crate) struct Added {
    pub entry: &'static Entry,
    pub file: Option<&'static KeptFile>,
    pub identity: Option<&'static str>,
    /// Lists show it.
    pub listed: bool,
}

/// The session of the process.
static PROCESS: LazyLock<Session> = LazyLock::new(Session::default);

thread_local! {
    static ENTERED: RefCell<Vec<Session>> = const { RefCell::new(Vec::new()) };
}

impl Session {
    /// Returns the session that this thread has entered last, or the session of the process.
    pub fn current() -> Session {
        let entered = ENTERED.with_borrow(|entered| entered.last().cloned());
        entered.unwrap_or_else(|| PROCESS.clone())
    }

    /// The session of the process.
    pub(crate) fn of_process() -> &'static Session {
        &PROCESS
    }

    /// Makes this the session of the calling thread until the guard is dropped.
    #[must_use = "the session is left when the guard is dropped"]
    pub fn enter(&self) -> Entered {
        ENTERED.with_borrow_mut(|entered| entered.push(self.clone()));
        Entered { not_sent: std::marker::PhantomData }
    }

    /// Makes this the session of the calling thread for the rest of its life: for threads of a
    /// pool.
    pub fn enter_for_life(&self) {
        std::mem::forget(self.enter());
    }

    /// The controller of a file by its whole path. `load` makes it the first time.
    ///
    /// # Errors
    ///
    /// That of `load`; the next call tries again.
    pub fn loaded(
        &self,
        file: &Path,
        load: impl FnOnce() -> Result<&'static Entry, String>,
    ) -> Result<&'static Entry, String> {
        let mut loaded = self.0.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = loaded.get(file) {
            return Ok(entry);
        }
        let entry = load()?;
        loaded.insert(file.to_owned(), entry);
        Ok(entry)
    }

    pub(crate) fn added(&self) -> MutexGuard<'_, Vec<Added>> {
        self.0.added.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The process's controllers, then its own.
    pub(crate) fn all_added(&self) -> Vec<Added> {
        let mut all = self.of_others();
        all.extend(self.added().iter());
        all
    }

    /// The process's controllers; none if this is the session of the process.
    pub(crate) fn of_others(&self) -> Vec<Added> {
        if Arc::ptr_eq(&self.0, &PROCESS.0) { Vec::new() } else { PROCESS.added().clone() }
    }
}

/// Leaves a session when it is dropped, in the thread that has entered it.
#[derive(Debug)]
pub struct Entered {
    not_sent: std::marker::PhantomData<*const ()>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        ENTERED.with_borrow_mut(|entered| entered.pop());
    }
}
