//! Paths to a producer: found by pings without a hint, followed by path labels (RFC 9531), and
//! traced hop by hop.
//!
//! A trace of a hop sends the label of the path with another label at that hop. The node there has
//! no next hop with this label and refuses the strictly steered Interest with a Nack. The Nack
//! carries the rates of the links up to the node, so no node needs to know about traces.

use super::consumer::Consumer;
use super::fetch_error::FetchError;
use crate::client::{ClientError, Reply, reason_of};
use crate::wall::wall_seconds;
use narrows_ndn::lp::{LabelFlags, Mircc, NackReason, PathLabel};
use narrows_ndn::{Data, InterestDraft, Name};
use narrows_units::{Rate, Span};
use narrows_wire::{Labels, Rates};
use std::time::Instant;

/// A path that Data took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FoundPath {
    /// Hash of the hops. 0 if no node wrote it.
    pub id: u64,
    /// Labels of the hops, from the producer's last hop to this host's. Empty if a node does not
    /// write them.
    pub labels: Labels,
    /// Lowest primary and lowest secondary rate of the links. `None` if no link writes rates.
    pub rates: Option<(Rate, Rate)>,
    /// Link that wrote the primary rate.
    pub limit: Option<u64>,
}

/// Rates in these fields. `None` if no field is present.
fn rates_of(mircc: &Mircc) -> Option<(Rate, Rate)> {
    let rates = mircc.rates();
    (rates != Rates::UNLIMITED).then_some((rates.primary, rates.secondary))
}

impl FoundPath {
    fn of(mircc: &Mircc) -> FoundPath {
        let labels = mircc.path_label.map_or(Labels::default(), |label| label.labels);
        FoundPath {
            id: mircc.path_id.unwrap_or(0),
            labels,
            rates: rates_of(mircc),
            limit: mircc.limit,
        }
    }

    /// Labels of the path with a wrong label at `hop`. Hop 1 is the consumer's own forwarder.
    fn wrong_at(&self, hop: u8) -> Labels {
        /// Changes a label into another. Most likely, the node has no next hop with that label.
        const OTHER: u16 = 0x5a5;
        let mut labels = Labels::default();
        let wrong = usize::from(self.labels.hops() - hop);
        for (slot, label) in self.labels.iter().enumerate() {
            let label = label.unwrap_or(0);
            let label = if slot == wrong { (label ^ OTHER).max(1) } else { label };
            // The labels fit: their number does not change.
            let _ = labels.push(label);
        }
        labels
    }
}

/// Outcome of a ping over a path.
#[derive(Debug)]
pub enum PathPingOutcome {
    /// Data arrived after this time, over this path.
    Answered(Span, FoundPath),
    /// A node on the path has no next hop with this label and refused the Interest after this time.
    /// The rates are from the links that the Nack crossed, as in [`FoundPath`].
    Refused(Span, Option<(Rate, Rate)>),
    /// Nothing arrived.
    Lost(FetchError),
}

impl Consumer {
    /// Requests `prefix/ping/<number>` over `path`, or over any path if it is `None`, and waits for
    /// at most `patience`.
    ///
    /// # Errors
    /// The connection to the forwarder broke.
    pub fn ping_path(
        &mut self,
        prefix: &Name,
        number: u64,
        path: Option<&FoundPath>,
        patience: Span,
    ) -> Result<PathPingOutcome, ClientError> {
        self.probe(prefix, number, path.map(|path| path.labels), patience)
    }

    /// Finds paths to a producer of pings by `tries` pings without a hint, numbered from `first`
    /// on. Returns the paths in the order of discovery.
    ///
    /// # Errors
    /// The connection to the forwarder broke.
    pub fn find_paths(
        &mut self,
        prefix: &Name,
        first: u64,
        tries: u64,
        patience: Span,
    ) -> Result<Vec<FoundPath>, ClientError> {
        let mut found: Vec<FoundPath> = Vec::new();
        for number in first..first + tries {
            match self.ping_path(prefix, number, None, patience)? {
                PathPingOutcome::Answered(_, path) => {
                    match found.iter_mut().find(|known| known.id == path.id) {
                        Some(known) => *known = path,
                        None => found.push(path),
                    }
                }
                // No producer answers: each further try would take as long.
                PathPingOutcome::Lost(_) if found.is_empty() && number > first => break,
                PathPingOutcome::Refused(..) | PathPingOutcome::Lost(_) => {}
            }
        }
        Ok(found)
    }

    /// Probes the node at `hop` of a path. Hop 1 is this consumer's own forwarder. The producer is
    /// the hop after the last label.
    ///
    /// # Errors
    /// The connection to the forwarder broke.
    pub fn trace(
        &mut self,
        prefix: &Name,
        number: u64,
        path: &FoundPath,
        hop: u8,
        patience: Span,
    ) -> Result<PathPingOutcome, ClientError> {
        let labels = if hop > path.labels.hops() { path.labels } else { path.wrong_at(hop) };
        self.probe(prefix, number, Some(labels), patience)
    }

    fn probe(
        &mut self,
        prefix: &Name,
        number: u64,
        labels: Option<Labels>,
        patience: Span,
    ) -> Result<PathPingOutcome, ClientError> {
        let name = prefix.clone().generic(b"ping").sequence(number);
        let mut octets = Vec::new();
        let lifetime_ms = Some(patience.as_micros() / 1000);
        let nonce = Some(self.nonce());
        InterestDraft { nonce, lifetime_ms, ..InterestDraft::new(name.as_ref()) }
            .write(&mut octets);
        let flags = if labels.is_some() { LabelFlags::Strict } else { LabelFlags::Discovery };
        let label = PathLabel { flags, labels: labels.unwrap_or_default() };
        let mircc = Mircc { class: Some(0), path_label: Some(label), ..Mircc::default() };
        let sent = Instant::now();
        let reply = self.client().ask_with(&octets, mircc, patience);
        let took = Span::from_nanos(sent.elapsed().as_nanos() as u64);
        Ok(match reply {
            Ok(Reply::Data(octets, mircc)) => match self.check(&octets) {
                Ok(()) => PathPingOutcome::Answered(took, FoundPath::of(&mircc)),
                Err(error) => PathPingOutcome::Lost(error),
            },
            Ok(Reply::Nack(NackReason::InvalidLabel, mircc)) => {
                PathPingOutcome::Refused(took, rates_of(&mircc))
            }
            Ok(Reply::Nack(reason, _)) => PathPingOutcome::Lost(
                ClientError::Refused(name.to_string(), reason_of(reason)).into(),
            ),
            Err(closed @ ClientError::Closed(_)) => return Err(closed),
            Err(error) => PathPingOutcome::Lost(error.into()),
        })
    }

    fn check(&self, octets: &[u8]) -> Result<(), FetchError> {
        let data = Data::decode(octets)
            .map_err(|error| FetchError::Wrong(String::new(), error.to_string()))?;
        self.trusted(&data, wall_seconds())
    }
}
