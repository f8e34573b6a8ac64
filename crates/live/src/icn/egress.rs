//! NDN packets on the links: their priority, and the flows of dropped packets.

use super::addresses::LinkEnds;
use crate::emulator::{Egress, EgressPacket, Identity, Load, Transit};
use crate::wire::{Frame, WirePacket};
use narrows_measure::FlowSample;
use narrows_ndn::NameRef;
use narrows_ndn::lp::LpPacket;
use narrows_ndn::tlv::Element;
use narrows_network::{Network, Visitor};
use narrows_units::Time;
use std::collections::VecDeque;

/// Packets that links have dropped, by flow. A packet belongs to the flow of its content.
#[derive(Clone, Debug, Default)]
pub struct Drops {
    /// Drops in all.
    pub total: Vec<u64>,
    /// Drops until the end of the warm-up.
    pub at_warmup: Vec<u64>,
    /// Drops until each sample.
    pub samples: Vec<Vec<u64>>,
}

/// Counts dropped packets between nodes, and queues arriving packets.
pub struct IcnEgress<'a> {
    ends: &'a LinkEnds,
    /// Flow of each content.
    owners: &'a [u32],
    packets: VecDeque<EgressPacket>,
    drops: Drops,
}

impl IcnEgress<'_> {
    /// Makes an empty queue for a network with `flows` flows. `owners` has the flow of each
    /// content.
    pub fn new<'a>(ends: &'a LinkEnds, owners: &'a [u32], flows: usize) -> IcnEgress<'a> {
        let drops = Drops { total: vec![0; flows], at_warmup: vec![0; flows], samples: Vec::new() };
        IcnEgress { ends, owners, packets: VecDeque::new(), drops }
    }
}

impl Egress for IcnEgress<'_> {
    type Counts = Drops;

    fn classify(&self, frame: &Frame, _: usize) -> Option<(u32, bool)> {
        let endpoints = frame.endpoints()?;
        Some((self.ends.link(endpoints.source, endpoints.destination)?, false))
    }

    fn sent(&mut self, _: Time, _: u32, _: bool, packet: &WirePacket) -> Load {
        let payload = packet.payload();
        let (number, is_data) = read(payload).unwrap_or((None, false));
        Load { payload: payload.len() as u32, number, urgent: !is_data }
    }

    fn end_warmup(&mut self) {
        self.drops.at_warmup.clone_from(&self.drops.total);
    }

    fn sample(&mut self) {
        self.drops.samples.push(self.drops.total.clone());
    }

    fn latest_samples(&self) -> impl Iterator<Item = FlowSample> {
        std::iter::empty()
    }

    fn packets(&mut self) -> &mut VecDeque<EgressPacket> {
        &mut self.packets
    }

    fn finish(self) -> Drops {
        self.drops
    }
}

impl Visitor<Transit<WirePacket>> for IcnEgress<'_> {
    fn delivered(
        &mut self,
        _network: &mut Network<Transit<WirePacket>>,
        at: Time,
        link: usize,
        transit: Transit<WirePacket>,
    ) {
        self.packets.push_back(EgressPacket {
            due: at,
            host: self.ends.to[link],
            packet: transit.packet,
        });
    }

    fn dropped(&mut self, _at: Time, _link: usize, Identity { load, .. }: Identity) {
        let flow = load.number.and_then(|content| self.owners.get(usize::try_from(content).ok()?));
        if let Some(count) = flow.and_then(|flow| self.drops.total.get_mut(*flow as usize)) {
            *count += 1;
        }
    }
}

/// Reads an NDN packet. Returns the number of its content, from the name component before the
/// segment, and true for Data.
fn read(datagram: &[u8]) -> Option<(Option<u64>, bool)> {
    let link = LpPacket::decode(datagram).ok()?;
    let outer = Element::first(link.fragment?, 0).ok()?;
    let is_data = link.header.nack.is_none() && outer.number == narrows_ndn::number::DATA;
    let name = NameRef::decode(&Element::first(outer.value, 0).ok()?).ok()?;
    let content = name
        .without_last(1)
        .last()
        .and_then(|content| std::str::from_utf8(content.value).ok()?.parse().ok());
    Some((content, is_data))
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_ndn::lp::{Header, NackReason};
    use narrows_ndn::{InterestDraft, Name};

    #[test]
    fn data_waits_behind_interests_and_nacks() {
        let name: Name = Name::new().generic(b"film").generic(b"0017").segment(3);
        let (mut interest, mut data, mut nack) = (Vec::new(), Vec::new(), Vec::new());
        InterestDraft { nonce: Some(1), ..InterestDraft::new(name.as_ref()) }.write(&mut interest);
        Header { nack: Some(NackReason::Congestion), ..Header::default() }
            .write_packet(Some(&interest), &mut nack);
        let meta = narrows_ndn::MetaInfo::default();
        narrows_ndn::DataDraft { name: name.as_ref(), meta, content: Some(&[7; 900]) }
            .write(&narrows_ndn::signature::Signer::DIGEST, &mut data);
        assert_eq!(read(&interest), Some((Some(17), false)));
        assert_eq!(read(&nack), Some((Some(17), false)));
        assert_eq!(read(&data), Some((Some(17), true)));
        assert_eq!(read(b"something else"), None);
    }
}
