//! Opens files without waiting for another program.

use crate::pipe::{OPENED, PAUSE};
use rustix::fs::{FileType, OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::thread;
use std::time::Instant;

/// Flags with which opening does not wait, and a terminal does not become the controlling terminal.
const AT_ONCE: OFlags = OFlags::NONBLOCK.union(OFlags::NOCTTY);

/// Opens a file for reading. A pipe does not block, neither when it is opened nor when it is read.
/// Other files block as usual.
///
/// # Errors
/// It cannot be opened, or is a directory.
pub fn open(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().read(true).custom_flags(flags(AT_ONCE)).open(path)?;
    let kind = file.metadata()?.file_type();
    if kind.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory"));
    }
    if !kind.is_fifo() {
        block(&file)?;
    }
    Ok(file)
}

/// Opens a regular file for reading. A link as the last part of the path is not followed.
///
/// # Errors
/// It cannot be opened, or is a link, a directory, a pipe or a device.
pub fn open_unlinked(path: &Path) -> io::Result<File> {
    let file =
        OpenOptions::new().read(true).custom_flags(flags(AT_ONCE | OFlags::NOFOLLOW)).open(path);
    let file = file.map_err(|error| {
        if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) { link() } else { error }
    })?;
    regular(file.metadata()?.mode())?;
    block(&file)?;
    Ok(file)
}

/// Opens a file for appending. Creates it if necessary. A pipe must have a reader, or get one
/// within some seconds.
///
/// # Errors
/// It cannot be opened, or is a pipe that no program reads.
pub fn open_to_append(path: &Path) -> io::Result<File> {
    open_to_write(OpenOptions::new().append(true).create(true), path)
}

/// Opens an existing file, such as a device or a pipe, for writing. A pipe must have a reader, or
/// get one within some seconds.
pub(crate) fn open_stream(path: &Path) -> io::Result<File> {
    open_to_write(OpenOptions::new().write(true), path)
}

fn open_to_write(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    options.custom_flags(flags(AT_ONCE));
    let began = Instant::now();
    loop {
        match options.open(path) {
            // The error of a pipe without a reader. Sockets give the same error.
            Err(error) if error.raw_os_error() == Some(Errno::NXIO.raw_os_error()) => {
                if !path.metadata()?.file_type().is_fifo() {
                    return Err(error);
                }
                if began.elapsed() > OPENED {
                    return Err(io::Error::new(
                        io::ErrorKind::TimedOut,
                        "it is a pipe that no program reads",
                    ));
                }
                thread::sleep(PAUSE);
            }
            Err(error) => return Err(error),
            Ok(file) => {
                block(&file)?;
                return Ok(file);
            }
        }
    }
}

/// Refuses a file that is not regular, by the kind in its mode.
pub(crate) fn regular(mode: u32) -> io::Result<()> {
    let kind = match FileType::from_raw_mode(mode) {
        FileType::RegularFile => return Ok(()),
        FileType::Symlink => return Err(link()),
        FileType::Directory => "a directory",
        FileType::Fifo => "a pipe",
        FileType::Socket => "a socket",
        _ => "a device",
    };
    Err(io::Error::other(format!("it is {kind}, not a regular file")))
}

fn link() -> io::Error {
    io::Error::other("it is a symbolic link, not a regular file")
}

/// Makes reading and writing block from now on.
fn block(file: &File) -> io::Result<()> {
    Ok(fcntl_setfl(file, fcntl_getfl(file)?.difference(OFlags::NONBLOCK))?)
}

fn flags(flags: OFlags) -> i32 {
    flags.bits().cast_signed()
}
