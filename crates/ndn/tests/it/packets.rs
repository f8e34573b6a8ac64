//! Interests and Data of other programs.

use crate::captured::{CREATE, METADATA, QUERY, octets};
use narrows_ndn::signature::Signer;
use narrows_ndn::tlv::{DecodeError, Fault};
use narrows_ndn::{
    ContentType, Data, DataDraft, Interest, InterestDraft, MetaInfo, Name, ParametersStatus,
};
use narrows_units::Span;

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
    assert_eq!(
        (interest.nonce, interest.lifetime_ms, interest.hop_limit),
        (Some(0x3b7f_5854), Some(1000), None)
    );
    assert_eq!(interest.parameters, Some(&[][..]));
    assert_eq!(interest.check_parameters(), Ok(ParametersStatus::Parameters));

    let wire = octets(QUERY);
    let interest = Interest::decode(&wire).expect("an Interest");
    assert_eq!(interest.check_parameters(), Ok(ParametersStatus::Nothing));
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

/// An Interest for /a with these elements after its name.
fn interest(elements: &str) -> Vec<u8> {
    octets(&format!("05{:02x}0703080161{elements}", elements.len() / 2 + 5))
}

/// A Data named /a with these elements after its name.
fn data(elements: &str) -> Vec<u8> {
    octets(&format!("06{:02x}0703080161{elements}", elements.len() / 2 + 5))
}

#[test]
fn all_elements_of_an_interest_stand_in_their_order() {
    let elements =
        "2100 1200 1e0a 0703080178 0703080179 0a0401020304 0c020fa0 2201ff 2c031b0100 2e00"
            .replace(' ', "");
    let wire = interest(&elements);
    let read = Interest::decode(&wire).expect("an Interest");
    assert!(read.can_be_prefix && read.must_be_fresh);
    let hint: Vec<String> =
        read.forwarding_hint.expect("a hint").iter().map(|name| name.to_string()).collect();
    assert_eq!(hint, ["/x", "/y"]);
    assert_eq!(
        (read.nonce, read.lifetime_ms, read.lifetime()),
        (Some(0x0102_0304), Some(4000), Span::from_millis(4000))
    );
    let limit = read.hop_limit.expect("a limit");
    assert_eq!((limit.value, wire[limit.position]), (255, 255));
    assert_eq!(read.signature_value, Some(&[][..]));
    // Without parameters, the octets that a signature would cover are missing.
    assert_eq!(read.signature(), Ok(None));

    let (x, y): (Name, Name) = ("/x".parse().expect("a name"), "/y".parse().expect("a name"));
    let names = [x.as_ref(), y.as_ref()];
    let draft = InterestDraft {
        name: read.name,
        can_be_prefix: true,
        must_be_fresh: true,
        forwarding_hint: &names,
        nonce: read.nonce,
        lifetime_ms: read.lifetime_ms,
        hop_limit: Some(255),
        parameters: None,
    };
    let mut out = Vec::new();
    draft.write(&mut out);
    assert_eq!(out, interest(&elements[..elements.len() - 14]));
}

#[test]
fn elements_out_of_order_and_unknown_ones_are_skipped_or_refused() {
    let fault =
        |elements: &str| Interest::decode(&interest(elements)).map(|_| ()).expect_err(elements);
    // Unknown elements: TYPEs up to 31 and odd TYPEs are critical, larger even TYPEs are not.
    assert_eq!(fault("1f00"), DecodeError { offset: 7, number: 31, fault: Fault::Unknown });
    assert_eq!(fault("2300"), DecodeError { offset: 7, number: 35, fault: Fault::Unknown });
    assert_eq!(fault("fd03e900"), DecodeError { offset: 7, number: 1001, fault: Fault::Unknown });
    // MustBeFresh comes before CanBePrefix, and Nonce is present twice.
    assert_eq!(fault("12002100"), DecodeError { offset: 9, number: 33, fault: Fault::OutOfOrder });
    assert_eq!(
        fault("0a04010203040a0401020304"),
        DecodeError { offset: 13, number: 10, fault: Fault::OutOfOrder }
    );
    let wire = interest("fd03e801070a04010203042000220105220107");
    let read = Interest::decode(&wire).expect("an Interest");
    assert_eq!((read.nonce, read.hop_limit.map(|limit| limit.value)), (Some(0x0102_0304), Some(5)));

    for (elements, number) in [
        ("210100", 33),
        ("120100", 18),
        ("1e00", 30),
        ("1e020800", 8),
        ("0a03010203", 10),
        ("0c0301", 12),
        ("0c03010203", 12),
        ("22020101", 34),
    ] {
        assert_eq!(fault(elements).number, number, "{elements}");
    }
    let decoded = |digits: &str| Interest::decode(&octets(digits)).map(|_| ()).expect_err(digits);
    assert_eq!(decoded("0500"), DecodeError { offset: 2, number: 7, fault: Fault::Missing });
    assert_eq!(
        decoded("05020700"),
        DecodeError { offset: 2, number: 7, fault: Fault::WrongLength }
    );
    assert_eq!(decoded("05070a0401020304").fault, Fault::Truncated);
    assert_eq!(
        decoded("05060a0401020304"),
        DecodeError { offset: 2, number: 7, fault: Fault::Missing }
    );
    assert_eq!(
        decoded("0703080161"),
        DecodeError { offset: 0, number: 7, fault: Fault::WrongType }
    );
    assert_eq!(
        decoded("0509070702056162636465"),
        DecodeError { offset: 4, number: 2, fault: Fault::WrongLength }
    );
    assert_eq!(
        decoded("05080706fe0001000000"),
        DecodeError { offset: 4, number: 65_536, fault: Fault::TypeOutOfRange }
    );
}

#[test]
fn a_forwarder_patches_hop_limit_and_nonce_and_nothing_else() {
    let mut wire = interest("0a0401020304220102fd03e80107");
    let before = wire.clone();
    for (left, lower) in [(2, Some(1)), (1, Some(0)), (0, None)] {
        let limit = Interest::decode(&wire).expect("an Interest").hop_limit.expect("a limit");
        assert_eq!((limit.value, limit.lower(&mut wire)), (left, lower));
    }
    assert_eq!(wire.iter().zip(&before).filter(|(now, then)| now != then).count(), 1);

    let without = interest("2100fd03e801070c010a");
    let mut out = Vec::new();
    Interest::decode(&without).expect("an Interest").write_with_nonce(0x0506_0708, &mut out);
    assert_eq!(out, interest("21000a0405060708fd03e801070c010a"));
    let with = std::mem::take(&mut out);
    Interest::decode(&with).expect("an Interest").write_with_nonce(0x0102_0304, &mut out);
    assert_eq!(out, interest("21000a0401020304fd03e801070c010a"));
}

#[test]
fn an_interest_without_a_lifetime_lives_4_seconds_and_no_lifetime_overflows() {
    let lifetime =
        |elements: &str| Interest::decode(&interest(elements)).expect("an Interest").lifetime();
    assert_eq!(lifetime(""), Span::from_secs(4));
    assert_eq!(lifetime("0c010a"), Span::from_millis(10));
    assert_eq!(lifetime("0c08ffffffffffffffff"), Span::from_millis(u64::MAX / 1_000_000));
}

#[test]
fn elements_of_a_data_stand_in_their_order() {
    let wire = data("140c18010319020fa01a0332010a1502abcd16031b01001700");
    let read = Data::decode(&wire).expect("a Data");
    assert_eq!(
        (read.meta.content_type, read.meta.freshness_ms),
        (Some(ContentType::Nack), Some(4000))
    );
    assert_eq!(read.meta.final_block.expect("a component").to_string(), "seg=10");
    assert_eq!((read.content, read.signature_value), (Some(&[0xab, 0xcd][..]), &[][..]));

    let read =
        |elements: &str| Data::decode(&data(elements)).map(|data| data.content.map(<[u8]>::len));
    assert_eq!(read("16031b01001700"), Ok(None));
    assert_eq!(read("150016031b01001700"), Ok(Some(0)));
    assert_eq!(read("2000150016031b01001700fd03e80107"), Ok(Some(0)));
    assert_eq!(read("1500"), Err(DecodeError { offset: 2, number: 22, fault: Fault::Missing }));
    assert_eq!(
        read("16031b0100"),
        Err(DecodeError { offset: 2, number: 23, fault: Fault::Missing })
    );
    assert_eq!(
        read("16031b010015001700"),
        Err(DecodeError { offset: 12, number: 21, fault: Fault::OutOfOrder })
    );
    assert_eq!(
        read("210016031b01001700"),
        Err(DecodeError { offset: 7, number: 33, fault: Fault::Unknown })
    );
    // FinalBlockId holds one component. FreshnessPeriod comes after ContentType.
    assert_eq!(
        read("14081a0632010032010016031b01001700").expect_err("two components").fault,
        Fault::Trailing
    );
    assert_eq!(read("140619010118010016031b01001700").expect_err("out of order").number, 24);
    assert_eq!(
        Data::decode(&octets("0600")).map(|_| ()),
        Err(DecodeError { offset: 2, number: 7, fault: Fault::Missing })
    );
    assert_eq!(
        Data::decode(&interest("")).map(|_| ()).expect_err("an Interest").fault,
        Fault::WrongType
    );
}

#[test]
fn a_data_is_signed_as_computed_by_hand() {
    let name: Name = "/a".parse().expect("a name");
    let mut out = Vec::new();
    DataDraft::new(name.as_ref(), b"hi").write(&Signer::DIGEST, &mut out);
    // The last 32 octets are SHA-256 of the 14 octets from the name on, computed by sha256sum.
    assert_eq!(
        out,
        data(
            "1502686916031b01001720dc2113595aad08099f80bd11a013a077f1ae45cc52d4a8e9cd08fde631e01aae"
        )
    );
}
