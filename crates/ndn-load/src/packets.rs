//! Packets of the load, encoded by hand (NDN Packet Format 0.3; NDNLPv2; NFD's management
//! protocol).

use sha2::{Digest, Sha256};
use std::time::{SystemTime, UNIX_EPOCH};

fn head(out: &mut Vec<u8>, kind: u8, length: usize) {
    out.push(kind);
    if length < 253 {
        out.push(length as u8)
    } else {
        out.extend([253, (length >> 8) as u8, length as u8])
    }
}

fn tlv(kind: u8, parts: &[&[u8]]) -> Vec<u8> {
    let mut out = Vec::new();
    head(&mut out, kind, parts.iter().map(|part| part.len()).sum());
    [out, parts.concat()].concat()
}

/// An Interest for `/load/<version>/0`. Unless `bare` is true, it is in a link packet with a PIT
/// token of six octets.
pub fn interest(version: u64, bare: bool) -> Vec<u8> {
    let name =
        tlv(7, &[b"\x08\x04load", &tlv(0x36, &[&version.to_be_bytes()]), b"\x32\x04\x80\0\0\0"]);
    let interest = tlv(5, &[&name, b"\x0a\x04\0\0\0\0", b"\x0c\x02\x0f\xa0"]);
    if bare { interest } else { tlv(0x64, &[&tlv(0x62, &[&[0; 6]]), &tlv(0x50, &[&interest])]) }
}

/// Appends the Interest with this number. The number is also its nonce and its PIT token.
pub fn put_interest(out: &mut Vec<u8>, interest: &[u8], number: u32) {
    out.extend(interest);
    let end = out.len();
    let token = if interest[0] == 0x64 { end - interest.len() + 4 } else { end - 8 };
    for (at, number) in [(token, number), (end - 8, number), (end - 14, number | 1 << 31)] {
        out[at..at + 4].copy_from_slice(&number.to_be_bytes());
    }
}

/// Number in the last component of a name.
pub fn number(name: &[u8]) -> u32 {
    name.last_chunk().map_or(0, |octets| u32::from_be_bytes(*octets)) & !(1 << 31)
}

/// The fields after the name in all Data: a freshness period of one second, the content, and 32
/// constant octets in place of a digest.
pub fn data_tail(content: usize) -> Vec<u8> {
    let (meta, signature) = (b"\x14\x04\x19\x02\x03\xe8", b"\x16\x03\x1b\x01\x00");
    [&meta[..], &tlv(0x15, &[&vec![0x5a; content]]), signature, &tlv(0x17, &[&[7; 32]])].concat()
}

/// Appends Data for the name, with the PIT token of the Interest.
pub fn put_data(out: &mut Vec<u8>, name: &[u8], token: &[u8], tail: &[u8]) {
    let size = |length: usize| length + if length < 253 { 2 } else { 4 };
    let data = size(name.len()) + tail.len();
    if !token.is_empty() {
        head(out, 0x64, size(token.len()) + size(size(data)));
        out.extend(tlv(0x62, &[token]));
        head(out, 0x50, size(data));
    }
    head(out, 6, data);
    head(out, 7, name.len());
    out.extend(name);
    out.extend(tail);
}

fn var_number(octets: &[u8]) -> Option<(usize, &[u8])> {
    match octets {
        [first @ ..253, rest @ ..] => Some((usize::from(*first), rest)),
        [253, a, b, rest @ ..] => Some((usize::from(u16::from_be_bytes([*a, *b])), rest)),
        _ => None,
    }
}

/// TYPE and VALUE of the first element, and the octets after it. `None` if the element is
/// incomplete.
pub fn element(octets: &[u8]) -> Option<(usize, &[u8], &[u8])> {
    let (kind, rest) = var_number(octets)?;
    let (length, rest) = var_number(rest)?;
    rest.split_at_checked(length).map(|(value, rest)| (kind, value, rest))
}

/// TYPE of a network packet (5: Interest, 6: Data), the components of its name, and its PIT token.
/// The token is empty if the packet has none.
pub fn read(octets: &[u8]) -> Option<(usize, &[u8], &[u8])> {
    let ((mut kind, mut value, _), mut token) = (element(octets)?, &[][..]);
    if kind == 0x64 {
        let mut fields = value;
        while let Some((field, inner, rest)) = element(fields) {
            match field {
                0x62 => token = inner,
                0x50 => (kind, value, _) = element(inner)?,
                _ => {}
            }
            fields = rest;
        }
    }
    Some((kind, element(value)?.1, token))
}

/// A signed command, `register` or `unregister`, for `/load` and the face on which it arrives.
pub fn command(verb: &str) -> Vec<u8> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let parameters = tlv(8, &[b"\x68\x08\x07\x06\x08\x04load"]);
    let name =
        [&b"\x08\x09localhost\x08\x03nfd\x08\x03rib"[..], &tlv(8, &[verb.as_bytes()]), &parameters]
            .concat();
    let (nonce, time) =
        ((now.as_nanos() as u64).to_be_bytes(), (now.as_millis() as u64).to_be_bytes());
    let info = tlv(0x2c, &[&[0x1b, 1, 0], &tlv(0x26, &[&nonce]), &tlv(0x28, &[&time])]);
    let signed = [&[0x24, 0], &info[..]].concat();
    let signature = Sha256::new().chain_update(&name).chain_update(&signed).finalize();
    let behind = [&signed[..], &tlv(0x2e, &[&signature])].concat();
    let name = tlv(7, &[&name, &tlv(2, &[&Sha256::digest(&behind)])]);
    tlv(5, &[&name, &tlv(0x0a, &[&nonce[4..]]), &[0x0c, 2, 0x0f, 0xa0], &behind])
}
