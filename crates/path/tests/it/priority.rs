//! Strict priority against its definition: whenever the transmitter becomes free it takes the first
//! urgent packet that has come, else the first of the others.

use narrows_path::{Link, LinkConfig, Packet, RateSource};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::{Ecn, Header};
use proptest::prelude::*;

#[derive(Clone, Copy, Debug)]
struct Mail {
    id: usize,
    size: u64,
    urgent: bool,
}

impl Packet for Mail {
    fn size(&self) -> Bytes {
        Bytes::new(self.size)
    }
    fn ecn(&self) -> Ecn {
        Ecn::NotEct
    }
    fn set_ecn(&mut self, _: Ecn) {}
    fn flow(&self) -> u64 {
        0
    }
    fn is_urgent(&self) -> bool {
        self.urgent
    }
    fn header(&mut self) -> Option<&mut Header> {
        None
    }
}

/// At 8 Mbit/s a byte takes a microsecond, so that no departure is rounded.
const MBPS: u64 = 8;
/// Propagation in microseconds.
const DELAY: u64 = 700;

/// When each packet has crossed, and its number, for packets that come at these microseconds. A
/// packet that comes when the transmitter becomes free comes after the choice.
fn by_definition(packets: &[(u64, Mail)]) -> Vec<(u64, usize)> {
    let (mut waiting, mut crossed, mut free_at) = (Vec::<Mail>::new(), Vec::new(), 0);
    for (at, mail) in packets.iter().map(|(at, mail)| (*at, Some(*mail))).chain([(u64::MAX, None)])
    {
        while free_at <= at && !waiting.is_empty() {
            let next = waiting.remove(waiting.iter().position(|mail| mail.urgent).unwrap_or(0));
            free_at += next.size;
            crossed.push((free_at + DELAY, next.id));
        }
        match mail {
            Some(mail) if free_at <= at => {
                free_at = at + mail.size;
                crossed.push((free_at + DELAY, mail.id));
            }
            Some(mail) => waiting.push(mail),
            None => {}
        }
    }
    crossed
}

proptest! {
    #[test]
    fn it_takes_the_first_urgent_packet_else_the_first(mails in proptest::collection::vec((0u64..400, 40u64..400, any::<bool>()), 1..100), early in any::<bool>()) {
        let mut at = 0;
        let packets = Vec::from_iter(mails.iter().enumerate().map(|(id, (gap, size, urgent))| {
            // Often at the very moment at which another has left.
            at += if gap % 2 == 0 { gap / 20 * 20 } else { *gap };
            (at, Mail { id, size: size / 20 * 20, urgent: *urgent })
        }));
        let config = LinkConfig {
            rate: RateSource::Constant(Rate::from_mbps(MBPS)),
            delay: Span::from_micros(DELAY),
            queue: Some("priority".parse().expect("a discipline")),
            ..LinkConfig::default()
        };
        let mut link: Link<Mail> = Link::new(&config, 1, "link");
        let mut crossed = Vec::new();
        let mut look = |link: &mut Link<Mail>, now: Time| {
            crossed.extend(std::iter::from_fn(|| link.pop(now)).map(|(at, mail)| (at.as_nanos(), mail.id)));
        };
        for (at, mail) in &packets {
            let now = Time::ZERO + Span::from_micros(*at);
            while let Some(due) = link.due().filter(|due| early && *due <= now) {
                look(&mut link, due);
            }
            link.offer(now, *mail);
        }
        look(&mut link, Time::from_nanos(u64::MAX / 2));
        let expected = Vec::from_iter(by_definition(&packets).iter().map(|(at, id)| (at * 1000, *id)));
        prop_assert_eq!(crossed, expected);
    }
}
