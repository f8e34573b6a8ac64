//! Why Data cannot be had.

use super::trust::Distrust;
use crate::client::ClientError;
use narrows_units::Span;
use std::io;

/// Why an object cannot be fetched.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The network.
    #[error("{0}")]
    Client(#[from] ClientError),
    /// What came is not what was asked for.
    #[error("{0}: {1}")]
    Wrong(String, String),
    /// Data is damaged, or not signed as it has to be.
    #[error("{0}: {1}")]
    Distrusted(String, #[source] Distrust),
    /// Nothing came any more.
    #[error("nothing came for {0}, {1} of {2} segments are there: the way to the producer is broken, or it has gone")]
    Stalled(Span, u64, u64),
    /// The received data cannot be written.
    #[error("the received data cannot be written: {0}; free some space, or choose another file")]
    Write(#[from] io::Error),
}
