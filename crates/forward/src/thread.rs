//! A forwarding thread other than the first, with its sockets and its shard.

use crate::face::udp_mtu;
use crate::forwarder::{Forwarder, Sockets};
use crate::inbox::{FaceNotice, Inbox, SocketNews, post};
use crate::io::{Channel, Io};
use crate::readers::Readers;
use crate::sharding::FIRST;
use crate::shared::Shared;
use crate::sockets::poller::Key;
use crate::sockets::stream::{StreamReader, StreamWriter};
use crate::sockets::udp_writer::UdpWriter;
use crate::wait;
use narrows_icn::FaceId;
use narrows_units::{Span, Time};
use std::io;
use std::sync::Arc;

/// A forwarding thread that has not started.
pub(crate) struct ForwardingThread {
    own: usize,
    forwarder: Arc<Shared<Forwarder>>,
    io: Io,
    readers: Readers,
    inboxes: Arc<[Inbox]>,
    zero: u64,
}

/// Tells the first thread that this thread has ended, even by a panic.
struct EndNotice(Arc<[Inbox]>);

impl Drop for EndNotice {
    fn drop(&mut self) {
        self.0[FIRST].stop();
    }
}

impl ForwardingThread {
    /// Makes the thread with the number `own`, whose clock begins at `zero`.
    pub(crate) fn new(
        own: usize,
        forwarder: Arc<Shared<Forwarder>>,
        io: Io,
        inboxes: Arc<[Inbox]>,
        zero: u64,
    ) -> ForwardingThread {
        ForwardingThread { own, forwarder, io, readers: Readers::new(), inboxes, zero }
    }

    /// Forwards until the thread is stopped.
    pub(crate) fn run(mut self) -> io::Result<()> {
        let _ending = EndNotice(self.inboxes.clone());
        let inboxes = self.inboxes.clone();
        let inbox = &inboxes[self.own];
        self.io.poller.watch(inbox, Key::Inbox)?;
        let forwarder = self.forwarder.clone();
        let (mut ready, mut handovers) = (Vec::new(), Vec::new());
        while !inbox.is_stopped() {
            let due = forwarder.lock().due();
            let now = wait::time_since(self.zero);
            let due = if inbox.sleep() { Time::ZERO } else { due };
            self.io.poller.wait(
                if due <= now { Span::ZERO } else { due.since(now).min(wait::LONGEST) },
                &mut ready,
            )?;
            inbox.awake(ready.iter().any(|(key, ..)| *key == Key::Inbox));
            // The clock is read after locking, because another thread may have held the lock.
            let mut forwarder = forwarder.lock();
            let now = wait::time_since(self.zero);
            self.close_removed(&mut forwarder);
            if forwarder.due() <= now {
                forwarder.poll(now, &mut self.io);
            }
            for note in inbox.notes() {
                self.handle_note(&forwarder, note)?;
            }
            inbox.take(&mut handovers);
            handovers.drain(..).for_each(|handover| forwarder.take(now, handover, &mut self.io));
            for (key, readable, writable) in ready.drain(..) {
                match key {
                    Key::Udp(number) => {
                        if writable {
                            self.io.udp_writable(number as usize);
                        }
                        if readable {
                            self.readers.read_udp(
                                now,
                                number as usize,
                                &mut forwarder,
                                &mut self.io,
                            );
                        }
                    }
                    Key::Stream(face) => {
                        if writable {
                            self.io.writable(FaceId(face));
                        }
                        if readable {
                            self.readers.read_stream(
                                now,
                                FaceId(face),
                                &mut forwarder,
                                &mut self.io,
                            );
                        }
                    }
                    Key::Inbox | Key::Unix | Key::Tcp(_) | Key::Opened | Key::Stop => {}
                }
            }
            self.io.flush();
            self.tell_ended(&forwarder);
            post(&mut forwarder, &inboxes);
        }
        Ok(())
    }

    /// Closes the sockets of removed faces. Their slots may have new faces already.
    fn close_removed(&mut self, forwarder: &mut Forwarder) {
        for face in forwarder.closing() {
            self.io.close(face);
        }
        self.forget_closed();
    }

    fn forget_closed(&mut self) {
        for face in self.io.closed.drain(..) {
            self.readers.streams.remove(&face.0);
        }
    }

    /// Takes the socket of a face, unless the face has been removed.
    fn handle_note(
        &mut self,
        forwarder: &Forwarder,
        FaceNotice { slot, id, about }: FaceNotice,
    ) -> io::Result<()> {
        if forwarder.number_of(slot) != Some(id) {
            return Ok(());
        }
        match about {
            SocketNews::Stream(stream) => {
                self.io.attach(slot, Channel::Stream(StreamWriter::new(stream.clone()), false));
                self.io.watch_stream(&stream, slot)?;
                self.readers.streams.insert(slot.0, StreamReader::new(stream));
            }
            SocketNews::Udp(channel, peer) => {
                let socket = self.io.add_udp(channel)?;
                self.io.attach(
                    slot,
                    Channel::Udp { socket, peer, writer: UdpWriter::new(udp_mtu(peer).1) },
                );
            }
            SocketNews::Ended => {}
        }
        Ok(())
    }

    /// Tells the first thread which streams have ended, so that it removes their faces.
    fn tell_ended(&mut self, forwarder: &Forwarder) {
        while let Some(slot) = self.io.ended.pop() {
            self.io.close(slot);
            if let Some(id) = forwarder.number_of(slot) {
                self.inboxes[FIRST].note(FaceNotice { slot, id, about: SocketNews::Ended });
            }
        }
        self.forget_closed();
    }
}
