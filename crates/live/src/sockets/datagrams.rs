//! Datagrams of a flow without a controller.

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

/// The two sockets of a flow, with the transfers over them.
pub struct Datagrams {
    /// Transfers; positions are numbers of datagrams.
    pub ledger: Ledger,
    pub receiver: OwnedFd,
    sender: OwnedFd,
    /// Number of sent datagrams.
    sent: u64,
    mss: Bytes,
    headers: Bytes,
    bytes: Vec<u8>,
}

impl Datagrams {
    /// Opens the sockets between two hosts; the receiver is bound to `to`.
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

    /// Returns the number after the last datagram of the next `size` bytes.
    pub fn end_of(&self, size: Bytes) -> u64 {
        self.sent + size.get().div_ceil(self.mss.get())
    }

    /// Sends `size` in as few datagrams as possible. Calls `refused` with the number of each
    /// datagram that the kernel does not take.
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

    /// Returns the number of the next datagram that has arrived.
    pub fn take(&mut self) -> Result<Option<u64>, Errno> {
        let mut number = [0; NUMBER];
        match recv(&self.receiver, &mut number, RecvFlags::TRUNC) {
            Ok(_) => Ok(Some(u64::from_be_bytes(number))),
            Err(Errno::AGAIN) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Returns the length of a UDP payload that gives the size of the scenario on the wire. It includes
/// the scenario's headers beyond IPv4 and UDP, and has at least room for the number.
fn length(payload: Bytes, headers: Bytes) -> usize {
    ((payload + headers).saturating_sub(DATAGRAM_HEADERS).get() as usize).max(NUMBER)
}
