//! Reads whole files, up to a limit for their kind.

use crate::open::{open, open_unlinked};
use crate::pipe;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// Most bytes that are read of a file. It limits memory, and is far above the size of usual files
/// of the kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit(u64);

impl Limit {
    /// A scenario, a sweep, the configuration of a forwarder, statements: texts written by people
    /// or scripts. The longest, with 65,536 routes of a forwarder, has about 4 MiB.
    pub const TEXT: Limit = Limit::mib(16);
    /// A trace of a link: an hour at 100 Mbit/s in mahimahi's format, with one line for each 1504
    /// bytes.
    pub const TRACE: Limit = Limit::mib(256);
    /// A measurement of another program, or a result in JSON.
    pub const MEASUREMENT: Limit = Limit::mib(256);
    /// A key or a certificate. The longest, for RSA with 16,384 bits, has 13 kB.
    pub const KEY: Limit = Limit(1 << 16);
    /// Contents that a producer serves from memory.
    pub const SERVED: Limit = Limit::mib(4096);

    /// Limit for files of unknown length: a pipe or a device.
    const ENDLESS: Limit = Limit::TRACE;

    /// Returns a limit in MiB.
    pub const fn mib(mib: u64) -> Limit {
        Limit(mib << 20)
    }

    /// Returns a limit in bytes.
    pub const fn bytes(bytes: u64) -> Limit {
        Limit(bytes)
    }

    /// Returns the error for a file above the limit.
    fn exceeded(self) -> io::Error {
        let Limit(bytes) = self;
        let most = match bytes {
            0..1024 => format!("{bytes} bytes"),
            1024..0x10_0000 => format!("{} KiB", bytes >> 10),
            _ => format!("{} MiB", bytes >> 20),
        };
        io::Error::new(ErrorKind::FileTooLarge, format!("it is longer than {most}"))
    }
}

/// Reads a whole file: a regular file up to `limit`, a pipe or a device up to 256 MiB.
///
/// # Errors
/// It cannot be read, is longer, or is a pipe without data for some seconds.
pub fn read(path: &Path, limit: Limit) -> io::Result<Vec<u8>> {
    all(open(path)?, limit)
}

/// Reads a whole regular file. A link as the last part of the path is not followed.
///
/// # Errors
/// It cannot be read, is longer than `limit`, or is a link, a pipe or a device.
pub fn read_unlinked(path: &Path, limit: Limit) -> io::Result<Vec<u8>> {
    all(open_unlinked(path)?, limit)
}

fn all(file: File, limit: Limit) -> io::Result<Vec<u8>> {
    let there = file.metadata()?;
    let limit = if there.is_file() { limit } else { Limit(limit.0.min(Limit::ENDLESS.0)) };
    if there.is_file() && there.len() > limit.0 {
        return Err(limit.exceeded());
    }
    let content = if there.file_type().is_fifo() {
        pipe::read(&file, limit.0)?
    } else {
        let mut content = Vec::new();
        // Some files of /proc have the size 0 although they are not empty.
        content.try_reserve(usize::try_from(there.len()).unwrap_or(0)).map_err(io::Error::other)?;
        file.take(limit.0 + 1).read_to_end(&mut content)?;
        content
    };
    if content.len() as u64 > limit.0 { Err(limit.exceeded()) } else { Ok(content) }
}

/// Reads a whole file as text, under the conditions of [`read`].
///
/// # Errors
/// The errors of [`read`], or it is not UTF-8.
pub fn read_text(path: &Path, limit: Limit) -> io::Result<String> {
    String::from_utf8(read(path, limit)?)
        .map_err(|_| io::Error::new(ErrorKind::InvalidData, "it is not a text in UTF-8"))
}
