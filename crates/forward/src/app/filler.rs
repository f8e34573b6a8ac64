//! A producer of meaningless Data of one size.

use super::reply::{register, reply};
use crate::client::{Client, ClientError};
use narrows_ndn::lp::Mircc;
use narrows_ndn::signature::Signer;
use narrows_ndn::{DataDraft, MetaInfo, Name, NameRef};
use narrows_units::Span;

/// A producer that answers every Interest with Data of the same name. It writes unlimited rates, so
/// that Data has the MIRCC fields already on its first link.
pub struct LoadProducer {
    client: Client,
    size: usize,
    content: Vec<u8>,
    answers: Vec<u8>,
}

/// Rates that exceed the rate of every link.
const NO_LIMIT: Mircc = Mircc {
    primary_bps: Some(1 << 62),
    secondary_bps: Some(1 << 62),
    class: None,
    round_trip_us: None,
    path_id: None,
    path_label: None,
    limit: None,
};

impl LoadProducer {
    /// Registers `prefix` with the forwarder at the other end of a connection. Data has `size`
    /// octets, or more if name and signature need more.
    ///
    /// # Errors
    /// The forwarder refuses the prefix, or does not answer.
    pub fn register(
        mut client: Client,
        prefix: &Name,
        size: usize,
    ) -> Result<LoadProducer, ClientError> {
        register(&mut client, prefix)?;
        Ok(LoadProducer { client, size, content: Vec::new(), answers: Vec::new() })
    }

    /// Answers the Interests that arrive within `span`.
    ///
    /// # Errors
    /// The connection broke.
    pub fn serve(&mut self, span: Span) -> Result<(), ClientError> {
        let mut packet = self.client.receive(span)?;
        while let Some(octets) = packet {
            let LoadProducer { content, answers, .. } = self;
            reply(&octets, NO_LIMIT, answers, |interest| {
                Some(data(interest.name, self.size, content))
            });
            packet = self.client.waiting();
        }
        if !self.answers.is_empty() {
            self.client.send(&self.answers)?;
            self.answers.clear();
        }
        Ok(())
    }
}

/// Data with this name and size. `content` is kept for the next call.
fn data(name: NameRef<'_>, size: usize, content: &mut Vec<u8>) -> Vec<u8> {
    let mut octets = Vec::with_capacity(size);
    // The second round has the right length of the content, unless a length field has grown.
    for _ in 0..3 {
        octets.clear();
        DataDraft { name, meta: MetaInfo::default(), content: Some(content) }
            .write(&Signer::DIGEST, &mut octets);
        if octets.len() == size {
            break;
        }
        let length = (content.len() + size).saturating_sub(octets.len());
        content.resize(length, 0);
    }
    octets
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_ndn::Data;

    #[test]
    fn data_has_the_size_that_was_asked_for() {
        for size in [200, 922, 1400] {
            let mut content = Vec::new();
            for segment in [0, 255, 256, 70_000, 3] {
                let name: Name = Name::new().generic(b"one").generic(b"0").segment(segment);
                let octets = data(name.as_ref(), size, &mut content);
                assert_eq!(octets.len(), size, "segment {segment}");
                assert_eq!(Data::decode(&octets).expect("Data").name, name.as_ref());
            }
        }
    }
}
