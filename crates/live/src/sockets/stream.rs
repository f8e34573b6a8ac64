//! A connection with both its sockets, and the progress of its stream.

use crate::host::TcpInfo;
use narrows_traffic::Ledger;
use rustix::event::epoll::EventFlags;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, Shutdown, getpeername, recv, send, shutdown};
use std::os::fd::OwnedFd;

/// Most bytes written or read at once.
pub const CHUNK: usize = 256 * 1024;

/// The kernel's counts of a connection when it was established: counts of SYNs, not of data.
#[derive(Clone, Copy, Debug)]
pub struct Opening {
    pub retransmitted: u32,
    pub timeouts: u16,
}

/// A kernel connection between a flow's sender and its receiver.
pub struct Stream {
    /// Flow of the connection.
    pub flow: usize,
    /// Transfers on it; positions are bytes of the stream.
    pub ledger: Ledger,
    /// Socket of the sender. `None` until the sender has accepted a connection that the receiver
    /// opens.
    pub sender: Option<OwnedFd>,
    /// Accepts the connection at the sender, if the receiver opens it, until it is accepted.
    pub acceptor: Option<OwnedFd>,
    /// Socket of the receiver, until the end of the stream is read. If the sender opens the
    /// connection, from its acceptance on.
    pub receiver: Option<OwnedFd>,
    /// True if there is always data to send.
    pub flooding: bool,
    /// Bytes that the application has written, but the socket has not taken.
    pub backlog: u64,
    /// True if nothing follows the backlog.
    pub closing: bool,
    /// Bytes that the socket has taken.
    pub written: u64,
    /// Bytes that the receiver has read.
    pub read: u64,
    /// Bytes of a request that the receiver has not written yet, and bytes of it that the sender
    /// has not read yet.
    pub request_unsent: u64,
    pub request_unread: u64,
    /// Counts of its SYNs; maximal until it is accepted, so that no count is of data.
    pub opening: Opening,
    /// Most bytes written at once.
    piece: usize,
    shut: bool,
}

impl Stream {
    /// Records that the receiver has accepted the connection.
    pub fn accepted(&mut self, receiver: OwnedFd) {
        self.receiver = Some(receiver);
        self.note_opening();
    }

    /// Records that the sender has accepted the connection.
    pub fn accepted_by(&mut self, sender: OwnedFd) {
        self.sender = Some(sender);
        self.acceptor = None;
        self.note_opening();
    }

    /// Notes the counts of the opening: the sender has retransmitted no data yet.
    fn note_opening(&mut self) {
        let TcpInfo { total_retrans, total_rto, .. } = self.info().unwrap_or_default();
        self.opening = Opening { retransmitted: total_retrans, timeouts: total_rto };
    }

    /// Returns the kernel's state of the sender; `None` if the sender has no connection yet.
    pub fn info(&self) -> Option<TcpInfo> {
        TcpInfo::of(self.sender.as_ref()?).ok()
    }

    /// Makes a connection of a sender's socket that connects.
    pub fn new(flow: usize, sender: OwnedFd, piece: usize) -> Stream {
        Stream { sender: Some(sender), ..Stream::unopened(flow, piece) }
    }

    /// Makes a connection of a receiver's socket that connects to `acceptor`, to send a request of
    /// this size.
    pub fn asking(
        flow: usize,
        (acceptor, receiver): (OwnedFd, OwnedFd),
        request: u64,
        piece: usize,
    ) -> Stream {
        Stream {
            acceptor: Some(acceptor),
            receiver: Some(receiver),
            request_unsent: request,
            request_unread: request,
            ..Stream::unopened(flow, piece)
        }
    }

    fn unopened(flow: usize, piece: usize) -> Stream {
        Stream {
            flow,
            ledger: Ledger::new(),
            sender: None,
            acceptor: None,
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

    /// Writes available data, as far as the socket takes it. After the last data, closes this
    /// direction.
    pub fn fill(&mut self, zeros: &[u8]) -> Result<(), Errno> {
        let Some(sender) = &self.sender else { return Ok(()) };
        loop {
            let most = if self.flooding {
                self.piece
            } else {
                self.backlog.min(self.piece as u64) as usize
            };
            if most == 0 {
                break;
            }
            match send(sender, &zeros[..most], SendFlags::NOSIGNAL) {
                Ok(count) => {
                    self.written += count as u64;
                    self.backlog -= self.backlog.min(count as u64);
                }
                Err(Errno::AGAIN) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        // Do not close a connection before it is established, because shutdown would abort it
        // (`inet_shutdown`). The socket reports when it is established.
        if self.closing && !self.shut && getpeername(sender).is_ok() {
            self.shut = true;
            shutdown(sender, Shutdown::Write).ok();
        }
        Ok(())
    }

    /// Reads available data at the receiver, and closes the receiver at the end of the stream.
    pub fn drain(&mut self, buffer: &mut [u8], flags: EventFlags) -> Result<(), Errno> {
        let Some(receiver) = &self.receiver else { return Ok(()) };
        let (count, ended) = take(receiver, buffer, flags)?;
        self.read += count;
        if ended {
            self.receiver = None;
        }
        Ok(())
    }

    /// Reads data from the receiver: a request, or its end. Returns true for the last byte of the
    /// request, and true for the end.
    pub fn read_request(
        &mut self,
        buffer: &mut [u8],
        flags: EventFlags,
    ) -> Result<(bool, bool), Errno> {
        let Some(sender) = &self.sender else { return Ok((false, false)) };
        let (count, ended) = take(sender, buffer, flags)?;
        self.request_unread -= self.request_unread.min(count);
        Ok((count > 0 && self.request_unread == 0, ended))
    }

    /// Writes the request at the receiver, if there is one.
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

/// Discards available data of a socket in the kernel. Returns the number of bytes, and true at the
/// end of the stream.
fn take(socket: &OwnedFd, buffer: &mut [u8], flags: EventFlags) -> Result<(u64, bool), Errno> {
    let mut total = 0;
    loop {
        match recv(socket, &mut *buffer, RecvFlags::TRUNC) {
            Ok((_, 0)) => return Ok((total, true)),
            Ok((_, count)) => {
                total += count as u64;
                // Another event comes with the next data.
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

    /// A listener with a full queue does not answer a SYN. It answers a retransmitted SYN once
    /// there is room.
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
        assert_eq!(
            getpeername(second.sender.as_ref().unwrap()).err(),
            Some(Errno::NOTCONN),
            "there was room"
        );
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
