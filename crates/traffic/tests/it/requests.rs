//! Requests at random: the same ones for whoever asks for them, whenever that is.

use narrows_scenario::{Icn, Scenario};
use narrows_traffic::{Contents, Request, Requests};
use narrows_units::{Span, Time};
use std::collections::BTreeMap;

const SHOP: &str = "[[request]]\nname = \"shop\"\nat = [\"a\", \"b\"]\nprefix = [\"/one\", \"/two\"]\nevery = \"50 ms\"\nsegments = [[5, 0.9], [50, 0.1]]\n\
    start = \"2 s\"\nstop = \"60 s\"\n";
const NEWS: &str = "[[request]]\nname = \"news\"\nat = \"b\"\nprefix = \"/two\"\nevery = \"20 ms\"\nsegments = [[1, 0.5], [2, 0.5]]\ncatalogue = 10\nzipf = 1.0\n";

fn scenario(requests: &str) -> Scenario {
    let text = format!(
        "duration = \"100 s\"\nseed = 7\n[icn]\n[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = \"4 Mbit/s\"\n\
         [[link]]\nname = \"m\"\nbetween = [\"b\", \"c\"]\nrate = \"4 Mbit/s\"\n[[prefix]]\nname = \"/one\"\nat = \"c\"\n[[prefix]]\nname = \"/two\"\nat = \"c\"\n\
         [[consumer]]\nat = \"a\"\nprefix = \"/two\"\n{requests}"
    );
    narrows_scenario::parse(&text, "test.toml", &|path| std::fs::read_to_string(path))
        .unwrap_or_else(|error| panic!("{}", error.short()))
}

fn icn(scenario: &Scenario) -> &Icn {
    scenario.icn.as_ref().expect("it is one")
}

const END: Time = Time::from_nanos(100_000_000_000);

/// All of them at once, as a world takes them that plans them before it runs.
fn planned(scenario: &Scenario) -> (Vec<Request>, Contents) {
    let mut contents = Contents::new(icn(scenario));
    let mut requests = Requests::new(scenario.seed, icn(scenario), &mut contents);
    let mut all = Vec::new();
    while requests.due() < END {
        all.extend(requests.next(&mut contents));
    }
    (all, contents)
}

#[test]
fn a_world_that_goes_by_the_clock_and_one_that_plans_ahead_see_the_same() {
    let scenario = scenario(&format!("{SHOP}{NEWS}"));
    let (planned, _) = planned(&scenario);
    let mut contents = Contents::new(icn(&scenario));
    let mut requests = Requests::new(scenario.seed, icn(&scenario), &mut contents);
    let mut seen = Vec::new();
    let mut now = Time::ZERO;
    while now < END {
        while requests.due() <= now && now < END {
            seen.extend(requests.next(&mut contents));
        }
        now += Span::from_millis(7);
    }
    assert!(
        seen.len() > 5000 && planned.len() - seen.len() < 10,
        "{} of {}",
        seen.len(),
        planned.len()
    );
    assert_eq!(seen, planned[..seen.len()]);
    assert!(planned.is_sorted_by_key(|request| request.at));
}

#[test]
fn a_process_asks_as_its_table_says_whatever_others_ask() {
    let (both, contents) = planned(&scenario(&format!("{NEWS}{SHOP}")));
    let shop: Vec<&Request> = both.iter().filter(|request| request.process == 1).collect();
    let (alone, _) = planned(&scenario(SHOP));
    let own = |request: &Request| {
        (request.at, request.node, request.content.prefix, request.segments, request.seed)
    };
    assert_eq!(
        shop.iter().map(|request| own(request)).collect::<Vec<_>>(),
        alone.iter().map(own).collect::<Vec<_>>()
    );
    // 58 s at 20 a second: 1160 with a standard deviation of 34.
    assert!((1160 - 5 * 34..1160 + 5 * 34).contains(&alone.len()), "{}", alone.len());
    let from_to = |at: Time| (2.0..60.0).contains(&at.as_secs_f64());
    assert!(alone.iter().all(|request| from_to(request.at) && [5, 50].contains(&request.segments)));
    // Each content is asked for once, and belongs to the flow of the node that asks. Flows: the
    // consumer, "news" at b, "shop" at a and b.
    let mut once = BTreeMap::new();
    for request in &shop {
        assert_eq!(request.flow, 2 + request.node);
        assert_eq!(contents.owner(request.content), Some(request.flow as u32));
        *once.entry(request.content).or_insert(0) += 1;
    }
    assert!(once.values().all(|count| *count == 1));
    assert_eq!(contents.owner(contents.of_consumer(0)), Some(0));
}

#[test]
fn contents_of_a_catalogue_are_asked_for_by_their_rank_and_keep_their_length() {
    let (all, contents) = planned(&scenario(NEWS));
    let mut counts = BTreeMap::new();
    for request in &all {
        let (count, segments) =
            counts.entry(request.content.number).or_insert((0u32, request.segments));
        *count += 1;
        assert_eq!(*segments, request.segments, "a content has one length");
        assert_eq!(contents.owner(request.content), Some(1));
    }
    assert_eq!(counts.len(), 10);
    // The first of ten by Zipf's law with exponent 1 has 1/2.929 of 5000 requests, the tenth a
    // tenth of that; standard deviations are 34 and 13.
    let ranks: Vec<u32> = counts.values().map(|(count, _)| *count).collect();
    let share = f64::from(ranks[0]) / all.len() as f64;
    assert!((share - 0.3414).abs() < 0.034 && (100..250).contains(&ranks[9]), "{share} {ranks:?}");
    // The content of the consumer was there before.
    assert_eq!(counts.keys().copied().collect::<Vec<_>>(), (1..=10).collect::<Vec<u32>>());
}
