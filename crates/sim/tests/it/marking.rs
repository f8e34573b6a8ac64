//! Controllers that answer the share of marks, on queues that mark above a threshold.

use crate::common::{bottleneck, one_link, run, utilisation};
use narrows_measure::Record;
use narrows_measure::metrics::metric;
use narrows_units::Time;

/// Least and largest queue since the warm-up, in packets of 1500 B.
fn queue(record: &Record) -> (f64, f64) {
    let samples = bottleneck(record)
        .samples
        .iter()
        .filter(|sample| sample.at.since(Time::ZERO) > record.warmup);
    let packets: Vec<f64> = samples.map(|sample| sample.queue.get() as f64 / 1500.0).collect();
    (packets.iter().copied().fold(f64::MAX, f64::min), packets.iter().copied().fold(0.0, f64::max))
}

/// Mean fall of the sum of all windows from a peak to the next trough since the warm-up, and how
/// often the threshold of the first flow fell meanwhile: reductions per cycle.
fn cycles(record: &Record) -> (f64, f64) {
    let samples = |flow: usize| {
        record.flows[flow]
            .samples
            .iter()
            .filter(|sample| sample.at.since(Time::ZERO) > record.warmup)
    };
    let mut sums: Vec<f64> = samples(0).map(|sample| sample.cwnd).collect();
    for flow in 1..record.flows.len() {
        sums.iter_mut().zip(samples(flow)).for_each(|(sum, sample)| *sum += sample.cwnd);
    }
    // Turns by less than this are not cycles.
    const TURN: f64 = 3.0;
    let mut falls = Vec::new();
    let mut peak = 0.0;
    let mut trough = f64::MAX;
    for sum in sums {
        if trough == f64::MAX {
            peak = f64::max(peak, sum);
        }
        if sum < peak - TURN {
            trough = f64::min(trough, sum);
        }
        if trough < f64::MAX && sum > trough + TURN {
            falls.push(peak - trough);
            (peak, trough) = (sum, f64::MAX);
        }
    }
    let thresholds: Vec<f64> = samples(0).filter_map(|sample| sample.ssthresh).collect();
    let reductions = thresholds.windows(2).filter(|pair| pair[0] != pair[1]).count();
    (falls.iter().sum::<f64>() / falls.len() as f64, reductions as f64 / falls.len() as f64)
}

/// Alizadeh et al., SIGCOMM 2010, section 3.3: N flows that see marks above K packets queue at most
/// K + N; here one more is in transmission, and one may be measured late. In a cycle the windows
/// fall together by half of sqrt(2N(C·RTT + K)): 7.9, 11.1 and 24.8 packets for 1, 2 and 10 flows.
///
/// Here they fall by 8.6, 13.4 and 28.5, because the paper's reduction is done at once and this
/// one, as the kernel's, lasts a round trip (proportional rate reduction). In its first part the
/// queue is still above K; the marks of that part arrive when the reduction is over, and cause
/// another: there are two a cycle for a flow alone. Done at once there is one, of 5.4 packets.
/// Delayed acknowledgements (6.7, 9.8 and 26.8) and the weight in α (9.1, 14.1 and 29.1 with 1/256)
/// are not the cause. Over seconds the least and the largest queue are farther apart than in any
/// cycle: 13, 20 and 36 packets.
#[test]
fn dctcp_queues_what_the_threshold_says_and_the_number_of_flows() {
    for flows in [1, 2, 10] {
        let link = "rate = \"1 Gbit/s\"\ndelay = \"0.5 ms\"\nbuffer = \"1000 packets\"\nqueue = \"step?threshold=40&unit=packets\"";
        let text = one_link(
            "dctcp",
            6,
            2,
            link,
            &format!("count = {flows}\n[flow.transport]\nack_every = 1"),
        );
        let record = run(&text.replace("sample = \"10 ms\"", "sample = \"0.05 ms\""));
        let (least, largest) = queue(&record);
        let expected = 40.0 + flows as f64 + 1.0;
        assert!(
            (largest - expected).abs() <= 1.0,
            "{flows} flows queue up to {largest} packets, not {expected}"
        );
        assert!(least > 0.0 && utilisation(&record) >= 0.999, "{flows} flows leave the link idle");
        assert_eq!(record.flows[0].total.retransmitted, 0);
        let (fall, reductions) = cycles(&record);
        let paper = 0.5 * f64::sqrt(2.0 * flows as f64 * (1e9 / 12_000.0 * 1e-3 + 40.0));
        assert!(
            (1.0..1.25).contains(&(fall / paper)),
            "the windows of {flows} flows fall by {fall}, the paper's by {paper}"
        );
        assert!(flows > 1 || (1.9..2.1).contains(&reductions), "{reductions} reductions a cycle");
    }
}

#[test]
fn two_prague_flows_share_a_link_that_marks_after_a_millisecond() {
    let link = "rate = \"100 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"1000 packets\"\nqueue = \"step?threshold=1\"";
    let record = run(&one_link("prague", 40, 10, link, "count = 2"));
    let jain = (metric("jain").expect("a metric").compute)(&record).expect("a Jain index");
    let (_, largest) = queue(&record);
    assert!(
        jain >= 0.99 && utilisation(&record) >= 0.98,
        "Jain {jain}, utilisation {}",
        utilisation(&record)
    );
    // A millisecond holds 8.3 packets.
    assert!(largest <= 12.0, "{largest} packets");
}
