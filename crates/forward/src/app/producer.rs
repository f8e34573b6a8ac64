//! A producer: registers names with a forwarder, and answers Interests below them with signed Data.

use super::answer::Answer;
use super::identity::Identity;
use super::object::Object;
use super::reply::{register, reply};
use crate::client::{Client, ClientError};
use crate::place::Place;
use narrows_ndn::lp::Mircc;
use narrows_ndn::signature::Signer;
use narrows_ndn::{DataDraft, Interest, MetaInfo, Name};
use narrows_units::Span;

/// Interval between checks whether to stop.
const STOP_CHECK_INTERVAL: Span = Span::from_millis(100);

/// Interval between attempts to connect to a forwarder that has ended.
const RECONNECT_INTERVAL: std::time::Duration = std::time::Duration::from_millis(200);

type Answers = Box<dyn FnMut(&Interest<'_>) -> Option<Answer> + Send>;

/// A producer connected to a forwarder. Without an identity, its Data has a digest instead of a
/// signature by a key.
pub struct Producer {
    client: Client,
    identity: Option<Identity>,
    served: Vec<(Name, Answers)>,
    answered: u64,
    hear: Box<dyn FnMut(Connection) + Send>,
}

/// A change of a producer's connection to its forwarder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connection {
    /// The forwarder closed the connection. The producer waits for a forwarder at the same place.
    Lost,
    /// The producer is connected again and has registered its names.
    Back,
}

impl Producer {
    /// Connects to a forwarder.
    ///
    /// # Errors
    /// No forwarder answers at `place`.
    pub fn connect(place: &Place) -> Result<Producer, ClientError> {
        Ok(Producer {
            client: Client::connect(place)?,
            identity: None,
            served: Vec::new(),
            answered: 0,
            hear: Box::new(|_| ()),
        })
    }

    /// Signs with the key of `identity` from now on, and answers Interests for its certificate.
    ///
    /// # Errors
    /// The forwarder refuses the key's name, or closes the connection.
    pub fn sign_as(&mut self, identity: Identity) -> Result<(), ClientError> {
        register(&mut self.client, identity.key_name())?;
        self.identity = Some(identity);
        Ok(())
    }

    /// Registers the name of an object and serves the object.
    ///
    /// # Errors
    /// The forwarder refuses the name, or closes the connection.
    pub fn serve(&mut self, object: Object) -> Result<(), ClientError> {
        let name = object.name().clone();
        self.answer(&name, move |interest| object.answer(interest))
    }

    /// Registers `prefix` and answers Interests below it with the result of `with`. Sends no answer
    /// if the result is `None`.
    ///
    /// # Errors
    /// The forwarder refuses the name, or closes the connection.
    pub fn answer(
        &mut self,
        prefix: &Name,
        with: impl FnMut(&Interest<'_>) -> Option<Answer> + Send + 'static,
    ) -> Result<(), ClientError> {
        register(&mut self.client, prefix)?;
        self.served.push((prefix.clone(), Box::new(with)));
        Ok(())
    }

    /// Registers `prefix/ping` and answers every Interest below it with empty Data, as the servers
    /// of ndnping and ndnd do.
    ///
    /// # Errors
    /// The forwarder refuses the name, or closes the connection.
    pub fn answer_pings(&mut self, prefix: &Name) -> Result<(), ClientError> {
        const FRESHNESS: Span = Span::from_secs(1);
        self.answer(&prefix.clone().generic(b"ping"), |interest| {
            Some(Answer {
                name: interest.name.into(),
                content: Vec::new(),
                freshness: FRESHNESS,
                last_segment: None,
            })
        })
    }

    /// Number of Interests answered so far.
    pub fn answered(&self) -> u64 {
        self.answered
    }

    /// Calls `hear` from now on when the connection is lost and when it is back.
    pub fn on_connection(&mut self, hear: impl FnMut(Connection) + Send + 'static) {
        self.hear = Box::new(hear);
    }

    /// Answers Interests until `go_on` returns false. `go_on` is called at least every 200 ms. If
    /// the forwarder ends, waits for a forwarder at the same place and registers the names again.
    ///
    /// # Errors
    /// The new forwarder refuses the names.
    pub fn run(&mut self, go_on: &mut dyn FnMut() -> bool) -> Result<(), ClientError> {
        loop {
            match self.answer_while(go_on) {
                Err(ClientError::Closed(_)) => (self.hear)(Connection::Lost),
                ended => return ended,
            }
            loop {
                std::thread::sleep(RECONNECT_INTERVAL);
                if !go_on() {
                    return Ok(());
                }
                match self.return_to_forwarder() {
                    Ok(()) => break,
                    // The forwarder has not started yet, or has ended again.
                    Err(
                        ClientError::Absent { .. }
                        | ClientError::Closed(_)
                        | ClientError::Silent(..),
                    ) => {}
                    Err(error) => return Err(error),
                }
            }
            (self.hear)(Connection::Back);
        }
    }

    /// Connects again and registers all names.
    fn return_to_forwarder(&mut self) -> Result<(), ClientError> {
        self.client.reconnect()?;
        let key = self.identity.as_ref().map(Identity::key_name);
        for prefix in key.into_iter().chain(self.served.iter().map(|(prefix, _)| prefix)) {
            register(&mut self.client, prefix)?;
        }
        Ok(())
    }

    /// Answers Interests until `go_on` returns false, on one connection.
    fn answer_while(&mut self, go_on: &mut dyn FnMut() -> bool) -> Result<(), ClientError> {
        let mut answers = Vec::new();
        while go_on() {
            let mut packet = self.client.receive(STOP_CHECK_INTERVAL)?;
            while let Some(octets) = packet {
                answers.extend(self.answer_packet(&octets));
                packet = self.client.waiting();
            }
            self.client.send_all(&answers)?;
            answers.clear();
        }
        Ok(())
    }

    /// Answers one link packet with another. A producer does not limit rates (MIRCC, section 3.1).
    fn answer_packet(&mut self, packet: &[u8]) -> Option<Vec<u8>> {
        let mut octets = Vec::new();
        let answers = reply(packet, Mircc::default(), &mut octets, |interest| self.data(interest));
        self.answered += u64::from(answers);
        answers.then_some(octets)
    }

    /// The Data that answers an Interest.
    fn data(&mut self, interest: &Interest<'_>) -> Option<Vec<u8>> {
        if let Some(certificate) =
            self.identity.as_ref().and_then(|identity| identity.certificate_for(interest))
        {
            return Some(certificate.to_vec());
        }
        let mut served = self
            .served
            .iter_mut()
            .filter(|(prefix, _)| prefix.as_ref().is_prefix_of(&interest.name));
        let answer = served.find_map(|(_, with)| with(interest))?;
        let signer = self.identity.as_ref().map_or(Signer::DIGEST, Identity::signer);
        let last = answer.last_segment.map(|last| Name::new().segment(last));
        let meta = MetaInfo {
            freshness_ms: Some(answer.freshness.as_micros() / 1000),
            final_block: last.as_ref().and_then(|last| last.as_ref().last()),
            ..MetaInfo::default()
        };
        let mut octets = Vec::with_capacity(answer.content.len() + 200);
        DataDraft { name: answer.name.as_ref(), meta, content: Some(&answer.content) }
            .write(&signer, &mut octets);
        Some(octets)
    }
}
