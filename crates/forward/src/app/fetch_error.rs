//! Errors of a fetch.

use super::trust::TrustError;
use crate::client::ClientError;
use narrows_units::{Bytes, Span};
use std::io;

/// Reason why an object cannot be fetched.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The connection or the network failed.
    #[error("{0}")]
    Client(#[from] ClientError),
    /// The answer is not the requested Data.
    #[error("{0}: {1}; ask the operator of the producer, or try another name")]
    Wrong(String, String),
    /// Data is damaged, or not signed as it has to be.
    #[error("{0}: {1}; fetch it again, or ask the operator of the producer")]
    Distrusted(String, #[source] TrustError),
    /// No more Data arrived.
    #[error(
        "no Data arrived for {0}, {1} of {2} segments have arrived: the path to the producer is broken, or the producer has ended; check that it still runs, and try again"
    )]
    Stalled(Span, u64, u64),
    /// One segment did not arrive, though others did.
    #[error(
        "segment {segment} did not arrive for {silent}, though {arrived} of {of} segments have arrived: the producer or a content store on the path has lost it; \
         try again later, or ask the operator of the producer"
    )]
    Missing {
        /// First segment that is missing.
        segment: u64,
        /// How long the fetch has waited for it.
        silent: Span,
        /// Segments that have arrived.
        arrived: u64,
        /// All segments.
        of: u64,
    },
    /// The object is larger than the limit.
    #[error(
        "{name} has {segments} segments, more than {most} in total; if that is right, allow more with `narrows ndn get --max-size`"
    )]
    TooLarge {
        /// Name of the object.
        name: String,
        /// Number of segments, as its Data states it.
        segments: u128,
        /// Most octets of content.
        most: Bytes,
    },
    /// The received data cannot be written.
    #[error("the received data cannot be written: {0}; free some space, or choose another file")]
    Write(#[from] io::Error),
}
