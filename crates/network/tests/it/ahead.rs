//! A network that looks ahead does the same to every packet, and writes down the same of every
//! link.

use crate::order::{Fates, Plain};
use narrows_network::{Change, FlowId, LinkId, Network, What};
use narrows_path::{Limit, LinkChange, LinkConfig, LossModel, RateSource};
use narrows_units::{Bytes, Rate, Span, Time};
use proptest::collection::vec;
use proptest::prelude::*;

/// Trees, chains and merging points of a few links, with what happens on them.
#[derive(Clone, Debug)]
struct Story {
    links: Vec<LinkConfig>,
    /// The links of each flow, in order.
    routes: Vec<Vec<usize>>,
    changes: Vec<Change>,
    /// Packets that enter: so much later than the one before, of which flow, and of which size.
    packets: Vec<(u64, usize, u64)>,
    warmup: u64,
}

/// The outcome: packets delivered and dropped, in order of time, and the records.
type Outcome = (Vec<(u32, Time)>, Vec<(u32, Time)>, Vec<String>);

const MS: u64 = 1_000_000;

fn link() -> impl Strategy<Value = LinkConfig> {
    let rate = prop_oneof![4 => (1..40u64).prop_map(|mbps| RateSource::Constant(Rate::from_mbps(mbps))), 1 => Just(RateSource::Unlimited)];
    let limit = prop_oneof![
        Just(Limit::None),
        (1..8u32).prop_map(Limit::Packets),
        (1500..9000u64).prop_map(|bytes| Limit::Bytes(Bytes::new(bytes)))
    ];
    let loss = prop_oneof![3 => Just(LossModel::None), 1 => Just(LossModel::Independent(0.2)), 1 => Just(LossModel::Periodic(5))];
    let queue =
        prop_oneof![6 => Just(None), 1 => Just(Some("codel".parse().expect("a discipline")))];
    (rate, 0..5 * MS, limit, loss, queue).prop_map(|(rate, delay, limit, loss, queue)| LinkConfig {
        rate,
        delay: Span::from_nanos(delay),
        limit,
        loss,
        queue,
        ..LinkConfig::default()
    })
}

fn change(links: usize, flows: usize) -> impl Strategy<Value = What> {
    let route = vec(0..links, 1..4);
    prop_oneof![
        (0..links, 1..40u64).prop_map(|(link, mbps)| What::Link(
            LinkId(link),
            LinkChange::Rate(Rate::from_mbps(mbps))
        )),
        (0..links, 0..5 * MS).prop_map(|(link, delay)| What::Link(
            LinkId(link),
            LinkChange::Delay(Span::from_nanos(delay))
        )),
        (0..flows, route).prop_map(|(flow, route)| What::Route {
            flow: FlowId(flow),
            route: ids(&route),
            back: vec![]
        }),
    ]
}

fn ids(route: &[usize]) -> Vec<LinkId> {
    route.iter().map(|link| LinkId(*link)).collect()
}

fn story() -> impl Strategy<Value = Story> {
    (2..7usize, 1..5usize).prop_flat_map(|(links, flows)| {
        // Routes that go up in the numbers share chains often, and merge.
        let route = prop_oneof![Just((0..links).collect()), vec(0..links, 1..5)];
        let changes = vec((0..60 * MS, change(links, flows)), 0..3);
        (
            vec(link(), links),
            vec(route, flows),
            changes,
            vec((0..2 * MS, 0..flows, 40..1500u64), 1..120),
            0..60 * MS,
        )
            .prop_map(|(links, routes, mut changes, packets, warmup)| {
                changes.sort_by_key(|(at, _)| *at);
                let changes = changes
                    .into_iter()
                    .map(|(at, what)| Change { at: Time::from_nanos(at), what })
                    .collect();
                Story { links, routes, changes, packets, warmup }
            })
    })
}

/// Runs a story, with a sample in every millisecond.
fn run(story: &Story, ahead: bool) -> (Outcome, u64) {
    let names: Vec<String> = (0..story.links.len()).map(|link| format!("link {link}")).collect();
    let plans = || names.iter().map(String::as_str).zip(&story.links);
    let mut network = Network::new(plans(), 3, 0);
    let mut fates = Fates::default();
    story.routes.iter().for_each(|route| network.add_flow(&ids(route), &[]));
    network.set_changes(&story.changes);
    if ahead {
        network.look_ahead();
    }
    let mut next = MS;
    let mut warm = story.warmup;
    let mut until = |network: &mut Network<Plain>, fates: &mut Fates, end: u64| {
        while next.min(warm) <= end {
            let at = Time::from_nanos(next.min(warm));
            network.advance_to_sample(at, fates);
            if at.as_nanos() == next {
                network.sample(at);
                next += MS;
            } else {
                network.end_warmup(at);
                warm = u64::MAX;
            }
        }
        network.advance(Time::from_nanos(end), fates);
        network.check();
    };
    let mut now = 0;
    for (number, (after, flow, size)) in story.packets.iter().enumerate() {
        now += after;
        until(&mut network, &mut fates, now);
        let place = network.route(*flow, false);
        network.enter(
            Time::from_nanos(now),
            Plain { number: number as u32, place, size: *size },
            &mut fates,
        );
        network.check();
    }
    // Some are still on their way at the end.
    let end = now + 8 * MS;
    until(&mut network, &mut fates, end);
    let events = network.events();
    let records =
        network.finish(Time::from_nanos(end), plans().map(|(name, config)| (name, config, false)));
    (
        (
            fates.delivered,
            fates.dropped,
            records.iter().map(|record| format!("{record:?}")).collect(),
        ),
        events,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn looking_ahead_changes_no_time_no_drop_and_no_record(story in story()) {
        let step_by_step = run(&story, false);
        let ahead = run(&story, true);
        prop_assert_eq!(&ahead.0, &step_by_step.0);
        prop_assert!(ahead.1 <= step_by_step.1);
    }
}

/// Ten packets over six equal links in a row: sixty events, or ten.
#[test]
fn a_chain_is_one_event() {
    let link = LinkConfig {
        rate: RateSource::Constant(Rate::from_mbps(10)),
        delay: Span::from_millis(2),
        ..LinkConfig::default()
    };
    let packets = vec![(MS, 0, 1250); 10];
    let story = Story {
        links: vec![link; 6],
        routes: vec![(0..6).collect()],
        changes: vec![],
        packets,
        warmup: 90 * MS,
    };
    let story =
        Story { packets: [story.packets.clone(), vec![(20 * MS, 0, 40)]].concat(), ..story };
    let end = 10;
    let step_by_step = run(&story, false);
    let ahead = run(&story, true);
    assert_eq!(ahead.0, step_by_step.0);
    assert_eq!(
        ahead.0.0[..end].iter().map(|(number, _)| *number).collect::<Vec<_>>(),
        (0..10).collect::<Vec<_>>()
    );
    assert_eq!((step_by_step.1 / 6, ahead.1), (10, 10));
}
