//! The flights of a TLS 1.3 handshake by size, without secrets: a handshake takes the packets and
//! round trips of a real one.
//!
//! A message is its length, the length of its content, the content, and padding. The transport
//! parameters of each side are in its first message that may hold them (RFC 9001 section 8.2).

/// Bytes of messages that a usual handshake has: a ClientHello with one key share, a ServerHello, a
/// flight with one short chain of certificates, and a Finished of SHA-256.
const CLIENT_HELLO: usize = 280;
const SERVER_HELLO: usize = 122;
const CERTIFICATES: usize = 1200;
const FINISHED: usize = 36;

/// Bytes that authenticate a packet: those of AES-GCM and ChaCha20-Poly1305.
pub(crate) const TAG: usize = 16;

/// Bytes from which header protection takes its sample (RFC 9001 section 5.4.2).
pub(crate) const SAMPLE: usize = 16;

const LENGTHS: usize = 4;

/// One side of a handshake.
#[derive(Debug)]
pub(crate) struct Handshake {
    server: bool,
    /// The side's own transport parameters, until they are sent.
    own: Vec<u8>,
    received: Vec<u8>,
    /// Messages received whole.
    messages: u32,
    /// Flights after the first that have been written.
    flights: u32,
    done: bool,
}

impl Handshake {
    pub(crate) fn new(server: bool, parameters: Vec<u8>) -> Handshake {
        let received = Vec::new();
        Handshake { server, own: parameters, received, messages: 0, flights: 0, done: false }
    }

    pub(crate) fn is_done(&self) -> bool {
        self.done
    }

    /// Reads what has come. Returns the peer's transport parameters once.
    pub(crate) fn read(&mut self, bytes: &[u8]) -> Option<Vec<u8>> {
        self.received.extend(bytes);
        let mut parameters = None;
        while let Some(content) = self.next_message() {
            self.messages += 1;
            match (self.server, self.messages) {
                (true, 1) | (false, 2) => parameters = Some(content),
                (true, 2) => self.done = true,
                _ => {}
            }
        }
        parameters
    }

    fn next_message(&mut self) -> Option<Vec<u8>> {
        let word = |at: usize| {
            Some(u16::from_le_bytes([*self.received.get(at)?, *self.received.get(at + 1)?]))
        };
        let (length, content) = (usize::from(word(0)?), usize::from(word(2)?));
        if self.received.len() < length {
            return None;
        }
        let message: Vec<u8> = self.received.drain(..length).collect();
        Some(message[LENGTHS..LENGTHS + content].to_vec())
    }

    /// Writes the next message, if it is its turn. Returns true if new keys begin after it: those of
    /// the handshake, then those of data.
    pub(crate) fn write(&mut self, buffer: &mut Vec<u8>) -> bool {
        match (self.server, self.flights, self.messages) {
            (false, _, _) if !self.own.is_empty() => {
                push(buffer, &std::mem::take(&mut self.own), CLIENT_HELLO);
                return false;
            }
            (false, 0, 1..) => {}
            (false, 1, 2..) => {
                push(buffer, &[], FINISHED);
                self.done = true;
            }
            (true, 0, 1..) => push(buffer, &[], SERVER_HELLO),
            (true, 1, 1..) => push(buffer, &std::mem::take(&mut self.own), CERTIFICATES),
            _ => return false,
        }
        self.flights += 1;
        true
    }
}

fn push(buffer: &mut Vec<u8>, content: &[u8], least: usize) {
    let length = (content.len() + LENGTHS).max(least);
    buffer.extend((length as u16).to_le_bytes());
    buffer.extend((content.len() as u16).to_le_bytes());
    buffer.extend(content);
    buffer.resize(buffer.len() + length - LENGTHS - content.len(), 0);
}

/// A hash of 32 bytes in place of an HMAC: stateless reset tokens must differ (FNV-1a).
pub(crate) fn sign(data: &[u8], signature: &mut [u8]) {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut add = |byte: u8| {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        hash
    };
    data.iter().for_each(|byte| _ = add(*byte));
    for (place, chunk) in signature.chunks_mut(8).enumerate() {
        let word = add(place as u8).to_le_bytes();
        chunk.copy_from_slice(&word[..chunk.len()]);
    }
}

/// Bytes of a signature.
pub(crate) const SIGNATURE: usize = 32;

/// True if [`sign`] gives this signature.
pub(crate) fn signed(data: &[u8], signature: &[u8]) -> bool {
    let mut own = vec![0; signature.len()];
    sign(data, &mut own);
    own == signature
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lets both sides write until neither has anything to say. Returns the bytes of each flight,
    /// and whether keys began after it.
    #[test]
    fn the_flights_have_the_sizes_and_the_order_of_tls_1_3() {
        let mut client = Handshake::new(false, vec![1; 60]);
        let mut server = Handshake::new(true, vec![2; 70]);
        let write = |side: &mut Handshake| {
            let mut buffer = Vec::new();
            let keys = side.write(&mut buffer);
            (buffer, keys)
        };
        let (hello, keys) = write(&mut client);
        assert_eq!((hello.len(), keys), (CLIENT_HELLO, false));
        assert_eq!(write(&mut client), (Vec::new(), false));
        // It comes in pieces, as CRYPTO frames may.
        assert_eq!(server.read(&hello[..100]), None);
        assert_eq!(server.read(&hello[100..]), Some(vec![1; 60]));
        let (answer, keys) = write(&mut server);
        assert_eq!((answer.len(), keys), (SERVER_HELLO, true));
        let (certificates, keys) = write(&mut server);
        assert_eq!((certificates.len(), keys), (CERTIFICATES, true));
        assert_eq!(write(&mut server), (Vec::new(), false));
        assert_eq!(client.read(&answer), None);
        assert_eq!(write(&mut client), (Vec::new(), true));
        assert_eq!(client.read(&certificates), Some(vec![2; 70]));
        assert!(!client.is_done());
        let (finished, keys) = write(&mut client);
        assert_eq!((finished.len(), keys), (FINISHED, true));
        assert!(client.is_done() && !server.is_done());
        server.read(&finished);
        assert!(server.is_done());
    }

    #[test]
    fn signatures_of_different_data_differ() {
        let mut signature = [0; SIGNATURE];
        sign(b"one", &mut signature);
        assert!(signed(b"one", &signature) && !signed(b"two", &signature));
        assert_ne!(signature[..8], signature[8..16]);
    }
}
