//! Signing and verifying.

use crate::captured::*;
use narrows_ndn::lp::LpPacket;
use narrows_ndn::signature::*;
use narrows_ndn::tlv::Fixed;
use narrows_ndn::*;

/// The network packet in an LpPacket, or a bare one.
fn fragment(wire: &[u8]) -> &[u8] {
    LpPacket::decode(wire).expect("a link packet").fragment.expect("a fragment")
}

#[test]
fn signed_interests_of_other_programs_verify() {
    for (digits, form) in [
        (CREATE, SignatureForm::Elements),
        (ROUTE, SignatureForm::Elements),
        (PYTHON_REGISTER, SignatureForm::Elements),
        (PYTHON_COMMAND, SignatureForm::Components),
        (NDNTS_REGISTER, SignatureForm::Elements),
        (STRATEGY, SignatureForm::Elements),
    ] {
        let wire = octets(digits);
        let interest = Interest::decode(fragment(&wire)).expect("an Interest");
        let signature = interest.signature().expect("well-formed").expect("signed");
        assert_eq!(
            (signature.form, signature.info.signature_type),
            (form, SignatureType::DigestSha256)
        );
        assert_eq!(signature.check_digest(), Ok(()));
        assert!(signature.info.nonce.is_some_and(|nonce| nonce.len() == 8));
        assert!(
            signature.info.time_ms.is_some_and(|time| time > 1_795_000_000_000),
            "{:?}",
            signature.info.time_ms
        );
        let digested = if form == SignatureForm::Elements {
            ParametersStatus::Parameters
        } else {
            ParametersStatus::Nothing
        };
        assert_eq!(interest.check_parameters(), Ok(digested));

        // The signature covers the first letter of the first component in both forms.
        let mut damaged = fragment(&wire).to_vec();
        let at = damaged.windows(9).position(|octets| octets == b"localhost").expect("a component");
        damaged[at] = b'L';
        let interest = Interest::decode(&damaged).expect("an Interest");
        let signature = interest.signature().expect("well-formed").expect("signed");
        assert_eq!(signature.check_digest(), Err(SignatureError::Differs));
    }
    let wire = octets(QUERY);
    assert_eq!(Interest::decode(&wire).expect("an Interest").signature(), Ok(None));
}

#[test]
fn signed_data_of_other_programs_verify() {
    for digits in [CREATED, ROUTED, PYTHON_REGISTERED, STRATEGY_SET, QUERIED, NO_FACE, METADATA] {
        let wire = octets(digits);
        let data = Data::decode(fragment(&wire)).expect("a Data");
        assert_eq!(data.signature(), Ok(SignatureInfo::new(SignatureType::DigestSha256)));
        assert_eq!(data.check_digest(), Ok(()));
        let mut damaged = fragment(&wire).to_vec();
        let last = damaged.len() - 1;
        damaged[last] ^= 1;
        assert_eq!(
            Data::decode(&damaged).expect("a Data").check_digest(),
            Err(SignatureError::Differs)
        );

        let mut again = Vec::new();
        DataDraft { name: data.name, meta: data.meta, content: data.content }
            .write(&Signer::DIGEST, &mut again);
        assert_eq!(again, data.wire);
    }
}

#[test]
fn an_interest_signed_here_is_the_one_that_was_captured() {
    for digits in [CREATE, ROUTE, PYTHON_REGISTER, NDNTS_REGISTER, STRATEGY] {
        let wire = octets(digits);
        let interest = Interest::decode(fragment(&wire)).expect("an Interest");
        let info = interest.signature().expect("well-formed").expect("signed").info;
        let fields =
            SigningFields { nonce: info.nonce, time_ms: info.time_ms, sequence: info.sequence };
        let draft = InterestDraft {
            can_be_prefix: interest.can_be_prefix,
            must_be_fresh: interest.must_be_fresh,
            nonce: interest.nonce,
            lifetime_ms: interest.lifetime_ms,
            ..InterestDraft::new(interest.name.without_last(1))
        };
        let mut again = Vec::new();
        draft.write_signed(&Signer::DIGEST, &fields, &mut again);
        assert_eq!(again, interest.wire);

        // The name has a digest already, and the Interest is written into a slice.
        let mut room = [0; 300];
        let mut fixed = Fixed::new(&mut room);
        InterestDraft { name: interest.name, ..draft }.write_signed(
            &Signer::DIGEST,
            &fields,
            &mut fixed,
        );
        assert_eq!(fixed.finish().expect("room"), interest.wire);
        let mut narrow = [0; 100];
        let mut fixed = Fixed::new(&mut narrow);
        draft.write_signed(&Signer::DIGEST, &fields, &mut fixed);
        assert_eq!(fixed.finish().expect_err("no room").room, 100);
    }
}

#[test]
fn a_digest_in_the_middle_of_a_name_stays_there() {
    let name: Name = format!("/a/params-sha256={}/b", "00".repeat(32)).parse().expect("a name");
    let draft = InterestDraft {
        parameters: Some(&[1, 2, 3]),
        nonce: Some(1),
        ..InterestDraft::new(name.as_ref())
    };
    let mut plain = Vec::new();
    draft.write(&mut plain);
    let interest = Interest::decode(&plain).expect("an Interest");
    assert_eq!(interest.check_parameters(), Ok(ParametersStatus::Parameters));
    assert_eq!((interest.name.len(), interest.name.last().expect("b").value), (3, &b"b"[..]));
    assert_eq!(interest.signature(), Ok(None));

    let mut signed = Vec::new();
    draft.write_signed(&Signer::DIGEST, &SigningFields::default(), &mut signed);
    let interest = Interest::decode(&signed).expect("an Interest");
    assert_eq!(interest.check_parameters(), Ok(ParametersStatus::Parameters));
    let signature = interest.signature().expect("well-formed").expect("signed");
    assert_eq!(signature.check_digest(), Ok(()));
    assert_eq!(signature.portion.parts()[..2], [&b"\x08\x01a"[..], &b"\x08\x01b"[..]]);
}

#[test]
fn parameters_and_digest_belong_together() {
    let digest = "28bad4b5275bd392dbb670c75cf0b66f13f7942021e80f55c0e86b374753a548";
    let check = |uri: &str, parameters: &str| {
        let name: Name = uri.parse().expect("a name");
        let body = [name_tlv(&name), octets(parameters)].concat();
        let wire = [vec![5, u8::try_from(body.len()).expect("short")], body].concat();
        Interest::decode(&wire).expect("an Interest").check_parameters()
    };
    let with = format!("/a/params-sha256={digest}");
    assert_eq!(check("/a", ""), Ok(ParametersStatus::Nothing));
    assert_eq!(check("/a", "2400"), Err(ParametersError::NoDigest));
    assert_eq!(check(&with, ""), Err(ParametersError::NoParameters));
    assert_eq!(check(&with, "2400"), Err(ParametersError::Differs));
    assert_eq!(
        check(&format!("{with}/params-sha256={digest}"), "2400"),
        Err(ParametersError::ManyDigests)
    );
}

fn name_tlv(name: &Name) -> Vec<u8> {
    let mut out = Vec::new();
    name.as_ref().write(&mut out);
    out
}

fn keys() -> [SigningKey; 2] {
    [SigningKey::ed25519(&[7; 32]), SigningKey::ecdsa_p256(&[7; 32]).expect("a scalar")]
}

#[test]
fn ed25519_signs_as_rfc_8032_has_it() {
    // RFC 8032, section 7.1, test 2.
    let seed = octets("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb");
    let key = SigningKey::ed25519(&seed.try_into().expect("32 octets"));
    let portion = SignedPortion::new([&[0x72], &[], &[]]);
    let signature = key.sign(&portion);
    let published = "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00";
    assert_eq!(signature.as_slice(), octets(published));
    assert_eq!(key.public_key().expect("a key").verify(&portion, signature.as_slice()), Ok(()));
}

#[test]
fn ecdsa_signs_as_rfc_6979_has_it() {
    // RFC 6979, appendix A.2.5, SHA-256, message "sample".
    let scalar = octets("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721");
    let key = SigningKey::ecdsa_p256(&scalar.try_into().expect("32 octets")).expect("a scalar");
    let portion = SignedPortion::new([b"sam", b"", b"ple"]);
    let signature = key.sign(&portion);
    let published = "3046022100efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716022100f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8";
    assert_eq!(signature.as_slice(), octets(published));
    assert_eq!(key.public_key().expect("a key").verify(&portion, signature.as_slice()), Ok(()));
}

#[test]
fn keys_check_what_they_signed_and_nothing_else() {
    let name: Name = "/x/KEY/1".parse().expect("a name");
    for (key, other) in keys().into_iter().zip(keys().into_iter().rev()) {
        let signer =
            Signer { key: &key, locator: Some(KeyLocator::Name(name.as_ref())), validity: None };
        let mut wire = Vec::new();
        DataDraft::new(name.as_ref(), b"content").write(&signer, &mut wire);
        let data = Data::decode(&wire).expect("a Data");
        let info = data.signature().expect("well-formed");
        assert_eq!((info.signature_type, info.key_locator), (key.signature_type(), signer.locator));
        let public = key.public_key().expect("a key");
        assert_eq!(public.verify(&data.signed_portion(), data.signature_value), Ok(()));
        assert_eq!(
            public.verify(&SignedPortion::new([b"other", b"", b""]), data.signature_value),
            Err(SignatureError::Differs)
        );
        assert_eq!(
            public.verify(&data.signed_portion(), &data.signature_value[1..]),
            Err(SignatureError::Malformed)
        );
        assert!(
            other
                .public_key()
                .expect("a key")
                .verify(&data.signed_portion(), data.signature_value)
                .is_err()
        );

        wire.clear();
        let fields = SigningFields { nonce: Some(&[1; 8]), time_ms: Some(1), sequence: Some(2) };
        InterestDraft::new(name.as_ref()).write_signed(&signer, &fields, &mut wire);
        let interest = Interest::decode(&wire).expect("an Interest");
        let signature = interest.signature().expect("well-formed").expect("signed");
        assert_eq!(public.verify(&signature.portion, signature.value), Ok(()));
        assert_eq!(
            (signature.info.nonce, signature.info.time_ms, signature.info.sequence),
            (Some(&[1; 8][..]), Some(1), Some(2))
        );
        assert_eq!(interest.check_parameters(), Ok(ParametersStatus::Parameters));
    }
}

#[test]
fn a_certificate_holds_a_key() {
    let name: Name = "/x/y/KEY/%01/self/v=1".parse().expect("a name");
    let validity = ValidityPeriod {
        not_before: CertificateTime::from_unix(951_782_400),
        not_after: CertificateTime::from_unix(1_795_339_814),
    };
    assert_eq!(
        (validity.not_before.to_string(), validity.not_after.to_string()),
        ("20000229T000000".to_owned(), "20261122T093014".to_owned())
    );
    for key in keys() {
        let public = key.public_key().expect("a key");
        assert_eq!(PublicKey::from_spki(&public.to_spki()), Ok(public.clone()));
        let key_name = name.as_ref().without_last(2);
        let signer = Signer {
            key: &key,
            locator: Some(KeyLocator::Name(key_name)),
            validity: Some(validity),
        };
        let mut wire = Vec::new();
        Certificate::write(name.as_ref(), &public, &signer, &mut wire);
        let data = Data::decode(&wire).expect("a Data");
        let certificate = Certificate::new(data).expect("a certificate");
        assert_eq!((&certificate.key, certificate.validity), (&public, validity));
        assert_eq!(
            (certificate.identity().to_string(), certificate.key_name()),
            ("/x/y".to_owned(), key_name)
        );
        assert_eq!(certificate.key.verify(&data.signed_portion(), data.signature_value), Ok(()));
        assert!(
            validity.contains(CertificateTime::from_unix(951_782_400))
                && !validity.contains(CertificateTime::from_unix(951_782_399))
        );

        let mut without = Vec::new();
        DataDraft { name: name.as_ref(), meta: data.meta, content: None }
            .write(&signer, &mut without);
        assert_eq!(
            Certificate::new(Data::decode(&without).expect("a Data")),
            Err(CertificateError::Key(KeyError::Public))
        );
    }
    let mut wire = Vec::new();
    DataDraft::new(name.as_ref(), b"").write(&Signer::DIGEST, &mut wire);
    assert_eq!(
        Certificate::new(Data::decode(&wire).expect("a Data")),
        Err(CertificateError::NotKey)
    );
    assert!(
        SigningKey::from_pkcs8(b"no key").is_err() && SigningKey::ecdsa_p256(&[0; 32]).is_err()
    );
}

#[test]
fn times_of_certificates_count_leap_days() {
    for (seconds, text) in [
        (0, "19700101T000000"),
        (951_868_799, "20000229T235959"),
        (951_868_800, "20000301T000000"),
        (4_107_542_399, "21000228T235959"),
        (4_107_542_400, "21000301T000000"),
        (1_735_689_599, "20241231T235959"),
        (u64::MAX, "99991231T235959"),
    ] {
        assert_eq!(CertificateTime::from_unix(seconds).to_string(), text);
    }
}

#[test]
fn the_implicit_digest_is_that_of_the_whole_data() {
    let wire = octets(METADATA);
    let data = Data::decode(fragment(&wire)).expect("a Data");
    let name = Name::from(data.name).implicit_digest(&data.implicit_digest());
    // Computed by sha256sum.
    assert_eq!(
        name.as_ref().last().expect("a digest").to_string(),
        "sha256digest=aac7171a17052d6f76ded736f03a7a3c3d2d85ff38036ab154d86b1b165515d8"
    );
}
