//! Interests and Data as other programs wrote them.

use crate::captured::{CREATE, METADATA, QUERY, octets};
use narrows_ndn::{ContentType, Data, Digested, Interest, InterestDraft, MetaInfo};

#[test]
fn an_interest_is_read_and_written_again() {
    let wire = octets(CREATE);
    let interest = Interest::decode(&wire).expect("an Interest");
    assert_eq!(interest.name.len(), 6);
    let name = "/localhost/nfd/faces/create/h%1Ar%15udp%3A%2F%2F127.0.0.1%3A17001%85%01%00";
    assert_eq!(interest.name.without_last(1).to_string(), name);
    assert_eq!(
        interest.name.last().expect("a digest").to_string(),
        "params-sha256=31db8e358db2a52286588816ec80b59fc7d54fe2719cd89c3c4661bcc72006a6"
    );
    assert_eq!((interest.can_be_prefix, interest.must_be_fresh), (false, true));
    assert_eq!((interest.nonce, interest.lifetime_ms, interest.hop_limit), (Some(0x3b7f_5854), Some(1000), None));
    assert_eq!(interest.parameters, Some(&[][..]));
    assert_eq!(interest.check_parameters(), Ok(Digested::Parameters));

    let wire = octets(QUERY);
    let interest = Interest::decode(&wire).expect("an Interest");
    assert_eq!(interest.check_parameters(), Ok(Digested::Nothing));
    let draft = InterestDraft {
        can_be_prefix: true,
        must_be_fresh: true,
        nonce: Some(0x0102_0304),
        lifetime_ms: Some(1000),
        ..InterestDraft::new(interest.name)
    };
    let mut out = Vec::new();
    draft.write(&mut out);
    assert_eq!(out, wire);
}

#[test]
fn a_data_is_read() {
    let wire = octets(METADATA);
    let data = Data::decode(&wire[12..]).expect("a Data");
    assert_eq!(data.name.to_string(), "/b/f/32=metadata/v=1795339814324112/seg=0");
    let MetaInfo { content_type, freshness_ms, final_block } = data.meta;
    assert_eq!((content_type, freshness_ms), (Some(ContentType::Blob), Some(4000)));
    assert_eq!(final_block.expect("a last segment").to_string(), "seg=2");
}
