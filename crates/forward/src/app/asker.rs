//! A consumer of the node's crate on a connection to a forwarder.

use super::content::Segments;
use crate::client::{Client, ClientError};
use crate::config::Understands;
use crate::link::{Link, Received, Scratch};
use crate::name::{PacketName, Wire};
use crate::octets::Octets;
use narrows_icn::{AnyConsumer, ConsumerError, ConsumerSetup, Method, Packet, Spare};
use narrows_ndn::tlv::MAX_PACKET;
use narrows_ndn::{InterestDraft, Name};
use narrows_units::{Span, Time};
use narrows_wire::Rates;

/// Asks for the segments of a content over a connection, as its consumer says. What comes is counted, and not kept.
pub struct Asker {
    client: Client,
    link: Link,
    consumer: AnyConsumer<Segments>,
    most: Rates,
    scratch: Scratch,
    packets: Vec<Vec<u8>>,
    spare: Spare<PacketName>,
}

impl Asker {
    /// A process wakes up so much late now and then: many gaps between Interests on a fast link. A consumer makes up for as much. Ours.
    pub const CATCH_UP: Span = Span::from_millis(1);

    /// For the first `segments` segments below `base`, or segments without end, from `start` on. No rate that comes with Data counts for more than
    /// `most`. Fields of MIRCC are written and read unless `understands` is `Off`.
    ///
    /// # Errors
    /// The consumer cannot be made.
    pub fn new(
        client: Client,
        understands: Understands,
        base: Name,
        method: &Method,
        setup: &ConsumerSetup,
        segments: Option<u64>,
        start: Time,
        most: Rates,
    ) -> Result<Asker, ConsumerError> {
        let consumer = AnyConsumer::new(method, setup, Segments::new(base, 0), segments, start)?;
        let link = Link::new(MAX_PACKET, understands, true);
        Ok(Asker { client, link, consumer, most, scratch: Scratch::default(), packets: Vec::new(), spare: Spare::default() })
    }

    /// Its consumer.
    pub fn consumer(&self) -> &AnyConsumer<Segments> {
        &self.consumer
    }

    /// Asks for nothing more.
    pub fn stop(&mut self) {
        self.consumer.stop();
    }

    /// Sends what may leave, waits for packets until the consumer is due, at most until `until`, and handles them. `now` tells the time; `heard` sees
    /// the consumer after each packet.
    ///
    /// # Errors
    /// The connection broke.
    pub fn exchange(
        &mut self,
        now: impl Fn() -> Time,
        until: Time,
        mut heard: impl FnMut(&mut AnyConsumer<Segments>),
    ) -> Result<(), ClientError> {
        let at = now();
        self.consumer.poll(at);
        self.ask(at)?;
        let due = self.consumer.due().unwrap_or(Time::NEVER).min(until);
        let at = now();
        let mut packet = self.client.receive(due.since(at.min(due)))?;
        while let Some(octets) = packet {
            let at = now();
            if let Ok(Received::Packet(mut received)) = self.link.receive(at, &octets, 0, &mut self.spare) {
                match &mut received {
                    Packet::Data(data) => data.rates = data.rates.min(self.most),
                    Packet::Nack(nack) => nack.rates = nack.rates.min(self.most),
                    Packet::Interest(_) => {}
                }
                self.consumer.handle(at, &received);
                self.spare.give(received);
                heard(&mut self.consumer);
                self.ask(at)?;
            }
            packet = self.client.waiting();
        }
        Ok(())
    }

    /// Sends the Interests that may leave.
    fn ask(&mut self, now: Time) -> Result<(), ClientError> {
        while let Some(mut interest) = self.consumer.interest() {
            let mut octets = Vec::new();
            let lifetime_ms = Some(interest.lifetime.as_micros() / 1000);
            InterestDraft { nonce: Some(interest.nonce), lifetime_ms, ..InterestDraft::new(interest.name.view()) }.write(&mut octets);
            interest.body = Wire::interest(Octets::copy(&octets), None);
            let packets = &mut self.packets;
            self.link.send(now, &Packet::from(interest), None, &mut self.scratch, |packet| packets.push(packet.to_vec()));
        }
        self.client.send_all(&self.packets)?;
        self.packets.clear();
        Ok(())
    }
}
