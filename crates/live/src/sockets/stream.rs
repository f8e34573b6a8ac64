//! A connection: its two ends, and where its stream stands.

use crate::host::TcpInfo;
use narrows_traffic::Ledger;
use rustix::event::epoll::EventFlags;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, Shutdown, getpeername, recv, send, shutdown};
use std::os::fd::OwnedFd;

/// Most bytes written or read at once.
pub const CHUNK: usize = 256 * 1024;

/// The kernel's counts of a connection when it was established: of SYNs, not of data.
#[derive(Clone, Copy, Debug)]
pub struct Opening {
    pub retransmitted: u32,
    pub timeouts: u16,
}

/// A kernel connection from a flow's sender to its receiver.
pub struct Stream {
    /// The flow that it belongs to.
    pub flow: usize,
    /// The transfers on it; positions are bytes of the stream.
    pub ledger: Ledger,
    pub sender: OwnedFd,
    /// Once it has been accepted, until it has been read to its end.
    pub receiver: Option<OwnedFd>,
    /// There is always something to send.
    pub flooding: bool,
    /// Written by the application, and not taken by the socket.
    pub backlog: u64,
    /// Nothing follows the backlog.
    pub closing: bool,
    /// Bytes that the socket took.
    pub written: u64,
    /// Bytes read at the far end.
    pub read: u64,
    /// Bytes of a request that the far end has not written yet, and those that have not been read here.
    pub request_unsent: u64,
    pub request_unread: u64,
    /// The counts of its SYNs; all counts until it has been accepted.
    pub opening: Opening,
    /// Most bytes written at once.
    piece: usize,
    shut: bool,
}

impl Stream {
    /// It has been accepted: the sender is open, and has sent no data twice yet.
    pub fn accepted(&mut self, receiver: OwnedFd) {
        let TcpInfo { total_retrans, total_rto, .. } =
            TcpInfo::of(&self.sender).unwrap_or_default();
        self.opening = Opening { retransmitted: total_retrans, timeouts: total_rto };
        self.receiver = Some(receiver);
    }

    /// Over a socket that connects.
    pub fn new(flow: usize, sender: OwnedFd, piece: usize) -> Stream {
        Stream {
            flow,
            ledger: Ledger::new(),
            sender,
            receiver: None,
            flooding: false,
            backlog: 0,
            closing: false,
            written: 0,
            read: 0,
            request_unsent: 0,
            request_unread: 0,
            opening: Opening { retransmitted: u32::MAX, timeouts: u16::MAX },
            piece,
            shut: false,
        }
    }

    /// Writes what there is to write, as far as the socket takes it; at the end of all, closes this direction.
    pub fn fill(&mut self, zeros: &[u8]) -> Result<(), Errno> {
        loop {
            let most = if self.flooding {
                self.piece
            } else {
                self.backlog.min(self.piece as u64) as usize
            };
            if most == 0 {
                break;
            }
            match send(&self.sender, &zeros[..most], SendFlags::NOSIGNAL) {
                Ok(count) => {
                    self.written += count as u64;
                    self.backlog -= self.backlog.min(count as u64);
                }
                Err(Errno::AGAIN) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        // One that opens is closed when it is open, which it tells: to close it now would give it up (`inet_shutdown`).
        if self.closing && !self.shut && getpeername(&self.sender).is_ok() {
            self.shut = true;
            shutdown(&self.sender, Shutdown::Write).ok();
        }
        Ok(())
    }

    /// Reads at the far end what is there; at the end of the stream, closes it.
    pub fn drain(&mut self, buffer: &mut [u8], flags: EventFlags) -> Result<(), Errno> {
        let Some(receiver) = &self.receiver else { return Ok(()) };
        let (count, ended) = take(receiver, buffer, flags)?;
        self.read += count;
        if ended {
            self.receiver = None;
        }
        Ok(())
    }

    /// Reads what the far end has written: a request, or its end. Answers whether that was the last byte of the request, and whether it was
    /// the end.
    pub fn read_request(
        &mut self,
        buffer: &mut [u8],
        flags: EventFlags,
    ) -> Result<(bool, bool), Errno> {
        let (count, ended) = take(&self.sender, buffer, flags)?;
        self.request_unread -= self.request_unread.min(count);
        Ok((count > 0 && self.request_unread == 0, ended))
    }

    /// Writes the request at the far end, once there is one.
    pub fn send_request(&mut self, zeros: &[u8]) -> Result<(), Errno> {
        let Some(receiver) = &self.receiver else { return Ok(()) };
        while self.request_unsent > 0 {
            match send(
                receiver,
                &zeros[..self.request_unsent.min(CHUNK as u64) as usize],
                SendFlags::NOSIGNAL,
            ) {
                Ok(count) => self.request_unsent -= count as u64,
                Err(Errno::AGAIN) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Reads and throws away in the kernel what a socket has: how many bytes, and whether the stream has ended.
fn take(socket: &OwnedFd, buffer: &mut [u8], flags: EventFlags) -> Result<(u64, bool), Errno> {
    let mut total = 0;
    loop {
        match recv(socket, &mut *buffer, RecvFlags::TRUNC) {
            Ok((_, 0)) => return Ok((total, true)),
            Ok((_, count)) => {
                total += count as u64;
                // A further event comes with the next data.
                if count < buffer.len()
                    && !flags.intersects(EventFlags::RDHUP | EventFlags::HUP | EventFlags::ERR)
                {
                    return Ok((total, false));
                }
            }
            Err(Errno::AGAIN) => return Ok((total, false)),
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{ErrorKind, Read};
    use std::net::{SocketAddr, TcpListener};
    use std::time::{Duration, Instant};

    /// A listener whose queue is full does not answer a SYN. The one that repeats it is answered once there is room.
    #[test]
    fn what_is_closed_before_it_is_open_opens_and_closes() {
        use rustix::net::{AddressFamily, SocketFlags, SocketType, connect, listen, socket_with};
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listen(&listener, 0).unwrap();
        let to: SocketAddr = listener.local_addr().unwrap();
        let connecting = || {
            let socket = socket_with(
                AddressFamily::INET,
                SocketType::STREAM,
                SocketFlags::NONBLOCK | SocketFlags::CLOEXEC,
                None,
            )
            .unwrap();
            let answered = connect(&socket, &to);
            assert!(answered.is_ok() || answered == Err(Errno::INPROGRESS));
            Stream::new(0, socket, CHUNK)
        };
        let _first = connecting();
        let mut second = connecting();
        assert_eq!(getpeername(&second.sender).err(), Some(Errno::NOTCONN), "there was room");
        second.closing = true;
        second.fill(&[]).unwrap();
        listener.accept().unwrap();
        listener.set_nonblocking(true).unwrap();
        let begun = Instant::now();
        let mut accepted = loop {
            match listener.accept() {
                Ok((accepted, _)) => break accepted,
                Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
            }
            assert!(begun.elapsed() < Duration::from_secs(20), "its SYN was given up");
            std::thread::sleep(Duration::from_millis(20));
        };
        second.fill(&[]).unwrap();
        accepted.set_nonblocking(false).unwrap();
        accepted.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        assert_eq!(accepted.read(&mut [0]).unwrap(), 0, "it ends");
    }
}
