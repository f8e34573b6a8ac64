//! An object, divided into segments, and its metadata.
//!
//! Sources: NDN naming conventions (versions, segments); Realtime Data Retrieval (RDR) as in
//! ndn-cxx, NDNts and ndnd.

use super::answer::Answer;
use narrows_ndn::{Interest, Name, NameRef, number};
use narrows_units::Span;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// Freshness periods of segments and of metadata.
const FRESHNESS: Span = Span::from_secs(10);
const METADATA_FRESHNESS: Span = Span::from_secs(1);

/// An object that a [`Producer`](crate::Producer) serves: one version of some content, divided into
/// segments.
#[derive(Clone, Debug)]
pub struct Object {
    name: Name,
    base: Name,
    metadata: Name,
    content: Content,
    segment: usize,
}

/// Storage of an object's octets.
#[derive(Clone, Debug)]
enum Content {
    Memory(Arc<Vec<u8>>),
    /// A regular file and the number of its octets that are served.
    File(Arc<File>, u64),
}

impl Content {
    fn len(&self) -> u64 {
        match self {
            Content::Memory(octets) => octets.len() as u64,
            Content::File(_, length) => *length,
        }
    }

    /// Reads at most `count` octets from `start` on. `None` if the file has become shorter or
    /// cannot be read.
    fn read(&self, start: u64, count: usize) -> Option<Vec<u8>> {
        let count = (self.len() - start.min(self.len())).min(count as u64) as usize;
        match self {
            Content::Memory(octets) => {
                Some(octets[start as usize..start as usize + count].to_vec())
            }
            Content::File(file, _) => {
                let mut octets = vec![0; count];
                file.read_exact_at(&mut octets, start).ok().map(|()| octets)
            }
        }
    }
}

impl Object {
    /// Makes an object of `content` under `name`, in segments of `segment` octets. `version` is in
    /// microseconds since 1970 by convention. A segment of 8000 octets fills a packet of UNIX
    /// sockets and TCP; one of 1150 octets crosses Ethernet without fragmentation.
    ///
    /// # Panics
    /// If `segment` is 0.
    pub fn new(name: Name, content: Vec<u8>, segment: usize, version: u64) -> Object {
        Object::with(name, Content::Memory(Arc::new(content)), segment, version)
    }

    /// Makes an object of the first `length` octets of a regular file under `name`, in segments of
    /// `segment` octets. `version` is in microseconds since 1970 by convention. The file is read
    /// when segments are requested, and must not change meanwhile.
    ///
    /// # Panics
    /// If `segment` is 0.
    pub fn of_file(name: Name, file: File, length: u64, segment: usize, version: u64) -> Object {
        Object::with(name, Content::File(Arc::new(file), length), segment, version)
    }

    fn with(name: Name, content: Content, segment: usize, version: u64) -> Object {
        assert!(segment > 0, "a segment holds something");
        let (base, metadata) = (name.clone().version(version), name.clone().keyword(b"metadata"));
        Object { name, base, metadata, content, segment }
    }

    /// Name of the object, the prefix of its versions.
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// Versioned name, the prefix of the segments.
    pub fn base(&self) -> &Name {
        &self.base
    }

    /// Number of segments. An empty object has one.
    pub fn segments(&self) -> u64 {
        self.content.len().div_ceil(self.segment as u64).max(1)
    }

    /// Answers an Interest. `None` if it requests nothing of this object.
    pub fn answer(&self, interest: &Interest<'_>) -> Option<Answer> {
        let asked = interest.name;
        if let Some(segment) = self.segment_of(&asked) {
            self.segment(segment)
        } else if interest.can_be_prefix
            && self.metadata.as_ref().is_prefix_of(&asked)
            && asked.len() <= self.metadata.as_ref().len() + 1
        {
            Some(self.metadata(&asked))
        } else if interest.can_be_prefix
            && asked.is_prefix_of(&self.base.as_ref())
            && self.name.as_ref().is_prefix_of(&asked)
        {
            self.segment(0)
        } else {
            None
        }
    }

    fn segment_of(&self, name: &NameRef<'_>) -> Option<u64> {
        let base = self.base.as_ref();
        let last =
            name.last().filter(|_| name.len() == base.len() + 1 && base.is_prefix_of(name))?;
        last.nni_of(number::SEGMENT)
    }

    fn segment(&self, segment: u64) -> Option<Answer> {
        if segment >= self.segments() {
            return None;
        }
        let content = self.content.read(segment * self.segment as u64, self.segment)?;
        Some(Answer {
            name: self.base.clone().segment(segment),
            content,
            freshness: FRESHNESS,
            last_segment: Some(self.segments() - 1),
        })
    }

    /// Metadata: the versioned name of the object. The metadata has the version in the Interest, or
    /// else the version of the object.
    fn metadata(&self, asked: &NameRef<'_>) -> Answer {
        let version = self.base.as_ref().last().and_then(|last| last.nni()).unwrap_or(0);
        let named = Name::from(*asked);
        let base =
            if asked.len() > self.metadata.as_ref().len() { named } else { named.version(version) };
        let mut content = Vec::new();
        self.base.as_ref().write(&mut content);
        Answer {
            name: base.segment(0),
            content,
            freshness: METADATA_FRESHNESS,
            last_segment: Some(0),
        }
    }
}
