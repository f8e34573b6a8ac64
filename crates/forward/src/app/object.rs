//! An object as its segments, with its metadata.
//!
//! Source: NDN naming conventions (versions, segments) and Realtime Data Retrieval (RDR) as ndn-cxx, NDNts and ndnd speak it.

use super::answer::Answer;
use narrows_ndn::{Interest, Name, NameRef, number};
use narrows_units::Span;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// How long caches treat segments, and metadata, as fresh.
const FRESHNESS: Span = Span::from_secs(10);
const METADATA_FRESHNESS: Span = Span::from_secs(1);

/// An object that a [`Producer`](crate::Producer) serves: one version of some content, cut into segments.
#[derive(Clone, Debug)]
pub struct Object {
    name: Name,
    base: Name,
    metadata: Name,
    content: Content,
    segment: usize,
}

/// Where the octets of an object are.
#[derive(Clone, Debug)]
enum Content {
    Memory(Arc<Vec<u8>>),
    /// A regular file, of which so many octets are served.
    File(Arc<File>, u64),
}

impl Content {
    fn len(&self) -> u64 {
        match self {
            Content::Memory(octets) => octets.len() as u64,
            Content::File(_, length) => *length,
        }
    }

    /// The octets from `start` on, at most `count`; `None` if the file has become shorter or cannot
    /// be read.
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
    /// `content` under `name`, in segments of `segment` octets, as version `version`: microseconds since 1970 by convention. A segment of 8000
    /// octets fills a packet of UNIX sockets and TCP; one of 1150 goes over Ethernet in one piece.
    ///
    /// # Panics
    /// If `segment` is 0.
    pub fn new(name: Name, content: Vec<u8>, segment: usize, version: u64) -> Object {
        Object::with(name, Content::Memory(Arc::new(content)), segment, version)
    }

    /// The first `length` octets of a regular file, which is read when segments are asked for: it
    /// must not change meanwhile. The rest is as of [`new`](Object::new).
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
        self.content.len().div_ceil(self.segment as u64).max(1)
    }

    /// What answers an Interest; `None` if it asks for nothing of this object.
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

    /// The versioned name, in a segment of a version of its own: that of the Interest, or the object's.
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
