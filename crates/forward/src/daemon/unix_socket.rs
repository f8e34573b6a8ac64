//! The listening UNIX socket of a daemon, and its path in the file system.

use super::error::DaemonError;
use std::fs::{self, FileType, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

/// A listening UNIX socket. Dropping it removes its path, unless the path now names another file.
pub(super) struct UnixSocket {
    listener: UnixListener,
    path: PathBuf,
    /// Identity of the socket in the file system. `None` if the path had already gone.
    own: Option<Identity>,
}

/// Device and inode of a file, which identify it under any path.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Identity(u64, u64);

impl Identity {
    fn of(metadata: &Metadata) -> Identity {
        Identity(metadata.dev(), metadata.ino())
    }
}

impl UnixSocket {
    /// Listens on a path, and creates its directory if that does not exist. Replaces a socket on
    /// which no program listens.
    ///
    /// # Errors
    /// Another program listens on the path, the path names another kind of file, or the socket
    /// cannot be made.
    pub(super) fn bind(path: &Path) -> Result<UnixSocket, DaemonError> {
        let failed = |source| DaemonError::Listen { at: path.display().to_string(), source };
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory).map_err(failed)?;
        }
        // Links are not followed, because their target must not be removed.
        match fs::symlink_metadata(path) {
            Ok(found) if !found.file_type().is_socket() => {
                return Err(DaemonError::NotASocket {
                    path: path.display().to_string(),
                    kind: kind(found.file_type()),
                });
            }
            Ok(found) => remove_stale(path, Identity::of(&found)).map_err(failed)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(error)),
        }
        let listener = UnixListener::bind(path).map_err(failed)?;
        let own = fs::symlink_metadata(path).ok().as_ref().map(Identity::of);
        let socket = UnixSocket { listener, path: path.to_owned(), own };
        socket.listener.set_nonblocking(true).map_err(failed)?;
        // Any user of this host may connect, as with other forwarders.
        fs::set_permissions(path, Permissions::from_mode(0o777)).map_err(failed)?;
        Ok(socket)
    }

    pub(super) fn listener(&self) -> &UnixListener {
        &self.listener
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for UnixSocket {
    fn drop(&mut self) {
        let now = fs::symlink_metadata(&self.path).ok().as_ref().map(Identity::of);
        if now.is_some() && now == self.own {
            // If the path has just been removed, nothing is left to do.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Removes a socket on which no program listens.
fn remove_stale(path: &Path, found: Identity) -> io::Result<()> {
    // Only a refusal shows that no program listens. A full backlog and a missing permission do not.
    match UnixStream::connect(path) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        _ => return Err(io::ErrorKind::AddrInUse.into()),
    }
    // Another daemon may have taken the path meanwhile.
    let now = fs::symlink_metadata(path)?;
    if Identity::of(&now) != found {
        return Err(io::ErrorKind::AddrInUse.into());
    }
    fs::remove_file(path)
}

fn kind(found: FileType) -> &'static str {
    match found {
        kind if kind.is_file() => "a regular file",
        kind if kind.is_dir() => "a directory",
        kind if kind.is_symlink() => "a symbolic link",
        kind if kind.is_fifo() => "a FIFO",
        kind if kind.is_block_device() || kind.is_char_device() => "a device",
        _ => "something else",
    }
}
