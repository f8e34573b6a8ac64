//! Checks features of the kernel's TCP: `TCP_INFO`, controllers, ECN.

use super::state::Capability;
use crate::host::kernel::{available_in, negotiates_accurate};
use crate::host::namespace::Namespace;
use crate::host::netlink::Netlink;
use crate::host::tcp_info::TcpInfo;
use crate::host::tun::{DEVICE, Tun};
use crate::plan::{missing, twin_of};
use narrows_control::{Controllers, EntryRef, TWINS};
use narrows_kernel::KernelError;
use narrows_params::Catalogue;
use rustix::net::{AddressFamily, SocketFlags, SocketType, ipproto, socket_with, sockopt};
use std::io;
use std::mem::{offset_of, size_of};
use std::os::fd::{AsRawFd, OwnedFd};

/// Checks the features of the kernel's TCP in a namespace.
pub fn within(namespace: &Namespace) -> Vec<Capability> {
    let mut all = Vec::new();
    all.push(match namespace.enter(tcp_info_size) {
        Ok(size) => tcp_info(size),
        Err(error) => Capability::missing("TCP_INFO", error.to_string(), "take a kernel with TCP"),
    });
    let available = available_in(namespace).unwrap_or_default();
    let loads = narrows_kernel::BUILT && narrows_kernel::fit().is_ok();
    let is_simulated = |entry: &EntryRef| entry.kernel().is_none() && twin_of(entry).is_none();
    let (simulated, others): (Vec<_>, Vec<_>) =
        Controllers::all().into_iter().partition(is_simulated);
    for entry in others {
        let name = format!("controller {}", entry.name());
        all.push(match missing(&entry, &available) {
            None => match entry.kernel().map(|kernel| {
                namespace.enter(|| {
                    socket().and_then(|socket| Ok(sockopt::set_tcp_congestion(&socket, kernel)?))
                })
            }) {
                Some(Err(error)) => Capability::absent(
                    &name,
                    error.to_string(),
                    "see tcp_allowed_congestion_control in tcp(7)",
                ),
                _ => Capability::there(
                    &name,
                    format!("\"{}\" of the kernel", entry.kernel().unwrap_or_default()),
                ),
            },
            Some((found, remedy)) => match twin_of(&entry) {
                Some(twin) if loads => {
                    let load = format!(
                        "loaded by narrows for live runs; narrows kernel load {} for this host",
                        twin.entry.name
                    );
                    Capability::there(&name, load)
                }
                Some(_) => Capability::absent(
                    &name,
                    "narrows could load it, but not here",
                    "see controllers by BPF, below",
                ),
                None => Capability::absent(&name, found, remedy),
            },
        });
    }
    let names: Vec<_> = simulated.iter().map(|entry| entry.name()).collect();
    all.push(Capability::absent(
        "other controllers",
        format!("Linux has none of {}", names.join(", ")),
        "simulate them with narrows run",
    ));
    all.push(ecn(namespace));
    all.push(match namespace.enter(fq) {
        Ok(()) => Capability::there(
            "sch_fq",
            "the kernel has it; live runs do without, TCP paces by itself",
        ),
        Err(error) => {
            Capability::absent("sch_fq", error.to_string(), "nothing to do: TCP paces by itself")
        }
    });
    all
}

fn socket() -> io::Result<OwnedFd> {
    Ok(socket_with(
        AddressFamily::INET,
        SocketType::STREAM,
        SocketFlags::CLOEXEC,
        Some(ipproto::TCP),
    )?)
}

fn tcp_info_size() -> io::Result<usize> {
    let socket = socket()?;
    let mut bytes = [0_u8; 1024];
    let mut length = bytes.len() as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes to `bytes`, which has that size.
    let answer = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            bytes.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(length as usize) }
}

/// Determines the fields of `struct tcp_info` in this kernel from its size.
fn tcp_info(size: usize) -> Capability {
    const NAME: &str = "TCP_INFO";
    let later = [
        (offset_of!(TcpInfo, pacing_rate), "pacing rate"),
        (offset_of!(TcpInfo, min_rtt), "least round trip"),
        (offset_of!(TcpInfo, delivery_rate), "delivery rate"),
        (offset_of!(TcpInfo, delivered_ce), "marks delivered"),
        (offset_of!(TcpInfo, bytes_retrans), "bytes retransmitted"),
        (offset_of!(TcpInfo, rcv_wnd), "receive window"),
        (offset_of!(TcpInfo, total_rto), "timeouts"),
    ];
    let without: Vec<&str> =
        later.iter().filter(|(offset, _)| offset + 8 > size).map(|(_, name)| *name).collect();
    if size >= size_of::<TcpInfo>() {
        return Capability::there(NAME, format!("{size} B: all that is recorded"));
    }
    Capability::absent(
        NAME,
        format!("{size} B: without {}, recorded as zero", without.join(", ")),
        "Linux 6.7 or later tells them",
    )
}

fn ecn(namespace: &Namespace) -> Capability {
    const NAME: &str = "ECN";
    match namespace.enter(negotiates_accurate) {
        Ok(true) => {
            Capability::there(NAME, "RFC 3168, and accurate ECN by negotiation (tcp_ecn=3)")
        }
        Ok(false) if narrows_kernel::counts_code_points() => Capability::there(
            NAME,
            "RFC 3168; accurate ECN is there, but not negotiated (no tcp_ecn=3): controllers loaded into the kernel that need it switch it on",
        ),
        Ok(false) => Capability::there(NAME, "RFC 3168 (tcp_ecn=1), no accurate ECN"),
        Err(error) => {
            Capability::absent(NAME, format!("tcp_ecn: {error}"), "scenarios without ECN run")
        }
    }
}

/// Tries a fair queue on a device in the calling thread's namespace.
fn fq() -> io::Result<()> {
    let _tun = Tun::create()?;
    let mut netlink = Netlink::open()?;
    let device = netlink.index(DEVICE)?;
    netlink.set_qdisc(device, "fq")
}

/// Checks that this program can load its controllers into this kernel.
pub fn loading() -> Capability {
    const NAME: &str = "controllers by BPF";
    const USE: &str = "only `narrows kernel load`, and live runs with controllers that the kernel has not, need it";
    let (reason, remedy) = match narrows_kernel::fit() {
        Ok(()) if narrows_kernel::BUILT => {
            let names: Vec<&str> = TWINS.iter().map(|twin| twin.entry.name).collect();
            return Capability::there(
                NAME,
                format!("the kernel takes them, and narrows has {}", names.join(", ")),
            );
        }
        Ok(()) => ("the kernel takes them".to_owned(), KernelError::NotBuilt.to_string()),
        Err(KernelError::Unfit { reason, remedy }) => (reason, remedy),
        Err(error) => (error.to_string(), String::new()),
    };
    Capability::absent(NAME, reason, format!("{remedy}; {USE}"))
}
