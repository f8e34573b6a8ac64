//! The set-up of a comparison in a sentence.

use crate::Comparison;
use narrows_figure::number::{count, plain};
use narrows_measure::metrics::bottleneck;
use narrows_measure::{Changed, LinkRecord, Record};
use narrows_units::Span;

type Aspect = fn(&Record) -> Option<String>;

/// Describes the set-up: "100 Mbit/s bottleneck, 30 ms base RTT, ...". Quantities that differ
/// between cases are marked as differing.
pub(crate) fn setup(comparison: &Comparison) -> String {
    let aspects: [(&str, Aspect); 9] = [
        ("bottleneck rate", rate),
        ("base RTT", base_rtt),
        ("buffer", buffer),
        ("queue", queue),
        ("loss", loss),
        ("bursts", bursts),
        ("law", law),
        ("flows", flows),
        ("length", length),
    ];
    let several = comparison.has_several_bottlenecks();
    let what = |name: &str| {
        if several && matches!(name, "bottleneck rate" | "buffer" | "queue") {
            "bottleneck"
        } else {
            "case"
        }
    };
    let mut parts: Vec<String> = aspects
        .iter()
        .filter_map(|(name, aspect)| {
            let mut all = comparison.runs().map(|(_, run)| aspect(run));
            let first = all.next()?;
            if all.all(|other| other == first) {
                first
            } else {
                Some(format!("{name} differing by {}", what(name)))
            }
        })
        .collect();
    parts.extend(seeds(comparison));
    let text = parts.join(", ");
    match text.chars().next() {
        Some(first) => format!("{}{}.", first.to_uppercase(), &text[first.len_utf8()..]),
        None => "This result has no runs.".to_owned(),
    }
}

fn rate(run: &Record) -> Option<String> {
    let link = bottleneck(run)?;
    Some(match link.rate {
        Some(rate) => format!("{rate} bottleneck"),
        None => {
            let mean =
                link.capacity?.bits() as f64 / 1e6 / (run.duration - run.warmup).as_secs_f64();
            format!("varying bottleneck ({} Mbit/s on average)", plain(mean))
        }
    })
}

fn base_rtt(run: &Record) -> Option<String> {
    // A flow without a controller gets no acknowledgements, so it has no round trip.
    let acknowledged =
        || run.flows.iter().filter(|flow| flow.controller != "none").map(|flow| flow.base_rtt);
    let (low, high) = (acknowledged().min()?, acknowledged().max()?);
    let ms = |span: Span| plain(span.as_millis_f64());
    let first = at_first(run, &[Changed::Delay, Changed::Route]);
    Some(if ms(low) == ms(high) {
        format!("{} ms base RTT{first}", ms(low))
    } else {
        format!("base RTTs from {} to {} ms{first}", ms(low), ms(high))
    })
}

/// Returns a suffix for a quantity that changes during the run.
fn at_first(run: &Record, what: &[Changed]) -> &'static str {
    if run.changes.iter().any(|change| what.contains(&change.what)) { " at first" } else { "" }
}

fn base_rtts(run: &Record) -> impl Iterator<Item = Span> + '_ {
    run.flows.iter().map(|flow| flow.base_rtt)
}

fn buffer(run: &Record) -> Option<String> {
    let link = bottleneck(run)?;
    let first = at_first(run, &[Changed::Buffer]);
    Some(match (link.buffer, link.buffer_packets) {
        (Some(bytes), _) => {
            let bdp = link
                .rate
                .zip(base_rtts(run).max())
                .map(|(rate, rtt)| rate.bytes_in(rtt).get() as f64)
                .filter(|bdp| *bdp > 0.0);
            let relative = bdp.map_or_else(String::new, |bdp| {
                format!(" ({} BDP)", plain(bytes.get() as f64 / bdp))
            });
            format!("{bytes} buffer{relative}{first}")
        }
        (None, Some(packets)) => format!("buffer of {} packets{first}", count(packets.into())),
        // Interests wait in shapers, not in this buffer.
        (None, None) if run.icn.is_some() => return None,
        (None, None) => format!("unlimited buffer{first}"),
    })
}

/// Names the queue discipline of the bottleneck, unless it is drop-tail.
fn queue(run: &Record) -> Option<String> {
    let queue = &bottleneck(run)?.nature.queue;
    (!queue.is_empty()).then(|| format!("{queue} queue"))
}

/// Describes losses that are not caused by a queue, on all links that have them.
fn loss(run: &Record) -> Option<String> {
    let first = at_first(run, &[Changed::Loss]);
    the_same(
        run,
        |link| {
            (!link.nature.loss.is_empty())
                .then(|| format!("random loss {}{first}", link.nature.loss))
        },
        "random loss",
    )
}

/// Describes deliveries in bursts.
fn bursts(run: &Record) -> Option<String> {
    let aggregate =
        |link: &LinkRecord| Some(link.nature.aggregate).filter(|aggregate| !aggregate.is_zero());
    the_same(
        run,
        |link| aggregate(link).map(|every| format!("deliveries in bursts every {every}")),
        "deliveries in bursts",
    )
}

/// Returns the text that all links with this property have in common, or says that the property
/// differs by link.
fn the_same(
    run: &Record,
    of: impl Fn(&LinkRecord) -> Option<String>,
    name: &str,
) -> Option<String> {
    let mut all = run.links.iter().filter_map(of);
    let first = all.next()?;
    Some(if all.all(|other| other == first) { first } else { format!("{name} differing by link") })
}

/// Names the law by which links of an information-centric network set rates.
fn law(run: &Record) -> Option<String> {
    Some(match &run.icn.as_ref()?.law {
        Some(law) => format!("rates by {law}"),
        None => "no rates".to_owned(),
    })
}

fn flows(run: &Record) -> Option<String> {
    let several = |n: usize, one: &str| {
        if n == 1 { format!("1 {one}") } else { format!("{} {one}s", count(n as u64)) }
    };
    let Some(icn) = &run.icn else { return Some(several(run.flows.len(), "flow")) };
    let many = icn.consumers.iter().filter(|consumer| consumer.many).count();
    let requests = (many > 0).then(|| format!("requests at {}", several(many, "node")));
    let single = run.flows.len() - many;
    let single = (single > 0 || many == 0).then(|| several(single, "consumer"));
    Some(single.into_iter().chain(requests).collect::<Vec<_>>().join(", "))
}

fn length(run: &Record) -> Option<String> {
    let whole = format!("{} s", plain(run.duration.as_secs_f64()));
    Some(if run.warmup.is_zero() {
        whole
    } else {
        format!("{whole} (first {} s warm-up)", plain(run.warmup.as_secs_f64()))
    })
}

fn seeds(comparison: &Comparison) -> Option<String> {
    let list = |runs: &[Record]| runs.iter().map(|run| run.seed).collect::<Vec<u64>>();
    let first = list(&comparison.cases.first()?.runs);
    if comparison.cases.iter().any(|case| list(&case.runs) != first) {
        return Some("seeds differing by case".to_owned());
    }
    let consecutive = first.windows(2).all(|pair| pair[1] == pair[0] + 1);
    Some(match (&first[..], consecutive) {
        ([], _) => return None,
        ([one], _) => format!("seed {one}"),
        ([low, .., high], true) => format!("seeds {low}–{high}"),
        (many, false) => format!("{} seeds", many.len()),
    })
}
