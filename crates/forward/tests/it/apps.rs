//! Applications at a daemon, through the library.

use super::bench::name;
use super::daemon::Running;
use super::example;
use narrows_forward::{
    Answer, Consumer, Data, FetchError, Identity, InterestDraft, Name, Object, PingOutcome, Place,
    Producer, SignatureStatus, Trust,
};
use narrows_ndn::Certificate;
use narrows_ndn::signature::SigningKey;
use narrows_units::Span;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

fn unix(running: &Running) -> Place {
    Place::Unix(running.directory.join("n.sock"))
}

/// A producer on its own thread, which ends with the test.
struct Serving(Arc<AtomicBool>, Option<JoinHandle<u64>>);

impl Serving {
    fn start(mut producer: Producer) -> Serving {
        let going = Arc::new(AtomicBool::new(true));
        let seen = going.clone();
        let serve = move || {
            producer.run(&mut || seen.load(Ordering::Relaxed)).expect("connected");
            producer.answered()
        };
        Serving(going, Some(std::thread::spawn(serve)))
    }

    fn end(mut self) -> u64 {
        self.0.store(false, Ordering::Relaxed);
        self.1.take().expect("not ended before").join().expect("no panic")
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

fn now_s() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a time").as_secs()
}

#[test]
fn the_example_of_the_documentation_runs() {
    let running = Running::start("example", "");
    example::share(&unix(&running)).expect("served and fetched");
    let (page, code) =
        (include_str!("../../../../docs/how-to/ndn.md"), include_str!("../../examples/object.rs"));
    assert!(page.contains(code) && code.lines().count() <= 30);
}

#[test]
fn an_object_is_checked_against_the_certificate_that_is_trusted() {
    let running = Running::start("signed", "");
    let forwarder = unix(&running);
    let key = SigningKey::ecdsa_p256(&[9; 32]).expect("a scalar");
    let identity = Identity::certify(&name("/example"), key, now_s(), 1).expect("a certificate");
    let stranger = Identity::certify(&name("/example"), SigningKey::ed25519(&[1; 32]), now_s(), 1)
        .expect("a certificate");
    let (certificate, key_name) = (identity.certificate().to_vec(), identity.key_name().clone());
    let mut producer = Producer::connect(&forwarder).expect("a forwarder");
    producer.sign_as(identity).expect("registered");
    producer
        .serve(Object::new(name("/example/film"), vec![7; 30_000], 8000, 5))
        .expect("registered");
    let serving = Serving::start(producer);

    let fetch = |certificate: Option<&[u8]>| {
        let mut consumer = Consumer::connect(&forwarder).expect("a forwarder");
        let mut trust = Trust::default();
        certificate
            .into_iter()
            .for_each(|certificate| trust.add(certificate).expect("a certificate"));
        consumer.trust(trust);
        let mut content = Vec::new();
        let fetched = consumer.fetch(&name("/example/film"), &mut content, &mut |_| ())?;
        assert_eq!((fetched.segments, content), (4, vec![7; 30_000]));
        Ok::<_, FetchError>(fetched.signed.into_iter().collect::<Vec<_>>())
    };
    let signer = key_name.as_ref().to_string();
    assert_eq!(fetch(None).expect("fetched"), [SignatureStatus::By(signer.clone())]);
    assert_eq!(fetch(Some(&certificate)).expect("fetched"), [SignatureStatus::Verified(signer)]);
    assert!(matches!(fetch(Some(stranger.certificate())), Err(FetchError::Distrusted(..))));

    let asked = InterestDraft { can_be_prefix: true, ..InterestDraft::new(key_name.as_ref()) };
    let came = Consumer::connect(&forwarder)
        .expect("a forwarder")
        .express(&asked)
        .expect("its certificate");
    assert_eq!(came.octets, certificate);
    assert_eq!(
        Certificate::new(Data::decode(&came.octets).expect("a Data"))
            .expect("a certificate")
            .key_name(),
        key_name.as_ref()
    );
    assert!(
        serving.end() >= 5,
        "at least four segments and a certificate; content stores answer the rest"
    );
}

#[test]
fn a_producer_answers_under_several_prefixes_as_it_is_told() {
    let running = Running::start("prefixes", "");
    let forwarder = Place::parse(&format!("udp://{}", running.udp())).expect("a place");
    let mut producer = Producer::connect(&forwarder).expect("a forwarder");
    producer.answer_pings(&name("/a")).expect("registered");
    let mut count = 0u8;
    let counting = move |interest: &narrows_forward::Interest<'_>| {
        count += 1;
        let known = interest.name.len() == 2;
        known.then(|| Answer {
            name: Name::from(interest.name),
            content: vec![count],
            freshness: Span::ZERO,
            last_segment: None,
        })
    };
    producer.answer(&name("/count"), counting).expect("registered");
    let serving = Serving::start(producer);
    let mut consumer = Consumer::connect(&forwarder).expect("a forwarder");
    let patience = Span::from_secs(20);
    for number in 0..3 {
        assert!(matches!(
            consumer.ping(&name("/a"), number, patience).expect("connected"),
            PingOutcome::Answered(_)
        ));
    }
    for number in 1..=3u8 {
        let asked = name("/count").generic(&[number]);
        let came = consumer
            .express(&InterestDraft {
                lifetime_ms: Some(20_000),
                ..InterestDraft::new(asked.as_ref())
            })
            .expect("an answer");
        assert_eq!(Data::decode(&came.octets).expect("a Data").content, Some(&[number][..]));
        assert_eq!(came.signed, SignatureStatus::Nobody);
    }
    let asked = name("/count/a/b");
    let silent = consumer
        .express(&InterestDraft { lifetime_ms: Some(100), ..InterestDraft::new(asked.as_ref()) });
    assert!(
        matches!(silent, Err(FetchError::Client(narrows_forward::ClientError::Silent(..)))),
        "{silent:?}"
    );
    assert_eq!(serving.end(), 6);
    assert!(
        matches!(consumer.ping(&name("/b"), 1, patience).expect("connected"), PingOutcome::Lost(_)),
        "/b is not registered"
    );
}
