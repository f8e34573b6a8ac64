//! Controllers of a program or of one command, beside those of this crate.

use crate::files::KeptFile;
use crate::registry::{Refused, check};
use crate::{EntryRef, OwnedEntry};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Loads the controller of a file and [registers](Session::register_file) it in the session, once:
/// the same file gives the same entry. An error is for the user: it names the file, the place in it
/// and a remedy.
pub type Loader = fn(session: &Session, path: &str) -> Result<EntryRef, String>;

/// Controllers that were added for a program or for one command, and those of the files that it has
/// loaded. A program makes one session with all its controllers and a loader of files.
///
/// A thread that [enters](Session::enter) a session chooses among its controllers by name, beside
/// those of this crate. Threads that work for a command enter its session: commands of one process
/// that run at the same time do not see each other's controllers. A thread that has entered none
/// has the controllers of this crate only.
///
/// A controller that was made at run time is freed with the session, once no choice has it.
#[derive(Clone, Default)]
pub struct Session(Arc<Inner>);

#[derive(Default)]
struct Inner {
    loader: Option<Loader>,
    added: Mutex<Vec<Added>>,
    loaded: Mutex<BTreeMap<PathBuf, EntryRef>>,
}

/// A controller of a session.
#[derive(Clone)]
pub(crate) struct Added {
    pub entry: EntryRef,
    pub file: Option<Arc<KeptFile>>,
    pub identity: Option<String>,
    /// Lists show it.
    pub listed: bool,
}

impl Added {
    fn listed(entry: EntryRef) -> Added {
        Added { entry, file: None, identity: None, listed: true }
    }
}

thread_local! {
    static ENTERED: RefCell<Vec<Session>> = const { RefCell::new(Vec::new()) };
}

impl Session {
    /// A session whose controllers may be named by files, which `loader` loads.
    pub fn loading(loader: Loader) -> Session {
        Session(Arc::new(Inner { loader: Some(loader), ..Inner::default() }))
    }

    /// Returns the session that this thread has entered last, or an empty one.
    pub fn current() -> Session {
        ENTERED.with_borrow(|entered| entered.last().cloned()).unwrap_or_default()
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

    /// Adds a controller: from then on it is chosen by its name and listed after those of this
    /// crate. Add all before the first is chosen, so that lists are the same in every run.
    ///
    /// # Errors
    ///
    /// A name that cannot be written in a scenario, or that another controller has.
    pub fn register(&self, entry: impl Into<EntryRef>) -> Result<(), Refused> {
        self.add(Added::listed(entry.into()))
    }

    /// Adds a controller as [`register`](Session::register) does, and shows it in no list: one of
    /// many that follow from others, such as those of this crate within QUIC stacks.
    ///
    /// # Errors
    ///
    /// The errors of [`register`](Session::register).
    pub fn register_unlisted(&self, entry: impl Into<EntryRef>) -> Result<(), Refused> {
        self.add(Added { listed: false, ..Added::listed(entry.into()) })
    }

    /// Adds a controller with an `identity`, a word that tells it from other controllers that have
    /// or will have its name: runs are kept with it.
    ///
    /// # Errors
    ///
    /// The errors of [`register`](Session::register).
    pub fn register_passing(&self, entry: EntryRef, identity: String) -> Result<(), Refused> {
        self.add(Added { identity: Some(identity), ..Added::listed(entry) })
    }

    /// Adds a controller that was made of a file, by the file's `stem`. If a controller has that
    /// name, it is called `STEM.other`, or `STEM.other-2` and so on.
    ///
    /// # Errors
    ///
    /// The stem cannot be written in a scenario.
    pub fn register_file(
        &self,
        stem: &str,
        other: &str,
        entry: impl Fn(String) -> OwnedEntry,
        file: &Arc<KeptFile>,
    ) -> Result<EntryRef, Refused> {
        let names = [stem.to_owned(), format!("{stem}.{other}")]
            .into_iter()
            .chain((2..).map(|number| format!("{stem}.{other}-{number}")));
        for name in names {
            let entry = EntryRef::from(entry(name));
            let added = Added { file: Some(Arc::clone(file)), ..Added::listed(entry.clone()) };
            match self.add(added) {
                Ok(()) => return Ok(entry),
                Err(Refused::Name { .. }) => {
                    return Err(Refused::FileName { stem: stem.to_owned() });
                }
                Err(refused @ Refused::FileName { .. }) => return Err(refused),
                Err(Refused::Taken { .. } | Refused::OtherName { .. }) => {}
            }
        }
        unreachable!("some number is free")
    }

    /// The controller of a file by its whole path. `load` makes it the first time.
    ///
    /// # Errors
    ///
    /// That of `load`; the next call tries again.
    pub fn loaded(
        &self,
        file: &Path,
        load: impl FnOnce() -> Result<EntryRef, String>,
    ) -> Result<EntryRef, String> {
        let mut loaded = self.0.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = loaded.get(file) {
            return Ok(entry.clone());
        }
        let entry = load()?;
        loaded.insert(file.to_owned(), entry.clone());
        Ok(entry)
    }

    pub(crate) fn all_added(&self) -> Vec<Added> {
        self.0.added.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn add(&self, new: Added) -> Result<(), Refused> {
        // Locked until the entry is added: of two entries with one name, one is refused.
        let mut added = self.0.added.lock().unwrap_or_else(PoisonError::into_inner);
        check(&new.entry, added.iter().map(|added| &added.entry))?;
        added.push(new);
        Ok(())
    }
}

/// The controller of a file, loaded into this thread's session.
///
/// # Errors
///
/// The file cannot be taken, or the session has no loader.
pub fn entry_of_file(path: &str) -> Result<EntryRef, String> {
    let session = Session::current();
    match session.0.loader {
        Some(loader) => loader(&session, path),
        None => Err(format!(
            "{path}: this program takes no controllers from files; take one of `narrows list controllers`"
        )),
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
