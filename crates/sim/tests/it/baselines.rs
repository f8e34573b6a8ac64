//! Known properties of the baselines beyond their response functions.

use crate::common::{bottleneck, median, one_link, run, utilisation};
use narrows_measure::Record;
use narrows_measure::metrics::metric;
use narrows_units::{Span, Time};

const DEEP: &str = "rate = \"100 Mbit/s\"\ndelay = \"20 ms\"\nbuffer = \"10 bdp\"";

/// The queue since the warm-up, averaged over time, in BDPs of 500 kB.
fn mean_queue(record: &Record) -> f64 {
    let steady = bottleneck(record)
        .samples
        .iter()
        .filter(|sample| sample.at.since(Time::ZERO) > record.warmup);
    let (sum, count) =
        steady.fold((0, 0), |(sum, count), sample| (sum + sample.queue.get(), count + 1));
    sum as f64 / count as f64 / 500e3
}

/// When the window fell to the four segments of PROBE_RTT.
fn dips(record: &Record) -> Vec<f64> {
    let samples = record.flows[0].samples.windows(2);
    samples
        .filter(|pair| pair[0].cwnd > 4.0 && pair[1].cwnd == 4.0)
        .map(|pair| pair[1].at.as_secs_f64())
        .collect()
}

#[test]
fn bbr_fills_a_path_with_a_deep_buffer_and_leaves_it_nearly_empty() {
    for controller in ["bbr", "bbr?era=linux-4.15"] {
        let record = run(&one_link(controller, 60, 5, DEEP, ""));
        let used = utilisation(&record);
        let queue = mean_queue(&record);
        assert!(used >= 0.95 * 0.99, "{controller}: utilisation {used}");
        assert!(queue <= 0.3, "{controller}: a queue of {queue} BDP");
        assert_eq!(record.flows[0].total.retransmitted, 0, "{controller}");
    }
}

/// Ten seconds without a shorter round trip lead to PROBE_RTT, which lasts 200 ms and a round trip.
#[test]
fn bbr_empties_the_pipe_every_ten_seconds() {
    for controller in ["bbr", "bbr?era=linux-4.15"] {
        let dips = dips(&run(&one_link(controller, 60, 5, DEEP, "")));
        assert_eq!(dips.len(), 5, "{controller}: {dips:?}");
        assert!(
            dips.windows(2).all(|pair| (10.0..10.6).contains(&(pair[1] - pair[0]))),
            "{controller}: {dips:?}"
        );
    }
}

/// The model of policers takes 50 losses for 256 delivered, 16.3 % of all sent, for a policer and
/// holds the rate delivered between them, which is less than the rate sent: from there it decays.
/// Chance crosses that line somewhat earlier.
#[test]
fn bbr_ignores_random_loss_up_to_14_percent_and_gives_in_before_18() {
    for controller in ["bbr", "bbr?era=linux-4.15"] {
        let share_of_possible = |p: f64| {
            let text = one_link(
                controller,
                40,
                10,
                &format!("{DEEP}\nloss = {{ probability = {p} }}"),
                "",
            );
            let record = run(&text);
            record.flows[0].steady.arrived_wire.bits() as f64 / 30.0 / 100e6 / (1.0 - p)
        };
        for p in [0.01, 0.05, 0.10, 0.14] {
            assert!(
                share_of_possible(p) >= 0.96,
                "{controller} gets {} at {p}",
                share_of_possible(p)
            );
        }
        for p in [0.18, 0.20] {
            assert!(
                share_of_possible(p) <= 0.3,
                "{controller} gets {} at {p}",
                share_of_possible(p)
            );
        }
    }
}

#[test]
fn with_a_buffer_of_four_packets_a_window_cut_by_beta_uses_its_mean() {
    for (controller, expected) in
        [("newreno", 0.75..=0.80), ("cubic", 0.85..=1.0), ("cubic?profile=rfc9438", 0.85..=1.0)]
    {
        for rate in [20, 100] {
            let link =
                format!("rate = \"{rate} Mbit/s\"\ndelay = \"20 ms\"\nbuffer = \"4 packets\"");
            let used = utilisation(&run(&one_link(
                controller,
                60,
                10,
                &link,
                "[flow.transport]\nack_every = 1",
            )));
            assert!(expected.contains(&used), "{controller} at {rate} Mbit/s: {used}");
        }
    }
}

#[test]
fn two_equal_flows_share_equally_over_300_seconds() {
    let jain = metric("jain").expect("a metric");
    for controller in ["newreno", "cubic", "cubic?profile=rfc9438"] {
        let of_seed = |seed: u32| {
            let link = "rate = \"20 Mbit/s\"\ndelay = \"20 ms\"\nbuffer = \"1 bdp\"";
            let record =
                run(&(format!("seed = {seed}\n")
                    + &one_link(controller, 300, 0, link, "count = 2")));
            (jain.compute)(&record).expect("a Jain index")
        };
        let index = median((1..=5).map(of_seed).collect());
        assert!(index >= 0.98, "{controller}: Jain {index}");
    }
}

/// STARTUP queues up to a window of some three BDPs; DRAIN and the phase after it take that away.
#[test]
fn bbr_drains_what_its_start_queued() {
    let record = run(&one_link("bbr", 3, 0, DEEP, ""));
    let at = |second: f64| {
        bottleneck(&record)
            .samples
            .iter()
            .find(|sample| sample.at >= Time::ZERO + Span::from_secs_f64(second))
            .expect("a sample")
            .queue
            .get()
    };
    let peak =
        bottleneck(&record).samples.iter().map(|sample| sample.queue.get()).max().expect("samples");
    assert!(peak > 250_000 && at(2.0) < 150_000, "{peak}, then {}", at(2.0));
}
