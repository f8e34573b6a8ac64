//! Files that are read whole, up to a limit of their kind.

use crate::open::{open, open_unlinked};
use crate::pipe;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// Most bytes that are read of one file. It is a limit of memory, far above what files of the kind
/// have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit(u64);

impl Limit {
    /// A scenario, a sweep, the configuration of a forwarder, statements: texts that people or
    /// scripts write. The longest, 65,536 routes of a forwarder, has some 4 MiB.
    pub const TEXT: Limit = Limit::mib(16);
    /// A trace of a link: an hour at 100 Mbit/s in mahimahi's format, a line for each 1504 bytes.
    pub const TRACE: Limit = Limit::mib(256);
    /// A measurement of another program, or a result in JSON.
    pub const MEASUREMENT: Limit = Limit::mib(256);
    /// A key or a certificate; the longest, of RSA with 16,384 bits, has 13 kB.
    pub const KEY: Limit = Limit(1 << 16);
    /// Contents that a producer serves from memory.
    pub const SERVED: Limit = Limit::mib(4096);

    /// Most that is read of what does not say how long it is: a pipe or a device.
    const ENDLESS: Limit = Limit::TRACE;

    /// So many MiB.
    pub const fn mib(mib: u64) -> Limit {
        Limit(mib << 20)
    }

    /// So many bytes.
    pub const fn bytes(bytes: u64) -> Limit {
        Limit(bytes)
    }

    /// A file of more than this.
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

/// Reads a file whole: a regular file up to `limit`, a pipe or a device up to 256 MiB of it.
///
/// # Errors
/// It cannot be read, is longer, or is a pipe from which nothing comes for some seconds.
pub fn read(path: &Path, limit: Limit) -> io::Result<Vec<u8>> {
    all(open(path)?, limit)
}

/// Reads a regular file whole. A link in the last place of the path is not followed.
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
        // Some files of /proc say that they are empty and are not.
        content.try_reserve(usize::try_from(there.len()).unwrap_or(0)).map_err(io::Error::other)?;
        file.take(limit.0 + 1).read_to_end(&mut content)?;
        content
    };
    if content.len() as u64 > limit.0 { Err(limit.exceeded()) } else { Ok(content) }
}

/// Reads a text whole, as [`read`] reads bytes.
///
/// # Errors
/// As of [`read`], or it is not UTF-8.
pub fn read_text(path: &Path, limit: Limit) -> io::Result<String> {
    String::from_utf8(read(path, limit)?)
        .map_err(|_| io::Error::new(ErrorKind::InvalidData, "it is not a text in UTF-8"))
}
