//! A consumer of the node's crate on a connection to a forwarder.

use super::content::Segments;
use crate::client::{Client, ClientError};
use crate::config::Understands;
use crate::link::{Link, Received, Scratch};
use crate::name::{PacketName, Wire};
use narrows_icn::{AnyConsumer, Budget, ConsumerError, ConsumerSetup, Method, Packet, Spare};
use narrows_ndn::tlv::MAX_PACKET;
use narrows_ndn::{self as ndn, InterestDraft};
use narrows_units::{Span, Time};
use std::borrow::BorrowMut;

/// What a consumer asks for, and how.
#[derive(Clone, Debug)]
pub struct Request {
    /// The content.
    pub content: Segments,
    /// So many segments of it; `None` without end.
    pub segments: Option<u64>,
    /// How the rate of Interests is set.
    pub method: Method,
    /// The configuration of the consumer.
    pub setup: ConsumerSetup,
    /// No Interest leaves before.
    pub start: Time,
}

impl Request {
    /// A process wakes up so much late now and then: many gaps between Interests on a fast link. A consumer makes up for as much. Ours.
    pub const CATCH_UP: Span = Span::from_millis(1);

    fn consumer(self) -> Result<AnyConsumer<Segments>, ConsumerError> {
        AnyConsumer::new(&self.method, &self.setup, self.content, self.segments, self.start)
    }
}

/// The most octets of pieces of packets that are not complete. Ours.
const PIECES: u64 = 4_000_000;

/// Asks for the segments of a content over a connection, as its consumer says.
///
/// Call [`wait`](Asker::wait) again and again, and after each call take packets with [`packet`](Asker::packet) until there is none, and pass
/// each to [`handle`](Asker::handle).
pub struct Asker<C: BorrowMut<Client> = Client> {
    client: C,
    link: Link,
    consumer: AnyConsumer<Segments>,
    scratch: Scratch,
    /// Interests that wait to be sent together.
    packets: Vec<Vec<u8>>,
    spare: Spare<PacketName>,
    pieces: Budget,
}

impl<C: BorrowMut<Client>> Asker<C> {
    /// Fields of MIRCC are written and read unless `understands` is `Off`.
    ///
    /// # Errors
    /// The consumer cannot be made.
    pub fn new(
        client: C,
        understands: Understands,
        request: Request,
    ) -> Result<Asker<C>, ConsumerError> {
        let link = Link::new(MAX_PACKET, understands, true);
        Ok(Asker {
            client,
            link,
            consumer: request.consumer()?,
            scratch: Scratch::default(),
            packets: Vec::new(),
            spare: Spare::default(),
            pieces: Budget::new(PIECES),
        })
    }

    /// Asks as `request` says from now on. Data of earlier Interests still comes.
    ///
    /// # Errors
    /// The consumer cannot be made.
    pub fn begin(&mut self, request: Request) -> Result<(), ConsumerError> {
        self.consumer = request.consumer()?;
        self.packets.clear();
        Ok(())
    }

    /// Connects again to the forwarder, for the request that [`begin`](Asker::begin) is to give
    /// next.
    ///
    /// # Errors
    /// None answers there.
    pub fn reconnect(&mut self) -> Result<(), ClientError> {
        self.client.borrow_mut().reconnect()
    }

    /// Its consumer.
    pub fn consumer(&self) -> &AnyConsumer<Segments> {
        &self.consumer
    }

    /// Takes the round trip measured by the latest packet, if it has measured one.
    pub fn take_rtt(&mut self) -> Option<Span> {
        self.consumer.take_rtt()
    }

    /// Asks for nothing more.
    pub fn stop(&mut self) {
        self.consumer.stop();
    }

    /// Sends the Interests that may leave, and waits for packets until the consumer is due, at most until `until`. `now` tells the time.
    ///
    /// # Errors
    /// The connection broke, or the consumer's controller cannot go on.
    pub fn wait(&mut self, now: impl Fn() -> Time, until: Time) -> Result<(), ClientError> {
        let at = now();
        if let Some((since, fault)) = self.consumer.fault() {
            return Err(ClientError::Fault(since.since(Time::ZERO), fault.to_string()));
        }
        self.consumer.poll(at);
        self.ask(at);
        let client = self.client.borrow_mut();
        client.send_all(&self.packets)?;
        self.packets.clear();
        let due = self.consumer.due().unwrap_or(Time::NEVER).min(until);
        client.wait(due.since(now().min(due)))
    }

    /// Waits until something has come on the connection of one of these, at most for `span`. Of each, in order, whether something has come on its.
    ///
    /// # Errors
    /// The kernel cannot wait for so many.
    pub fn wait_for_any<'a>(
        askers: impl Iterator<Item = &'a Asker<C>>,
        span: Span,
    ) -> Result<Vec<bool>, ClientError>
    where
        C: 'a,
    {
        Client::ready(askers.map(|asker| asker.client.borrow()), span)
    }

    /// The next packet that has come; what cannot be read is left out.
    pub fn packet(&mut self, now: Time) -> Option<Packet<PacketName>> {
        loop {
            let octets = self.client.borrow_mut().waiting()?;
            if let Ok(Received::Packet(packet)) = self.link.receive(
                now,
                narrows_wire::Ecn::NotEct,
                &octets,
                0,
                &mut self.spare,
                &mut self.pieces,
            ) {
                return Some(packet);
            }
        }
    }

    /// Passes a packet to the consumer. The Interests that may leave then do so with the next [`wait`](Asker::wait).
    pub fn handle(&mut self, now: Time, packet: Packet<PacketName>) {
        self.consumer.handle(now, &packet);
        self.spare.give(packet);
        self.ask(now);
    }

    /// Writes the Interests that may leave.
    fn ask(&mut self, now: Time) {
        while let Some(mut interest) = self.consumer.interest() {
            let mut octets = Vec::new();
            let lifetime_ms = Some(interest.lifetime.as_micros() / 1000);
            InterestDraft {
                nonce: Some(interest.nonce),
                lifetime_ms,
                ..InterestDraft::new(interest.name.view())
            }
            .write(&mut octets);
            let decoded =
                ndn::Interest::decode(&octets).expect("an Interest that was just written");
            (interest.name, interest.body) =
                (PacketName::of_packet(&octets, &decoded.name), Wire::interest(None));
            let packets = &mut self.packets;
            self.link.send(now, &Packet::from(interest), None, &mut self.scratch, |packet| {
                packets.push(packet.to_vec())
            });
        }
    }
}
