//! Links that rewrite the ECN field, worked by hand.

use narrows_path::{Delivery, EcnField, Link, LinkChange, LinkConfig, Packet, RateSource};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::{Ecn, Header};

/// A packet, and the code point with which it was sent.
#[derive(Clone, Copy, Debug)]
struct Sent(Ecn, Ecn);

impl Packet for Sent {
    fn size(&self) -> Bytes {
        Bytes::new(1500)
    }
    fn ecn(&self) -> Ecn {
        self.0
    }
    fn set_ecn(&mut self, ecn: Ecn) {
        self.0 = ecn;
    }
    fn sent_ecn(&self) -> Ecn {
        self.1
    }
    fn header(&mut self) -> Option<&mut Header> {
        None
    }
    fn flow(&self) -> u64 {
        0
    }
}

/// Packets of a millisecond each on a link that marks those that find more than one waiting: the
/// first and the last come marked.
fn link(ecn: EcnField, queue: Option<&str>) -> Link<Sent> {
    let queue = queue.map(|text| text.parse().expect("a discipline"));
    let rate = RateSource::Constant(Rate::from_mbps(12));
    let mut link = Link::new(
        &LinkConfig {
            rate,
            delivery: Delivery { ecn, ..Delivery::default() },
            queue,
            ..LinkConfig::default()
        },
        1,
        "link",
    );
    let sent = [Ecn::Ect1, Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ect0, Ecn::Ect0];
    for (number, sent) in sent.into_iter().enumerate() {
        let ecn = if [0, 5].contains(&number) { Ecn::Ce } else { sent };
        link.offer(Time::ZERO, Sent(ecn, sent));
    }
    link
}

fn codes(link: &mut Link<Sent>) -> Vec<Ecn> {
    std::iter::from_fn(|| link.pop(Time::ZERO + Span::from_secs(1)))
        .map(|(_, packet)| packet.0)
        .collect()
}

const MARKING: Option<&str> = Some("step?threshold=1&unit=packets");

#[test]
fn marks_of_this_queue_and_of_those_before_are_kept_bleached_or_taken_off() {
    use Ecn::{Ce, Ect0, Ect1, NotEct};
    // Packets capable of ECN behind the first two that wait are marked: the fourth,
    // the fifth and the sixth, which came marked.
    assert_eq!(codes(&mut link(EcnField::Keep, MARKING)), [Ce, NotEct, Ect0, Ce, Ce, Ce]);
    assert_eq!(codes(&mut link(EcnField::Bleach, MARKING)), [NotEct; 6]);
    assert_eq!(codes(&mut link(EcnField::Unmark, MARKING)), [Ect1, NotEct, Ect0, Ect1, Ect0, Ect0]);
    // Without a discipline only those that came marked are.
    assert_eq!(codes(&mut link(EcnField::Keep, None)), [Ce, NotEct, Ect0, Ect1, Ect0, Ce]);
    assert_eq!(codes(&mut link(EcnField::Unmark, None)), [Ect1, NotEct, Ect0, Ect1, Ect0, Ect0]);
    let mut marking = link(EcnField::Unmark, MARKING);
    marking.settle(Time::ZERO + Span::from_secs(1));
    assert_eq!(marking.counters().marked, 3, "the queue has marked them all the same");
}

#[test]
fn a_change_holds_for_those_that_reach_the_far_end_after_it() {
    use Ecn::{Ce, Ect0, NotEct};
    for queue in [None, MARKING] {
        let mut link = link(EcnField::Keep, queue);
        let mut codes = Vec::new();
        for (ms, ecn) in
            [(3, EcnField::Bleach), (4, EcnField::Unmark), (5, EcnField::Keep), (9, EcnField::Keep)]
        {
            let at = Time::ZERO + Span::from_millis(ms);
            codes.extend(std::iter::from_fn(|| link.pop(at)).map(|(_, packet)| packet.0));
            link.change(at, LinkChange::Ecn(ecn));
        }
        assert_eq!(codes, [Ce, NotEct, Ect0, NotEct, Ect0, Ce]);
    }
}

#[test]
fn a_link_that_rewrites_packets_must_see_them_and_looks_ahead_nothing() {
    let looks_ahead = |ecn| {
        let delivery = Delivery { ecn, ..Delivery::default() };
        Link::<Sent>::new(
            &LinkConfig { delay: Span::from_millis(1), delivery, ..LinkConfig::default() },
            1,
            "link",
        )
        .looks_ahead()
    };
    assert_eq!(EcnField::ALL.map(looks_ahead), [true, false, false]);
}
