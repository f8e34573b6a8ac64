//! Pings: Interests for names that nobody has asked for.

use crate::client::{Client, ClientError};
use narrows_ndn::lp::{Header, LpPacket};
use narrows_ndn::management::{ControlParameters, Scope};
use narrows_ndn::signature::Signer;
use narrows_ndn::{DataDraft, Interest, InterestDraft, MetaInfo, Name};
use narrows_units::Span;
use std::time::Instant;

/// The outcome of one ping.
#[derive(Debug)]
pub enum Pong {
    /// Data came after this time.
    Answered(Span),
    /// None came.
    Lost(ClientError),
}

/// Asks for `prefix/ping/<number>`, as ndnping and ndnd do, and waits for at most `patience`.
///
/// # Errors
/// The connection to the forwarder broke.
pub fn ping(client: &mut Client, prefix: &Name, number: u64, patience: Span) -> Result<Pong, ClientError> {
    let name = prefix.clone().generic(b"ping").sequence(number);
    let mut octets = Vec::new();
    let lifetime_ms = Some(patience.as_micros() / 1000);
    InterestDraft { nonce: Some(client.nonce()), lifetime_ms, ..InterestDraft::new(name.as_ref()) }.write(&mut octets);
    let sent = Instant::now();
    match client.ask(&octets, patience) {
        Ok(_) => Ok(Pong::Answered(Span::from_nanos(sent.elapsed().as_nanos() as u64))),
        Err(closed @ ClientError::Closed(_)) => Err(closed),
        Err(lost) => Ok(Pong::Lost(lost)),
    }
}

/// Registers `prefix/ping` and answers every Interest below it with empty Data, until `go_on` says no. Returns the number of answers.
///
/// # Errors
/// The forwarder refuses the name, or closes the connection.
pub fn serve_pings(client: &mut Client, prefix: &Name, go_on: &mut dyn FnMut() -> bool) -> Result<u64, ClientError> {
    const LOOK: Span = Span::from_millis(100);
    let name = prefix.clone().generic(b"ping");
    let parameters = ControlParameters { name: Some(name.as_ref()), ..ControlParameters::default() };
    client.command(Scope::Localhost, "rib", "register", &parameters)?;
    let mut answered = 0;
    while go_on() {
        let Some(packet) = client.receive(LOOK)? else { continue };
        let Ok(link) = LpPacket::decode(&packet) else { continue };
        let Some(interest) = link.fragment.filter(|_| link.header.nack.is_none()).and_then(|octets| Interest::decode(octets).ok()) else {
            continue;
        };
        let meta = MetaInfo { freshness_ms: Some(1000), ..MetaInfo::default() };
        let (mut data, mut answer) = (Vec::new(), Vec::new());
        DataDraft { name: interest.name, meta, content: Some(&[]) }.write(&Signer::DIGEST, &mut data);
        Header { pit_token: link.header.pit_token, ..Header::default() }.write_packet(Some(&data), &mut answer);
        client.send(&answer)?;
        answered += 1;
    }
    Ok(answered)
}
