//! A producer: an object as segments, with its metadata.
//!
//! Source: NDN naming conventions (versions, segments) and Realtime Data Retrieval (RDR) as ndn-cxx, NDNts and ndnd speak it.

use crate::client::{Client, ClientError};
use narrows_ndn::lp::{Header, LpPacket, Mircc, PitToken};
use narrows_ndn::management::{ControlParameters, Scope};
use narrows_ndn::signature::Signer;
use narrows_ndn::{DataDraft, Interest, MetaInfo, Name, NameRef};
use narrows_units::Span;

/// How long caches treat segments, and metadata, as fresh.
const FRESHNESS_MS: u64 = 10_000;
const METADATA_FRESHNESS_MS: u64 = 1000;
/// How often a stop is looked for.
const LOOK: Span = Span::from_millis(100);

/// An object that is served under a name.
pub struct Producer {
    name: Name,
    base: Name,
    metadata: Name,
    content: Vec<u8>,
    segment: usize,
    /// Interests answered.
    answered: u64,
}

impl Producer {
    /// `content` under `name`, in segments of `segment` octets, as version `version`: microseconds since 1970 by convention.
    ///
    /// # Panics
    /// If `segment` is 0.
    pub fn new(name: Name, content: Vec<u8>, segment: usize, version: u64) -> Producer {
        assert!(segment > 0, "a segment holds something");
        let (base, metadata) = (name.clone().version(version), name.clone().keyword(b"metadata"));
        Producer { name, base, metadata, content, segment, answered: 0 }
    }

    /// The versioned name, below which segments are.
    pub fn base(&self) -> &Name {
        &self.base
    }

    /// Number of segments: an empty object has one.
    pub fn segments(&self) -> u64 {
        self.content.len().div_ceil(self.segment).max(1) as u64
    }

    /// Interests answered so far.
    pub fn answered(&self) -> u64 {
        self.answered
    }

    /// The Data that answers an Interest; `None` if it asks for nothing of this object.
    pub fn answer(&mut self, interest: &Interest<'_>) -> Option<Vec<u8>> {
        let asked = interest.name;
        let data = if let Some(segment) = self.segment_of(&asked) {
            self.segment(segment)?
        } else if interest.can_be_prefix && self.metadata.as_ref().is_prefix_of(&asked) && asked.len() <= self.metadata.as_ref().len() + 1 {
            self.metadata(&asked)
        } else if interest.can_be_prefix && asked.is_prefix_of(&self.base.as_ref()) && self.name.as_ref().is_prefix_of(&asked) {
            self.segment(0)?
        } else {
            return None;
        };
        self.answered += 1;
        Some(data)
    }

    fn segment_of(&self, name: &NameRef<'_>) -> Option<u64> {
        let base = self.base.as_ref();
        let last = name.last().filter(|_| name.len() == base.len() + 1 && base.is_prefix_of(name))?;
        last.nni_of(narrows_ndn::number::SEGMENT)
    }

    fn segment(&self, segment: u64) -> Option<Vec<u8>> {
        if segment >= self.segments() {
            return None;
        }
        let start = segment as usize * self.segment;
        let slice = &self.content[start..self.content.len().min(start + self.segment)];
        let last = Name::new().segment(self.segments() - 1);
        let meta = MetaInfo { freshness_ms: Some(FRESHNESS_MS), final_block: last.as_ref().last(), ..MetaInfo::default() };
        let name = self.base.clone().segment(segment);
        let mut octets = Vec::new();
        DataDraft { name: name.as_ref(), meta, content: Some(slice) }.write(&Signer::DIGEST, &mut octets);
        Some(octets)
    }

    /// The versioned name, in a segment of a version of its own: that of the Interest, or the object's.
    fn metadata(&self, asked: &NameRef<'_>) -> Vec<u8> {
        let version = self.base.as_ref().last().and_then(|last| last.nni()).unwrap_or(0);
        let named = Name::new().join(asked);
        let base = if named.as_ref().len() > self.metadata.as_ref().len() { named } else { named.version(version) };
        let name = base.segment(0);
        let last = Name::new().segment(0);
        let meta = MetaInfo { freshness_ms: Some(METADATA_FRESHNESS_MS), final_block: last.as_ref().last(), ..MetaInfo::default() };
        let mut content = Vec::new();
        self.base.as_ref().write(&mut content);
        let mut octets = Vec::new();
        DataDraft { name: name.as_ref(), meta, content: Some(&content) }.write(&Signer::DIGEST, &mut octets);
        octets
    }

    /// Registers the name with a forwarder, and answers until `go_on` says no; it is asked at least every 100 ms.
    ///
    /// # Errors
    /// The forwarder refuses the name, or closes the connection.
    pub fn serve(&mut self, client: &mut Client, go_on: &mut dyn FnMut(&Producer) -> bool) -> Result<(), ClientError> {
        let name = self.name.clone();
        client.command(
            Scope::Localhost,
            "rib",
            "register",
            &ControlParameters { name: Some(name.as_ref()), ..ControlParameters::default() },
        )?;
        let mut answers = Vec::new();
        while go_on(self) {
            let Some(packet) = client.receive(LOOK)? else { continue };
            answers.clear();
            self.answer_packet(&packet, &mut answers);
            while let Some(packet) = client.waiting() {
                self.answer_packet(&packet, &mut answers);
            }
            client.send_all(&answers)?;
        }
        Ok(())
    }

    /// Appends the packet of the link that answers one, with its token. A producer puts no limit to rates (MIRCC, section 3.1).
    fn answer_packet(&mut self, packet: &[u8], answers: &mut Vec<Vec<u8>>) {
        let Ok(link) = LpPacket::decode(packet) else { return };
        let Some(interest) = link.fragment.filter(|_| link.header.nack.is_none()).and_then(|octets| Interest::decode(octets).ok()) else {
            return;
        };
        let Some(data) = self.answer(&interest) else { return };
        let token = link.header.pit_token.map(|token| token.as_slice().to_vec());
        let header = Header { pit_token: token.as_deref().and_then(PitToken::new), mircc: Mircc::default(), ..Header::default() };
        let mut answer = Vec::with_capacity(data.len() + 16);
        header.write_packet(Some(&data), &mut answer);
        answers.push(answer);
    }
}
