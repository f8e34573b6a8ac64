//! Features of the running kernel, as seen in a new namespace.

use super::namespace::Namespace;
use crate::error::LiveError;
use crate::plan::{CUBIC_SWITCHES, Kernel};
use std::fs;
use std::io;

/// Reads the features of the running kernel.
///
/// # Errors
///
/// No namespace can be created.
pub fn running() -> Result<Kernel, LiveError> {
    let found = Namespace::new().and_then(|namespace| {
        Ok((available_in(&namespace)?, namespace.enter(negotiates_accurate)?))
    });
    let (controllers, accurate) = found
        .map_err(LiveError::system("a network namespace cannot be made", "see `narrows doctor`"))?;
    let on = |name: &str| {
        fs::read_to_string(format!("/sys/module/tcp_cubic/parameters/{name}"))
            .is_ok_and(|value| value.trim() != "0")
    };
    Ok(Kernel {
        controllers,
        cubic: CUBIC_SWITCHES.into_iter().map(|(own, kernel)| (own, on(kernel))).collect(),
        max_rto: fs::exists("/proc/sys/net/ipv4/tcp_rto_max_ms").unwrap_or(false),
        v6: kernel_has_v6(),
        accurate,
    })
}

/// Returns the controllers that the kernel offers in a namespace.
pub fn available_in(namespace: &Namespace) -> io::Result<Vec<String>> {
    let text = namespace
        .enter(|| fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control"))?;
    Ok(text.split_whitespace().map(str::to_owned).collect())
}

/// True if the kernel has IPv6. It lacks IPv6 with `ipv6.disable=1` on its command line, or without
/// its module.
pub fn kernel_has_v6() -> bool {
    fs::exists("/proc/sys/net/ipv6").unwrap_or(false)
}

const ECN: &str = "/proc/sys/net/ipv4/tcp_ecn";

/// True if TCP can negotiate accurate ECN (3 of Documentation/networking/ip-sysctl.rst). Tries the
/// setting, which affects only the calling thread's namespace.
pub fn negotiates_accurate() -> io::Result<bool> {
    let before = fs::read_to_string(ECN)?;
    let taken = fs::write(ECN, "3").is_ok();
    fs::write(ECN, before.trim())?;
    Ok(taken)
}
