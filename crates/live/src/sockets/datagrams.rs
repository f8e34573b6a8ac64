//! Datagrams: a flow without a controller.

use super::open;
use crate::host::Host;
use crate::wire::{DATAGRAM_HEADERS, NUMBER};
use narrows_traffic::Ledger;
use narrows_transport::Transport;
use narrows_units::Bytes;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};
use std::io;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;

/// Two sockets, and what went over them.
pub struct Datagrams {
    /// The transfers; positions are numbers of datagrams.
    pub ledger: Ledger,
    pub receiver: OwnedFd,
    sender: OwnedFd,
    /// How many were sent.
    sent: u64,
    mss: Bytes,
    headers: Bytes,
    bytes: Vec<u8>,
}

impl Datagrams {
    /// From a host to one that takes them at `to`.
    pub fn open(
        from: &Host,
        at: &Host,
        to: SocketAddr,
        transport: &Transport,
    ) -> io::Result<Datagrams> {
        let receiver = at.namespace.enter(|| open::datagram_receiver(to))?;
        let sender = from.namespace.enter(|| open::datagram_sender(to))?;
        let Transport { mss, headers, .. } = *transport;
        let bytes = vec![0; length(mss, headers)];
        Ok(Datagrams { ledger: Ledger::new(), receiver, sender, sent: 0, mss, headers, bytes })
    }

    /// One past the last number when `size` has been sent.
    pub fn end_of(&self, size: Bytes) -> u64 {
        self.sent + size.get().div_ceil(self.mss.get())
    }

    /// Sends `size` in as few datagrams as hold it; `refused` is told the number of each that the kernel does not take.
    pub fn send(
        &mut self,
        size: Bytes,
        mut refused: impl FnMut(&mut Ledger, u64),
    ) -> Result<(), Errno> {
        let mut left = size;
        while left > Bytes::ZERO {
            let payload = left.min(self.mss);
            self.bytes[..NUMBER].copy_from_slice(&self.sent.to_be_bytes());
            match send(
                &self.sender,
                &self.bytes[..length(payload, self.headers)],
                SendFlags::NOSIGNAL,
            ) {
                Ok(_) => {}
                Err(Errno::AGAIN | Errno::NOBUFS) => refused(&mut self.ledger, self.sent),
                Err(error) => return Err(error),
            }
            self.sent += 1;
            left -= payload;
        }
        Ok(())
    }

    /// The number of the next that has arrived.
    pub fn take(&mut self) -> Result<Option<u64>, Errno> {
        let mut number = [0; NUMBER];
        match recv(&self.receiver, &mut number, RecvFlags::TRUNC) {
            Ok(_) => Ok(Some(u64::from_be_bytes(number))),
            Err(Errno::AGAIN) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// How long a datagram is that is on the wire as the scenario says: its headers are what IPv4 and UDP do not have. One that has no room for
/// its number is longer.
fn length(payload: Bytes, headers: Bytes) -> usize {
    ((payload + headers).saturating_sub(DATAGRAM_HEADERS).get() as usize).max(NUMBER)
}
