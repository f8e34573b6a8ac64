//! A consumer: requests Data by name.

use super::fetch::{Fetched, Limits, Progress, fetch};
use super::fetch_error::FetchError;
use super::trust::{SignatureStatus, Trust};
use crate::client::{Client, ClientError};
use crate::place::Place;
use crate::wall::wall_seconds;
use narrows_ndn::{Data, InterestDraft, Name};
use narrows_units::{Bytes, Span};
use std::io::Write;
use std::time::Instant;

/// Most octets that may wait at the forwarder for this application, and how long more may wait,
/// before Data gets a congestion mark. The threshold is an eighth of the forwarder's queue limit.
/// Our choice.
const MARKED_ABOVE: u64 = 1 << 20;
const MARKED_AFTER: Span = Span::from_millis(5);

/// A consumer connected to a forwarder.
pub struct Consumer {
    client: Client,
    trust: Trust,
    limits: Limits,
}

/// A received Data packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// Octets of the packet, to be read by [`Data::decode`].
    pub octets: Vec<u8>,
    /// How the Data was signed.
    pub signed: SignatureStatus,
}

/// Outcome of one ping.
#[derive(Debug)]
pub enum PingOutcome {
    /// Data arrived after this time.
    Answered(Span),
    /// No Data arrived.
    Lost(FetchError),
}

impl Consumer {
    /// Connects to a forwarder.
    ///
    /// # Errors
    /// No forwarder answers at `place`.
    pub fn connect(place: &Place) -> Result<Consumer, ClientError> {
        Ok(Consumer {
            client: Client::connect(place)?,
            trust: Trust::default(),
            limits: Limits::default(),
        })
    }

    /// Accepts only Data that `trust` allows from now on.
    pub fn trust(&mut self, trust: Trust) {
        self.trust = trust;
    }

    /// Fetches only objects of at most `most` octets from now on. The default is 1 TB.
    pub fn limit(&mut self, most: Bytes) {
        self.limits.most = most;
    }

    /// Asks the forwarder to put congestion marks on Data for this connection before its queue is
    /// full, so that a window shrinks without a loss.
    ///
    /// # Errors
    /// The connection to the forwarder broke.
    pub fn ask_for_marks(&mut self) -> Result<(), ClientError> {
        self.client.ask_for_marks(MARKED_ABOVE, MARKED_AFTER)
    }

    /// Sets how long a fetch waits for any Data, for the first missing segment or for a forwarder
    /// before it fails. The default is 20 s.
    pub fn patience(&mut self, patience: Span) {
        self.limits.patience = patience;
    }

    pub(super) fn client(&mut self) -> &mut Client {
        &mut self.client
    }

    /// Checks the signature of a Data packet at a time in seconds since 1970.
    pub(super) fn trusted(&self, data: &Data<'_>, seconds: u64) -> Result<(), FetchError> {
        self.trust
            .check(data, seconds)
            .map(drop)
            .map_err(|error| FetchError::Distrusted(data.name.to_string(), error))
    }

    /// A nonce that most likely no other Interest has had.
    pub fn nonce(&mut self) -> u32 {
        self.client.nonce()
    }

    /// Sends an Interest and waits for its Data during the lifetime of the Interest. Adds a nonce
    /// if the Interest has none.
    ///
    /// # Errors
    /// No Data arrives in time, the network refuses the Interest, or the Data is damaged or not
    /// trusted.
    pub fn express(&mut self, interest: &InterestDraft<'_>) -> Result<Received, FetchError> {
        const DEFAULT_MS: u64 = 4000;
        let mut octets = Vec::new();
        let nonce = interest.nonce.unwrap_or_else(|| self.client.nonce());
        InterestDraft { nonce: Some(nonce), ..*interest }.write(&mut octets);
        let octets = self
            .client
            .ask(&octets, Span::from_millis(interest.lifetime_ms.unwrap_or(DEFAULT_MS)))?;
        let signed = {
            let data = Data::decode(&octets)
                .map_err(|error| FetchError::Wrong(interest.name.to_string(), error.to_string()))?;
            self.trust
                .check(&data, wall_seconds())
                .map_err(|error| FetchError::Distrusted(data.name.to_string(), error))?
        };
        Ok(Received { octets, signed })
    }

    /// Fetches the object `name`: the version that the name contains, or else the latest. Follows
    /// the rates that links write into Data (MIRCC), over all paths, from the first Data that has
    /// rates. Uses a window (NewReno) while no Data has rates. Reports its progress to `told`.
    /// Waits for a forwarder that ends.
    ///
    /// # Errors
    /// The network does not answer, a segment does not arrive, Data is damaged or not trusted, the
    /// object is larger than the [limit](Consumer::limit), or `out` cannot be written.
    pub fn fetch(
        &mut self,
        name: &Name,
        out: &mut dyn Write,
        told: &mut dyn FnMut(Progress),
    ) -> Result<Fetched, FetchError> {
        fetch(&mut self.client, &self.trust, self.limits, name, out, told)
    }

    /// Requests `prefix/ping/<number>`, as ndnping and ndnd do, and waits for at most `patience`.
    ///
    /// # Errors
    /// The connection to the forwarder broke.
    pub fn ping(
        &mut self,
        prefix: &Name,
        number: u64,
        patience: Span,
    ) -> Result<PingOutcome, ClientError> {
        let name = prefix.clone().generic(b"ping").sequence(number);
        let sent = Instant::now();
        let lifetime_ms = Some(patience.as_micros() / 1000);
        match self.express(&InterestDraft { lifetime_ms, ..InterestDraft::new(name.as_ref()) }) {
            Ok(_) => Ok(PingOutcome::Answered(Span::from_nanos(sent.elapsed().as_nanos() as u64))),
            Err(FetchError::Client(closed @ ClientError::Closed(_))) => Err(closed),
            Err(lost) => Ok(PingOutcome::Lost(lost)),
        }
    }
}
