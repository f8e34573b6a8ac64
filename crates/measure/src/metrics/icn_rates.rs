//! The rates that links advertise and consumers follow in information-centric networks.

use super::icn::icn;
use super::{Better, Metric, bottleneck};
use crate::part::until;
use crate::{RatesSample, Record};
use narrows_units::{Rate, Span, Time};

pub(super) const STAMPED_RATE: Metric = Metric {
    name: "stamped_rate",
    unit: "Mbit/s",
    better: Better::Neither,
    summary: "Mean primary rate that the bottleneck's receiving end writes into Data.",
    formula: "mean of its samples since warm-up",
    source: "R(t) of MIRCC, section 3; its slide 23",
    compute: stamped_rate,
};

pub(super) const STAMPED_SECONDARY: Metric = Metric {
    name: "stamped_secondary",
    unit: "Mbit/s",
    better: Better::Neither,
    summary: "Mean secondary rate that the bottleneck's receiving end writes into Data.",
    formula: "as stamped_rate",
    source: "R_s(t) of MIRCC, section 4.2",
    compute: stamped_secondary,
};

pub(super) const FEEDBACK: Metric = Metric {
    name: "feedback",
    unit: "ms",
    better: Better::Lower,
    summary: "Time from a fall of the bottleneck's advertised rate to the fall of the rate that consumers follow.",
    formula: "from the first sample since warm-up in which the primary rate that the bottleneck's receiving end writes into Data is below nine tenths of its value at the end of warm-up, to the first sample from then on in which the sum of the primary rates that consumers follow is below nine tenths of its own. Not defined if one of them does not fall so far",
    source: "the feedback time of MIRCC, section 3.2; the tenth is ours",
    compute: feedback,
};

pub(super) const RATE_SETTLING: Metric = Metric {
    name: "rate_settling",
    unit: "s",
    better: Better::Lower,
    summary: "Settling time of the advertised rate.",
    formula: "where links advertise rates, from the last consumer's start (or the end of warm-up, if later) to the end of the last bin of 250 ms in which the mean primary rate that consumers follow is more than 20 % away from its mean over the last 10 s (or the last half of the bins, if they are fewer). If that bin is one of these, the rate has not settled, and the whole time observed counts",
    source: "the settling that MIRCC, section 3.2, figure 3 shows; bins and bounds are ours",
    compute: rate_settling,
};

pub(super) const RATE_DIP: Metric = Metric {
    name: "rate_dip",
    unit: "%",
    better: Better::Higher,
    summary: "Lowest advertised rate while settling, relative to the settled rate.",
    formula: "smallest of the bins of rate_settling / the mean with which rate_settling compares them",
    source: "as rate_settling",
    compute: rate_dip,
};

pub(super) const RATE_SWING: Metric = Metric {
    name: "rate_swing",
    unit: "%",
    better: Better::Lower,
    summary: "Coefficient of variation of the advertised rate once settled.",
    formula: "standard deviation of the bins of rate_settling over the last 10 s / their mean",
    source: "as rate_settling",
    compute: rate_swing,
};

/// Rates are looked at as means over so long.
const BIN: Span = Span::from_millis(250);
/// The end of a rate is its mean over so long.
const SETTLED: Span = Span::from_secs(10);
/// The part by which a settled rate may differ from that.
const TOLERANCE: f64 = 0.2;
/// A rate below this part of what it was has fallen.
const FALL: f64 = 0.9;

pub(super) fn stamped_rate(record: &Record) -> Option<f64> {
    stamped(record, |sample| sample.primary)
}

pub(super) fn stamped_secondary(record: &Record) -> Option<f64> {
    stamped(record, |sample| sample.secondary)
}

fn stamped(record: &Record, of: fn(&RatesSample) -> Rate) -> Option<f64> {
    let steady = advertised(record)?.iter().filter(|sample| sample.at > Time::ZERO + record.warmup);
    let (sum, count) = steady.fold((0.0, 0u64), |(sum, count), sample| {
        (sum + of(sample).as_bps() as f64 / 1e6, count + 1)
    });
    (count > 0).then(|| sum / count as f64)
}

pub(super) fn feedback(record: &Record) -> Option<f64> {
    let warm = Time::ZERO + record.warmup;
    let fell = |rates: &[(Time, f64)], from: Time| {
        let before = FALL * rates[..rates.partition_point(|(at, _)| *at <= warm)].last()?.1;
        rates
            .iter()
            .find(|(at, rate)| *at >= from && *at > warm && *rate < before)
            .map(|(at, _)| *at)
    };
    let said: Vec<_> = advertised(record)?
        .iter()
        .map(|sample| (sample.at, sample.primary.as_bps() as f64))
        .collect();
    let consumers = &icn(record)?.consumers;
    let followed: Vec<_> = (0..consumers.first()?.samples.len())
        .map(|index| {
            let samples = consumers.iter().filter_map(|consumer| consumer.samples.get(index));
            (
                consumers[0].samples[index].at,
                samples.map(|sample| sample.primary_rate.as_bps() as f64).sum(),
            )
        })
        .collect();
    let link = fell(&said, warm)?;
    Some(fell(&followed, link)?.since(link).as_secs_f64() * 1e3)
}

/// The rates that the bottleneck's receiving end writes into Data.
fn advertised(record: &Record) -> Option<&[RatesSample]> {
    let link = bottleneck(record)?;
    Some(
        &icn(record)?
            .rates
            .get(record.links.iter().position(|other| other.name == link.name)?)?
            .samples,
    )
}

pub(super) fn rate_settling(record: &Record) -> Option<f64> {
    let (start, rates) = followed(record)?;
    let settled = settled(&rates)?;
    let away = |(_, rate): &(Time, f64)| (rate - settled).abs() > TOLERANCE * settled;
    let last = match rates.iter().rposition(away) {
        None => return Some(0.0),
        Some(last) if last + tail(&rates).len() >= rates.len() => rates.len() - 1,
        Some(last) => last,
    };
    Some(rates[last].0.since(start).as_secs_f64())
}

pub(super) fn rate_dip(record: &Record) -> Option<f64> {
    let (_, rates) = followed(record)?;
    let settled = settled(&rates)?;
    rates.iter().map(|(_, rate)| 100.0 * rate / settled).reduce(f64::min)
}

pub(super) fn rate_swing(record: &Record) -> Option<f64> {
    let (_, rates) = followed(record)?;
    let tail = tail(&rates);
    let mean = settled(&rates)?;
    let squares: f64 = tail.iter().map(|(_, rate)| (rate - mean) * (rate - mean)).sum();
    Some(100.0 * (squares / tail.len() as f64).sqrt() / mean)
}

/// When the last consumer began, and from then on the mean over consumers at work of the primary
/// rates they follow, bin by bin, with the bin's end.
fn followed(record: &Record) -> Option<(Time, Vec<(Time, f64)>)> {
    let begin = Time::ZERO + record.warmup;
    let over = Time::ZERO + record.duration;
    let start = record.flows.iter().map(|flow| flow.start).max()?.max(begin);
    let step = BIN.max(record.interval);
    let icn = icn(record).filter(|icn| icn.law.is_some())?;
    let series: Vec<_> = icn.consumers.iter().map(|consumer| consumer.samples.as_slice()).collect();
    let mut bins = Vec::new();
    let mut from = start;
    while from + step <= over {
        let to = from + step;
        let within = series.iter().flat_map(|samples| {
            until(samples, to).iter().rev().take_while(|sample| sample.at > from)
        });
        let rates =
            within.map(|sample| sample.primary_rate.as_bps() as f64).filter(|rate| *rate > 0.0);
        let (sum, count) = rates.fold((0.0, 0u64), |(sum, count), rate| (sum + rate, count + 1));
        bins.push((to, if count == 0 { 0.0 } else { sum / count as f64 }));
        from = to;
    }
    Some((start, bins))
}

/// The settled rate.
fn settled(rates: &[(Time, f64)]) -> Option<f64> {
    let tail = tail(rates);
    let mean = tail.iter().map(|(_, rate)| rate).sum::<f64>() / tail.len() as f64;
    (mean > 0.0).then_some(mean)
}

/// The bins of the end.
fn tail(rates: &[(Time, f64)]) -> &[(Time, f64)] {
    let Some((end, _)) = rates.last() else { return rates };
    let first = rates.partition_point(|(at, _)| *at + SETTLED <= *end);
    &rates[first.max(rates.len() / 2)..]
}

#[cfg(test)]
mod tests {
    use super::super::fixture::link;
    use super::super::icn::tests::following;
    use super::*;
    use crate::RatesRecord;

    #[test]
    fn a_rate_settles_once_it_stays_within_a_fifth_of_what_it_comes_to() {
        // From 10 s on: 500 for one second, 100 for another, then 250.
        let run = following(|s| {
            if s <= 11.0 {
                500
            } else if s <= 12.0 {
                100
            } else {
                250
            }
        });
        assert_eq!(rate_settling(&run), Some(2.0));
        assert!((rate_dip(&run).unwrap() - 40.0).abs() < 1e-9);
        assert_eq!(rate_swing(&run), Some(0.0));
        let never = following(|s| if (s as u64).is_multiple_of(2) { 100 } else { 300 });
        // It counts as the 20 s observed.
        assert_eq!(rate_settling(&never), Some(20.0));
        // Half the mean, but for bins in which the rate changes.
        assert!((40.0..=50.0).contains(&rate_swing(&never).unwrap()));
        let mut window = run;
        window.icn.as_mut().unwrap().law = None;
        assert_eq!(
            (rate_settling(&window), rate_dip(&window), rate_swing(&window)),
            (None, None, None),
            "no link says a rate"
        );
    }

    #[test]
    fn what_a_link_says_is_a_mean_since_the_warm_up() {
        let mut run = following(|_| 800);
        run.links = vec![link("other", 10), link("asked", 10)];
        let sample = |s, mbps| RatesSample {
            at: Time::ZERO + Span::from_secs(s),
            primary: Rate::from_mbps(mbps),
            ..RatesSample::default()
        };
        let rates = |samples| RatesRecord { samples, ..RatesRecord::default() };
        let asked = rates(vec![sample(9, 90), sample(11, 7), sample(12, 4)]);
        run.icn.as_mut().unwrap().rates = vec![rates(vec![sample(11, 1)]), asked];
        assert_eq!(stamped_rate(&run.at_link("asked")), Some(5.5));
        assert_eq!(stamped_rate(&run.at_link("other")), Some(1.0));
    }

    #[test]
    fn feedback_is_the_time_between_two_falls() {
        // The consumer's rate falls to half at 20.3 s, the link's slowly from 20 s on, below nine
        // tenths at 20.1 s.
        let mut run = following(|s| if s <= 20.25 { 800 } else { 400 });
        run.links = vec![link("asked", 10)];
        let sample = |i: u64, kbps| RatesSample {
            at: Time::ZERO + Span::from_millis(100) * i,
            primary: Rate::from_kbps(kbps),
            secondary: Rate::from_kbps(kbps / 2),
            ..RatesSample::default()
        };
        let falling = |i: u64| sample(i, if i <= 199 { 800 } else { 800 - 70 * (i - 199).min(5) });
        run.icn.as_mut().unwrap().rates = vec![RatesRecord {
            samples: (1..=300).map(falling).collect(),
            ..RatesRecord::default()
        }];
        let millis = feedback(&run.at_link("asked")).unwrap();
        assert!((millis - 200.0).abs() < 1e-6, "{millis}");
        assert_eq!(
            feedback(
                &run.between(Time::ZERO + Span::from_secs(25), Time::ZERO + Span::from_secs(30))
            ),
            None
        );
        let ratio = stamped_rate(&run).unwrap() / stamped_secondary(&run).unwrap();
        assert!((ratio - 2.0).abs() < 1e-9, "{ratio}");
    }
}
