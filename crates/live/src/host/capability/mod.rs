//! What this host can do of what a live run needs: each answer comes from trying.

use crate::demand::MAXIMUM;
use crate::error::LiveError;
use crate::hosts::{Host, kernel_has_v6};
use crate::loans::twin_of;
use crate::namespace::Namespace;
use crate::netlink::Netlink;
use crate::precision::hasten;
use crate::privilege;
use crate::tcp_info::TcpInfo;
use crate::terms::Plan;
use crate::tun::{DEVICE, Tun};
use narrows_control::TWINS;
use narrows_control::{ENTRIES, Entry};
use narrows_kernel::KernelError;
use rustix::net::{AddressFamily, SocketFlags, SocketType, ipproto, socket_with, sockopt};
use std::fs;
use std::io;
use std::mem::{offset_of, size_of};
use std::os::fd::{AsRawFd, OwnedFd};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// One thing that a live run needs or can use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capability {
    /// What it is.
    pub name: String,
    /// Whether it is there.
    pub state: State,
    /// What the probe found.
    pub found: String,
    /// How to get what is missing; empty if nothing is.
    pub remedy: String,
}

/// Whether something is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is.
    There,
    /// It is not, and some scenarios or commands do without.
    Absent,
    /// It is not, and nothing runs live without it.
    Missing,
}

impl State {
    /// Its name in lists: `ok`, `absent` or `missing`.
    pub fn name(self) -> &'static str {
        match self {
            State::There => "ok",
            State::Absent => "absent",
            State::Missing => "missing",
        }
    }
}

impl Capability {
    fn there(name: &str, found: impl Into<String>) -> Capability {
        Capability { name: name.to_owned(), state: State::There, found: found.into(), remedy: String::new() }
    }

    fn absent(name: &str, found: impl Into<String>, remedy: impl Into<String>) -> Capability {
        Capability { name: name.to_owned(), state: State::Absent, found: found.into(), remedy: remedy.into() }
    }

    fn missing(name: &str, found: impl Into<String>, remedy: impl Into<String>) -> Capability {
        Capability { name: name.to_owned(), state: State::Missing, found: found.into(), remedy: remedy.into() }
    }
}

/// Whether a scenario can run live here: tries all that every run needs, and leaves nothing behind. A process without root's rights must call it before it starts
/// threads.
///
/// # Errors
///
/// What cannot be had, and how to get it.
pub fn ready() -> Result<(), LiveError> {
    privilege::acquire()?;
    Host::new("probe", 0, &Plan::plain(1, 1500)).map(drop)
}

/// Everything that a live run needs or can use. A process without root's rights must call it before it starts threads.
pub fn probe() -> Vec<Capability> {
    let mut all = vec![kernel(), rights()];
    match Namespace::new() {
        Ok(namespace) => {
            all.push(Capability::there("network namespaces", "one was made"));
            all.push(tun());
            all.push(device(&namespace));
            all.extend(within(&namespace));
        }
        Err(error) => {
            all.push(Capability::missing("network namespaces", error.to_string(), privilege::REMEDY));
            all.push(tun());
        }
    }
    all.extend([ipv6(), cores(), rate(), timers(), priority(), loading()]);
    let tools = [
        ("iperf3", "--version", "iperf3", "traffic from a program of its own: narrows live FILE -- iperf3 ..."),
        ("tshark", "--version", "tshark", "a reader of the captures that narrows run --pcap writes"),
        ("clang", "--version", "clang", "what `make build` compiles controllers for the kernel with"),
    ];
    all.extend(tools.map(|(name, argument, package, purpose)| tool(name, argument, package, purpose)));
    all
}

/// What a controller of the registry lacks to run in this kernel; `None` if it is there. `available` is what the kernel lists.
pub(crate) fn lacks(entry: &Entry, available: &[String]) -> Option<(String, String)> {
    let Some(name) = entry.kernel else {
        return Some(("Linux has no such controller".to_owned(), "simulate it with narrows run".to_owned()));
    };
    if available.iter().any(|one| one == name) {
        return None;
    }
    // reno alone cannot be a module.
    let module = match name {
        "reno" => "reno".to_owned(),
        name => format!("tcp_{name}"),
    };
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let modules = fs::read_to_string(format!("/lib/modules/{}/modules.dep", release.trim())).unwrap_or_default();
    let remedy = match modules.contains(&format!("/{module}.ko")) {
        true => format!("load it: sudo modprobe {module}"),
        false => format!("this kernel was built without {module}; take a kernel that has it, or simulate it with narrows run"),
    };
    Some((format!("this kernel does not offer \"{name}\""), remedy))
}

/// The controllers that the kernel offers in a namespace.
pub(crate) fn available_in(namespace: &Namespace) -> io::Result<Vec<String>> {
    let text = namespace.enter(|| fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control"))?;
    Ok(text.split_whitespace().map(str::to_owned).collect())
}

fn kernel() -> Capability {
    let read = |name: &str| fs::read_to_string(format!("/proc/sys/kernel/{name}")).unwrap_or_default().trim().to_owned();
    let (system, release) = (read("ostype"), read("osrelease"));
    Capability::there("kernel", format!("{system} {release} {}", std::env::consts::ARCH))
}

fn rights() -> Capability {
    const NAME: &str = "rights";
    match privilege::acquire() {
        Ok(()) if privilege::in_user_namespace() => Capability::there(NAME, "not root, but what is needed in a user namespace"),
        Ok(()) => Capability::there(NAME, "CAP_SYS_ADMIN and CAP_NET_ADMIN"),
        Err(error) => Capability::missing(NAME, error.to_string(), privilege::REMEDY),
    }
}

fn tun() -> Capability {
    const NAME: &str = "/dev/net/tun";
    match fs::OpenOptions::new().read(true).write(true).open(NAME) {
        Ok(_) => Capability::there(NAME, "can be opened"),
        Err(error) => Capability::missing(NAME, error.to_string(), tun_remedy(&error)),
    }
}

/// What helps where the device of devices cannot be opened.
pub(crate) fn tun_remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => {
            "sudo modprobe tun; where it is still missing: sudo mkdir -p /dev/net && sudo mknod -m 666 /dev/net/tun c 10 200; in a container: --device /dev/net/tun"
        }
        io::ErrorKind::PermissionDenied => "sudo chmod 666 /dev/net/tun, as most distributions have it",
        _ => "sudo modprobe tun; in a container: --device /dev/net/tun",
    }
}

fn device(namespace: &Namespace) -> Capability {
    const NAME: &str = "TUN device with offload";
    match namespace.enter(Tun::create) {
        Ok(_) => Capability::there(NAME, "one was made: checksums and segmentation of TCP are left to it"),
        Err(error) => Capability::missing(NAME, error.to_string(), tun_remedy(&error)),
    }
}

/// What the kernel's TCP offers in a namespace.
fn within(namespace: &Namespace) -> Vec<Capability> {
    let mut all = Vec::new();
    all.push(match namespace.enter(tcp_info_size) {
        Ok(size) => tcp_info(size),
        Err(error) => Capability::missing("TCP_INFO", error.to_string(), "take a kernel with TCP"),
    });
    let available = available_in(namespace).unwrap_or_default();
    let loads = narrows_kernel::BUILT && narrows_kernel::fit().is_ok();
    for entry in ENTRIES {
        let name = format!("controller {}", entry.name);
        all.push(match lacks(entry, &available) {
            None => match entry
                .kernel
                .map(|kernel| namespace.enter(|| socket().and_then(|socket| Ok(sockopt::set_tcp_congestion(&socket, kernel)?))))
            {
                Some(Err(error)) => Capability::absent(&name, error.to_string(), "see tcp_allowed_congestion_control in tcp(7)"),
                _ => Capability::there(&name, format!("\"{}\" of the kernel", entry.kernel.unwrap_or_default())),
            },
            Some((found, remedy)) => match twin_of(entry) {
                Some(twin) if loads => {
                    let load = format!("loaded by narrows for live runs; narrows kernel load {} for this host", twin.name());
                    Capability::there(&name, load)
                }
                Some(_) => Capability::absent(&name, "narrows could load it, but not here", "see controllers by BPF, below"),
                None => Capability::absent(&name, found, remedy),
            },
        });
    }
    all.push(ecn(namespace));
    all.push(match namespace.enter(fq) {
        Ok(()) => Capability::there("sch_fq", "the kernel has it; live runs do without, TCP paces by itself"),
        Err(error) => Capability::absent("sch_fq", error.to_string(), "nothing to do: TCP paces by itself"),
    });
    all
}

fn socket() -> io::Result<OwnedFd> {
    Ok(socket_with(AddressFamily::INET, SocketType::STREAM, SocketFlags::CLOEXEC, Some(ipproto::TCP))?)
}

fn tcp_info_size() -> io::Result<usize> {
    let socket = socket()?;
    let mut bytes = [0_u8; 1024];
    let mut length = bytes.len() as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes to `bytes`, which has as many.
    let answer =
        unsafe { libc::getsockopt(socket.as_raw_fd(), libc::IPPROTO_TCP, libc::TCP_INFO, bytes.as_mut_ptr().cast(), &raw mut length) };
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(length as usize) }
}

/// What the size of `struct tcp_info` says of its fields.
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
    let without: Vec<&str> = later.iter().filter(|(offset, _)| offset + 8 > size).map(|(_, name)| *name).collect();
    if size >= size_of::<TcpInfo>() {
        return Capability::there(NAME, format!("{size} B: all that is recorded"));
    }
    Capability::absent(NAME, format!("{size} B: without {}, recorded as zero", without.join(", ")), "Linux 6.7 or later tells them")
}

const ECN: &str = "/proc/sys/net/ipv4/tcp_ecn";

/// Whether TCP negotiates accurate ECN (3 of Documentation/networking/ip-sysctl.rst). The value is that of the calling thread's namespace alone.
pub(crate) fn negotiates_accurate() -> io::Result<bool> {
    let before = fs::read_to_string(ECN)?;
    let taken = fs::write(ECN, "3").is_ok();
    fs::write(ECN, before.trim())?;
    Ok(taken)
}

fn ecn(namespace: &Namespace) -> Capability {
    const NAME: &str = "ECN";
    match namespace.enter(negotiates_accurate) {
        Ok(true) => Capability::there(NAME, "RFC 3168, and accurate ECN by negotiation (tcp_ecn=3)"),
        Ok(false) if narrows_kernel::counts_code_points() => Capability::there(
            NAME,
            "RFC 3168; accurate ECN is there, but not negotiated (no tcp_ecn=3): controllers loaded into the kernel that need it switch it on",
        ),
        Ok(false) => Capability::there(NAME, "RFC 3168 (tcp_ecn=1), no accurate ECN"),
        Err(error) => Capability::absent(NAME, format!("tcp_ecn: {error}"), "scenarios without ECN run"),
    }
}

/// Puts a fair queue on a device of the calling thread's namespace.
fn fq() -> io::Result<()> {
    let _tun = Tun::create()?;
    let mut netlink = Netlink::open()?;
    let device = netlink.index(DEVICE)?;
    netlink.set_qdisc(device, "fq")
}

fn ipv6() -> Capability {
    const NAME: &str = "IPv6";
    match kernel_has_v6() {
        true => Capability::there(NAME, "the kernel has it"),
        false => Capability::absent(
            NAME,
            "the kernel does not have it",
            "only flows whose headers are those of IPv6 need it: start the kernel without ipv6.disable=1",
        ),
    }
}

fn cores() -> Capability {
    const NAME: &str = "cores";
    match thread::available_parallelism().map_or(1, usize::from) {
        1 => Capability::absent(
            NAME,
            "1: emulator and TCP share it",
            "expect invalid runs above some Mbit/s; give this machine a second core",
        ),
        count => Capability::there(NAME, count.to_string()),
    }
}

fn rate() -> Capability {
    Capability::there(
        "emulator",
        format!("carries {MAXIMUM}, all flows together, unless --maximum says otherwise; narrows bench --live measures it"),
    )
}

/// How late this host wakes a thread that sleeps for a millisecond, in microseconds: the median and the 99th percentile of a hundred.
fn lateness() -> (u64, u64) {
    let nap = Duration::from_millis(1);
    let mut late: Vec<u64> = (0..100)
        .map(|_| {
            let before = Instant::now();
            thread::sleep(nap);
            (before.elapsed().saturating_sub(nap)).as_micros() as u64
        })
        .collect();
    late.sort_unstable();
    (late[50], late[98])
}

fn timers() -> Capability {
    const NAME: &str = "timers";
    let resolution = rustix::time::clock_getres(rustix::time::ClockId::Monotonic);
    // SAFETY: PR_GET_TIMERSLACK has no further arguments and returns the slack.
    let slack = unsafe { libc::prctl(libc::PR_GET_TIMERSLACK) };
    let (median, most) = lateness();
    let found = format!(
        "resolution {} ns, slack {} us; a sleep of 1 ms ends {median} us late (median), {most} us (99 %)",
        resolution.tv_nsec,
        slack / 1000
    );
    if resolution.tv_sec == 0 && resolution.tv_nsec < 1_000_000 {
        Capability::there(NAME, found)
    } else {
        Capability::absent(NAME, found, "take a kernel with high-resolution timers (CONFIG_HIGH_RES_TIMERS)")
    }
}

fn priority() -> Capability {
    const NAME: &str = "priority";
    // A thread of its own, so that only it gets what is tried.
    match thread::spawn(hasten).join() {
        Ok(Ok(())) => Capability::there(NAME, "the emulator can run before others"),
        Ok(Err(error)) => Capability::absent(
            NAME,
            error.to_string(),
            "root has it (CAP_SYS_NICE); without it others can make packets late, which is measured",
        ),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// Whether this program can give its controllers to this kernel.
fn loading() -> Capability {
    const NAME: &str = "controllers by BPF";
    const USE: &str = "only `narrows kernel load`, and live runs with controllers that the kernel has not, need it";
    let (reason, remedy) = match narrows_kernel::fit() {
        Ok(()) if narrows_kernel::BUILT => {
            let names: Vec<String> = TWINS.iter().map(|twin| twin.name()).collect();
            return Capability::there(NAME, format!("the kernel takes them, and narrows has {}", names.join(", ")));
        }
        Ok(()) => ("the kernel takes them".to_owned(), KernelError::NotBuilt.to_string()),
        Err(KernelError::Unfit { reason, remedy }) => (reason, remedy),
        Err(error) => (error.to_string(), String::new()),
    };
    Capability::absent(NAME, reason, format!("{remedy}; {USE}"))
}

fn tool(name: &str, argument: &str, package: &str, purpose: &str) -> Capability {
    let asked = Command::new(name).arg(argument).stdin(Stdio::null()).stderr(Stdio::null()).output();
    match asked {
        Ok(output) if output.status.success() => {
            let text = String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().trim().to_owned();
            Capability::there(name, text)
        }
        Ok(output) => {
            Capability::absent(name, format!("it fails: {}", output.status), format!("{purpose}; on Debian: apt install {package}"))
        }
        Err(_) => Capability::absent(name, "not installed", format!("{purpose}; on Debian: apt install {package}")),
    }
}
