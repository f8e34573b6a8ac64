//! Connections to a forwarder's management interface, and its datasets.

use super::given::place;
use crate::cli::ForwarderArgs;
use narrows_forward::{Client, ClientError};
use narrows_ndn::management::{Entry, entries};
use narrows_workbench::Failure;

pub(super) fn connect(args: &ForwarderArgs) -> Result<Client, Failure> {
    Client::connect(&place(&args.at)?).map_err(refused)
}

pub(super) fn refused(error: ClientError) -> Failure {
    Failure::Other(error.to_string())
}

/// Decodes all entries of a dataset.
pub(super) fn all<'a, T: Entry<'a>>(content: &'a [u8], of: &str) -> Result<Vec<T>, Failure> {
    let malformed = |error| Failure::Other(format!("the forwarder's {of} cannot be read: {error}"));
    entries(content).collect::<Result<_, _>>().map_err(malformed)
}
