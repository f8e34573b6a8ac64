//! Transfers: when they are complete, and how long they would take alone.

use crate::common::{one_link, run, scenario};
use narrows_measure::{Record, Transfers};
use narrows_traffic::{Contents, Requests};
use narrows_units::{Bytes, Span, Time};

const LINK: &str = "rate = \"8 Mbit/s\"\ndelay = \"10 ms\"";

#[test]
fn a_file_is_one_transfer_and_its_times_are_those_of_its_packets() {
    // A SYN of 60 bytes and its answer, 10.06 ms each way at 1 byte per microsecond. Then 52 bytes
    // that acknowledge the answer, which could be lost and so are not part of the ideal, and right
    // behind them three segments of the initial window: 1500, 1500 and 52 + 104 bytes.
    let text =
        one_link("newreno", 1, 0, LINK, "workload = { size = \"3000 B\" }\nstart = \"100 ms\"");
    let record = run(&format!("send_overhead = false\n{text}"));
    let transfers = record.flows[0].transfers.as_ref().unwrap();
    assert_eq!((transfers.begun, transfers.completed(), transfers.list.len()), (1, 1, 1));
    let done = transfers.list[0];
    assert_eq!((done.start, done.size), (Time::ZERO + Span::from_millis(100), Bytes::new(3000)));
    assert_eq!(
        (done.took, done.ideal),
        (Span::from_micros(20_120 + 52 + 13_156), Span::from_micros(33_276))
    );
}

#[test]
fn transfers_of_the_warm_up_are_listed_and_not_counted() {
    let record = run(&one_link(
        "cubic",
        2,
        1,
        LINK,
        "workload = { size = \"30 kB\" }\ncount = 2\nstagger = \"1 s\"",
    ));
    let of = |flow: usize| record.flows[flow].transfers.as_ref().unwrap();
    assert_eq!((of(0).begun, of(0).completed(), of(0).list.len()), (0, 0, 1));
    assert_eq!((of(1).begun, of(1).completed(), of(1).list.len()), (1, 1, 1));
}

#[test]
fn bursts_on_new_connections_follow_each_other() {
    // Each takes what a file on a connection of its own takes, and the next begins 20 ms later.
    let record = run(&format!(
        "send_overhead = false\n{}",
        one_link(
            "newreno",
            1,
            0,
            LINK,
            "workload = { on = \"3000 B\", off = \"20 ms\", connections = \"new\" }\nstart = \"100 ms\""
        )
    ));
    let all = &record.flows[0].transfers.as_ref().unwrap().list;
    let took = Span::from_micros(20_120 + 52 + 13_156);
    assert_eq!(all.len(), 17);
    for (number, own) in (0_u64..).zip(all) {
        let start = Time::ZERO + Span::from_millis(100) + (took + Span::from_millis(20)) * number;
        assert_eq!((own.start, own.took, own.size), (start, took, Bytes::new(3000)));
        assert_eq!(own.ideal, Span::from_micros(33_276));
    }
    // On one connection only the first has a handshake, and later ones find an open window.
    let one = run(&format!(
        "send_overhead = false\n{}",
        one_link("newreno", 1, 0, LINK, "workload = { on = \"3000 B\", off = \"20 ms\" }")
    ));
    let list = &one.flows[0].transfers.as_ref().unwrap().list;
    assert!(list[1].took < took, "{:?}", list[1]);
}

#[test]
fn nothing_is_faster_than_alone() {
    let link = "rate = \"20 Mbit/s\"\ndelay = \"5 ms\"\nbuffer = \"20 packets\"\nloss = \"1 %\"";
    let record = run(&one_link(
        "cubic",
        20,
        0,
        link,
        "workload = { size = \"200 kB\" }\ncount = 40\nstagger = \"200 ms\"",
    ));
    let all: Vec<_> =
        record.flows.iter().flat_map(|flow| &flow.transfers.as_ref().unwrap().list).collect();
    assert_eq!(all.len(), 40);
    assert!(all.iter().all(|transfer| transfer.slowdown() >= 1.0));
}

/// The soonest of the transfers of all flows, against the ideal.
fn soonest(record: &Record) -> f64 {
    let all = record.flows.iter().flat_map(|flow| &flow.transfers.as_ref().unwrap().list);
    all.map(|transfer| transfer.took.as_secs_f64() / transfer.ideal.as_secs_f64())
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn nothing_is_faster_than_alone_without_the_last_of_the_handshake() {
    let arrivals = "workload = { arrivals = \"20/s\", sizes = \"2 kB\" }";
    let record = run(&one_link(
        "cubic",
        20,
        0,
        "rate = \"1 Mbit/s\"\ndelay = \"5 ms\"\nloss = \"20 %\"",
        arrivals,
    ));
    assert!((1.0..1.01).contains(&soonest(&record)), "{}", soonest(&record));
}

#[test]
fn nothing_is_faster_than_alone_on_a_trace() {
    for (name, lines) in
        [("opportunities", "1\n2\n3\n4\n5\n6\n7\n8\n200\n"), ("steps", "0,40\n3,1\n6,40\n9,1\n")]
    {
        let file =
            std::env::temp_dir().join(format!("narrows-ideal-{}-{name}", std::process::id()));
        std::fs::write(&file, lines).unwrap();
        for workload in [
            "arrivals = \"5/s\", sizes = \"20 kB\"",
            "response = \"20 kB\", think = \"77 ms\"",
            "response = \"20 kB\", think = \"77 ms\", connections = \"new\"",
        ] {
            let link = format!("trace = '{}'\ndelay = \"5 ms\"", file.display());
            let record =
                run(&one_link("cubic", 12, 0, &link, &format!("workload = {{ {workload} }}")));
            assert!((1.0..2.0).contains(&soonest(&record)), "{} over {name}", soonest(&record));
        }
        std::fs::remove_file(&file).unwrap();
    }
}

#[test]
fn nothing_is_faster_than_alone_on_what_changes() {
    let ways = "duration = \"20 s\"\n[[link]]\nname = \"long\"\nbetween = [\"a\", \"b\"]\nrate = \"4 Mbit/s\"\ndelay = \"20 ms\"\n\
                [[link]]\nname = \"other\"\nbetween = [\"a\", \"b\"]\nrate = \"4 Mbit/s\"\ndelay = \"25 ms\"\n\
                [[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"b\"\nroute = [\"long\"]\ncontroller = \"cubic\"\nworkload = { response = \"100 kB\", think = \"10 ms\" }\n";
    let change = |lines: &str| format!("{ways}[[change]]\nat = \"3 s\"\n{lines}\n");
    for change in [
        change("link = \"long\"\nrate = \"40 Mbit/s\""),
        change("link = \"long\"\nboth = true\ndelay = \"2 ms\""),
        change(
            "flow = \"f\"\nroute = [\"other\"]\n[[change]]\nat = \"6 s\"\nlink = \"other\"\nrate = \"40 Mbit/s\"",
        ),
    ] {
        assert!(
            (1.0..2.0).contains(&soonest(&run(&change))),
            "{} with {change}",
            soonest(&run(&change))
        );
    }
    // While the route changes every 50 ms, packets cross both ways side by side.
    let mut often = ways.to_owned();
    for turn in 0..300 {
        let route = ["other", "long"][turn % 2];
        often += &format!(
            "[[change]]\nat = \"{} ms\"\nflow = \"f\"\nroute = [\"{route}\"]\n",
            1_000 + 50 * turn
        );
    }
    assert!(soonest(&run(&often)) >= 1.0, "{}", soonest(&run(&often)));
}

/// The transfers of the first flow.
fn transfers(record: &Record) -> &Transfers {
    record.flows[0].transfers.as_ref().expect("a flow that makes transfers")
}

#[test]
fn bursts_by_size_follow_their_delivery() {
    // 3000 B take 13.156 ms alone, the first the handshake more (as above), then a second of
    // silence; a window of ten segments holds them, and later ones find it as wide.
    let text = one_link("newreno", 5, 0, LINK, "workload = { on = \"3000 B\", off = \"1 s\" }");
    let record = run(&format!("send_overhead = false\n{text}"));
    let starts: Vec<u64> =
        transfers(&record).list.iter().map(|transfer| transfer.start.as_nanos() / 1_000).collect();
    assert_eq!(starts, [0, 1_033_328, 2_046_484, 3_059_640, 4_072_796]);
    assert!(transfers(&record).list[1..].iter().all(|transfer| transfer.took == transfer.ideal));
    assert_eq!(record.flows[0].total.goodput, Bytes::new(15_000));
}

#[test]
fn bursts_by_time_carry_what_the_link_does() {
    let record = run(&one_link(
        "cubic",
        30,
        0,
        &format!("{LINK}\nbuffer = \"2 bdp\""),
        "workload = { on = \"2 s\", off = \"1 s\" }",
    ));
    let list = &transfers(&record).list;
    assert_eq!(list.len(), 10);
    for (index, burst) in list.iter().enumerate() {
        assert_eq!(burst.start, Time::ZERO + Span::from_secs(3 * index as u64));
        // 1 MB/s for 2 s, less headers and slow start, plus what stood in the window when the burst
        // ended.
        assert!((1.7e6..2.05e6).contains(&(burst.size.get() as f64)), "{burst:?}");
        assert!(burst.slowdown() < 1.2, "{burst:?}");
    }
}

#[test]
fn the_window_restarts_after_silence_longer_than_the_timeout() {
    // The largest window in the first round trip or so of the second burst: the initial window
    // doubled at most, if the silence was long; what the first burst had reached, if it was short.
    let early = |controller: &str, off: &str| {
        let link = "rate = \"100 Mbit/s\"\ndelay = \"25 ms\"\nbuffer = \"4 bdp\"";
        let record = run(&one_link(
            controller,
            6,
            0,
            link,
            &format!("workload = {{ on = \"2 s\", off = \"{off}\" }}"),
        ));
        let begins = Span::from_secs(2) + off.parse::<Span>().unwrap();
        let samples = record.flows[0].samples.iter().filter(|s| {
            (begins + Span::from_millis(10)..begins + Span::from_millis(60))
                .contains(&s.at.since(Time::ZERO))
        });
        samples.map(|sample| sample.cwnd).fold(0.0, f64::max)
    };
    for controller in ["newreno", "cubic", "cubic?profile=rfc9438"] {
        let long = early(controller, "3 s");
        let short = early(controller, "50 ms");
        assert!(long <= 22.0, "{controller}: {long} segments after 3 s of silence");
        assert!(short > 100.0, "{controller}: {short} segments after 50 ms of silence");
    }
}

#[test]
fn silence_does_not_let_bbr_send_a_burst_at_line_rate() {
    // BBR paces its restart at the bandwidth it knows: the queue at the bottleneck stays shallow
    // when the second burst begins.
    let link = "rate = \"100 Mbit/s\"\ndelay = \"25 ms\"\nbuffer = \"4 bdp\"";
    let record = run(&one_link("bbr", 8, 0, link, "workload = { on = \"3 s\", off = \"2 s\" }"));
    let restart = Time::ZERO + Span::from_secs(5);
    let within = |s: &&narrows_measure::LinkSample| {
        s.at > restart && s.at < restart + Span::from_millis(100)
    };
    let queue = crate::common::bottleneck(&record)
        .samples
        .iter()
        .filter(within)
        .map(|s| s.queue.get())
        .max()
        .unwrap();
    assert!(queue < 625_000 / 2, "{queue} bytes, half a bandwidth-delay product or more");
}

#[test]
fn frames_have_their_rate_and_arrive_in_time() {
    // 2 Mbit/s in frames of 33 ms on 8 Mbit/s: 8250 B in six packets, 8.562 ms to transmit, 10 ms
    // on the way. The first waits for the handshake, and the second for room in the initial window.
    for controller in ["controller = \"cubic\"", ""] {
        let flow = format!(
            "[[flow]]\nfrom = \"left\"\nto = \"right\"\n{controller}\nworkload = {{ rate = \"2 Mbit/s\", frame = \"33 ms\" }}\n"
        );
        let record = run(&format!(
            "send_overhead = false\nduration = \"10 s\"\n[[link]]\nname = \"l\"\nbetween = [\"left\", \"right\"]\n{LINK}\n{flow}"
        ));
        let frames = transfers(&record);
        assert_eq!(
            (frames.begun, frames.list.len(), frames.late, frames.lost),
            (304, 303, 0, 0),
            "{controller}"
        );
        assert!(
            frames.list[2..]
                .iter()
                .all(|frame| (frame.size, frame.took)
                    == (Bytes::new(8250), Span::from_micros(18_562))),
            "{controller}"
        );
    }
}

#[test]
fn frames_that_are_lost_or_late_are_counted() {
    // UDP at twice the link's rate through a short buffer: of each frame some packets are dropped.
    let text = "duration = \"10 s\"\n[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = \"1 Mbit/s\"\nbuffer = \"10 packets\"\ndelay = \"10 ms\"\n\
                [[flow]]\nfrom = \"a\"\nto = \"b\"\nworkload = { rate = \"2 Mbit/s\", frame = \"100 ms\" }\n";
    let record = run(text);
    let frames = transfers(&record);
    // One begins with the run, one as it ends.
    assert_eq!((frames.begun, frames.completed()), (101, 0));
    assert!(frames.lost >= 98 && frames.late >= frames.lost, "{frames:?}");
    // TCP loses nothing, but falls behind: what comes more than 150 ms after its time is late.
    let record = run(&text.replace("to = \"b\"\n", "to = \"b\"\ncontroller = \"newreno\"\n"));
    let frames = transfers(&record);
    assert_eq!((frames.begun, frames.lost), (101, 0));
    assert!(frames.late > 90, "{}", frames.late);
}

#[test]
fn a_response_takes_the_request_and_its_own_way() {
    // A request of 300 + 52 B on 1 B/us and 10 ms, a response as above.
    let text =
        one_link("newreno", 3, 0, LINK, "workload = { response = \"3000 B\", think = \"500 ms\" }");
    let record = run(&format!("send_overhead = false\n{text}"));
    let list = &transfers(&record).list;
    assert_eq!(list.len(), 6);
    assert!(
        list.iter().all(|answer| (answer.took, answer.ideal)
            == (Span::from_micros(10_352 + 13_156), Span::from_micros(23_508))),
        "{list:?}"
    );
    assert_eq!(list[1].start, Time::ZERO + Span::from_micros(523_508));
}

#[test]
fn a_lost_request_is_repeated() {
    let text = "duration = \"60 s\"\n[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = \"8 Mbit/s\"\ndelay = \"10 ms\"\n[link.back]\nloss = \"10 %\"\n\
                [[flow]]\nfrom = \"a\"\nto = \"b\"\ncontroller = \"cubic\"\nworkload = { request = \"4 kB\", response = \"20 kB\" }\n";
    let record = run(text);
    let list = &transfers(&record).list;
    let repeated = list.iter().filter(|answer| answer.took >= Span::from_secs(1)).count() as f64;
    // Of three packets one is lost with a probability of 27 %.
    assert!(
        list.len() > 50 && (0.15..0.40).contains(&(repeated / list.len() as f64)),
        "{repeated} of {}",
        list.len()
    );
}

fn arriving(seconds: u32, extra: &str) -> String {
    one_link(
        "cubic",
        seconds,
        0,
        "rate = \"50 Mbit/s\"\ndelay = \"5 ms\"\nbuffer = \"1 bdp\"",
        &format!("workload = {{ {extra} }}"),
    )
}

#[test]
fn poisson_arrivals_make_the_load_they_should() {
    let record = run(&arriving(120, "load = \"50 %\", sizes = \"web\""));
    let all = transfers(&record);
    // 25 Mbit/s of transfers of 10.8 kB and headers: some 270 a second.
    let wire = record.links[0].total.departed_bytes.bits() as f64 / 120e6;
    assert!((23.0..27.5).contains(&wire), "{wire} Mbit/s");
    assert!(
        all.completed() as f64 > 0.999 * all.begun as f64,
        "{} of {}",
        all.completed(),
        all.begun
    );
    // Gaps are exponential: their deviation is their mean.
    let mut starts: Vec<f64> =
        all.list.iter().map(|transfer| transfer.start.as_secs_f64()).collect();
    starts.sort_by(f64::total_cmp);
    let gaps: Vec<f64> = starts.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    let deviation = (gaps.iter().map(|gap| (gap - mean) * (gap - mean)).sum::<f64>()
        / gaps.len() as f64)
        .sqrt();
    assert!((deviation / mean - 1.0).abs() < 0.03, "{deviation} around {mean}");
    let mean_size = all.list.iter().map(|transfer| transfer.size.get() as f64).sum::<f64>()
        / all.list.len() as f64;
    assert!((mean_size / 10_837.0 - 1.0).abs() < 0.05, "{mean_size}");
}

#[test]
fn connections_that_come_and_go_keep_their_books() {
    // Heavy loss and reordering of fates: spurious retransmissions are in the network when
    // connections end.
    let record = run(&arriving(60, "arrivals = \"100/s\", sizes = \"20 kB\"").replace(
        "buffer = \"1 bdp\"",
        "buffer = \"10 packets\"\nloss = \"3 %\"\njitter = \"20 ms\"",
    ));
    let flow = &record.flows[0];
    let link = &record.links[0];
    let all = transfers(&record);
    assert!(all.completed() > 5_500, "{}", all.completed());
    assert_eq!(all.list.len() as u64, all.completed());
    // Every packet sent has arrived, was dropped, or is still on the way.
    let unsettled = flow.total.sent - flow.total.arrived - flow.total.dropped;
    let handshakes = link.left_queued + link.left_in_flight - unsettled;
    assert!(
        handshakes <= all.begun - all.completed(),
        "{unsettled} data packets and {handshakes} of handshakes"
    );
    // Delivered data is what transfers carried, and parts of those that are not complete.
    let carried = 20_000 * all.completed();
    assert!(
        (carried..carried + 20_000 * (all.begun - all.completed()))
            .contains(&flow.total.goodput.get())
    );
    let most = flow.samples.iter().map(|sample| sample.connections).max().unwrap();
    assert!((2..200).contains(&most), "{most} connections at a time");
    assert!(all.list.iter().all(|transfer| transfer.slowdown() >= 1.0));
}

#[test]
fn a_slot_that_is_used_again_starts_anew() {
    // One at a time: the second transfer finds an idle network and a window as at the start, so all
    // take the same.
    let text = arriving(200, "arrivals = \"0.5/s\", sizes = \"100 kB\"");
    let record = run(&format!("send_overhead = false\n{text}"));
    let list = &transfers(&record).list;
    let alone: Vec<_> = list
        .windows(2)
        .filter(|pair| pair[0].start + pair[0].took < pair[1].start)
        .map(|pair| pair[1].took)
        .collect();
    assert!(alone.len() > 70 && alone.iter().all(|took| *took == list[0].took), "{alone:?}");
}

#[test]
fn another_flow_changes_no_arrival() {
    let one = arriving(20, "arrivals = \"50/s\", sizes = \"cache\"");
    let two = format!(
        "{one}\n[[flow]]\nname = \"other\"\nfrom = \"left\"\nto = \"right\"\ncontroller = \"cubic\"\nworkload = {{ arrivals = \"9/s\", sizes = \"web\" }}\n"
    );
    let starts = |text: &str| {
        let mut starts: Vec<_> = transfers(&run(text))
            .list
            .iter()
            .map(|transfer| (transfer.start, transfer.size))
            .collect();
        starts.sort();
        starts
    };
    assert_eq!(starts(&one), starts(&two));
}

#[test]
fn a_flow_that_stops_begins_nothing_more() {
    for workload in [
        "on = \"10 kB\", off = \"100 ms\"",
        "on = \"300 ms\", off = \"100 ms\"",
        "rate = \"1 Mbit/s\", frame = \"40 ms\"",
        "arrivals = \"30/s\", sizes = \"5 kB\"",
        "response = \"5 kB\"",
    ] {
        let text = one_link(
            "cubic",
            4,
            0,
            LINK,
            &format!("workload = {{ {workload} }}\nstart = \"1 s\"\nstop = \"2 s\""),
        );
        let record = run(&text);
        let list = &transfers(&record).list;
        assert!(list.len() >= 2, "{workload}");
        assert!(
            list.iter().all(|transfer| (1.0..=2.0).contains(&transfer.start.as_secs_f64())),
            "{workload}"
        );
        assert_eq!(record.flows[0].end, Some(Time::ZERO + Span::from_secs(2)), "{workload}");
    }
}

/// Contents asked for at random are those that any world draws, each by a consumer that begins at
/// once.
#[test]
fn contents_begin_when_requests_come() {
    let plan = scenario(
        "duration = \"30 s\"\n[icn]\n[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = \"8 Mbit/s\"\ndelay = \"5 ms\"\n\
         [[link]]\nname = \"m\"\nbetween = [\"b\", \"c\"]\nrate = \"8 Mbit/s\"\ndelay = \"5 ms\"\n\
         [[prefix]]\nname = \"/one\"\nat = \"c\"\n[[prefix]]\nname = \"/two\"\nat = \"c\"\ndata = \"500 B\"\n\
         [[request]]\nname = \"shop\"\nat = [\"a\", \"b\"]\nprefix = [\"/one\", \"/two\"]\nevery = \"100 ms\"\nsegments = [[5, 0.9], [50, 0.1]]\nstop = \"20 s\"\n\
         [[request]]\nname = \"news\"\nat = \"b\"\nprefix = \"/two\"\nevery = \"200 ms\"\nsegments = 10\ncatalogue = 5\nstop = \"20 s\"\n",
    );
    let icn = plan.icn.as_ref().expect("it is one");
    let mut contents = Contents::new(icn);
    let mut requests = Requests::new(plan.seed, icn, &mut contents);
    let mut drawn = vec![Vec::new(); 3];
    while let Some(request) = requests.next(&mut contents) {
        let data = icn.prefixes[request.content.prefix.0].data.get();
        drawn[request.flow].push((request.at, Bytes::new(request.segments * data)));
    }
    let record = narrows_sim::run(&plan).expect("a run");
    for (flow, drawn) in record.flows.iter().zip(drawn) {
        let transfers = flow.transfers.as_ref().expect("contents are transfers");
        let mut begun: Vec<_> =
            transfers.list.iter().map(|transfer| (transfer.start, transfer.size)).collect();
        begun.sort();
        assert!(begun.len() > 50, "{}: {} came", flow.name, begun.len());
        assert_eq!((begun, transfers.begun), (drawn.clone(), drawn.len() as u64), "{}", flow.name);
    }
}

/// A content that comes over two ways, by the faster of them or over both at once, is no sooner
/// there than it can be.
#[test]
fn no_content_comes_sooner_than_all_its_ways_bring_it() {
    let ways = "[[link]]\nname = \"short\"\nbetween = [\"a\", \"b\"]\nrate = \"1 Mbit/s\"\ndelay = \"5 ms\"\n\
                [[link]]\nname = \"wide\"\nbetween = [\"a\", \"c\"]\nrate = \"20 Mbit/s\"\ndelay = \"8 ms\"\n\
                [[link]]\nname = \"near\"\nbetween = [\"b\", \"d\"]\nrate = \"20 Mbit/s\"\ndelay = \"5 ms\"\n\
                [[link]]\nname = \"far\"\nbetween = [\"c\", \"d\"]\nrate = \"20 Mbit/s\"\ndelay = \"8 ms\"\n\
                [[prefix]]\nname = \"/p\"\nat = \"d\"\nnext_hops = { a = [\"b\", \"c\"] }\n";
    let faster = "[[change]]\nat = \"5 s\"\nlink = \"short\"\nrate = \"8 Mbit/s\"\n";
    for (icn, changes) in [
        ("", ""),
        ("", faster),
        ("law = \"none\"\ncontroller = \"cubic\"\nstrategy = \"weighted\"", ""),
    ] {
        for (segments, every) in [(1, "50 ms"), (400, "1 s")] {
            let text = format!(
                "duration = \"30 s\"\n[icn]\n{icn}\n{ways}{changes}\
                 [[request]]\nname = \"asks\"\nat = \"a\"\nprefix = \"/p\"\nevery = \"{every}\"\nsegments = {segments}\n"
            );
            let record = run(&text);
            let list = &record.flows[0].transfers.as_ref().unwrap().list;
            assert!(list.len() > 10, "{} came", list.len());
            let soonest = list
                .iter()
                .map(|done| done.took.as_secs_f64() / done.ideal.as_secs_f64())
                .fold(f64::INFINITY, f64::min);
            assert!(soonest >= 1.0, "{soonest} of {segments} with {icn} {changes}");
            assert!(segments > 1 || soonest < 1.1, "the bound is near: {soonest} with {icn}");
        }
    }
}

#[test]
fn every_controller_is_asked_for_the_same_transfers() {
    let of = |controller: &str| {
        let text =
            one_link(controller, 20, 0, LINK, "workload = { arrivals = \"5/s\", sizes = \"web\" }");
        let record = run(&text.replace("name = \"flow\"\n", ""));
        let mut list: Vec<_> = record.flows[0]
            .transfers
            .as_ref()
            .unwrap()
            .list
            .iter()
            .map(|transfer| (transfer.start, transfer.size))
            .collect();
        list.sort_unstable();
        list.truncate(50);
        list
    };
    assert_eq!(of("newreno").len(), 50);
    assert_eq!(of("newreno"), of("cubic"));
}
