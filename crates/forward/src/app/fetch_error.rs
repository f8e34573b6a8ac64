//! Why Data cannot be had.

use super::trust::Distrust;
use crate::client::ClientError;
use narrows_units::{Bytes, Span};
use std::io;

/// Why an object cannot be fetched.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The network.
    #[error("{0}")]
    Client(#[from] ClientError),
    /// What came is not what was asked for.
    #[error("{0}: {1}; ask who serves it, or try another name")]
    Wrong(String, String),
    /// Data is damaged, or not signed as it has to be.
    #[error("{0}: {1}; fetch it again, or ask who serves it")]
    Distrusted(String, #[source] Distrust),
    /// Nothing came any more.
    #[error(
        "nothing came for {0}, {1} of {2} segments are there: the way to the producer is broken, or it has gone; see whether it still runs, and repeat this"
    )]
    Stalled(Span, u64, u64),
    /// One segment did not come, though others did.
    #[error(
        "segment {segment} did not come for {silent}, though {arrived} of {of} are there: the producer or a store on the way has lost it; \
         repeat this later, or ask who serves it"
    )]
    Missing {
        /// The first segment that is missing.
        segment: u64,
        /// How long it has been waited for.
        silent: Span,
        /// Segments that have come.
        arrived: u64,
        /// All segments.
        of: u64,
    },
    /// The object is larger than it may be.
    #[error(
        "{name} has {segments} segments, more than {most} together; allow more by `narrows ndn get --max-size` if that is true"
    )]
    TooLarge {
        /// Its name.
        name: String,
        /// Its segments, as its Data say.
        segments: u128,
        /// The most octets of content.
        most: Bytes,
    },
    /// The received data cannot be written.
    #[error("the received data cannot be written: {0}; free some space, or choose another file")]
    Write(#[from] io::Error),
}
