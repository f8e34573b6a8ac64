//! libbpf's headers. With the feature `headers` they are a part of narrows, taken from the package
//! `libbpf-sys` when it is built; without it those of the system are used.

use std::path::Path;
use std::{fs, io};

/// Those that programs include, and what these include (https://github.com/libbpf/libbpf, LGPL-2.1
/// or BSD-2-Clause).
const NAMES: [&str; 5] =
    ["bpf_helpers.h", "bpf_helper_defs.h", "bpf_tracing.h", "bpf_core_read.h", "bpf_endian.h"];

/// Where distributions put them.
#[cfg(not(feature = "headers"))]
const SYSTEM: [&str; 2] = ["/usr/include", "/usr/local/include"];

/// Writes them into a directory, in which `bpf/` is made. False if this build has no headers.
#[cfg(feature = "headers")]
pub(super) fn write(into: &Path) -> io::Result<bool> {
    let folder = into.join("bpf");
    fs::create_dir_all(&folder)?;
    for (name, text) in libbpf_sys::API_HEADERS.into_iter().filter(|(name, _)| NAMES.contains(name))
    {
        fs::write(folder.join(name), text)?;
    }
    Ok(true)
}

/// Copies them into a directory, in which `bpf/` is made. False if this build has no headers.
#[cfg(not(feature = "headers"))]
pub(super) fn write(into: &Path) -> io::Result<bool> {
    let Some(system) = SYSTEM
        .iter()
        .map(|place| Path::new(place).join("bpf"))
        .find(|place| place.join(NAMES[0]).is_file())
    else {
        return Ok(false);
    };
    let folder = into.join("bpf");
    fs::create_dir_all(&folder)?;
    for name in NAMES {
        fs::copy(system.join(name), folder.join(name))?;
    }
    Ok(true)
}
