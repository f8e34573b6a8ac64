//! A producer of Data without meaning, of one size.

use crate::client::{Client, ClientError};
use narrows_ndn::lp::{Header, LpPacket, Mircc};
use narrows_ndn::management::{ControlParameters, Scope};
use narrows_ndn::signature::Signer;
use narrows_ndn::{DataDraft, Interest, MetaInfo, Name, NameRef};
use narrows_units::Span;

/// Answers every Interest by Data of its name. It writes down rates without limit, so that Data have their fields on the first link already.
pub struct Filler {
    client: Client,
    size: usize,
    content: Vec<u8>,
    answers: Vec<u8>,
}

/// More than any link has.
const NO_LIMIT: Mircc =
    Mircc { primary_bps: Some(1 << 62), secondary_bps: Some(1 << 62), class: None, round_trip_us: None, path_id: None, path_label: None };

impl Filler {
    /// Registers `prefix` with the forwarder at the other end of a connection.
    ///
    /// # Errors
    /// The forwarder refuses it, or does not answer.
    pub fn register(mut client: Client, prefix: &Name, size: usize) -> Result<Filler, ClientError> {
        let parameters = ControlParameters { name: Some(prefix.as_ref()), ..ControlParameters::default() };
        client.command(Scope::Localhost, "rib", "register", &parameters)?;
        Ok(Filler::new(client, size))
    }

    /// Its Data have `size` octets, or more if name and signature need more.
    fn new(client: Client, size: usize) -> Filler {
        Filler { client, size, content: vec![0; size.saturating_sub(100)], answers: Vec::new() }
    }

    /// Answers what comes within `span`.
    ///
    /// # Errors
    /// The connection broke.
    pub fn serve(&mut self, span: Span) -> Result<(), ClientError> {
        let mut packet = self.client.receive(span)?;
        while let Some(octets) = packet {
            if let Ok(link) = LpPacket::decode(&octets)
                && let Some(interest) =
                    link.fragment.filter(|_| link.header.nack.is_none()).and_then(|octets| Interest::decode(octets).ok())
            {
                let data = self.data(interest.name);
                Header { pit_token: link.header.pit_token, mircc: NO_LIMIT, ..Header::default() }
                    .write_packet(Some(&data), &mut self.answers);
            }
            packet = self.client.waiting();
        }
        if !self.answers.is_empty() {
            self.client.send(&self.answers)?;
            self.answers.clear();
        }
        Ok(())
    }

    fn data(&mut self, name: NameRef<'_>) -> Vec<u8> {
        let mut octets = Vec::with_capacity(self.size);
        // The second time the length of the content is right, unless a length field has grown.
        for _ in 0..3 {
            octets.clear();
            DataDraft { name, meta: MetaInfo::default(), content: Some(&self.content) }.write(&Signer::DIGEST, &mut octets);
            if octets.len() == self.size {
                break;
            }
            let length = (self.content.len() + self.size).saturating_sub(octets.len());
            self.content.resize(length, 0);
        }
        octets
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::Place;
    use narrows_ndn::Data;
    use std::net::TcpListener;

    #[test]
    fn data_has_the_size_that_was_asked_for() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
        let place = Place::parse(&format!("tcp4://{}", listener.local_addr().expect("an address"))).expect("a place");
        for size in [200, 922, 1400] {
            let mut filler = Filler::new(Client::connect(&place).expect("a connection"), size);
            for segment in [0, 255, 256, 70_000, 3] {
                let name: Name = Name::new().generic(b"one").generic(b"0").segment(segment);
                let octets = filler.data(name.as_ref());
                assert_eq!(octets.len(), size, "segment {segment}");
                assert_eq!(Data::decode(&octets).expect("Data").name, name.as_ref());
            }
        }
    }
}
