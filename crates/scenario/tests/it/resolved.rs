//! Resolution of scenarios: defaults, expansion, routes, buffers.

use narrows_path::{Delivery, Jitter, Limit, LinkChange, LinkConfig, LossModel, RateSource, Trace};
use narrows_scenario::{Comparison, Scenario, What, Workload, parse};
use narrows_transport::Transport;
use narrows_units::{Bytes, Depth, Rate, Span, Time};
use std::io;
use std::path::Path;

fn files(path: &Path) -> io::Result<String> {
    match path.to_str() {
        Some("down.trace") => Ok("1\n2\n4\n".to_owned()),
        Some("up.csv") => Ok("0,8\n10,0\n".to_owned()),
        _ => Err(io::Error::new(io::ErrorKind::NotFound, "no such file")),
    }
}

fn read(text: &str) -> Scenario {
    parse(text, "folder/my-test.toml", &files).unwrap_or_else(|error| panic!("{}", error.short()))
}

const HEAD: &str = "duration = \"60 s\"\n";
const FLOW: &str = "[[flow]]\nfrom = \"a\"\nto = \"b\"\ncontroller = \"newreno\"\n";

/// Returns a scenario of one two-way link from a to b with these keys, and one flow.
fn link(keys: &str) -> Scenario {
    read(&format!("{HEAD}[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\n{keys}\n{FLOW}"))
}

#[test]
fn what_is_left_out_has_its_default() {
    let scenario = link("");
    assert_eq!(scenario.name, "my-test");
    assert_eq!(scenario.seed, 1);
    assert_eq!(scenario.warmup, Span::ZERO);
    assert_eq!(scenario.interval, Span::from_millis(100));
    assert!(scenario.send_overhead);
    assert_eq!(
        scenario.nodes.iter().map(|node| node.name.as_str()).collect::<Vec<_>>(),
        ["a", "b"]
    );
    assert_eq!(
        scenario.links.iter().map(|link| link.name.as_str()).collect::<Vec<_>>(),
        ["l", "l.back"]
    );
    let bursts = Delivery { burst_rate: Some(Rate::from_mbps(1_000)), ..Delivery::default() };
    assert_eq!(scenario.links[0].config, LinkConfig { delivery: bursts, ..LinkConfig::default() });
    let flow = &scenario.flows[0];
    assert_eq!(
        (flow.name.as_str(), flow.workload.clone(), flow.start, flow.stop),
        ("newreno", Workload::Bulk, Time::ZERO, None)
    );
    assert_eq!(flow.transport, Default::default());
}

#[test]
fn flows_change_single_keys_of_the_common_transport_or_begin_anew() {
    let link = "duration = \"9 s\"\n[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\n[transport]\npreset = \"linux-2.4\"\ndupthresh = 5\n";
    let one = "[flow.transport]\ninitial_window = 4\n";
    let own = "[flow.transport]\npreset = \"linux\"\nack_every = 1\n";
    let scenario = read(&format!("{link}{FLOW}{FLOW}{one}{FLOW}{own}"));
    let transports: Vec<&Transport> = scenario.flows.iter().map(|flow| &*flow.transport).collect();
    let common = Transport { dupthresh: 5, ..Transport::linux_2_4() };
    assert_eq!(transports[0], &common);
    assert_eq!(transports[1], &Transport { initial_window: 4, ..common });
    assert_eq!(transports[2], &Transport { ack_every: 1, ..Transport::default() });
}

#[test]
fn samples_are_about_600_per_run() {
    let interval = |duration: &str| {
        read(&format!(
            "duration = \"{duration}\"\n[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\n{FLOW}"
        ))
        .interval
    };
    assert_eq!(interval("100 s"), Span::from_millis(200));
    assert_eq!(interval("10 min"), Span::from_secs(1));
    assert_eq!(interval("1 s"), Span::from_millis(2));
    assert_eq!(interval("100 ms"), Span::from_millis(1));
    assert_eq!(interval("500 us"), Span::from_micros(500));
    assert_eq!(interval("500000 h"), Span::from_secs(5_000_000));
}

#[test]
fn the_reverse_direction_inherits_all_but_losses_and_jitter() {
    let scenario = link(
        "rate = \"8 Mbit/s\"\ndelay = \"10 ms\"\njitter = \"1 ms\"\nloss = \"2 %\"\nbuffer = \"50 packets\"",
    );
    let (there, back) = (&scenario.links[0].config, &scenario.links[1].config);
    assert_eq!(
        (there.loss, there.delivery.jitter),
        (LossModel::Independent(0.02), Jitter::uniform(Span::from_millis(1)))
    );
    let bursts = Delivery { burst_rate: Some(Rate::from_mbps(1_000)), ..Delivery::default() };
    assert_eq!((back.loss, back.delivery), (LossModel::None, bursts));
    assert_eq!((&back.rate, back.delay, back.limit), (&there.rate, there.delay, there.limit));
    let scenario = link(
        "rate = \"8 Mbit/s\"\n[link.back]\nrate = \"unlimited\"\ndelay = \"1 ms\"\nloss = { every = 7 }\nbuffer = \"unlimited\"",
    );
    let back = &scenario.links[1].config;
    assert_eq!(
        (&back.rate, back.delay, back.loss),
        (&RateSource::Unlimited, Span::from_millis(1), LossModel::Periodic(7))
    );
}

#[test]
fn loss_models() {
    assert_eq!(link("loss = \"0 %\"").links[0].config.loss, LossModel::None);
    assert_eq!(
        link("loss = { probability = 0.5 }").links[0].config.loss,
        LossModel::Independent(0.5)
    );
    let gilbert =
        LossModel::GilbertElliott { to_bad: 0.1, to_good: 0.2, loss_good: 0.0, loss_bad: 1.0 };
    assert_eq!(link("loss = { to_bad = 0.1, to_good = 0.2 }").links[0].config.loss, gilbert);
}

#[test]
fn buffers_by_hand() {
    let limit = |keys: &str| link(keys).links[0].config.limit;
    assert_eq!(limit("buffer = \"100 packets\""), Limit::Packets(100));
    assert_eq!(limit("buffer = \"64 KiB\""), Limit::Bytes(Bytes::new(65_536)));
    // 60 ms at 8 Mbit/s.
    assert_eq!(limit("rate = \"8 Mbit/s\"\nbuffer = \"60 ms\""), Limit::Bytes(Bytes::new(60_000)));
    // 8 Mbit/s times the propagation round trip of 20 ms.
    assert_eq!(
        limit("rate = \"8 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"1 bdp\""),
        Limit::Bytes(Bytes::new(20_000))
    );
    // Three opportunities of 1500 B in 4 ms are 9 Mbit/s, times 20 ms.
    assert_eq!(
        limit("trace = \"down.trace\"\ndelay = \"10 ms\"\nbuffer = \"2 bdp\""),
        Limit::Bytes(Bytes::new(45_000))
    );
    // 8 Mbit/s for 10 s of 60 s.
    assert_eq!(limit("trace = \"up.csv\"\nbuffer = \"60 ms\""), Limit::Bytes(Bytes::new(10_000)));
}

#[test]
fn a_bdp_takes_the_longest_round_trip() {
    let scenario = read(&format!(
        "{HEAD}[[link]]\nname = \"x\"\nbetween = [\"a\", \"b\"]\nrate = \"1 Gbit/s\"\nbuffer = \"1 bdp\"\n\
         [[link]]\nname = \"far\"\nbetween = [\"b\", \"c\"]\ndelay = \"50 ms\"\n{FLOW}[[flow]]\nfrom = \"a\"\nto = \"c\"\ncontroller = \"newreno\"\n"
    ));
    let rtt = scenario.base_rtt(&scenario.flows[1]);
    assert_eq!(rtt, Span::from_millis(100));
    assert_eq!(scenario.links[0].config.limit, Limit::Bytes(Bytes::new(12_500_000)));
}

#[test]
fn traces_are_read_once_and_named() {
    let scenario = link("trace = \"down.trace\"\n[link.back]\ntrace = \"up.csv\"");
    let at = [1, 2, 4].map(|ms| Time::ZERO + Span::from_millis(ms)).to_vec();
    let expected = Trace::Opportunities { at, period: Span::from_millis(4) };
    assert!(
        matches!(&scenario.links[0].config.rate, RateSource::Trace { trace, .. } if **trace == expected)
    );
    assert_eq!(scenario.links[0].trace_file.as_deref(), Some("down.trace"));
    assert_eq!(scenario.links[1].trace_file.as_deref(), Some("up.csv"));
}

#[test]
fn a_count_makes_numbered_flows() {
    let scenario = read(&format!(
        "{HEAD}[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\n{FLOW}count = 3\nstart = \"1 s\"\nstagger = \"100 ms\"\nstop = \"30 s\"\n{FLOW}{FLOW}count = 1\n\
         [[flow]]\nfrom = \"b\"\nto = \"a\"\nworkload = {{ rate = \"1 Mbit/s\" }}\nstop = \"2 min\"\n"
    ));
    let names: Vec<&str> = scenario.flows.iter().map(|flow| flow.name.as_str()).collect();
    assert_eq!(names, ["newreno.1", "newreno.2", "newreno.3", "newreno-2", "newreno-3", "udp"]);
    assert_eq!(scenario.flows[2].start, Time::ZERO + Span::from_millis(1_200));
    assert_eq!(scenario.flows[2].stop, Some(Time::ZERO + Span::from_secs(30)));
    let udp = &scenario.flows[5];
    assert_eq!(
        (udp.workload.clone(), udp.stop, udp.back.len()),
        (Workload::Constant(Rate::from_mbps(1)), None, 0)
    );
}

#[test]
fn routes_take_the_fewest_hops_and_come_back_the_same_way() {
    let ring = "[[link]]\nname = \"ab\"\nbetween = [\"a\", \"b\"]\n[[link]]\nname = \"bc\"\nbetween = [\"b\", \"c\"]\n\
                [[link]]\nname = \"cd\"\nbetween = [\"c\", \"d\"]\n[[link]]\nname = \"da\"\nbetween = [\"d\", \"a\"]\n";
    let ways = |keys: &str| {
        let scenario = read(&format!(
            "{HEAD}{ring}[[flow]]\nfrom = \"a\"\nto = \"c\"\ncontroller = \"newreno\"\n{keys}\n"
        ));
        let names = |links: &[narrows_scenario::LinkId]| {
            links.iter().map(|id| scenario.links[id.0].name.clone()).collect::<Vec<_>>().join(" ")
        };
        (names(&scenario.flows[0].route), names(&scenario.flows[0].back))
    };
    assert_eq!(ways(""), ("ab bc".to_owned(), "bc.back ab.back".to_owned()));
    let other = ("da.back cd.back".to_owned(), "cd da".to_owned());
    assert_eq!(ways("route = [\"da.back\", \"cd.back\"]"), other);
    assert_eq!(ways("back = [\"cd\", \"da\"]").1, "cd da");
}

#[test]
fn comparisons_go_through_the_parser() {
    let usual = read(&Comparison::default().to_toml("newreno", 7));
    assert_eq!(
        (usual.seed, usual.duration, usual.warmup),
        (7, Span::from_secs(60), Span::from_secs(10))
    );
    assert_eq!(usual.links[0].config.rate, RateSource::Constant(Rate::from_mbps(100)));
    assert_eq!(usual.links[1].config, usual.links[0].config);
    assert_eq!(usual.links[0].config.delay, Span::from_millis(15));
    assert_eq!(usual.flows[0].name, "newreno");

    let unusual = Comparison {
        rtt: Span::from_nanos(3),
        buffer: Some(Depth::MilliBdp(2_000_000_000)),
        loss: 0.001,
        flows: 4,
        stagger: Span::from_secs(1),
        trace: Some("down.trace".to_owned()),
        ..Comparison::default()
    };
    let unusual = read(&unusual.to_toml("newreno", 1));
    assert_eq!(
        (unusual.links[0].config.delay, unusual.links[1].config.delay),
        (Span::from_nanos(1), Span::from_nanos(2))
    );
    assert_eq!(
        (unusual.links[0].config.loss, unusual.links[1].config.loss),
        (LossModel::Independent(0.001), LossModel::None)
    );
    assert_eq!(unusual.links[0].trace_file.as_deref(), Some("down.trace"));
    assert_eq!(unusual.links[1].config.rate, RateSource::Constant(Rate::from_mbps(100)));
    assert_eq!(unusual.flows.len(), 4);

    // A host's network card is a link in front of the bottleneck. Settings of the bottleneck stay
    // there.
    let fast = Comparison { host_rate: Some(Rate::from_mbps(10_000)), ..Comparison::default() }
        .to_toml("newreno", 7);
    let fast = read(&format!("queue = \"codel\"\n{fast}"));
    let names: Vec<_> =
        fast.flows[0].route.iter().map(|link| fast.links[link.0].name.as_str()).collect();
    assert_eq!(names, ["host", "bottleneck"]);
    assert_eq!(fast.links[0].config.limit, usual.links[0].config.limit);
    assert!(fast.links[0].config.queue.is_some() && fast.links[2].config.queue.is_none());
    assert_eq!(fast.links[2].config.rate, RateSource::Constant(Rate::from_mbps(10_000)));
}

#[test]
fn a_buffer_that_changes_to_some_bdp_follows_the_round_trip_of_then() {
    let change = |at: u32, of: &str| format!("[[change]]\nat = \"{at} s\"\n{of}\n");
    let bdp = "link = \"near\"\nbuffer = \"1 bdp\"";
    let text = format!(
        "duration = \"20 s\"\n\
         [[link]]\nname = \"near\"\nbetween = [\"a\", \"b\"]\nrate = \"8 Mbit/s\"\ndelay = \"10 ms\"\n\
         [[link]]\nname = \"far\"\nbetween = [\"a\", \"c\"]\ndelay = \"10 ms\"\n\
         [[link]]\nname = \"on\"\nbetween = [\"c\", \"b\"]\ndelay = \"30 ms\"\n\
         [[flow]]\nname = \"flow\"\nfrom = \"a\"\nto = \"b\"\ncontroller = \"newreno\"\nroute = [\"near\"]\nback = [\"near.back\"]\n{}",
        change(1, bdp)
            + &change(2, "link = \"near\"\ndelay = \"20 ms\"")
            + &change(3, bdp)
            + &change(4, "flow = \"flow\"\nback = [\"on.back\", \"far.back\"]")
            + &change(5, bdp)
    );
    let scenario = parse(&text, "test.toml", &|path| panic!("no trace is read from {path:?}"))
        .unwrap_or_else(|error| panic!("{}", error.short()));
    let limits = scenario.changes.iter().filter_map(|change| match change.what {
        What::Link(_, LinkChange::Limit(limit)) => Some(limit),
        _ => None,
    });
    // 1 byte per microsecond, times 20, 30 and 60 ms.
    assert_eq!(
        limits.collect::<Vec<_>>(),
        [20_000, 30_000, 60_000].map(|bytes| Limit::Bytes(Bytes::new(bytes)))
    );
}

#[test]
fn a_workload_is_drawn_by_the_name_or_the_place_of_its_flow() {
    let with = |keys: &str| {
        read(&format!(
            "{HEAD}[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\n{FLOW}{FLOW}{keys}workload = {{ arrivals = \"5/s\", sizes = \"50 kB\" }}\n"
        ))
    };
    let streams = |scenario: &Scenario| {
        scenario.flows.iter().map(|flow| flow.stream.clone()).collect::<Vec<_>>()
    };
    assert_eq!(streams(&with("")), ["newreno", "flow 2"]);
    assert_eq!(streams(&with("count = 2\n")), ["newreno", "flow 2.1", "flow 2.2"]);
    assert_eq!(streams(&with("name = \"web\"\n")), ["newreno", "web"]);
    assert_eq!(
        streams(&with("name = \"web\"\ncount = 2\nstream = \"s\"\n")),
        ["newreno", "s.1", "s.2"]
    );
    // The resolved scenario has names, and the same random draws.
    let scenario = with("");
    let again = read(&scenario.to_toml());
    assert_eq!(
        (again.flows[1].name.as_str(), again.flows[1].stream.as_str()),
        ("newreno-2", "flow 2")
    );
}
