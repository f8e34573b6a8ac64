//! An application's consumer: a consumer of the `icn` crate on a connection to a forwarder.

use super::content::Segments;
use crate::client::{Client, ClientError};
use crate::config::MirccSupport;
use crate::link::{Link, Received, Scratch};
use crate::name::{PacketName, Wire};
use narrows_icn::{AnyConsumer, Budget, ConsumerError, ConsumerSetup, Method, Packet, Spare};
use narrows_ndn::tlv::MAX_PACKET;
use narrows_ndn::{self as ndn, InterestDraft};
use narrows_units::{Span, Time};
use std::borrow::BorrowMut;

/// The content that a consumer requests, and how it requests it.
#[derive(Clone, Debug)]
pub struct Request {
    /// Content to request.
    pub content: Segments,
    /// Number of segments to request. `None` means without end.
    pub segments: Option<u64>,
    /// Method that sets the rate of Interests.
    pub method: Method,
    /// Configuration of the consumer.
    pub setup: ConsumerSetup,
    /// Time before which no Interest is sent.
    pub start: Time,
}

impl Request {
    /// Time by which a consumer may be late and still send all Interests that were due. The kernel
    /// sometimes wakes a process this late, which is many gaps between Interests on a fast link.
    /// Our choice.
    pub const CATCH_UP: Span = Span::from_millis(1);

    fn consumer(self) -> Result<AnyConsumer<Segments>, ConsumerError> {
        AnyConsumer::new(&self.method, &self.setup, self.content, self.segments, self.start)
    }
}

/// Most octets of fragments that may wait for the rest of their packets. Our choice.
const PIECES: u64 = 4_000_000;

/// Requests the segments of a content over a connection, at the pace of its consumer.
///
/// Call [`wait`](RequestLoop::wait) in a loop. After each call, take packets with
/// [`packet`](RequestLoop::packet) until it returns `None`, and pass each one to
/// [`handle`](RequestLoop::handle).
pub struct RequestLoop<C: BorrowMut<Client> = Client> {
    client: C,
    link: Link,
    consumer: AnyConsumer<Segments>,
    scratch: Scratch,
    /// Interests that are ready to be sent together.
    packets: Vec<Vec<u8>>,
    spare: Spare<PacketName>,
    pieces: Budget,
}

impl<C: BorrowMut<Client>> RequestLoop<C> {
    /// Starts to request over a connection. Reads and writes MIRCC fields unless `understands` is
    /// `Off`.
    ///
    /// # Errors
    /// The consumer cannot be made.
    pub fn new(
        client: C,
        understands: MirccSupport,
        request: Request,
    ) -> Result<RequestLoop<C>, ConsumerError> {
        let link = Link::new(MAX_PACKET, understands, true);
        Ok(RequestLoop {
            client,
            link,
            consumer: request.consumer()?,
            scratch: Scratch::default(),
            packets: Vec::new(),
            spare: Spare::default(),
            pieces: Budget::new(PIECES),
        })
    }

    /// Replaces the request. Data for earlier Interests still arrives.
    ///
    /// # Errors
    /// The consumer cannot be made.
    pub fn begin(&mut self, request: Request) -> Result<(), ConsumerError> {
        self.consumer = request.consumer()?;
        self.packets.clear();
        Ok(())
    }

    /// Connects to the forwarder again. Call [`begin`](RequestLoop::begin) next, with the request
    /// for the new connection.
    ///
    /// # Errors
    /// No forwarder answers at its place.
    pub fn reconnect(&mut self) -> Result<(), ClientError> {
        self.client.borrow_mut().reconnect()
    }

    /// The consumer.
    pub fn consumer(&self) -> &AnyConsumer<Segments> {
        &self.consumer
    }

    /// Takes the round trip that the latest packet measured. `None` if it measured none.
    pub fn take_rtt(&mut self) -> Option<Span> {
        self.consumer.take_rtt()
    }

    /// Stops requesting.
    pub fn stop(&mut self) {
        self.consumer.stop();
    }

    /// Sends the Interests that are due. Then waits for packets until the consumer must act, at
    /// most until `until`. `now` returns the current time.
    ///
    /// # Errors
    /// The connection broke, or the consumer's controller cannot continue.
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

    /// Waits until a packet arrives on the connection of any of `askers`, for at most `span`.
    /// Returns for each one, in order, whether a packet arrived.
    ///
    /// # Errors
    /// The kernel cannot wait on so many sockets.
    pub fn wait_for_any<'a>(
        askers: impl Iterator<Item = &'a RequestLoop<C>>,
        span: Span,
    ) -> Result<Vec<bool>, ClientError>
    where
        C: 'a,
    {
        Client::ready(askers.map(|asker| asker.client.borrow()), span)
    }

    /// The next packet that has arrived. Packets that cannot be decoded are skipped.
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

    /// Passes a packet to the consumer. The next [`wait`](RequestLoop::wait) sends the Interests that
    /// become due.
    pub fn handle(&mut self, now: Time, packet: Packet<PacketName>) {
        self.consumer.handle(now, &packet);
        self.spare.give(packet);
        self.ask(now);
    }

    /// Encodes the Interests that are due.
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
