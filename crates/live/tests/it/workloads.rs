//! Every workload over kernel sockets: the counts equal the applications' actions. All workloads
//! run at once, in networks of their own.

use crate::common::{Case, LINK, Ran, flow, run, scenario};
use narrows_measure::{FlowRecord, LinkRecord, Transfer, Transfers};
use narrows_scenario::Scenario;
use narrows_traffic::{Action, Application};
use narrows_units::{Bytes, Span, Time};
use std::sync::LazyLock;

const SECONDS: u64 = 4;
const MSS: u64 = 1448;

const CASES: [Case; 18] = [
    Case {
        name: "size",
        flow: "controller = \"cubic\"\nworkload = { size = \"300 kB\" }\nstart = \"500 ms\"",
        link: LINK,
    },
    Case {
        name: "stopped",
        flow: "controller = \"newreno\"\nstart = \"200 ms\"\nstop = \"2 s\"",
        link: LINK,
    },
    Case {
        name: "steady",
        flow: "controller = \"cubic\"\nworkload = { rate = \"4 Mbit/s\" }",
        link: LINK,
    },
    Case {
        name: "times",
        flow: "controller = \"cubic\"\nworkload = { on = \"200 ms\", off = \"300 ms\" }",
        link: LINK,
    },
    Case {
        name: "sizes",
        flow: "controller = \"cubic\"\nworkload = { on = \"100 kB\", off = \"100 ms\" }",
        link: LINK,
    },
    Case {
        name: "paced",
        flow: "controller = \"cubic\"\nworkload = { on = \"500 ms\", off = \"500 ms\", rate = \"4 Mbit/s\" }",
        link: LINK,
    },
    Case {
        name: "frames",
        flow: "controller = \"cubic\"\nworkload = { rate = \"2 Mbit/s\", frame = \"40 ms\" }",
        link: LINK,
    },
    Case {
        name: "arrivals",
        flow: "controller = \"cubic\"\nworkload = { arrivals = \"20/s\", sizes = \"web\" }",
        link: LINK,
    },
    Case {
        name: "requests",
        flow: "controller = \"cubic\"\nworkload = { response = \"20 kB\", request = \"300 B\", think = \"50 ms\" }\nstart = \"1 s\"",
        link: LINK,
    },
    Case {
        name: "asking",
        flow: "controller = \"cubic\"\nworkload = { response = \"20 kB\", think = \"50 ms\", connections = \"new\" }\nstart = \"1 s\"\nstop = \"3500 ms\"",
        link: LINK,
    },
    Case { name: "datagrams", flow: "workload = { rate = \"4 Mbit/s\" }", link: LINK },
    Case { name: "overload", flow: "workload = { rate = \"15 Mbit/s\" }", link: LINK },
    Case {
        name: "media",
        flow: "workload = { rate = \"2 Mbit/s\", frame = \"40 ms\" }",
        link: "rate = \"10 Mbit/s\"\ndelay = \"10 ms\"\nloss = { every = 20 }",
    },
    Case {
        name: "losing",
        flow: "controller = \"newreno\"\nworkload = { size = \"1 MB\" }",
        link: "rate = \"10 Mbit/s\"\ndelay = \"10 ms\"\nloss = \"1 %\"",
    },
    Case {
        name: "late",
        flow: "controller = \"cubic\"\nworkload = { size = \"20 kB\" }\n[[change]]\nlink = \"late\"\nat = \"500 ms\"\nloss = \"0 %\"",
        link: "rate = \"10 Mbit/s\"\ndelay = \"10 ms\"\nloss = \"100 %\"",
    },
    Case {
        name: "hasty",
        flow: "controller = \"newreno\"\n[[change]]\nlink = \"hasty\"\nat = \"500 ms\"\nloss = \"100 %\"",
        link: LINK,
    },
    Case {
        name: "patient",
        flow: "controller = \"newreno\"\ntransport = { min_rto = \"1 s\" }\n[[change]]\nlink = \"patient\"\nat = \"500 ms\"\nloss = \"100 %\"",
        link: LINK,
    },
    Case {
        name: "many",
        flow: "controller = \"cubic\"\nworkload = { arrivals = \"250/s\", sizes = \"2 kB\" }",
        link: "rate = \"20 Mbit/s\"\ndelay = \"150 ms\"",
    },
];

static RAN: LazyLock<Option<(Scenario, Ran)>> = LazyLock::new(|| {
    let scenario = scenario(SECONDS, &CASES);
    run(&scenario).map(|ran| (scenario, ran))
});

/// Returns a flow and its transfers. `None` if nothing can run live here.
fn ran(name: &str) -> Option<(&'static FlowRecord, &'static Transfers)> {
    static NONE: LazyLock<Transfers> = LazyLock::new(Transfers::default);
    let (_, ran) = RAN.as_ref()?;
    let flow = flow(&ran.record, name);
    Some((flow, flow.transfers.as_ref().unwrap_or(&NONE)))
}

fn link(name: &str) -> Option<&'static LinkRecord> {
    RAN.as_ref()?.1.record.links.iter().find(|link| link.name == name)
}

/// True if times, and counts that depend on them, can be asserted. The other assertions hold on the
/// slowest machine.
fn timely() -> bool {
    RAN.as_ref().is_some_and(|(_, ran)| ran.timely)
}

fn ms(ms: u64) -> Time {
    Time::ZERO + Span::from_millis(ms)
}

fn sizes(transfers: &[Transfer]) -> u64 {
    transfers.iter().map(|transfer| transfer.size.get()).sum()
}

/// Returns the payload that a constant rate has offered at the end, in full segments.
fn offered(bits_per_second: u64) -> u64 {
    SECONDS * bits_per_second / 8 / MSS * MSS
}

/// Largest amount in flight at the end of the run, in bytes, on a busy machine.
const UNDER_WAY: u64 = 200_000;

#[test]
fn a_transfer_of_a_size_is_whole_and_ends() {
    let Some((flow, transfers)) = ran("size") else { return };
    assert!(flow.total.goodput <= Bytes::new(300_000), "{}", flow.total.goodput);
    for transfer in &transfers.list {
        assert_eq!((transfer.start, transfer.size), (ms(500), Bytes::new(300_000)));
        assert!(transfer.took > transfer.ideal, "{transfer:?}");
    }
    if !timely() {
        return;
    }
    assert_eq!(flow.total.goodput, Bytes::new(300_000));
    let [transfer] = transfers.list[..] else { panic!("{transfers:?}") };
    assert!(transfer.took < transfer.ideal * 4, "{transfer:?}");
    // The last acknowledgement takes 10 ms back.
    let end = flow.end.expect("it ends");
    assert!(
        flow.completed && end > transfer.start + transfer.took + Span::from_millis(10),
        "{end:?} after {}",
        transfer.took
    );
}

#[test]
fn a_flow_that_stops_sends_little_more() {
    let Some((flow, _)) = ran("stopped") else { return };
    assert_eq!((flow.end, flow.completed), (Some(ms(2_000)), false));
    assert_eq!(flow.total.goodput.get(), flow.samples.last().unwrap().goodput.get());
    if !timely() {
        return;
    }
    let sent_by =
        |at| flow.samples.iter().find(|sample| sample.at >= at).map_or(0, |sample| sample.sent);
    assert!(sent_by(ms(200)) < 3 && sent_by(ms(2_000)) > 1_000);
    assert_eq!(sent_by(ms(3_000)), flow.total.sent, "all is over a second later");
}

#[test]
fn bursts_by_time_begin_on_time_and_count_what_the_socket_took() {
    let Some((flow, transfers)) = ran("times") else { return };
    let starts: Vec<Time> = transfers.list.iter().map(|transfer| transfer.start).collect();
    assert_eq!(starts, (0..starts.len() as u64).map(|burst| ms(500 * burst)).collect::<Vec<_>>());
    assert!(flow.total.goodput.get() >= sizes(&transfers.list));
    if !timely() {
        return;
    }
    assert!(starts.len() > 5, "{starts:?}");
    // 200 ms of 10 Mbit/s are 241 kB of payload, and 200 kB may wait in the queue. A socket without
    // flow control would take megabytes.
    for transfer in &transfers.list[1..] {
        assert!((50_000..1_000_000).contains(&transfer.size.get()), "{transfer:?}");
    }
}

#[test]
fn bursts_by_size_are_whole_and_silence_follows_their_delivery() {
    let Some((_, transfers)) = ran("sizes") else { return };
    assert!(transfers.list.len() > 4 || !timely(), "{}", transfers.list.len());
    assert!(transfers.list.iter().all(|transfer| transfer.size == Bytes::new(100_000)));
    for pair in transfers.list.windows(2) {
        assert_eq!(pair[1].start, pair[0].start + pair[0].took + Span::from_millis(100));
    }
}

#[test]
fn bursts_at_a_rate_are_that_rate() {
    let Some((flow, transfers)) = ran("paced") else { return };
    // A burst of half a second has one segment more than its rate gives, because one is sent at its
    // start.
    let burst = (4_000_000 / 8 / 2_u64).div_ceil(MSS) * MSS;
    let goodput = flow.total.goodput.get();
    assert!(goodput <= burst * SECONDS && transfers.list.is_empty(), "{goodput}");
    assert!(goodput == burst * SECONDS || !timely(), "{goodput}");
}

#[test]
fn frames_come_whole_one_after_each_interval() {
    let Some((flow, transfers)) = ran("frames") else { return };
    assert_eq!(transfers.begun, SECONDS * 25 + 1, "the last at the end");
    for (number, transfer) in transfers.list.iter().enumerate() {
        assert_eq!((transfer.start, transfer.size), (ms(40 * number as u64), Bytes::new(10_000)));
    }
    assert!(
        transfers.list.len() as u64 > SECONDS * 25 - 30 || !timely(),
        "{}",
        transfers.list.len()
    );
    let goodput = flow.total.goodput.get();
    assert!(goodput >= sizes(&transfers.list) && goodput <= transfers.begun * 10_000);
}

#[test]
fn transfers_that_arrive_are_those_that_the_application_draws() {
    for name in ["arrivals", "many"] {
        let Some((flow, transfers)) = ran(name) else { return };
        let (scenario, _) = RAN.as_ref().expect("it ran");
        let plan = scenario.flows.iter().find(|plan| plan.name == name).expect("its plan");
        let mut application = Application::new(scenario, plan);
        let mut drawn = Vec::new();
        while let Some(action) = application.act(ms(SECONDS * 1000)) {
            if let Action::Open { message, .. } = action {
                drawn.push((message.start, message.size));
            }
        }
        let open = flow.samples.last().unwrap().connections as usize;
        let most = transfers.list.len() + open + 15;
        assert_eq!(transfers.begun, drawn.len() as u64, "{name}");
        assert!(
            most >= drawn.len() || !timely(),
            "{name}: {} and {open} of {}",
            transfers.list.len(),
            drawn.len()
        );
        assert!(
            transfers.list.iter().all(|transfer| drawn.contains(&(transfer.start, transfer.size))),
            "{name}"
        );
        let goodput = flow.total.goodput.get();
        assert!(goodput >= sizes(&transfers.list), "{name}");
        assert!(goodput <= drawn.iter().map(|(_, size)| size.get()).sum(), "{name}");
        assert!(transfers.list.iter().all(|transfer| transfer.took > transfer.ideal), "{name}");
    }
}

#[test]
fn many_connections_are_open_at_once() {
    let Some((flow, _)) = ran("many") else { return };
    // Each second opens 250 connections. Each is open for two round trips of 300 ms: its handshake
    // and its data.
    let most = flow.samples.iter().map(|sample| sample.connections).max().unwrap();
    assert!(most > 100 || !timely(), "{most}");
}

#[test]
fn requests_and_responses_take_turns() {
    let Some((flow, transfers)) = ran("requests") else { return };
    assert!(transfers.list.iter().take(1).all(|first| first.start == ms(1_000)));
    for pair in transfers.list.windows(2) {
        assert_eq!(pair[1].start, pair[0].start + pair[0].took + Span::from_millis(50));
    }
    let goodput = flow.total.goodput.get();
    assert!(goodput >= sizes(&transfers.list) && goodput <= transfers.begun * 20_000);
    if !timely() {
        return;
    }
    assert!(transfers.list.len() > 3, "{}", transfers.list.len());
    // The connection is open already. Request and response take one round trip, and 20 kB at 10
    // Mbit/s.
    let first = transfers.list[0].took;
    assert!(first > Span::from_millis(36) && first < Span::from_millis(300), "{first}");
}

#[test]
fn requests_on_new_connections_take_turns_and_each_pays_a_handshake() {
    let Some((flow, transfers)) = ran("asking") else { return };
    assert!(transfers.list.iter().take(1).all(|first| first.start == ms(1_000)));
    for pair in transfers.list.windows(2) {
        assert_eq!(pair[1].start, pair[0].start + pair[0].took + Span::from_millis(50));
    }
    // The ideal time holds two round trips.
    for own in &transfers.list {
        assert!(own.took > own.ideal && own.ideal > Span::from_millis(40), "{own:?}");
    }
    let goodput = flow.total.goodput.get();
    assert!(goodput >= sizes(&transfers.list) && goodput <= transfers.begun * 20_000);
    assert_eq!((flow.end, flow.completed), (Some(ms(3_500)), false));
    assert!(transfers.list.iter().all(|own| own.start < ms(3_500)));
    let most = flow.samples.iter().map(|sample| sample.connections).max().unwrap();
    assert!((1..=3).contains(&most), "{most}");
    if !timely() {
        return;
    }
    // A request that left before the stop is answered. Two round trips, 20 kB in two rounds at 10
    // Mbit/s, and the pause: 15 or more of them in 2.5 s on an idle host.
    assert!(transfers.list.len() > 8, "{}", transfers.list.len());
    assert_eq!(transfers.list.len() as u64, transfers.begun);
    assert_eq!(goodput, sizes(&transfers.list));
    let soonest = transfers.list.iter().map(|own| own.took).min().unwrap();
    assert!(soonest > Span::from_millis(57) && soonest < Span::from_millis(150), "{soonest}");
}

#[test]
fn datagrams_that_a_full_queue_drops_are_counted_by_flow_and_link() {
    let (Some((flow, _)), Some(link)) = (ran("overload"), link("overload")) else { return };
    assert_eq!(flow.total.dropped, link.total.overflowed);
    assert_eq!(
        flow.total.sent,
        flow.total.arrived + flow.total.dropped + link.left_queued + link.left_in_flight
    );
    if !timely() {
        return;
    }
    assert!(flow.total.dropped > flow.total.sent / 4, "a third of 15 Mbit/s");
}

#[test]
fn frames_of_datagrams_are_lost_with_any_of_their_parts() {
    let Some((flow, transfers)) = ran("media") else { return };
    // Frames of 10 kB have 7 datagrams, and every 20th datagram is lost: 7 of 20 frames lose one.
    assert_eq!(transfers.begun, SECONDS * 25 + 1, "the last at the end");
    assert_eq!(flow.total.dropped, flow.total.sent / 20);
    // No frame loses two datagrams. Some datagrams of the last frames have not been read yet.
    assert!(transfers.lost <= flow.total.dropped, "{transfers:?}");
    assert!(transfers.late >= transfers.lost);
    if !timely() {
        return;
    }
    assert!(transfers.lost + 10 > flow.total.dropped, "{transfers:?}");
    assert!(transfers.begun - transfers.lost - (transfers.list.len() as u64) < 25);
}

#[test]
fn what_the_kernel_sends_again_is_what_the_link_lost() {
    let (Some((flow, transfers)), Some(link)) = (ran("losing"), link("losing")) else { return };
    assert_eq!(flow.total.dropped, link.total.lost);
    if !timely() {
        return;
    }
    assert_eq!((flow.total.goodput, transfers.list.len()), (Bytes::new(1_000_000), 1));
    assert!(
        flow.total.retransmitted >= flow.total.dropped && flow.total.dropped > 0,
        "{:?}",
        flow.total
    );
    assert_eq!(flow.total.sent, flow.total.arrived + flow.total.dropped);
    assert_eq!(flow.total.sent - flow.total.retransmitted, 1_000_000_u64.div_ceil(MSS));
    // At least the propagation and a packet's time on the link; at most also the queue that the
    // window builds.
    let (least, most) = (flow.rtt.quantile(0.01).unwrap(), flow.rtt.max().unwrap());
    assert!(least > Span::from_millis(21) && most < Span::from_secs(1), "{least} to {most}");
}

#[test]
fn a_syn_that_was_lost_is_no_retransmission_of_data() {
    let Some((flow, transfers)) = ran("late") else { return };
    // The SYN is sent again after a second (RFC 6298, section 2.1).
    assert!(
        transfers.list.iter().all(|transfer| transfer.took > Span::from_secs(1)),
        "{transfers:?}"
    );
    if !timely() {
        return;
    }
    let took = transfers.list[0].took;
    assert!(took < Span::from_secs(2), "{took}");
    assert_eq!((flow.total.retransmitted, flow.total.timeouts), (0, 0));
}

/// The link loses everything from 500 ms on. With exponential backoff, timeouts expire after one,
/// three and seven times the first one.
#[test]
fn the_least_timeout_is_that_of_the_scenario() {
    let (Some((hasty, _)), Some((patient, _))) = (ran("hasty"), ran("patient")) else { return };
    assert!(hasty.total.timeouts >= 3, "200, 600, 1400 ms of 3500: {}", hasty.total.timeouts);
    assert!(
        (1..=2).contains(&patient.total.timeouts),
        "1 and 3 s of 3.5: {}",
        patient.total.timeouts
    );
}

#[test]
fn acknowledgements_are_neither_answers_to_syns_nor_data() {
    // A host that waits too long sends its SYN and its requests again.
    if !timely() {
        return;
    }
    let (Some((flow, _)), Some(back)) = (ran("losing"), link("losing.back")) else { return };
    assert_eq!(flow.total.acks + 1, back.total.offered);
    let (Some((flow, transfers)), Some(back)) = (ran("requests"), link("requests.back")) else {
        return;
    };
    let others = back.total.offered - flow.total.acks;
    assert!(
        (1 + transfers.begun..1 + 2 * transfers.begun).contains(&others),
        "{others} of {transfers:?}"
    );
}

#[test]
fn samples_reach_to_the_end_and_tell_of_pacing_where_there_is_some() {
    let Some((flow, _)) = ran("steady") else { return };
    assert_eq!(flow.samples.last().unwrap().at, ms(SECONDS * 1000));
    assert!(flow.samples.iter().all(|sample| sample.pacing.is_none()), "cubic does not pace");
}

/// Run by `make long`.
mod long {
    use super::*;

    #[test]
    #[ignore = "long: make long"]
    fn a_constant_rate_is_what_arrives_with_a_controller_and_without() {
        for name in ["steady", "datagrams"] {
            let Some((flow, _)) = ran(name) else { return };
            let (goodput, offered) = (flow.total.goodput.get(), offered(4_000_000));
            let delay = flow.one_way.quantile(0.1).unwrap();
            assert!(goodput <= offered + MSS, "{name}: {goodput} of {offered}");
            assert!(delay > Span::from_micros(11_199), "{name}: {delay}");
            if timely() {
                assert!(goodput + UNDER_WAY > offered, "{name}: {goodput} of {offered}");
                assert_eq!((goodput % MSS, flow.total.dropped), (0, 0), "{name}");
                assert!(delay < Span::from_millis(20), "{name}: {delay}");
            }
        }
    }
}
