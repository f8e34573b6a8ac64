//! Files and folders that are not to outlast this process, also where it ends in the midst of its work.
//!
//! Destructors remove them when a command ends by itself. A thread that ends the process instead calls [`remove`]. Making and keeping
//! happen under the lock that `remove` takes, so each folder is either listed or gone.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::TempDir;

/// A folder that another thread still writes into may need several attempts.
const TRIES: u32 = 20;

static LEFTOVERS: Mutex<Vec<Left>> = Mutex::new(Vec::new());

struct Left {
    path: PathBuf,
    /// Folders that were made for it, the deepest first. Each goes only if it is empty.
    above: Vec<PathBuf>,
}

fn leftovers() -> MutexGuard<'static, Vec<Left>> {
    LEFTOVERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A folder that [`remove`] removes, with everything in it, for as long as this lives.
#[derive(Debug)]
pub struct Leftover(PathBuf);

impl Leftover {
    /// Makes a folder by `make`, which answers `None` if it is another's. `above` are folders that were made for it, the deepest first.
    ///
    /// # Errors
    /// As of `make`.
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

    /// Gives the folder its final name by `rename`. [`remove`] happens either before or after, never in between.
    ///
    /// # Errors
    /// As of `rename`; the folder then remains a leftover.
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

/// A new folder among the temporary files, which only this user may enter. It goes with this.
#[derive(Debug)]
pub struct TemporaryFolder {
    // Dropped first: the folder is listed until it is gone.
    folder: TempDir,
    _leftover: Leftover,
}

impl TemporaryFolder {
    /// Makes the folder in `TMPDIR`, by default `/tmp`.
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

    /// The folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes all leftovers for good. Another thread that makes or keeps one afterwards waits until the process ends.
pub fn remove() {
    let all = leftovers();
    for Left { path, above } in all.iter() {
        for _ in 0..TRIES {
            // The command may just have written another file.
            if !path.exists() || fs::remove_dir_all(path).is_ok() {
                break;
            }
        }
        above.iter().for_each(|made| drop(fs::remove_dir(made)));
    }
    std::mem::forget(all);
}
