//! Sizes of NDN packets, so that packets on a link have the size of the scenario.

use crate::wire::DATAGRAM_HEADERS;
use narrows_ndn::lp::{Header, LabelFlags, Mircc, PathLabel};
use narrows_ndn::{InterestDraft, Name};
use narrows_units::Bytes;

/// Segment numbers have up to four bytes.
const LAST_SEGMENT: u64 = u32::MAX as u64;

/// Returns the path label for this number of hops.
fn label(hops: usize) -> PathLabel {
    let mut label = PathLabel::new(LabelFlags::Fallback);
    // A longer path has no label.
    (0..hops).all(|_| label.labels.push(1));
    label
}

/// Returns the name of a content with this number, padded to this number of digits.
pub fn content(prefix: &Name, number: usize, digits: usize) -> Name {
    prefix.clone().generic(format!("{number:0digits$}").as_bytes())
}

/// Returns the number of digits with which the largest Interest has the size `interest`, with
/// headers of IP and UDP, on a path of `hops` links. If the Interest is larger even with the fewest
/// digits for `contents` numbers, `Err` has that size.
pub fn digits(
    prefix: &Name,
    contents: usize,
    hops: usize,
    interest: Bytes,
) -> Result<usize, Bytes> {
    let least = contents.saturating_sub(1).to_string().len();
    let size = interest_size(prefix, least, hops);
    let missing = interest.get().checked_sub(size.get()).ok_or(size)?;
    Ok(least + missing as usize)
}

fn interest_size(prefix: &Name, digits: usize, hops: usize) -> Bytes {
    let name = content(prefix, 0, digits).segment(LAST_SEGMENT);
    let (mut interest, mut packet) = (Vec::new(), Vec::new());
    InterestDraft { nonce: Some(0), lifetime_ms: Some(4000), ..InterestDraft::new(name.as_ref()) }
        .write(&mut interest);
    let mircc = Mircc {
        class: Some(0),
        round_trip_us: Some(0),
        path_label: Some(label(hops)),
        ..Mircc::default()
    };
    Header { mircc, ..Header::default() }.write_packet(Some(&interest), &mut packet);
    DATAGRAM_HEADERS + Bytes::new(packet.len() as u64)
}

/// Returns the size of a Data packet that has the size `size` on the link behind its producer's
/// node, with headers of IP and UDP. On each further link its path label has 1.5 more bytes.
pub fn data(size: Bytes) -> usize {
    let mircc = Mircc {
        primary_bps: Some(0),
        secondary_bps: Some(0),
        path_id: Some(1),
        path_label: Some(label(1)),
        limit: Some(1),
        ..Mircc::default()
    };
    let below = |octets: usize| {
        let mut packet = Vec::new();
        Header { mircc, ..Header::default() }.write_packet(Some(&vec![0; octets]), &mut packet);
        packet.len() - octets
    };
    let whole = size.saturating_sub(DATAGRAM_HEADERS).get() as usize;
    whole.saturating_sub(below(whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interests_are_filled_up_and_data_leaves_room_for_its_fields() {
        let prefix: Name = "/film".parse().expect("a name");
        let digits = digits(&prefix, 3, 4, Bytes::new(100)).expect("it fits");
        assert_eq!(interest_size(&prefix, digits, 4), Bytes::new(100));
        // LpPacket 4, Fragment 4, rates, path hash and limit 12 each, label 4 + 3 + 3 + 2 + 2.
        assert_eq!(data(Bytes::new(1000)), 1000 - 28 - 8 - 48 - 14);
        assert!(
            super::digits(&prefix, 3, 4, Bytes::new(60))
                .is_err_and(|needed| needed > Bytes::new(60))
        );
    }
}
