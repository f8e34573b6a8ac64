//! Files and folders that must not outlast this process, even if it ends during its work.
//!
//! Destructors remove them when a command ends by itself. A thread that ends the process calls
//! [`remove`] instead. Creating and keeping happen under the lock that `remove` takes, so each
//! folder is either listed or gone.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::TempDir;

/// Number of attempts to remove a folder into which another thread may still write.
const TRIES: u32 = 20;

static LEFTOVERS: Mutex<Vec<Left>> = Mutex::new(Vec::new());

struct Left {
    path: PathBuf,
    /// Parent folders that were created for it, the deepest first. Each is removed only if it is
    /// empty.
    above: Vec<PathBuf>,
}

fn leftovers() -> MutexGuard<'static, Vec<Left>> {
    LEFTOVERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A folder that [`remove`] removes with all its contents, as long as this value lives.
#[derive(Debug)]
pub struct Leftover(PathBuf);

impl Leftover {
    /// Creates a folder by `make`, which returns `None` if the folder belongs to another process.
    /// `above` are parent folders that were created for it, the deepest first.
    ///
    /// # Errors
    /// The error of `make`.
    pub fn made<T, E>(
        path: &Path,
        above: &[PathBuf],
        make: impl FnOnce() -> Result<Option<T>, E>,
    ) -> Result<Option<(T, Leftover)>, E> {
        let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let mut all = leftovers();
        let Some(made) = make()? else { return Ok(None) };
        let path = whole(path);
        all.push(Left {
            path: path.clone(),
            above: above.iter().map(|path| whole(path)).collect(),
        });
        Ok(Some((made, Leftover(path))))
    }

    /// Gives the folder its final name by `rename`. [`remove`] happens either before or after,
    /// never in between.
    ///
    /// # Errors
    /// The error of `rename`. The folder then remains a leftover.
    pub fn keep<E>(&self, rename: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
        let mut all = leftovers();
        rename()?;
        all.retain(|left| left.path != self.0);
        Ok(())
    }
}

impl Drop for Leftover {
    fn drop(&mut self) {
        leftovers().retain(|left| left.path != self.0);
    }
}

/// A new folder for temporary files, which only this user can enter. It is removed when this value
/// is dropped.
#[derive(Debug)]
pub struct TemporaryFolder {
    // Dropped first, so that the folder is listed until it is gone.
    folder: TempDir,
    _leftover: Leftover,
}

impl TemporaryFolder {
    /// Creates the folder in `TMPDIR`, by default `/tmp`.
    ///
    /// # Errors
    /// Nothing can be written there.
    pub fn new() -> io::Result<TemporaryFolder> {
        let mut all = leftovers();
        let folder = tempfile::Builder::new().prefix("narrows-").tempdir()?;
        let path = folder.path().to_owned();
        all.push(Left { path: path.clone(), above: Vec::new() });
        Ok(TemporaryFolder { folder, _leftover: Leftover(path) })
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes all leftovers for good. A thread that creates or keeps one afterwards waits until the
/// process ends.
pub fn remove() {
    let all = leftovers();
    for Left { path, above } in all.iter() {
        for _ in 0..TRIES {
            // The command may have written another file meanwhile, so try again.
            if !path.exists() || fs::remove_dir_all(path).is_ok() {
                break;
            }
        }
        above.iter().for_each(|made| drop(fs::remove_dir(made)));
    }
    std::mem::forget(all);
}
