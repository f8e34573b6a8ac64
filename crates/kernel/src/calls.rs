//! The kernel's counts for a controller: its sockets, and the calls of its callbacks. The only
//! unsafe code is the call of a libbpf function that libbpf-rs lacks.
#![allow(unsafe_code)]

use crate::called::Calls;
use crate::error::KernelError;
use crate::loaded_file::{CALLBACK, TABLE};
use crate::place::failed;
use crate::registered::MAP;
use libbpf_rs::query::ProgInfoIter;
use libbpf_rs::{MapCore, MapFlags, MapHandle, Program, libbpf_sys};
use std::fs;
use std::os::fd::{AsFd, FromRawFd, OwnedFd};
use std::path::Path;
use std::time::Duration;

/// A guard: while it exists, the kernel counts and times all calls of BPF programs
/// (`BPF_ENABLE_STATS`), which costs about 20 ns per call.
pub struct Counting {
    _held: OwnedFd,
}

impl Counting {
    /// Begins counting.
    ///
    /// # Errors
    ///
    /// The kernel refuses: counting needs `CAP_SYS_ADMIN`.
    pub fn begin() -> Result<Counting, KernelError> {
        // SAFETY: the function takes a number and returns a descriptor or a negative error.
        let held = unsafe { libbpf_sys::bpf_enable_stats(libbpf_sys::BPF_STATS_RUN_TIME) };
        if held < 0 {
            return Err(KernelError::Unfit {
                reason: format!(
                    "the kernel does not count calls of BPF programs ({})",
                    std::io::Error::from_raw_os_error(-held)
                ),
                remedy: "run as root".to_owned(),
            });
        }
        // SAFETY: nothing else owns the descriptor.
        Ok(Counting { _held: unsafe { OwnedFd::from_raw_fd(held) } })
    }
}

/// Returns the calls of the callbacks pinned in a directory, in the order of their names.
pub(crate) fn calls(directory: &Path) -> Result<Vec<Calls>, KernelError> {
    let entries = fs::read_dir(directory).map_err(failed(directory, "read"))?.flatten();
    let mut pins: Vec<_> = entries
        .map(|entry| entry.path())
        .filter(|pin| {
            pin.file_name().is_some_and(|name| name.to_string_lossy().starts_with(CALLBACK))
        })
        .collect();
    pins.sort();
    let other = |error: libbpf_rs::Error| failed(directory, "read")(std::io::Error::other(error));
    let mut ids = Vec::new();
    for pin in pins {
        let program = Program::fd_from_pinned_path(&pin).map_err(other)?;
        ids.push(Program::id_from_fd(program.as_fd()).map_err(other)?);
    }
    let all: Vec<_> = ProgInfoIter::default().filter(|program| ids.contains(&program.id)).collect();
    let of = |id: &u32| all.iter().find(|program| program.id == *id);
    let calls = ids.iter().filter_map(of).map(|program| Calls {
        function: program.name.to_string_lossy().into_owned(),
        count: program.run_cnt,
        time: Duration::from_nanos(program.run_time_ns),
    });
    Ok(calls.collect())
}

/// Returns the number of users of the controller with its table pinned in a directory: sockets, and
/// network namespaces with it as their default. These are the kernel's references to the table
/// (`bpf_struct_ops_map_sys_lookup_elem` of kernel/bpf/bpf_struct_ops.c), minus the one of the
/// registration.
///
/// # Errors
///
/// The pin is missing, or is not a table.
pub(crate) fn sockets(directory: &Path) -> Result<u64, String> {
    let pin = [TABLE, MAP].into_iter().find(|pin| directory.join(pin).exists()).unwrap_or(TABLE);
    let unreadable = |error| format!("\"{pin}\" cannot be read: {error}");
    let map = MapHandle::from_pinned_path(directory.join(pin)).map_err(unreadable)?;
    let value = map.lookup(&0_u32.to_ne_bytes(), MapFlags::ANY).map_err(unreadable)?;
    let count = value.and_then(|value| Some(u32::from_ne_bytes(*value.first_chunk()?)));
    let count = count.ok_or_else(|| format!("\"{pin}\" is not the map that it should be"))?;
    Ok(count.saturating_sub(1).into())
}
