//! Files and folders that are not to outlast this process.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A folder that others still write into may need several attempts.
const TRIES: u32 = 20;

static LEFTOVERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn leftovers() -> MutexGuard<'static, Vec<PathBuf>> {
    LEFTOVERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file or folder that [`remove`] removes for as long as this lives.
#[derive(Debug)]
pub struct Leftover(PathBuf);

impl Leftover {
    /// Names a file, or a folder with everything in it.
    pub fn new(path: &Path) -> Leftover {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        leftovers().push(path.clone());
        Leftover(path)
    }

    /// Gives what is there its final name by `rename`. [`remove`] happens either before or after, never in between.
    ///
    /// # Errors
    ///
    /// As of `rename`; it then remains a leftover.
    pub fn keep<E>(&self, rename: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
        let mut all = leftovers();
        rename()?;
        all.retain(|path| *path != self.0);
        Ok(())
    }
}

impl Drop for Leftover {
    fn drop(&mut self) {
        leftovers().retain(|path| *path != self.0);
    }
}

/// Removes all leftovers for good: whoever names or keeps one afterwards waits until the process ends.
pub fn remove() {
    let all = leftovers();
    for path in all.iter() {
        for _ in 0..TRIES {
            let removed = match path.symlink_metadata() {
                Ok(there) if there.is_dir() => fs::remove_dir_all(path),
                Ok(_) => fs::remove_file(path),
                Err(_) => break,
            };
            // The command may just have written another file.
            if removed.is_ok() {
                break;
            }
        }
    }
    std::mem::forget(all);
}
