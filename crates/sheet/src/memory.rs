//! Memory that a file may take when it is decoded.

use parquet::errors::ParquetError;
use std::fs;

/// The part of free memory that one table may take: what is made of it needs room, too.
const PART: u64 = 4;
/// Free memory where the system does not tell.
const GUESS: u64 = 1 << 32;

/// The rest of the memory that one file may take.
pub(crate) struct Budget {
    all: u64,
    left: u64,
}

impl Budget {
    /// A quarter of the memory that this process can still get.
    pub(crate) fn of_this_process() -> Budget {
        let all = free() / PART;
        Budget { all, left: all }
    }

    /// Fails if so many bytes are not left for a while.
    pub(crate) fn has(&mut self, bytes: u64) -> Result<(), ParquetError> {
        let before = self.left;
        self.take(1, bytes)?;
        self.left = before;
        Ok(())
    }

    /// Takes memory for so many things of so many bytes each, before they are decoded.
    pub(crate) fn take(&mut self, count: u64, each: u64) -> Result<(), ParquetError> {
        match count.checked_mul(each).and_then(|bytes| self.left.checked_sub(bytes)) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(ParquetError::General(format!(
                "it takes more than {} MiB when it is decoded, a quarter of the memory that is free",
                self.all >> 20
            ))),
        }
    }
}

/// Memory that this process can still get: of the host, of its group, and of its own limit on
/// address space.
fn free() -> u64 {
    let host = kib(&text("/proc/meminfo"), "MemAvailable:");
    let number = |path: &str| text(path).trim().parse::<u64>().ok();
    let group = number("/sys/fs/cgroup/memory.max")
        .map(|most| most.saturating_sub(number("/sys/fs/cgroup/memory.current").unwrap_or(0)));
    let limits = text("/proc/self/limits");
    let limit = limits.lines().find_map(|line| {
        line.strip_prefix("Max address space")?.split_whitespace().next()?.parse::<u64>().ok()
    });
    let own = limit
        .map(|most| most.saturating_sub(kib(&text("/proc/self/status"), "VmSize:").unwrap_or(0)));
    [host, group, own].into_iter().flatten().min().unwrap_or(GUESS)
}

fn text(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// The bytes of a line that tells KiB.
fn kib(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}
