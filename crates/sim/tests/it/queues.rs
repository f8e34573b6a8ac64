//! Effects of queue disciplines on real flows, against their documents.

use crate::common::{bottleneck, one_link, run, utilisation};
use narrows_measure::Record;
use narrows_measure::metrics::metric;
use narrows_path::DISCIPLINES;

/// A bottleneck with a deep buffer: what bounds the delay is the discipline.
fn link(rate: &str, delay_ms: u32, queue: &str) -> String {
    format!(
        "rate = \"{rate}\"\ndelay = \"{delay_ms} ms\"\nbuffer = \"10 bdp\"\nqueue = \"{queue}\"\n[link.back]\nqueue = \"fifo\""
    )
}

/// Mean queueing delay of the bottleneck since the warm-up, in milliseconds.
fn mean_delay(record: &Record) -> f64 {
    bottleneck(record).queueing.mean().expect("packets").as_millis_f64()
}

fn mbps(record: &Record, flow: &str) -> f64 {
    let seconds = (record.duration - record.warmup).as_secs_f64();
    let flows = record.flows.iter().filter(|other| other.name.starts_with(flow));
    flows.map(|flow| flow.steady.goodput.bits() as f64).sum::<f64>() / seconds / 1e6
}

fn ten_flows(controller: &str, queue: &str) -> Record {
    run(&one_link(
        controller,
        60,
        20,
        &link("50 Mbit/s", 25, queue),
        "count = 10\nstagger = \"100 ms\"",
    ))
}

/// RFC 8289 section 4.4: a standing delay of a twentieth of the interval keeps the link busy; RFC
/// 8033 section 4.2: the delay is held at 15 ms.
#[test]
fn ten_flows_are_held_near_the_target_on_a_busy_link() {
    for controller in ["newreno", "cubic"] {
        let fifo = mean_delay(&ten_flows(controller, "fifo"));
        assert!(fifo > 200.0, "{controller}: a deep buffer without control is full: {fifo} ms");
        for (queue, range, least) in [
            ("codel", 2.5..10.0, 0.95),
            ("fq-codel", 2.5..15.0, 0.95),
            ("pie", 10.0..20.0, 0.97),
            ("pie?delay=departure-rate", 10.0..20.0, 0.97),
            ("dualpi2", 10.0..20.0, 0.97),
        ] {
            let record = ten_flows(controller, queue);
            let delay = mean_delay(&record);
            let used = utilisation(&record);
            println!("{controller} {queue}: {delay:.2} ms, {:.2} %", used * 100.0);
            assert!(range.contains(&delay), "{controller} through {queue}: {delay} ms");
            assert!(used > least, "{controller} through {queue}: {used}");
        }
    }
}

/// Marks hold the queue as drops do, without retransmissions.
#[test]
fn marks_replace_drops() {
    for entry in
        DISCIPLINES.iter().filter(|entry| entry.params.iter().any(|param| param.name == "ecn"))
    {
        let record = ten_flows("cubic?ecn=true", entry.name);
        let link = &bottleneck(&record).steady;
        println!(
            "{}: {} marks, {} drops, {:.2} ms",
            entry.name,
            link.marked,
            link.dropped_early,
            mean_delay(&record)
        );
        assert!(
            link.marked > 100 && link.dropped_early * 20 < link.marked,
            "{}: {} marks, {} drops",
            entry.name,
            link.marked,
            link.dropped_early
        );
        let ce: u64 = record.flows.iter().map(|flow| flow.steady.ce).sum();
        assert!(
            ce.abs_diff(link.marked) * 20 < link.marked,
            "{}: {ce} of {} marks arrived",
            entry.name,
            link.marked
        );
    }
}

/// Adaptive RED (Floyd, Gummadi and Shenker 2001) holds the average midway between its thresholds,
/// whatever the number of flows.
#[test]
fn adaptive_red_holds_the_average_between_its_thresholds() {
    for count in [5, 40] {
        let queue = link("50 Mbit/s", 25, "red?adaptive=true&min=20&max=60");
        let record = run(&one_link(
            "newreno",
            100,
            40,
            &queue,
            &format!("count = {count}\nstagger = \"100 ms\""),
        ));
        let samples = bottleneck(&record)
            .samples
            .iter()
            .filter(|sample| sample.at.since(narrows_units::Time::ZERO) > record.warmup);
        let (sum, n) = samples.fold((0.0, 0.0), |(sum, n), sample| {
            (sum + sample.queue.get() as f64 / 1500.0, n + 1.0)
        });
        println!("{count}: {}", sum / n);
        assert!((25.0..55.0).contains(&(sum / n)), "{count} flows: {} packets", sum / n);
    }
}

/// RFC 8290: flows get equal shares whatever they are, and those that keep no queue hardly wait.
#[test]
fn fair_queueing_shares_the_link_and_lets_sparse_flows_pass() {
    let flows = |queue: &str| {
        let text = one_link("cubic", 60, 20, &link("20 Mbit/s", 25, queue), "")
            + "[[flow]]\nname = \"udp\"\nfrom = \"left\"\nto = \"right\"\nworkload = { rate = \"30 Mbit/s\" }\n"
            + "[[flow]]\nname = \"voice\"\nfrom = \"left\"\nto = \"right\"\nworkload = { rate = \"100 kbit/s\" }\n[flow.transport]\nmss = \"160 B\"\n";
        run(&text)
    };
    let record = flows("fq-codel");
    let cubic = mbps(&record, "flow");
    let udp = mbps(&record, "udp");
    let voice = mbps(&record, "voice");
    println!("cubic {cubic:.2}, udp {udp:.2}, voice {voice:.3}");
    assert!((cubic / udp - 1.0).abs() < 0.1, "cubic {cubic}, udp {udp}");
    assert!((voice - 0.1).abs() < 0.002, "voice {voice}");
    let waits = |record: &Record| {
        record.flows[2].one_way.quantile(0.95).expect("packets").as_millis_f64() - 25.0
    };
    // A packet of each of the others may be before it, one in transmission.
    assert!(waits(&record) < 2.5, "{} ms", waits(&record));
    let record = flows("fifo");
    assert!(
        waits(&record) > 100.0 && mbps(&record, "flow") < 1.0,
        "without it {} ms, {}",
        waits(&record),
        mbps(&record, "flow")
    );
}

/// RFC 8257 section 3.5: DCTCP needs a threshold of about a seventh of the bandwidth-delay product
/// to keep the link busy, and holds the queue there.
#[test]
fn dctcp_holds_a_step() {
    // 100 Mbit/s and 10 ms: 83 packets; K = 20.
    let record = run(&one_link(
        "dctcp",
        30,
        10,
        &link("100 Mbit/s", 5, "step?threshold=20&unit=packets"),
        "count = 2",
    ));
    let delay = mean_delay(&record);
    let used = utilisation(&record);
    println!("{delay:.2} ms, {used}");
    assert!((1.0..3.6).contains(&delay), "{delay} ms; 20 packets take 2.4");
    assert!(used > 0.97 && bottleneck(&record).steady.dropped_early == 0, "{used}");
}

/// RFC 9332: scalable flows meet about a millisecond, classic ones their target, and neither
/// starves.
#[test]
fn scalable_and_classic_flows_share_a_dual_queue() {
    let prague = run(&one_link("prague", 30, 10, &link("100 Mbit/s", 10, "dualpi2"), "count = 2"));
    let delay = mean_delay(&prague);
    let used = utilisation(&prague);
    println!("prague alone: {delay:.3} ms, {used:.4}");
    assert!(delay < 1.5 && used > 0.9, "{delay} ms, {used}");
    let text = one_link("prague", 100, 30, &link("100 Mbit/s", 10, "dualpi2"), "name = \"prague\"")
        .replace("name = \"flow\"\n", "")
        + "[[flow]]\nname = \"cubic\"\nfrom = \"left\"\nto = \"right\"\ncontroller = \"cubic\"\n";
    let both = run(&text);
    let ratio = mbps(&both, "cubic") / mbps(&both, "prague");
    let waits = |flow: usize, q: f64| {
        both.flows[flow].one_way.quantile(q).expect("packets").as_millis_f64() - 10.0
    };
    println!(
        "cubic : prague = {ratio:.2}; prague waits {:.3} (p99 {:.3}), cubic {:.2} ms",
        waits(0, 0.5),
        waits(0, 0.99),
        waits(1, 0.5)
    );
    assert!((0.5..2.0).contains(&ratio), "cubic : prague = {ratio}");
    assert!(
        waits(0, 0.5) < 1.5 && waits(0, 0.99) < 3.0,
        "prague waits {} ms, 99th percentile {}",
        waits(0, 0.5),
        waits(0, 0.99)
    );
    assert!(utilisation(&both) > 0.97, "{}", utilisation(&both));
}

/// Packets in flight on average, by Little's law, and the share of marked or dropped packets, of
/// the flows whose names begin so.
fn window_and_share(record: &Record, name: &str, drops: u64) -> (f64, f64) {
    let flows: Vec<_> = record.flows.iter().filter(|flow| flow.name.starts_with(name)).collect();
    let seconds = (record.duration - record.warmup).as_secs_f64();
    let arrived: u64 = flows.iter().map(|flow| flow.steady.arrived).sum();
    let marked: u64 = flows.iter().map(|flow| flow.steady.ce).sum();
    let rtt =
        flows.iter().map(|flow| flow.rtt.mean().expect("round trips").as_secs_f64()).sum::<f64>()
            / flows.len() as f64;
    (arrived as f64 / seconds * rtt / flows.len() as f64, (marked + drops) as f64 / arrived as f64)
}

/// RFC 9332: a classic window of 1.22/p' and a scalable one of 2/(2p') meet where both are about
/// equal; rates then go with the inverse of the round trips, in which the classic flow has its
/// queueing delay as well. At 20 ms they are 34 and 20 ms: cubic : prague = 0.56 in rate, 0.96 in
/// windows.
///
/// One pair of flows: p' follows the sawtooth of the classic flow, so that the mean of its square
/// exceeds the square of its mean: a coupling of 0.83. Ten pairs hold it steady: 0.99. Prague grows
/// at 20 ms by 0.64 per round trip, as if that were 25 ms, which asks for 1.6 marks per window if
/// it gave way each 25 ms; it waits for the next mark after these, and has 2.1.
#[test]
fn coupled_queues_give_equal_windows() {
    for (count, coupling, ratio) in [(1, 0.78..0.90, 0.85..1.05), (10, 0.97..1.01, 1.05..1.30)] {
        let link = link("100 Mbit/s", 10, "dualpi2");
        let text = one_link(
            "prague",
            100,
            30,
            &link,
            &format!("name = \"prague\"\ncount = {count}"),
        )
        .replace("name = \"flow\"\n", "")
            + &format!(
                "[[flow]]\nname = \"cubic\"\nfrom = \"left\"\nto = \"right\"\ncontroller = \"cubic\"\ncount = {count}\n"
            );
        let record = run(&text);
        let (low, marked) = window_and_share(&record, "prague", 0);
        let (classic, dropped) =
            window_and_share(&record, "cubic", bottleneck(&record).steady.dropped_early);
        let coupled = marked / 2.0 / dropped.sqrt();
        let constants = (classic * dropped.sqrt(), low * marked);
        println!(
            "{count}: windows {:.3}, coupling {coupled:.3}, constants {constants:.2?}",
            classic / low
        );
        assert!(ratio.contains(&(classic / low)), "windows of {classic} and {low} packets");
        assert!(coupling.contains(&coupled), "marks are {coupled} of what drops say");
        assert!((1.05..1.25).contains(&constants.0), "CUBIC's window is {}/sqrt(p)", constants.0);
        assert!((1.6..2.3).contains(&constants.1), "Prague's window is {}/p", constants.1);
    }
}

#[test]
fn scenarios_to_start_from_show_what_they_say() {
    for name in ["l4s", "marking"] {
        let file = format!("{}/../../scenarios/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let plan = crate::common::scenario(&std::fs::read_to_string(file).expect("a scenario"));
        let record = narrows_sim::run(&plan).expect("it runs");
        assert!(!plan.expect.is_empty());
        for band in &plan.expect {
            let value =
                metric(&band.metric).and_then(|metric| (metric.compute)(&record)).expect("a value");
            println!("{name}: {} {value}", band.metric);
            let within =
                band.min.is_none_or(|min| value >= min) && band.max.is_none_or(|max| value <= max);
            assert!(within, "{name}: {} is {value}", band.metric);
        }
    }
}
