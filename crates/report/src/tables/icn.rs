//! The tables that only results of information-centric networks have.

use super::column::{Column, Counter, at, counted, counters, damaged, from_mbps, mbps_since};
use super::table::{Of, Table};
use crate::summary::IcnOut;
use narrows_measure::metrics::flow_goodput;
use narrows_measure::{
    ConsumerCounters, ConsumerRecord, ConsumerSample, IcnRecord, InterestCounters, RatesRecord,
    RatesSample, Record, SubflowRecord, SubflowSample,
};
use narrows_sheet::{ParquetError, Sheet};
use narrows_units::{Bytes, Rate};
use std::sync::LazyLock;

pub(crate) static CONSUMERS: LazyLock<Table<usize, ConsumerRecord>> = LazyLock::new(|| Table {
    file: "consumers.parquet",
    about: "One row per consumer, or per node of a request process, in the order of `flows.parquet`.",
    rows: |run| all_consumers(run).map(|(place, _)| place).collect(),
    columns: consumers(),
});

pub(crate) static CONSUMER_SAMPLES: LazyLock<Table<Place, Of<ConsumerSample>>> =
    LazyLock::new(|| Table {
        file: "consumer_samples.parquet",
        about: "One row per consumer and sample.",
        rows: |run| {
            let samples = |(place, own): (usize, &ConsumerRecord)| {
                (0..own.samples.len()).map(move |sample| (place, sample))
            };
            all_consumers(run).flat_map(samples).collect()
        },
        columns: consumer_samples(),
    });

pub(crate) static SUBFLOW_SAMPLES: LazyLock<Table<(usize, usize, usize), Of<OfPath>>> =
    LazyLock::new(|| Table {
        file: "subflow_samples.parquet",
        about: "One row per path of a consumer and sample, from discovery on.",
        rows: |run| {
            let of = |(place, own): (usize, &ConsumerRecord)| {
                let samples = |(path, subflow): (usize, &SubflowRecord)| {
                    (0..subflow.samples.len()).map(move |sample| (place, path, sample))
                };
                own.subflows.iter().enumerate().flat_map(samples).collect::<Vec<_>>()
            };
            all_consumers(run).flat_map(of).collect()
        },
        columns: subflow_samples(),
    });

pub(crate) static INTERESTS: LazyLock<Table<usize, RatesRecord>> = LazyLock::new(|| Table {
    file: "interests.parquet",
    about: "One row per link and direction, in the order of `links.parquet`: the Interests whose Data the link carries. They leave from its far end.",
    rows: |run| all_rates(run).map(|(link, _)| link).collect(),
    columns: interests(),
});

pub(crate) static RATE_SAMPLES: LazyLock<Table<Place, Of<RatesSample>>> = LazyLock::new(|| Table {
    file: "rate_samples.parquet",
    about: "One row per link and sample.",
    rows: |run| {
        let samples = |(link, own): (usize, &RatesRecord)| {
            (0..own.samples.len()).map(move |sample| (link, sample))
        };
        all_rates(run).flat_map(samples).collect()
    },
    columns: rate_samples(),
});

/// A sample of a path.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OfPath {
    path: u64,
    sample: SubflowSample,
}

const CONSUMER_COUNTERS: &[Counter<ConsumerCounters>] = counters![
    "primary_bytes", "Data for Interests of each class" => primary as Bytes;
    "secondary_bytes", "Data for Interests of each class" => secondary as Bytes;
    "refused_interests", "Interests that were refused" => nacks;
    "sent_interests", "Interests sent, repetitions included" => interests;
];

const INTEREST_COUNTERS: &[Counter<InterestCounters>] = counters![
    "sent_interests", "Interests sent" => sent;
    "refused_primary_interests", "refusals at a full shaper, by class" => refused_primary;
    "refused_secondary_interests", "refusals at a full shaper, by class" => refused_secondary;
    "evicted_interests", "secondary ones evicted by a primary one" => evicted;
];

/// Returns the goodput of a consumer for primary and for secondary Data, in Mbit/s, over the time
/// since warm-up in which it ran.
pub(crate) fn class_goodput(run: &Record, consumer: usize) -> Option<(f64, f64)> {
    let (flow, asked) = (&run.flows[consumer], run.icn.as_ref()?.consumers.get(consumer)?);
    let goodput = flow_goodput(run, flow).filter(|goodput| *goodput > 0.0)?;
    let share = |bytes: Bytes| goodput * bytes.get() as f64 / flow.steady.goodput.get() as f64;
    Some((share(asked.steady.primary), share(asked.steady.secondary)))
}

/// A row of another table, and a sample of it.
type Place = (usize, usize);

fn icn(run: &Record) -> Option<&IcnRecord> {
    run.icn.as_deref()
}

/// Returns the consumers that have a flow, with their places.
fn all_consumers(run: &Record) -> impl Iterator<Item = (usize, &ConsumerRecord)> {
    icn(run).into_iter().flat_map(|icn| &icn.consumers).take(run.flows.len()).enumerate()
}

/// Returns the records of Interests of all links, with their places.
fn all_rates(run: &Record) -> impl Iterator<Item = (usize, &RatesRecord)> {
    icn(run).into_iter().flat_map(|icn| &icn.rates).take(run.links.len()).enumerate()
}

fn consumer(run: &Record, place: usize) -> &ConsumerRecord {
    &icn(run).expect("a place is of such a network").consumers[place]
}

fn rates(run: &Record, link: usize) -> &RatesRecord {
    &icn(run).expect("a place is of such a network").rates[link]
}

fn consumers() -> Vec<Column<usize, ConsumerRecord>> {
    type Own = Column<usize, ConsumerRecord>;
    const CLASSES: &str =
        "Data of each class over its running time since warm-up; null if it did not run";
    let mut columns = vec![
        Own::name("consumer", "its name", |run, place| run.flows[place].name.as_str().into()),
        Own::of(
            "many",
            "the row sums a request process at a node",
            |run, place| consumer(run, place).many,
            |own: &mut ConsumerRecord, many| own.many = many,
        ),
        Own::derived("primary_mbps", CLASSES, |run, place| {
            class_goodput(run, place).map(|(primary, _)| primary)
        }),
        Own::derived("secondary_mbps", CLASSES, |run, place| {
            class_goodput(run, place).map(|(_, secondary)| secondary)
        }),
        Own::derived("subflows", "paths found", |run, place| {
            consumer(run, place).subflows.len() as u64
        }),
    ];
    columns.extend(counted::<usize, ConsumerRecord, _>(
        "steady",
        CONSUMER_COUNTERS,
        |run, place| &consumer(run, place).steady,
        |own| &mut own.steady,
    ));
    columns.extend(counted::<usize, ConsumerRecord, _>(
        "total",
        CONSUMER_COUNTERS,
        |run, place| &consumer(run, place).total,
        |own| &mut own.total,
    ));
    columns
}

fn consumer_samples() -> Vec<Column<Place, Of<ConsumerSample>>> {
    type Own = Column<Place, Of<ConsumerSample>>;
    const CLASSES: &str = "Data of each class";
    const RATES: &str = "its request rates, as Data; 0 for windows and request processes";
    fn sample(run: &Record, (place, sample): Place) -> &ConsumerSample {
        &consumer(run, place).samples[sample]
    }
    fn since(run: &Record, (place, own): Place, of: fn(&ConsumerSample) -> Bytes) -> f64 {
        mbps_since(&consumer(run, place).samples, own, |own| (own.at, of(own)))
    }
    let mut columns = vec![
        Own::name("consumer", "the consumer", |run: &Record, (place, _): Place| {
            run.flows[place].name.as_str().into()
        }),
        Own::of(
            "consumer_index",
            "the consumer",
            |_, (place, _): Place| place as u64,
            |row: &mut Of<ConsumerSample>, index| row.index = index,
        ),
        Own::of(
            "time_s",
            "time of the sample",
            |run, row| sample(run, row).at.as_secs_f64(),
            |row, time| row.value.at = at(time),
        ),
        Own::derived("primary_mbps", CLASSES, |run, row| {
            since(run, row, |own| own.counters.primary)
        }),
        Own::derived("secondary_mbps", CLASSES, |run, row| {
            since(run, row, |own| own.counters.secondary)
        }),
        Own::of(
            "primary_rate_mbps",
            RATES,
            |run, row| sample(run, row).primary_rate.as_mbps(),
            |row, rate| row.value.primary_rate = from_mbps(rate),
        ),
        Own::of(
            "secondary_rate_mbps",
            RATES,
            |run, row| sample(run, row).secondary_rate.as_mbps(),
            |row, rate| row.value.secondary_rate = from_mbps(rate),
        ),
    ];
    let totals = counted::<Place, Of<ConsumerSample>, _>(
        "total",
        CONSUMER_COUNTERS,
        |run, row| &sample(run, row).counters,
        |row: &mut Of<ConsumerSample>| &mut row.value.counters,
    );
    let totals = totals.into_iter().map(|mut own| {
        own.about = "counts since the run began";
        own.is_counter = false;
        own
    });
    columns.extend(totals);
    columns
}

fn subflow_samples() -> Vec<Column<(usize, usize, usize), Of<OfPath>>> {
    type Own = Column<(usize, usize, usize), Of<OfPath>>;
    type Place = (usize, usize, usize);
    const CLASSES: &str = "Data of each class";
    const RATES: &str = "rates advertised by its links";
    const TOTALS: &str = "counts since the run began";
    fn sample(run: &Record, (place, path, sample): Place) -> &SubflowSample {
        &consumer(run, place).subflows[path].samples[sample]
    }
    fn since(run: &Record, (place, path, own): Place, of: fn(&SubflowSample) -> Bytes) -> f64 {
        mbps_since(&consumer(run, place).subflows[path].samples, own, |own| (own.at, of(own)))
    }
    let rate =
        |name: &'static str, get: fn(&SubflowSample) -> Rate, set: fn(&mut SubflowSample, Rate)| {
            Own::of(
                name,
                RATES,
                move |run: &Record, row| get(sample(run, row)).as_mbps(),
                move |row: &mut Of<OfPath>, rate| set(&mut row.value.sample, from_mbps(rate)),
            )
        };
    vec![
        Own::name("consumer", "the consumer", |run: &Record, (place, ..): Place| {
            run.flows[place].name.as_str().into()
        }),
        Own::of(
            "consumer_index",
            "the consumer",
            |_, (place, ..): Place| place as u64,
            |row: &mut Of<OfPath>, index| row.index = index,
        ),
        // Tables hold signed integers: 63 bits of the hash tell paths apart as well as 64.
        Own::of(
            "path",
            "hash of its hops, of 63 bits",
            |run, (place, path, _)| consumer(run, place).subflows[path].path & i64::MAX as u64,
            |row, path| row.value.path = path,
        ),
        Own::of(
            "time_s",
            "time of the sample",
            |run, row| sample(run, row).at.as_secs_f64(),
            |row, time| row.value.sample.at = at(time),
        ),
        Own::derived("primary_mbps", CLASSES, |run, row| since(run, row, |own| own.primary)),
        Own::derived("secondary_mbps", CLASSES, |run, row| since(run, row, |own| own.secondary)),
        rate("primary_rate_mbps", |own| own.primary_rate, |own, rate| own.primary_rate = rate),
        rate(
            "secondary_rate_mbps",
            |own| own.secondary_rate,
            |own, rate| {
                own.secondary_rate = rate;
            },
        ),
        Own::of(
            "total_primary_bytes",
            TOTALS,
            |run, row| sample(run, row).primary.get(),
            |row, bytes| row.value.sample.primary = Bytes::new(bytes),
        ),
        Own::of(
            "total_secondary_bytes",
            TOTALS,
            |run, row| sample(run, row).secondary.get(),
            |row, bytes| row.value.sample.secondary = Bytes::new(bytes),
        ),
    ]
}

fn interests() -> Vec<Column<usize, RatesRecord>> {
    type Own = Column<usize, RatesRecord>;
    let mut columns = vec![Own::name("link", "the link", |run: &Record, link: usize| {
        run.links[link].name.as_str().into()
    })];
    columns.extend(counted::<usize, RatesRecord, _>(
        "steady",
        INTEREST_COUNTERS,
        |run, link| &rates(run, link).steady,
        |own: &mut RatesRecord| &mut own.steady,
    ));
    columns.extend(counted::<usize, RatesRecord, _>(
        "total",
        INTEREST_COUNTERS,
        |run, link| &rates(run, link).total,
        |own: &mut RatesRecord| &mut own.total,
    ));
    columns
}

fn rate_samples() -> Vec<Column<Place, Of<RatesSample>>> {
    type Own = Column<Place, Of<RatesSample>>;
    const RATES: &str = "rates written into Data by the node at its end; 0 without a law";
    fn sample(run: &Record, (link, sample): Place) -> &RatesSample {
        &rates(run, link).samples[sample]
    }
    vec![
        Own::name("link", "the link", |run: &Record, (link, _): Place| {
            run.links[link].name.as_str().into()
        }),
        Own::of(
            "link_index",
            "the link",
            |_, (link, _): Place| link as u64,
            |row: &mut Of<RatesSample>, index| row.index = index,
        ),
        Own::of(
            "time_s",
            "time of the sample",
            |run, row| sample(run, row).at.as_secs_f64(),
            |row, time| row.value.at = at(time),
        ),
        Own::of(
            "primary_rate_mbps",
            RATES,
            |run, row| sample(run, row).primary.as_mbps(),
            |row, rate| row.value.primary = from_mbps(rate),
        ),
        Own::of(
            "secondary_rate_mbps",
            RATES,
            |run, row| sample(run, row).secondary.as_mbps(),
            |row, rate| row.value.secondary = from_mbps(rate),
        ),
        Own::of(
            "waiting_interests",
            "Interests in the shaper",
            |run, row| u64::from(sample(run, row).queue),
            |row, queue| row.value.queue = queue as u32,
        ),
    ]
}

/// Rebuilds a record from its sheets, which are in the order of the tables.
pub(crate) fn icn_record(
    out: &IcnOut,
    [all, consumer_samples, subflow_samples, interests, rate_samples]: [&Sheet; 5],
) -> Result<IcnRecord, ParquetError> {
    let mut icn = IcnRecord {
        law: out.law.clone(),
        rates: INTERESTS.read(interests, RatesRecord::default)?,
        consumers: CONSUMERS.read(all, ConsumerRecord::default)?,
        pending: out.pending,
        expired: out.expired,
        cached: out.cached,
    };
    for Of { index, value } in CONSUMER_SAMPLES.read(consumer_samples, Of::default)? {
        consumer_mut(&mut icn, index)?.samples.push(value);
    }
    for Of { index, value: OfPath { path, sample } } in
        SUBFLOW_SAMPLES.read(subflow_samples, Of::default)?
    {
        let subflows = &mut consumer_mut(&mut icn, index)?.subflows;
        match subflows.iter_mut().find(|subflow| subflow.path == path) {
            Some(subflow) => subflow.samples.push(sample),
            None => subflows.push(SubflowRecord { path, samples: vec![sample] }),
        }
    }
    for Of { index, value } in RATE_SAMPLES.read(rate_samples, Of::default)? {
        let rates = icn.rates.get_mut(index as usize);
        rates.ok_or_else(|| damaged("a sample of a rate"))?.samples.push(value);
    }
    Ok(icn)
}

fn consumer_mut(icn: &mut IcnRecord, place: u64) -> Result<&mut ConsumerRecord, ParquetError> {
    icn.consumers.get_mut(place as usize).ok_or_else(|| damaged("a sample of a consumer"))
}
