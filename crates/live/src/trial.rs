//! Sends datagrams with their sending time through a scenario's links, to compare the effects of
//! the links with the expected ones.

use crate::clock::Clock;
use crate::emulator::{Classifier, EgressQueue, Progress, Session};
use crate::error::LiveError;
use crate::host::Host;
use crate::plan::{FIRST_PORT, HostMap, Plan};
use crate::precision;
use crate::sockets::set;
use crate::tap::Tap;
use crate::wire::DATAGRAM_HEADERS;
use narrows_measure::{Emulation, Histogram, LinkRecord};
use narrows_scenario::Scenario;
use narrows_units::{Bytes, Span, Time};
use narrows_wire::Ecn;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, SendFlags, SocketFlags, SocketType, bind, ipproto, sendto, socket_with, sockopt,
};
use rustix::time::{ClockId, Timespec, clock_gettime};
use std::io;
use std::mem::MaybeUninit;
use std::net::SocketAddr;
use std::os::fd::{AsRawFd, OwnedFd};
use std::thread;

/// Length of a datagram's number and sending time.
const CONTENT: u64 = 16;

/// Receive buffer of the kernel for datagrams.
const ROOM: usize = 64 << 20;

/// The datagrams from the sender to the receiver of the scenario's first flow.
#[derive(Clone, Copy, Debug)]
pub struct Datagrams {
    /// Number of datagrams.
    pub count: u64,
    /// Size of each datagram on the wire, from its IP header on: at least 44 bytes.
    pub size: Bytes,
    /// Mean time from one datagram to the next.
    pub gap: Span,
    /// Number of datagrams passed to the kernel together, as a super-segment if there are several:
    /// at most 40 kB.
    pub burst: u64,
    /// ECN code point.
    pub ecn: Ecn,
    /// Time of the first datagram.
    pub start: Time,
}

/// A datagram that arrived.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Number, from 0.
    pub number: u64,
    /// Time at which the sender passed it to the kernel.
    pub sent: Time,
    /// Time at which the receiver's kernel received it.
    pub arrived: Time,
    /// ECN code point on arrival.
    pub ecn: u8,
}

/// The results of the datagrams.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Sending time of each datagram.
    pub sent: Vec<Time>,
    /// Arrivals in order.
    pub arrivals: Vec<Arrival>,
    /// Links of the scenario.
    pub links: Vec<LinkRecord>,
    /// Precision of the emulation.
    pub emulation: Emulation,
}

/// Sends the datagrams during the scenario. Its first flow gives the hosts; its flows send nothing.
pub fn trial(
    scenario: &Scenario,
    datagrams: Datagrams,
    progress: Progress<'_>,
) -> Result<Trial, LiveError> {
    let map = HostMap::of(scenario);
    let plan = Plan::plain(map.numbers.len(), datagrams.size.get().max(1500) as u32);
    let hosts = Host::all(scenario, &map, &plan)?;
    let (from, to) = (&hosts[map.ends[0].0], &hosts[map.ends[0].1]);
    let failed = |error| {
        LiveError::system("sockets for datagrams cannot be opened", "see `narrows doctor`")(error)
    };
    let target = SocketAddr::new(to.address(0, false), FIRST_PORT);
    let receiver = to.namespace.enter(|| receiving(target)).map_err(failed)?;
    let sender = from.namespace.enter(|| sending(datagrams)).map_err(failed)?;
    let end = Time::ZERO + scenario.duration;
    let classifier = Classifier::new(map.ends, scenario.flows.len());
    let session = Session::run(
        scenario,
        &hosts,
        || EgressQueue::new(&classifier, &scenario.flows),
        progress,
        &Tap::default(),
        |clock, go_on| {
            let answer = thread::scope(|scope| {
                let sending =
                    scope.spawn(|| send_all(&sender, target, datagrams, clock, end, go_on));
                let arrivals = receive_all(&receiver, clock, end, go_on)?;
                let sent =
                    sending.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
                Ok((sent, arrivals))
            });
            answer
                .map_err(LiveError::system("datagrams cannot be exchanged", "see `narrows doctor`"))
        },
    )?;
    let emulation = session.emulation(scenario, Vec::new(), &Histogram::new());
    let (sent, arrivals) = session.traffic;
    Ok(Trial { sent, arrivals, links: session.emulated.links, emulation })
}

fn sending(datagrams: Datagrams) -> io::Result<OwnedFd> {
    let socket = socket_with(
        AddressFamily::INET,
        SocketType::DGRAM,
        SocketFlags::CLOEXEC,
        Some(ipproto::UDP),
    )?;
    sockopt::set_ip_tos(&socket, datagrams.ecn as u8)?;
    if datagrams.burst > 1 {
        set(
            &socket,
            libc::SOL_UDP,
            libc::UDP_SEGMENT,
            (datagrams.size - DATAGRAM_HEADERS).get() as libc::c_int,
        )?;
    }
    Ok(socket)
}

fn receiving(address: SocketAddr) -> io::Result<OwnedFd> {
    let socket = socket_with(
        AddressFamily::INET,
        SocketType::DGRAM,
        SocketFlags::NONBLOCK | SocketFlags::CLOEXEC,
        Some(ipproto::UDP),
    )?;
    sockopt::set_ip_recvtos(&socket, true)?;
    sockopt::set_socket_recv_buffer_size_force(&socket, ROOM)?;
    set(&socket, libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, 1)?;
    bind(&socket, &address)?;
    Ok(socket)
}

/// Sends each datagram at its time, or as soon as the thread wakes after it. Returns the sending
/// times.
fn send_all(
    sender: &OwnedFd,
    to: SocketAddr,
    datagrams: Datagrams,
    clock: Clock,
    end: Time,
    go_on: &(dyn Fn() -> bool + Sync),
) -> io::Result<Vec<Time>> {
    precision::reduce_wakeup_latency();
    let payload = (datagrams.size - DATAGRAM_HEADERS).get().max(CONTENT) as usize;
    let mut bytes = vec![0; payload * datagrams.burst as usize];
    let mut sent = Vec::with_capacity(datagrams.count as usize);
    while (sent.len() as u64) < datagrams.count {
        let first = sent.len() as u64;
        let due = datagrams.start + datagrams.gap * first;
        if due >= end || !go_on() {
            break;
        }
        let wait = due.since(clock.now().min(due));
        if wait > Span::ZERO {
            thread::sleep(std::time::Duration::from_nanos(wait.as_nanos()));
        }
        let now = clock.now();
        let burst = datagrams.burst.min(datagrams.count - first);
        for (number, content) in (first..first + burst).zip(bytes.chunks_exact_mut(payload)) {
            content[..8].copy_from_slice(&number.to_be_bytes());
            content[8..16].copy_from_slice(&now.since(Time::ZERO).as_nanos().to_be_bytes());
            sent.push(now);
        }
        sendto(sender, &bytes[..payload * burst as usize], SendFlags::empty(), &to)?;
    }
    Ok(sent)
}

fn receive_all(
    receiver: &OwnedFd,
    clock: Clock,
    end: Time,
    go_on: &(dyn Fn() -> bool + Sync),
) -> io::Result<Vec<Arrival>> {
    // The kernel stamps arrivals with the real-time clock.
    let ahead = day().wrapping_sub(clock.now().since(Time::ZERO).as_nanos());
    let mut arrivals = Vec::new();
    while clock.now() < end && go_on() {
        while let Some(mut arrival) = receive(receiver)? {
            arrival.arrived = Time::from_nanos(
                arrival.arrived.since(Time::ZERO).as_nanos().saturating_sub(ahead),
            );
            arrivals.push(arrival);
        }
        let pause = Timespec { tv_sec: 0, tv_nsec: 10_000_000 };
        match poll(&mut [PollFd::new(receiver, PollFlags::IN)], Some(&pause)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(arrivals)
}

/// Reads `CLOCK_REALTIME` in nanoseconds.
fn day() -> u64 {
    let now = clock_gettime(ClockId::Realtime);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Returns the next received datagram, with its arrival on the real-time clock.
fn receive(receiver: &OwnedFd) -> io::Result<Option<Arrival>> {
    let mut content = [0u8; CONTENT as usize];
    let mut control = [0u64; 16];
    let mut piece = libc::iovec { iov_base: content.as_mut_ptr().cast(), iov_len: content.len() };
    // SAFETY: all-zero bytes are a valid `msghdr`, which has integers and null pointers.
    let mut message: libc::msghdr = unsafe { MaybeUninit::zeroed().assume_init() };
    (message.msg_iov, message.msg_iovlen) = (&raw mut piece, 1);
    (message.msg_control, message.msg_controllen) =
        (control.as_mut_ptr().cast(), size_of_val(&control));
    // SAFETY: the kernel writes to `content` and `control`, within their sizes; both live through
    // the call.
    let count = unsafe { libc::recvmsg(receiver.as_raw_fd(), &raw mut message, 0) };
    if count < 0 {
        let error = io::Error::last_os_error();
        return if error.kind() == io::ErrorKind::WouldBlock { Ok(None) } else { Err(error) };
    }
    let word = |at: usize| u64::from_be_bytes(content[at..at + 8].try_into().expect("8 bytes"));
    let mut arrival =
        Arrival { number: word(0), sent: Time::from_nanos(word(8)), arrived: Time::ZERO, ecn: 0 };
    // SAFETY: `message` describes `control` as the kernel has filled it; the macros stay within it,
    // and each item is read as its type says.
    unsafe {
        let mut header = libc::CMSG_FIRSTHDR(&raw const message);
        while !header.is_null() {
            let data = libc::CMSG_DATA(header);
            match ((*header).cmsg_level, (*header).cmsg_type) {
                (libc::IPPROTO_IP, libc::IP_TOS) => arrival.ecn = data.read() & 3,
                (libc::SOL_SOCKET, libc::SO_TIMESTAMPNS) => {
                    let stamp = data.cast::<libc::timespec>().read_unaligned();
                    arrival.arrived = Time::from_nanos(
                        stamp.tv_sec as u64 * 1_000_000_000 + stamp.tv_nsec as u64,
                    );
                }
                _ => {}
            }
            header = libc::CMSG_NXTHDR(&raw const message, header);
        }
    }
    Ok(Some(arrival))
}
