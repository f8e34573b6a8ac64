//! Opens sockets for flows, in the namespace of the calling thread.

use crate::plan::{SocketOptions, UNLIMITED_PACING};
use narrows_units::Bytes;
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, SocketFlags, SocketType, bind, connect, ipproto, listen, socket_with, sockopt,
};
use std::ffi::c_int;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

/// Connections that may wait to be accepted.
const BACKLOG: i32 = 4096;

/// Buffer for received datagrams: a second at 1 Gbit/s.
const DATAGRAM_BUFFER: usize = 128 << 20;

/// Opens a socket that accepts connections. `unsent` limits the unsent data in each.
pub fn listener(
    address: SocketAddr,
    options: &SocketOptions,
    unsent: Option<u32>,
) -> io::Result<OwnedFd> {
    let listener = tcp(options)?;
    limit_unsent(&listener, unsent)?;
    bind(&listener, &address)?;
    listen(&listener, BACKLOG)?;
    Ok(listener)
}

/// Opens a socket that connects to `to`. `unsent` limits the unsent data in the socket.
pub fn sender(to: SocketAddr, options: &SocketOptions, unsent: Option<u32>) -> io::Result<OwnedFd> {
    let sender = tcp(options)?;
    limit_unsent(&sender, unsent)?;
    match connect(&sender, &to) {
        Ok(()) | Err(Errno::INPROGRESS) => Ok(sender),
        Err(error) => Err(error.into()),
    }
}

/// Opens a receiver's socket, bound to `from`, that connects to `to`. Other sockets may have the
/// same port, because their connections have other peers.
pub fn asker(from: SocketAddr, to: SocketAddr, options: &SocketOptions) -> io::Result<OwnedFd> {
    let asker = tcp(options)?;
    sockopt::set_socket_reuseaddr(&asker, true)?;
    bind(&asker, &from)?;
    match connect(&asker, &to) {
        Ok(()) | Err(Errno::INPROGRESS) => Ok(asker),
        Err(error) => Err(error.into()),
    }
}

fn limit_unsent(socket: &OwnedFd, unsent: Option<u32>) -> io::Result<()> {
    match unsent {
        Some(unsent) => set(socket, libc::IPPROTO_TCP, libc::TCP_NOTSENT_LOWAT, unsent as c_int),
        None => Ok(()),
    }
}

/// Opens a socket for datagrams to `to`.
pub fn datagram_sender(to: SocketAddr) -> io::Result<OwnedFd> {
    let sender = udp()?;
    // Without root's rights, the buffer has at most the host's limit for users.
    sockopt::set_socket_send_buffer_size_force(&sender, DATAGRAM_BUFFER)
        .or_else(|_| sockopt::set_socket_send_buffer_size(&sender, DATAGRAM_BUFFER))?;
    connect(&sender, &to)?;
    Ok(sender)
}

/// Opens a socket that receives datagrams for an address.
pub fn datagram_receiver(address: SocketAddr) -> io::Result<OwnedFd> {
    let receiver = udp()?;
    sockopt::set_socket_recv_buffer_size_force(&receiver, DATAGRAM_BUFFER)
        .or_else(|_| sockopt::set_socket_recv_buffer_size(&receiver, DATAGRAM_BUFFER))?;
    bind(&receiver, &address)?;
    Ok(receiver)
}

fn tcp(options: &SocketOptions) -> io::Result<OwnedFd> {
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let family = if options.v6 { AddressFamily::INET6 } else { AddressFamily::INET };
    let socket = socket_with(family, SocketType::STREAM, flags, Some(ipproto::TCP))?;
    apply(options, &socket)?;
    // TCP sends data as soon as an application has written it, as in the simulator, and does not
    // wait for more (RFC 896).
    sockopt::set_tcp_nodelay(&socket, true)?;
    Ok(socket)
}

fn udp() -> io::Result<OwnedFd> {
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    Ok(socket_with(AddressFamily::INET, SocketType::DGRAM, flags, Some(ipproto::UDP))?)
}

/// Sets the options of a socket before it connects or listens. Accepted connections inherit them.
fn apply(options: &SocketOptions, socket: impl AsFd) -> io::Result<()> {
    let SocketOptions { controller, paced, v6: _, max_segment, receive_window, class: _ } = options;
    if let Some(name) = controller {
        sockopt::set_tcp_congestion(&socket, name)?;
    }
    if *paced {
        // Any limit makes TCP pace.
        set(&socket, libc::SOL_SOCKET, libc::SO_MAX_PACING_RATE, UNLIMITED_PACING)?;
    }
    if let Some(size) = max_segment {
        set(&socket, libc::IPPROTO_TCP, libc::TCP_MAXSEG, *size as c_int)?;
    }
    if let Some(window) = receive_window {
        clamp(&socket, *window)?;
    }
    Ok(())
}

/// Limits the window that a receiver offers. The kernel applies the clamp of a listener to the
/// first window only: an accepted socket begins with the largest window of its scale
/// (`tcp_select_initial_window`). So the clamp must be set again on the accepted socket once it has
/// data.
pub fn clamp(socket: impl AsFd, window: Bytes) -> io::Result<()> {
    set(socket, libc::IPPROTO_TCP, libc::TCP_WINDOW_CLAMP, window.get() as c_int)
}

/// Sets a socket option of integers.
pub fn set<T>(socket: impl AsFd, level: c_int, name: c_int, value: T) -> io::Result<()> {
    let fd = socket.as_fd().as_raw_fd();
    // SAFETY: the kernel reads the bytes of `value`, all of which are initialised integers.
    let answer = unsafe {
        libc::setsockopt(
            fd,
            level,
            name,
            (&raw const value).cast(),
            size_of::<T>() as libc::socklen_t,
        )
    };
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
