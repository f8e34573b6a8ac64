//! An object as its segments, with its metadata.
//!
//! Source: NDN naming conventions (versions, segments) and Realtime Data Retrieval (RDR) as ndn-cxx, NDNts and ndnd speak it.

use super::answer::Answer;
use narrows_ndn::{Interest, Name, NameRef, number};
use narrows_units::Span;

/// How long caches treat segments, and metadata, as fresh.
const FRESHNESS: Span = Span::from_secs(10);
const METADATA_FRESHNESS: Span = Span::from_secs(1);

/// An object that a [`Producer`](crate::Producer) serves: one version of some content, cut into segments.
#[derive(Clone, Debug)]
pub struct Object {
    name: Name,
    base: Name,
    metadata: Name,
    content: Vec<u8>,
    segment: usize,
}

impl Object {
    /// `content` under `name`, in segments of `segment` octets, as version `version`: microseconds since 1970 by convention. A segment of 8000
    /// octets fills a packet of UNIX sockets and TCP; one of 1150 goes over Ethernet in one piece.
    ///
    /// # Panics
    /// If `segment` is 0.
    pub fn new(name: Name, content: Vec<u8>, segment: usize, version: u64) -> Object {
        assert!(segment > 0, "a segment holds something");
        let (base, metadata) = (name.clone().version(version), name.clone().keyword(b"metadata"));
        Object { name, base, metadata, content, segment }
    }

    /// The name, below which its versions are.
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// The versioned name, below which segments are.
    pub fn base(&self) -> &Name {
        &self.base
    }

    /// Number of segments: an empty object has one.
    pub fn segments(&self) -> u64 {
        self.content.len().div_ceil(self.segment).max(1) as u64
    }

    /// What answers an Interest; `None` if it asks for nothing of this object.
    pub fn answer(&self, interest: &Interest<'_>) -> Option<Answer> {
        let asked = interest.name;
        if let Some(segment) = self.segment_of(&asked) {
            self.segment(segment)
        } else if interest.can_be_prefix && self.metadata.as_ref().is_prefix_of(&asked) && asked.len() <= self.metadata.as_ref().len() + 1 {
            Some(self.metadata(&asked))
        } else if interest.can_be_prefix && asked.is_prefix_of(&self.base.as_ref()) && self.name.as_ref().is_prefix_of(&asked) {
            self.segment(0)
        } else {
            None
        }
    }

    fn segment_of(&self, name: &NameRef<'_>) -> Option<u64> {
        let base = self.base.as_ref();
        let last = name.last().filter(|_| name.len() == base.len() + 1 && base.is_prefix_of(name))?;
        last.nni_of(number::SEGMENT)
    }

    fn segment(&self, segment: u64) -> Option<Answer> {
        if segment >= self.segments() {
            return None;
        }
        let start = segment as usize * self.segment;
        let content = self.content[start..self.content.len().min(start + self.segment)].to_vec();
        Some(Answer { name: self.base.clone().segment(segment), content, freshness: FRESHNESS, last_segment: Some(self.segments() - 1) })
    }

    /// The versioned name, in a segment of a version of its own: that of the Interest, or the object's.
    fn metadata(&self, asked: &NameRef<'_>) -> Answer {
        let version = self.base.as_ref().last().and_then(|last| last.nni()).unwrap_or(0);
        let named = Name::from(*asked);
        let base = if asked.len() > self.metadata.as_ref().len() { named } else { named.version(version) };
        let mut content = Vec::new();
        self.base.as_ref().write(&mut content);
        Answer { name: base.segment(0), content, freshness: METADATA_FRESHNESS, last_segment: Some(0) }
    }
}
