//! Checks in advance whether this kernel accepts controllers from this process.

use crate::error::KernelError;
use std::fs;
use std::path::Path;

const TYPES: &str = "sys/kernel/btf/vmlinux";

/// Bits of capability sets (include/uapi/linux/capability.h).
const NET_ADMIN: u64 = 1 << 12;
const SYS_ADMIN: u64 = 1 << 21;
const PERFMON: u64 = 1 << 38;
const BPF: u64 = 1 << 39;

/// Checks that controllers can be loaded here: the kernel supports them, and this process has the
/// rights.
///
/// # Errors
///
/// [`KernelError::Unfit`]: the missing feature, and the remedy.
pub fn fit() -> Result<(), KernelError> {
    let host = Host::read(Path::new("/"));
    host.kernel()?;
    host.rights()
}

/// Checks that this host can have deployments: the conditions of [`fit`], without the right to do
/// everything (`CAP_SYS_ADMIN`).
///
/// # Errors
///
/// The errors of [`fit`].
pub fn fit_for_deployments() -> Result<(), KernelError> {
    let host = Host::read(Path::new("/"));
    host.kernel()?;
    host.rights_but(SYS_ADMIN)
}

/// Checks that this host can have routers: the conditions of [`fit`], and programs at the egress of
/// interfaces (tcx, Linux 6.6).
///
/// # Errors
///
/// The errors of [`fit`].
#[cfg(feature = "bpf")]
pub(crate) fn fit_for_routers() -> Result<(), KernelError> {
    fit()?;
    match Host::read(Path::new("/")).knows("tcx_link") {
        true => Ok(()),
        false => unfit(
            "this kernel has no place for a router at the egress of an interface (no tcx in its types)",
            "start a kernel 6.6 or later with CONFIG_NET_XGRESS=y, as those of distributions are, or simulate it",
        ),
    }
}

/// True if the kernel's TCP counts bytes per ECN code point, as accurate ECN does (RFC 9768; Linux
/// 6.18), whether it negotiates the option or not.
pub fn counts_code_points() -> bool {
    Host::read(Path::new("/")).knows("delivered_ecn_bytes")
}

/// True if a link can hold a registration, which then ends with the last holder of the link (Linux
/// 6.4). Otherwise the map holds it, until it is deleted.
#[cfg(feature = "bpf")]
pub(crate) fn has_links() -> bool {
    Host::read(Path::new("/")).knows("bpf_struct_ops_link")
}

/// Returns the level of kernel lockdown, if there is one; it may restrict bpf(2).
#[cfg(feature = "bpf")]
pub(crate) fn lockdown() -> Option<String> {
    let text = fs::read_to_string("/sys/kernel/security/lockdown").ok()?;
    let chosen = text.split_once('[')?.1.split_once(']')?.0;
    (chosen != "none").then(|| chosen.to_owned())
}

/// The facts about the host that decide.
struct Host {
    release: String,
    types: Option<Vec<u8>>,
    capabilities: u64,
    first_user_namespace: bool,
}

fn unfit(reason: impl Into<String>, remedy: impl Into<String>) -> Result<(), KernelError> {
    Err(KernelError::Unfit { reason: reason.into(), remedy: remedy.into() })
}

impl Host {
    fn read(root: &Path) -> Host {
        let text = |path: &str| fs::read_to_string(root.join(path)).unwrap_or_default();
        let status = text("proc/self/status");
        let set = status.lines().find_map(|line| line.strip_prefix("CapEff:")).unwrap_or_default();
        Host {
            release: text("proc/sys/kernel/osrelease").trim().to_owned(),
            types: fs::read(root.join(TYPES)).ok(),
            capabilities: u64::from_str_radix(set.trim(), 16).unwrap_or(0),
            first_user_namespace: text("proc/self/uid_map").split_whitespace().eq([
                "0",
                "0",
                "4294967295",
            ]),
        }
    }

    fn kernel(&self) -> Result<(), KernelError> {
        let mut numbers = self.release.split(['.', '-']).map_while(|part| part.parse::<u32>().ok());
        let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        if version < (6, 0) {
            let release = if self.release.is_empty() {
                "an unknown version".to_owned()
            } else {
                format!("Linux {}", self.release)
            };
            return unfit(
                format!(
                    "this kernel is {release}, and only since 6.0 may a controller of BPF set the pacing rate"
                ),
                "start a kernel 6.0 or later (Debian 12 and later, Ubuntu 22.10 and later have one)",
            );
        }
        if self.types.is_none() {
            return unfit(
                format!(
                    "this kernel does not show its types (/{TYPES}), by which a controller finds its way in it"
                ),
                "take a kernel with CONFIG_DEBUG_INFO_BTF=y, as those of distributions are",
            );
        }
        if !self.knows("bpf_struct_ops_tcp_congestion_ops") {
            return unfit(
                "this kernel takes no congestion controllers from BPF (no struct_ops of TCP in its types)",
                "take a kernel with CONFIG_BPF_SYSCALL=y, CONFIG_BPF_JIT=y and CONFIG_DEBUG_INFO_BTF=y, as those of distributions are",
            );
        }
        Ok(())
    }

    fn rights(&self) -> Result<(), KernelError> {
        self.rights_but(0)
    }

    /// Checks the rights, except for some of them.
    fn rights_but(&self, left_out: u64) -> Result<(), KernelError> {
        let has = |one: u64| self.capabilities & one != 0;
        let needed = [
            ("CAP_BPF", has(BPF) || has(SYS_ADMIN)),
            ("CAP_PERFMON", has(PERFMON) || has(SYS_ADMIN)),
            ("CAP_NET_ADMIN", has(NET_ADMIN)),
            ("CAP_SYS_ADMIN", has(SYS_ADMIN) || left_out & SYS_ADMIN != 0),
        ];
        let lacking: Vec<&str> =
            needed.iter().filter(|(_, there)| !there).map(|(name, _)| *name).collect();
        if !lacking.is_empty() {
            return unfit(
                format!(
                    "only root can change kernel controllers (this process lacks {})",
                    lacking.join(", ")
                ),
                "run it with sudo",
            );
        }
        if !self.first_user_namespace {
            return unfit(
                "controllers of the kernel are for the host's root to change, and this process is root of a user namespace only",
                "run it with sudo, outside of any container",
            );
        }
        Ok(())
    }

    /// True if the kernel has a type of this name. BTF stores names between zero bytes.
    fn knows(&self, name: &str) -> bool {
        let name = format!("\0{name}\0");
        self.types
            .as_ref()
            .is_some_and(|types| types.windows(name.len()).any(|window| window == name.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host() -> Host {
        Host {
            release: "6.1.0-13-amd64".to_owned(),
            types: Some(b"\0int\0bpf_struct_ops_tcp_congestion_ops\0char\0".to_vec()),
            capabilities: (1 << 40) - 1,
            first_user_namespace: true,
        }
    }

    fn refusal(host: Host) -> String {
        host.kernel().and_then(|()| host.rights()).expect_err("unfit").to_string()
    }

    #[test]
    fn fit_as_it_is() {
        assert!(host().kernel().is_ok() && host().rights().is_ok());
        let capabilities = NET_ADMIN | BPF | PERFMON | SYS_ADMIN;
        assert!(Host { capabilities, ..host() }.rights().is_ok());
        assert!(Host { release: "10.0".to_owned(), ..host() }.kernel().is_ok());
        let capabilities = NET_ADMIN | BPF | PERFMON;
        assert!(Host { capabilities, ..host() }.rights().is_err());
        assert!(Host { capabilities, ..host() }.rights_but(SYS_ADMIN).is_ok());
    }

    #[test]
    fn every_fault_has_its_words() {
        let faults = [
            Host { release: "5.19.17".to_owned(), ..host() },
            Host { release: String::new(), ..host() },
            Host { types: None, ..host() },
            // A longer name is another type.
            Host { types: Some(b"\0bpf_struct_ops_tcp_congestion_ops_else\0".to_vec()), ..host() },
            Host { capabilities: 0, ..host() },
            Host { capabilities: NET_ADMIN | BPF, ..host() },
            Host { first_user_namespace: false, ..host() },
        ];
        insta::assert_snapshot!(faults.map(refusal).join("\n"));
    }

    #[test]
    fn links_are_told_by_a_type() {
        assert!(!host().knows("bpf_struct_ops_link"));
        assert!(
            Host { types: Some(b"\0bpf_struct_ops_link\0".to_vec()), ..host() }
                .knows("bpf_struct_ops_link")
        );
    }
}
