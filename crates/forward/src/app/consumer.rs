//! A consumer: asks for Data by name.

use super::fetch::{Fetched, Limits, Progress, fetch};
use super::fetch_error::FetchError;
use super::trust::{Signed, Trust};
use crate::client::{Client, ClientError};
use crate::place::Place;
use crate::wall::wall_seconds;
use narrows_ndn::{Data, InterestDraft, Name};
use narrows_units::{Bytes, Span};
use std::io::Write;
use std::time::Instant;

/// Octets that may wait at the forwarder for this application, and for how long more may, before
/// Data is marked: an eighth of what waits at most. Ours.
const MARKED_ABOVE: u64 = 1 << 20;
const MARKED_AFTER: Span = Span::from_millis(5);

/// A consumer at a forwarder.
pub struct Consumer {
    client: Client,
    trust: Trust,
    limits: Limits,
}

/// Data that has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// Its octets, which [`Data::decode`] reads.
    pub octets: Vec<u8>,
    /// How it was signed.
    pub signed: Signed,
}

/// The outcome of one ping.
#[derive(Debug)]
pub enum Pong {
    /// Data came after this time.
    Answered(Span),
    /// None came.
    Lost(FetchError),
}

impl Consumer {
    /// Connects to a forwarder.
    ///
    /// # Errors
    /// None answers there.
    pub fn connect(place: &Place) -> Result<Consumer, ClientError> {
        Ok(Consumer {
            client: Client::connect(place)?,
            trust: Trust::default(),
            limits: Limits::default(),
        })
    }

    /// From now on takes only Data that `trust` allows.
    pub fn trust(&mut self, trust: Trust) {
        self.trust = trust;
    }

    /// From now on fetches only objects of at most `most` octets: 1 TB before the first call.
    pub fn limit(&mut self, most: Bytes) {
        self.limits.most = most;
    }

    /// Asks the forwarder to mark Data for this connection before its queue is full, so that a
    /// window becomes smaller without a loss.
    ///
    /// # Errors
    /// The connection to the forwarder broke.
    pub fn ask_for_marks(&mut self) -> Result<(), ClientError> {
        self.client.ask_for_marks(MARKED_ABOVE, MARKED_AFTER)
    }

    /// From now on gives an object up after `patience` without a Data, without the first missing
    /// segment or without a forwarder: 20 s before the first call.
    pub fn patience(&mut self, patience: Span) {
        self.limits.patience = patience;
    }

    pub(super) fn client(&mut self) -> &mut Client {
        &mut self.client
    }

    /// Checks the signature of a Data at this time.
    pub(super) fn trusted(&self, data: &Data<'_>, seconds: u64) -> Result<(), FetchError> {
        self.trust
            .check(data, seconds)
            .map(drop)
            .map_err(|error| FetchError::Distrusted(data.name.to_string(), error))
    }

    /// A number that no other Interest has had, most likely.
    pub fn nonce(&mut self) -> u32 {
        self.client.nonce()
    }

    /// Sends an Interest, and waits for its Data for as long as it lives. It gets a nonce if it has none.
    ///
    /// # Errors
    /// None comes in time, the network refuses the Interest, or the Data is damaged or not trusted.
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

    /// Fetches the object `name`: its latest version, unless it names one. It follows the rates that links write into Data (MIRCC), over all paths,
    /// from the first Data that has some, and uses a window (NewReno) while none has. `told` hears how far it is.
    ///
    /// # Errors
    /// The network does not answer, a segment does not come, Data is damaged or not trusted, the
    /// object is larger than the [limit](Consumer::limit), or `out` takes no more. A forwarder that
    /// ends is waited for.
    pub fn fetch(
        &mut self,
        name: &Name,
        out: &mut dyn Write,
        told: &mut dyn FnMut(Progress),
    ) -> Result<Fetched, FetchError> {
        fetch(&mut self.client, &self.trust, self.limits, name, out, told)
    }

    /// Asks for `prefix/ping/<number>`, as ndnping and ndnd do, and waits for at most `patience`.
    ///
    /// # Errors
    /// The connection to the forwarder broke.
    pub fn ping(
        &mut self,
        prefix: &Name,
        number: u64,
        patience: Span,
    ) -> Result<Pong, ClientError> {
        let name = prefix.clone().generic(b"ping").sequence(number);
        let sent = Instant::now();
        let lifetime_ms = Some(patience.as_micros() / 1000);
        match self.express(&InterestDraft { lifetime_ms, ..InterestDraft::new(name.as_ref()) }) {
            Ok(_) => Ok(Pong::Answered(Span::from_nanos(sent.elapsed().as_nanos() as u64))),
            Err(FetchError::Client(closed @ ClientError::Closed(_))) => Err(closed),
            Err(lost) => Ok(Pong::Lost(lost)),
        }
    }
}
