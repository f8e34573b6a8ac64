//! Reads packets of a connection from a pcap or pcapng file that was made at the sender.

mod connection;
mod packet;

use crate::measured::{FitError, Measured};
use connection::Connection;
use packet::{Flow, Packet, Source};
use std::collections::BTreeMap;
use std::time::Duration;

/// Most packets of a file; more would take too much memory. The limit is our choice.
pub const MOST_PACKETS: usize = 50_000_000;
/// Most connections that are distinguished in a file. The limit is our choice.
const MOST_CONNECTIONS: usize = 100_000;

const REMEDY: &str = "give a capture of one bulk TCP connection, made at its sender: tcpdump -i DEVICE -s 128 -w FILE tcp port PORT";

/// True if the bytes begin like a capture: pcapng's section, or pcap in any order and resolution.
pub fn is_one(bytes: &[u8]) -> bool {
    const BEGINNINGS: [[u8; 4]; 5] = [
        [0x0a, 0x0d, 0x0d, 0x0a],
        [0xa1, 0xb2, 0xc3, 0xd4],
        [0xd4, 0xc3, 0xb2, 0xa1],
        [0xa1, 0xb2, 0x3c, 0x4d],
        [0x4d, 0x3c, 0xb2, 0xa1],
    ];
    bytes.get(..4).is_some_and(|first| BEGINNINGS.iter().any(|own| own == first))
}

/// Reads the connection with most payload. Errors call the file `name`.
pub fn read(name: &str, bytes: &[u8]) -> Result<Measured, FitError> {
    let largest = largest(name, bytes)?;
    let mut connection = Connection::new(largest);
    each(name, bytes, &mut |at, packet| connection.take(at, packet))?;
    connection.finish().map_err(|problem| FitError::new(name, problem, REMEDY))
}

/// Returns the direction of a connection with most payload.
fn largest(name: &str, bytes: &[u8]) -> Result<Flow, FitError> {
    let mut payload = BTreeMap::<Flow, u64>::new();
    let mut is_full = false;
    each(name, bytes, &mut |_, packet| {
        is_full |= payload.len() >= MOST_CONNECTIONS && !payload.contains_key(&packet.flow);
        if packet.payload > 0 && !is_full {
            *payload.entry(packet.flow).or_default() += u64::from(packet.payload);
        }
    })?;
    if is_full {
        let problem = format!("it has more than {MOST_CONNECTIONS} connections");
        return Err(FitError::new(name, &problem, REMEDY));
    }
    let most = payload.into_iter().max_by_key(|(_, bytes)| *bytes);
    most.map(|(flow, _)| flow)
        .ok_or_else(|| FitError::new(name, "no TCP packet in it has data", REMEDY))
}

/// Hands over each TCP packet with its time. A file that ends within a packet is read up to there.
fn each(name: &str, bytes: &[u8], take: &mut dyn FnMut(Duration, Packet)) -> Result<(), FitError> {
    let refuse = |problem: String| FitError::new(name, &problem, REMEDY);
    let mut source = Source::new(bytes).map_err(refuse)?;
    let mut count = 0;
    while let Some(found) = source.next().map_err(refuse)? {
        count += 1;
        if count > MOST_PACKETS {
            return Err(refuse(format!("it has more than {MOST_PACKETS} packets")));
        }
        if let (at, Some(packet)) = found {
            take(at, packet);
        }
    }
    Ok(())
}
