//! The Parquet tables that only results of information-centric networks have, and their conversion
//! from and to records.

use crate::record::{at, damaged, from_mbps};
use crate::summary::IcnOut;
use crate::tables::{Get, Set, Table, count, counters, keyed, mbps, real, text};
use narrows_measure::metrics::flow_goodput;
use narrows_measure::{
    ConsumerCounters, ConsumerRecord, ConsumerSample, IcnRecord, InterestCounters, RatesRecord,
    RatesSample, Record, SubflowRecord, SubflowSample,
};
use narrows_sheet::{Cells, ParquetError, Sheet};
use narrows_units::Bytes;
use std::sync::Arc;

/// The tables that exist only if a run has an [`IcnRecord`].
pub(crate) const ICN_TABLES: [Table; 5] = [
    Table { file: "consumers.parquet", sheet: consumers },
    Table { file: "consumer_samples.parquet", sheet: consumer_samples },
    Table { file: "subflow_samples.parquet", sheet: subflow_samples },
    Table { file: "interests.parquet", sheet: interests },
    Table { file: "rate_samples.parquet", sheet: rate_samples },
];

const CONSUMER_COUNTERS: &[(&str, Get<ConsumerCounters>, Set<ConsumerCounters>)] = counters![
    "primary_bytes" => primary as Bytes,
    "secondary_bytes" => secondary as Bytes,
    "refused_interests" => nacks,
    "sent_interests" => interests,
];

const INTEREST_COUNTERS: &[(&str, Get<InterestCounters>, Set<InterestCounters>)] = counters![
    "sent_interests" => sent,
    "refused_primary_interests" => refused_primary,
    "refused_secondary_interests" => refused_secondary,
    "evicted_interests" => evicted,
];

/// Returns the goodput of a consumer for primary and for secondary Data, in Mbit/s, over the time
/// since warm-up in which it ran.
pub(crate) fn class_goodput(run: &Record, consumer: usize) -> Option<(f64, f64)> {
    let (flow, asked) = (&run.flows[consumer], run.icn.as_ref()?.consumers.get(consumer)?);
    let goodput = flow_goodput(run, flow).filter(|goodput| *goodput > 0.0)?;
    let share = |bytes: Bytes| goodput * bytes.get() as f64 / flow.steady.goodput.get() as f64;
    Some((share(asked.steady.primary), share(asked.steady.secondary)))
}

/// Returns the consumers of a run with their indices and the names of their flows.
fn asking(run: &Record) -> impl Iterator<Item = (usize, Arc<str>, &ConsumerRecord)> {
    let consumers = run.icn.iter().flat_map(|icn| &icn.consumers).enumerate();
    consumers
        .zip(&run.flows)
        .map(|((place, consumer), flow)| (place, flow.name.as_str().into(), consumer))
}

/// Returns the record of Interests for each link, with the link's index and name.
fn asked(run: &Record) -> impl Iterator<Item = (usize, Arc<str>, &RatesRecord)> {
    let rates = run.icn.iter().flat_map(|icn| &icn.rates).enumerate();
    rates.zip(&run.links).map(|((place, rates), link)| (place, link.name.as_str().into(), rates))
}

fn consumers(case: &str, run: &Record) -> Sheet {
    let rows: Vec<_> = asking(run).collect();
    let mut sheet = keyed(case, run, rows.len());
    sheet.add("consumer", text(&rows, |(_, name, _)| name.clone()));
    sheet.add("many", Cells::Flag(rows.iter().map(|(.., consumer)| consumer.many).collect()));
    let class = |of: fn((f64, f64)) -> f64| {
        move |(place, ..): &(usize, Arc<str>, &ConsumerRecord)| class_goodput(run, *place).map(of)
    };
    sheet.add(
        "primary_mbps",
        Cells::MaybeReal(rows.iter().map(class(|(primary, _)| primary)).collect()),
    );
    sheet.add(
        "secondary_mbps",
        Cells::MaybeReal(rows.iter().map(class(|(_, secondary)| secondary)).collect()),
    );
    sheet.add("subflows", count(&rows, |(.., consumer)| consumer.subflows.len() as u64));
    for (name, get, _) in CONSUMER_COUNTERS {
        sheet.add(format!("steady_{name}"), count(&rows, |(.., consumer)| get(&consumer.steady)));
    }
    for (name, get, _) in CONSUMER_COUNTERS {
        sheet.add(format!("total_{name}"), count(&rows, |(.., consumer)| get(&consumer.total)));
    }
    sheet
}

fn consumer_samples(case: &str, run: &Record) -> Sheet {
    let mut rows: Vec<(usize, Arc<str>, ConsumerSample, &ConsumerSample)> = Vec::new();
    for (place, name, consumer) in asking(run) {
        let mut last = ConsumerSample::default();
        rows.extend(
            consumer
                .samples
                .iter()
                .map(|sample| (place, name.clone(), std::mem::replace(&mut last, *sample), sample)),
        );
    }
    let mut sheet = keyed(case, run, rows.len());
    sheet.add("consumer", text(&rows, |(_, name, ..)| name.clone()));
    sheet.add("consumer_index", count(&rows, |(place, ..)| *place as u64));
    sheet.add("time_s", real(&rows, |(.., s)| s.at.as_secs_f64()));
    sheet.add(
        "primary_mbps",
        real(&rows, |(.., last, s)| mbps(last.counters.primary, s.counters.primary, last.at, s.at)),
    );
    sheet.add(
        "secondary_mbps",
        real(&rows, |(.., last, s)| {
            mbps(last.counters.secondary, s.counters.secondary, last.at, s.at)
        }),
    );
    sheet.add("primary_rate_mbps", real(&rows, |(.., s)| s.primary_rate.as_mbps()));
    sheet.add("secondary_rate_mbps", real(&rows, |(.., s)| s.secondary_rate.as_mbps()));
    for (name, get, _) in CONSUMER_COUNTERS {
        sheet.add(format!("total_{name}"), count(&rows, |(.., s)| get(&s.counters)));
    }
    sheet
}

fn subflow_samples(case: &str, run: &Record) -> Sheet {
    let mut rows: Vec<(usize, Arc<str>, u64, SubflowSample, &SubflowSample)> = Vec::new();
    for (place, name, consumer) in asking(run) {
        for subflow in &consumer.subflows {
            let mut last = SubflowSample::default();
            for sample in &subflow.samples {
                rows.push((
                    place,
                    name.clone(),
                    subflow.path,
                    std::mem::replace(&mut last, *sample),
                    sample,
                ));
            }
        }
    }
    let mut sheet = keyed(case, run, rows.len());
    sheet.add("consumer", text(&rows, |(_, name, ..)| name.clone()));
    sheet.add("consumer_index", count(&rows, |(place, ..)| *place as u64));
    // Tables hold signed integers: 63 bits of the hash tell paths apart as well as 64.
    sheet.add("path", count(&rows, |(_, _, path, ..)| *path & i64::MAX as u64));
    sheet.add("time_s", real(&rows, |(.., s)| s.at.as_secs_f64()));
    sheet.add(
        "primary_mbps",
        real(&rows, |(.., last, s)| mbps(last.primary, s.primary, last.at, s.at)),
    );
    sheet.add(
        "secondary_mbps",
        real(&rows, |(.., last, s)| mbps(last.secondary, s.secondary, last.at, s.at)),
    );
    sheet.add("primary_rate_mbps", real(&rows, |(.., s)| s.primary_rate.as_mbps()));
    sheet.add("secondary_rate_mbps", real(&rows, |(.., s)| s.secondary_rate.as_mbps()));
    sheet.add("total_primary_bytes", count(&rows, |(.., s)| s.primary.get()));
    sheet.add("total_secondary_bytes", count(&rows, |(.., s)| s.secondary.get()));
    sheet
}

fn interests(case: &str, run: &Record) -> Sheet {
    let rows: Vec<_> = asked(run).collect();
    let mut sheet = keyed(case, run, rows.len());
    sheet.add("link", text(&rows, |(_, name, _)| name.clone()));
    for (name, get, _) in INTEREST_COUNTERS {
        sheet.add(format!("steady_{name}"), count(&rows, |(.., rates)| get(&rates.steady)));
    }
    for (name, get, _) in INTEREST_COUNTERS {
        sheet.add(format!("total_{name}"), count(&rows, |(.., rates)| get(&rates.total)));
    }
    sheet
}

fn rate_samples(case: &str, run: &Record) -> Sheet {
    let mut rows: Vec<(usize, Arc<str>, &RatesSample)> = Vec::new();
    for (place, name, rates) in asked(run) {
        rows.extend(rates.samples.iter().map(|sample| (place, name.clone(), sample)));
    }
    let mut sheet = keyed(case, run, rows.len());
    sheet.add("link", text(&rows, |(_, name, _)| name.clone()));
    sheet.add("link_index", count(&rows, |(place, ..)| *place as u64));
    sheet.add("time_s", real(&rows, |(.., s)| s.at.as_secs_f64()));
    sheet.add("primary_rate_mbps", real(&rows, |(.., s)| s.primary.as_mbps()));
    sheet.add("secondary_rate_mbps", real(&rows, |(.., s)| s.secondary.as_mbps()));
    sheet.add("waiting_interests", count(&rows, |(.., s)| s.queue.into()));
    sheet
}

/// Rebuilds a record from its sheets, which are in the order of [`ICN_TABLES`].
pub(crate) fn icn_record(
    out: &IcnOut,
    sheets: [&Sheet; ICN_TABLES.len()],
) -> Result<IcnRecord, ParquetError> {
    let [consumers, consumer_samples, subflow_samples, interests, rate_samples] = sheets;
    let mut icn = IcnRecord {
        law: out.law.clone(),
        rates: (0..interests.text("link")?.len())
            .map(|row| read_interests(interests, row))
            .collect::<Result<_, _>>()?,
        consumers: (0..consumers.text("consumer")?.len())
            .map(|row| read_consumer(consumers, row))
            .collect::<Result<_, _>>()?,
        pending: out.pending,
        expired: out.expired,
        cached: out.cached,
    };
    read_consumer_samples(consumer_samples, &mut icn)?;
    read_subflow_samples(subflow_samples, &mut icn)?;
    read_rate_samples(rate_samples, &mut icn)?;
    Ok(icn)
}

fn read_consumer(sheet: &Sheet, row: usize) -> Result<ConsumerRecord, ParquetError> {
    let mut consumer =
        ConsumerRecord { many: sheet.flag("many")?[row], ..ConsumerRecord::default() };
    for (name, _, set) in CONSUMER_COUNTERS {
        set(&mut consumer.steady, sheet.count(&format!("steady_{name}"))?[row]);
        set(&mut consumer.total, sheet.count(&format!("total_{name}"))?[row]);
    }
    Ok(consumer)
}

fn read_interests(sheet: &Sheet, row: usize) -> Result<RatesRecord, ParquetError> {
    let mut rates = RatesRecord::default();
    for (name, _, set) in INTEREST_COUNTERS {
        set(&mut rates.steady, sheet.count(&format!("steady_{name}"))?[row]);
        set(&mut rates.total, sheet.count(&format!("total_{name}"))?[row]);
    }
    Ok(rates)
}

fn read_consumer_samples(sheet: &Sheet, icn: &mut IcnRecord) -> Result<(), ParquetError> {
    let (index, time) = (sheet.count("consumer_index")?, sheet.real("time_s")?);
    let (primary, secondary) =
        (sheet.real("primary_rate_mbps")?, sheet.real("secondary_rate_mbps")?);
    for row in 0..index.len() {
        let mut counters = ConsumerCounters::default();
        for (name, _, set) in CONSUMER_COUNTERS {
            set(&mut counters, sheet.count(&format!("total_{name}"))?[row]);
        }
        let (primary_rate, secondary_rate) = (from_mbps(primary[row]), from_mbps(secondary[row]));
        consumer_mut(icn, index[row])?.samples.push(ConsumerSample {
            at: at(time[row]),
            primary_rate,
            secondary_rate,
            counters,
        });
    }
    Ok(())
}

fn consumer_mut(icn: &mut IcnRecord, place: u64) -> Result<&mut ConsumerRecord, ParquetError> {
    icn.consumers.get_mut(place as usize).ok_or_else(|| damaged("a sample of a consumer"))
}

fn read_subflow_samples(sheet: &Sheet, icn: &mut IcnRecord) -> Result<(), ParquetError> {
    let (index, path, time) =
        (sheet.count("consumer_index")?, sheet.count("path")?, sheet.real("time_s")?);
    let (primary, secondary) =
        (sheet.count("total_primary_bytes")?, sheet.count("total_secondary_bytes")?);
    let (primary_rate, secondary_rate) =
        (sheet.real("primary_rate_mbps")?, sheet.real("secondary_rate_mbps")?);
    for row in 0..index.len() {
        let sample = SubflowSample {
            at: at(time[row]),
            primary: Bytes::new(primary[row]),
            secondary: Bytes::new(secondary[row]),
            primary_rate: from_mbps(primary_rate[row]),
            secondary_rate: from_mbps(secondary_rate[row]),
        };
        let subflows = &mut consumer_mut(icn, index[row])?.subflows;
        match subflows.iter_mut().find(|subflow| subflow.path == path[row]) {
            Some(subflow) => subflow.samples.push(sample),
            None => subflows.push(SubflowRecord { path: path[row], samples: vec![sample] }),
        }
    }
    Ok(())
}

fn read_rate_samples(sheet: &Sheet, icn: &mut IcnRecord) -> Result<(), ParquetError> {
    let (index, time, queue) =
        (sheet.count("link_index")?, sheet.real("time_s")?, sheet.count("waiting_interests")?);
    let (primary, secondary) =
        (sheet.real("primary_rate_mbps")?, sheet.real("secondary_rate_mbps")?);
    for row in 0..index.len() {
        let rates =
            icn.rates.get_mut(index[row] as usize).ok_or_else(|| damaged("a sample of a rate"))?;
        let (primary, secondary) = (from_mbps(primary[row]), from_mbps(secondary[row]));
        rates.samples.push(RatesSample {
            at: at(time[row]),
            primary,
            secondary,
            queue: queue[row] as u32,
        });
    }
    Ok(())
}
