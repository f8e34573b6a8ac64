//! Keys, certificates, and the Data that a consumer accepts.

use super::bench::name;
use narrows_forward::{
    Identity, IdentityError, SignatureStatus, Trust, TrustError, encode_certificate_file,
};
use narrows_ndn::signature::{KeyLocator, Signer, SigningKey};
use narrows_ndn::{Certificate, Data, DataDraft, Name};

/// 22 November 2026, and the validity of certificates in days.
const NOW: u64 = 1_795_305_600;
const DAYS: u32 = 30;

/// Made by `openssl genpkey -algorithm ed25519` and `openssl genpkey -algorithm EC -pkeyopt
/// ec_paramgen_curve:P-256`.
const OPENSSL_ED25519: &str = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIAQTJ0VLcZcx1FIGuGBxlZvb1kkb3vCGc01AyFgzCtUg\n-----END PRIVATE KEY-----\n";
const OPENSSL_P256: &str = "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgwfFcaYGVzXHP+z1m\ndSzHEoicHL2GJ2lMfYjIc8eD7uihRANCAAQujFvtS4TfrLMMaWA6bu1RPG2NESmm\ndrIK9IBff+NH9Q5cGAizFJgxVl95T/vWYHeN2iMB90vpolrH/va3RJ1y\n-----END PRIVATE KEY-----\n";
/// Public half of the first key, which is not a private key.
const PUBLIC: &str = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAp5EvE27NOnHLnVZghkB5W6tX5Gv+8z83bEPXs56Au7s=\n-----END PUBLIC KEY-----\n";

fn identities() -> [Identity; 2] {
    [OPENSSL_ED25519, OPENSSL_P256].map(|pem| {
        let key = SigningKey::from_pkcs8_pem(pem).expect("a key");
        Identity::certify(&name("/example"), key, NOW, DAYS).expect("an identity")
    })
}

fn signed_by(key: &SigningKey, locator: &Name) -> Vec<u8> {
    let mut octets = Vec::new();
    let (at, signer) = (
        name("/elsewhere/1"),
        Signer { key, locator: Some(KeyLocator::Name(locator.as_ref())), validity: None },
    );
    DataDraft::new(at.as_ref(), b"content").write(&signer, &mut octets);
    octets
}

fn trusting(identity: &Identity) -> Trust {
    let mut trust = Trust::default();
    trust.add(encode_certificate_file(identity.certificate()).as_bytes()).expect("a certificate");
    trust
}

#[test]
fn a_trusted_key_verifies_and_any_other_does_not() {
    for (own, other) in identities().iter().zip(identities().iter().rev()) {
        let (trust, anybody) = (trusting(own), Trust::default());
        let key_name = own.key_name().as_ref().to_string();
        let certificate = Data::decode(own.certificate()).expect("a Data").name.into();
        for locator in [own.key_name(), &certificate] {
            let octets = signed_by(own.key(), locator);
            let data = Data::decode(&octets).expect("a Data");
            assert_eq!(trust.check(&data, NOW), Ok(SignatureStatus::Verified(key_name.clone())));
            assert_eq!(
                anybody.check(&data, NOW),
                Ok(SignatureStatus::By(locator.as_ref().to_string()))
            );
        }
        let octets = signed_by(other.key(), own.key_name());
        assert_eq!(
            trust.check(&Data::decode(&octets).expect("a Data"), NOW),
            Err(TrustError::Forged(key_name.clone()))
        );
        let octets = signed_by(other.key(), other.key_name());
        let told = trust
            .check(&Data::decode(&octets).expect("a Data"), NOW)
            .expect_err("a stranger")
            .to_string();
        assert!(
            told.contains(&other.key_name().as_ref().to_string()) && told.contains(&key_name),
            "{told}"
        );
        // Changes an octet of the content. Changes to lengths and numbers would make the packet
        // undecodable.
        let mut octets = signed_by(own.key(), own.key_name());
        let at = octets.windows(7).position(|octets| octets == b"content").expect("content");
        octets[at] ^= 1;
        assert_eq!(
            trust.check(&Data::decode(&octets).expect("a Data"), NOW),
            Err(TrustError::Forged(key_name))
        );
    }
}

#[test]
fn a_certificate_counts_while_it_is_valid() {
    let [own, _] = identities();
    let octets = signed_by(own.key(), own.key_name());
    let data = Data::decode(&octets).expect("a Data");
    let end = NOW + u64::from(DAYS) * 86_400;
    for (at, valid) in [(NOW - 1, false), (NOW, true), (end, true), (end + 1, false)] {
        let checked = trusting(&own).check(&data, at);
        assert_eq!(checked.is_ok(), valid, "{checked:?}");
        assert_eq!(matches!(checked, Err(TrustError::Expired { .. })), !valid);
    }
}

#[test]
fn digests_protect_from_damage_and_are_nobodys_signature() {
    let [own, _] = identities();
    let mut octets = Vec::new();
    let at = name("/x");
    DataDraft::new(at.as_ref(), b"content").write(&Signer::DIGEST, &mut octets);
    let data = Data::decode(&octets).expect("a Data");
    assert_eq!(Trust::default().check(&data, NOW), Ok(SignatureStatus::Nobody));
    assert_eq!(trusting(&own).check(&data, NOW), Err(TrustError::Unsigned));
    let last = octets.len() - 1;
    octets[last] ^= 1;
    for trust in [Trust::default(), trusting(&own)] {
        assert_eq!(
            trust.check(&Data::decode(&octets).expect("a Data"), NOW),
            Err(TrustError::Damaged)
        );
    }
}

#[test]
fn keys_go_to_pem_and_back_and_other_files_are_refused() {
    for pem in [OPENSSL_ED25519, OPENSSL_P256] {
        let key = SigningKey::from_pkcs8_pem(pem).expect("a key");
        let again = SigningKey::from_pkcs8_pem(&key.to_pkcs8_pem().expect("a key")).expect("a key");
        assert_eq!(again.public_key(), key.public_key());
    }
    assert_eq!(
        SigningKey::from_pkcs8_pem(OPENSSL_ED25519).expect("a key").to_pkcs8_pem().as_deref(),
        Some(OPENSSL_ED25519)
    );
    assert_eq!(SigningKey::Digest.to_pkcs8_pem(), None);
    let [own, other] = identities();
    let told = |key: &str, certificate: &[u8]| {
        Identity::new(key, certificate).expect_err("refused").to_string()
    };
    assert!(told(PUBLIC, own.certificate()).contains("not a private key"));
    assert!(told(OPENSSL_P256, own.certificate()).contains("belongs to another key"));
    assert!(told(OPENSSL_ED25519, b"nothing").contains("neither a packet nor base64"));
    assert!(told(OPENSSL_ED25519, &[6, 0]).contains("not a Data packet"));
    assert!(Identity::new(OPENSSL_P256, other.certificate()).is_ok());
    assert!(matches!(
        Trust::default().add(&signed_by(own.key(), own.key_name())),
        Err(IdentityError::Certificate(_))
    ));
}

#[test]
fn a_certificate_is_what_the_format_says() {
    for own in identities() {
        let certificate = Certificate::new(Data::decode(own.certificate()).expect("a Data"))
            .expect("a certificate");
        assert_eq!(certificate.identity().to_string(), "/example");
        assert_eq!(certificate.key_name(), own.key_name().as_ref());
        assert_eq!(
            certificate
                .key
                .verify(&certificate.data.signed_portion(), certificate.data.signature_value),
            Ok(()),
            "the certificate is signed by its own key"
        );
        assert_eq!(
            (
                certificate.validity.not_before.to_string(),
                certificate.validity.not_after.to_string()
            ),
            ("20261122T000000".to_owned(), "20261222T000000".to_owned())
        );
    }
}
