//! The path behind a measurement.
//!
//! The queue shows the properties of the link. While packets wait, the link sends at its rate. So
//! the rate is measured while round trips are above the base; if they never are, only a lower bound
//! is known. A buffer shows its size if the queue had the same length at most episodes of loss.
//! Losses at shorter queues have another cause, or smoothed round trips have missed the longest
//! queue: then there are two estimates, between which a simulation can decide. The limits in this
//! file are our choice.

use crate::measured::{FitError, Measured, Origin};
use narrows_measure::sequential::Mean;

/// Two bounds of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Least value.
    pub low: f64,
    /// Greatest value.
    pub high: f64,
}

/// The size of the buffer at the bottleneck.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Buffer {
    /// It was full: bytes, their range over the episodes of loss, and how many there were.
    Filled {
        /// Bytes from IP on.
        bytes: f64,
        /// Least and greatest bytes that episodes of loss showed.
        range: Range,
        /// Episodes of loss with a full buffer.
        full: usize,
        /// All episodes of loss.
        episodes: usize,
        /// True if the buffer is taken to have been full in all episodes, also in those that had
        /// shorter smoothed round trips.
        is_assumed: bool,
    },
    /// It was never full: it holds at least these bytes.
    NotFilled {
        /// A queue in bytes that a twentieth of the round trips reached.
        at_least: f64,
    },
}

/// Losses that no full buffer explains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Losses {
    /// Share of the segments that were sent.
    pub share: f64,
    /// Its 95 % interval (Wilson), as if losses were independent.
    pub range: Range,
}

/// The estimated path of a bulk flow.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Rate of the bottleneck in bit/s, headers from IP on included. A lower bound if `rate_range`
    /// is `None`.
    pub rate: f64,
    /// 95 % interval of the rate, from ten parts of the time in which packets waited. `None` if the
    /// link was not seen full.
    pub rate_range: Option<Range>,
    /// Share of the time in which packets waited at the bottleneck.
    pub queued: f64,
    /// Base round trip in seconds. An upper bound if `is_base_bound`.
    pub base: f64,
    /// True if the base may be shorter: the measurement has only smoothed round trips, the least of
    /// which may contain a queue, or `shorter` is known.
    pub is_base_bound: bool,
    /// A round trip in seconds, of the handshake or of the kernel's filter, that is below half of
    /// all round trips of data, or below a tenth if these are smoothed: a proxy answered, or the
    /// queue never emptied.
    pub shorter: Option<f64>,
    /// The buffer.
    pub buffer: Buffer,
    /// Losses besides those of a full buffer.
    pub losses: Losses,
    /// Payload that arrived, in bit/s over the whole time.
    pub goodput: f64,
    /// Median round trip in seconds.
    pub median_rtt: f64,
}

/// The simulated flow on a path: means over seeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Means {
    /// Payload that arrived, in bit/s over the whole time.
    pub goodput: f64,
    /// Median round trip in seconds.
    pub median_rtt: f64,
}

/// Share by which goodput and median round trip of a simulation may miss the measurement.
const NEAR: f64 = 0.15;

impl Estimate {
    /// Returns how far a simulation of the path is from the measurement: the sum of the logarithms
    /// of the ratios of goodput and of median round trip.
    pub fn distance(&self, simulated: Means) -> f64 {
        (simulated.goodput / self.goodput).ln().abs()
            + (simulated.median_rtt / self.median_rtt).ln().abs()
    }

    /// True if a simulation of the path meets the measurement: goodput and median round trip
    /// differ by at most 15 %.
    pub fn meets(&self, simulated: Means) -> bool {
        let near = |own: f64, measured: f64| (own / measured - 1.0).abs() <= NEAR;
        near(simulated.goodput, self.goodput) && near(simulated.median_rtt, self.median_rtt)
    }
}

/// Number of parts of the queued time whose rates give the interval.
const PARTS: usize = 10;
/// Share of the longest queue at which the buffer counts as full.
const FULL: f64 = 0.9;
/// Share of the round trips of a capture that are not above the longest queue. The others may have
/// waited for the host.
const OF_PATH: f64 = 0.99;
/// Share of the episodes of loss that must be at a full buffer.
const MOST_EPISODES: f64 = 1.0 / 3.0;

/// Estimates the path that a flow met. If round trips are smoothed and losses came at short ones,
/// there is a second estimate, in which the buffer was full at all losses. Errors call the
/// measurement `name`.
///
/// # Errors
///
/// The measurement lasts less than two seconds, or nothing arrived in it.
pub fn estimates(name: &str, measured: &Measured) -> Result<Vec<Estimate>, FitError> {
    let by_queue = estimate(name, measured, false)?;
    let open = measured.origin != Origin::Capture
        && by_queue.losses.share > 0.0
        && by_queue.rate_range.is_some();
    let all_full = open.then(|| estimate(name, measured, true)).transpose()?;
    Ok(std::iter::once(by_queue).chain(all_full).collect())
}

/// Estimates the path that a flow met. With `all_full` the buffer was full at all losses.
fn estimate(name: &str, measured: &Measured, all_full: bool) -> Result<Estimate, FitError> {
    let refuse = |problem: &str| {
        let remedy = "measure one connection that always has data to send, for ten seconds or more";
        Err(FitError::new(name, problem, remedy))
    };
    let seconds = measured.seconds();
    let points = &measured.points;
    let delivered = points.last().map_or(0.0, |last| last.delivered - points[0].delivered);
    if seconds < 2.0 {
        return refuse("it lasts less than two seconds");
    }
    if delivered <= 0.0 {
        return refuse("nothing arrived in it");
    }
    let mut rtts: Vec<f64> = points.iter().filter_map(|point| point.rtt).collect();
    rtts.sort_by(f64::total_cmp);
    let Some(&least) = rtts.first() else { return refuse("it has no round trip") };
    let wire = 8.0 * measured.packet() / measured.mss;
    // A first estimate of the rate, for the transmission time of the packets in a round trip.
    let fastest = fastest(measured, seconds) * wire;
    let own = 8.0 * measured.packet() / fastest;
    // The handshake and the kernel's filter measure small packets, and a sample of data a full
    // packet.
    let of_data = (least - own).max(least / 2.0);
    // A device nearer than the receiver, such as a proxy, may answer the handshake. Samples of
    // smoothed round trips miss the packets that found no queue.
    let nearest = match measured.origin {
        Origin::Ss => of_data / 10.0,
        _ => of_data / 2.0,
    };
    let other = measured.least_rtt.filter(|other| (nearest..of_data).contains(other));
    let base = other.unwrap_or(of_data);
    let shorter = measured.least_rtt.filter(|other| *other < nearest);
    let longest = match measured.origin {
        Origin::Capture => quantile(&rtts, OF_PATH),
        _ => quantile(&rtts, 1.0),
    } - base;
    let often = quantile(&rtts, 0.95) - base;
    let waits = (2.0 * own).max(5e-4).max(longest / 20.0);

    let (rate, rate_range, queued) = match rate(measured, base + waits) {
        // The link counts as seen full if packets waited for a twentieth of the time, at a rate of
        // which the parts agree.
        Some((rate, range, queued)) if queued >= 0.05 && range.high - range.low <= rate => {
            (rate * wire, Some(range.times(wire)), queued)
        }
        _ => (fastest, None, 0.0),
    };
    let (buffer, random) = match rate_range.is_some() && longest > waits {
        true => buffer(measured, base, rate, (longest, often), all_full),
        false => {
            let at_least = (often * rate / 8.0).max(0.0);
            let resent = points.iter().map(|point| point.resent).sum();
            (Buffer::NotFilled { at_least }, resent)
        }
    };
    Ok(Estimate {
        rate,
        rate_range,
        queued,
        base,
        is_base_bound: shorter.is_some()
            || measured.origin == Origin::Iperf3 && measured.least_rtt.is_none(),
        shorter,
        buffer,
        losses: wilson(random, measured.sent),
        goodput: 8.0 * delivered / seconds,
        median_rtt: rtts[rtts.len() / 2],
    })
}

/// Returns a quantile of sorted values, which are not empty.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * share) as usize]
}

impl Range {
    fn times(self, factor: f64) -> Range {
        Range { low: self.low * factor, high: self.high * factor }
    }
}

/// Returns the highest mean rate of payload, in bytes per second, over a quarter of the time, at
/// least 2 s and at most 5 s.
fn fastest(measured: &Measured, seconds: f64) -> f64 {
    let length = (seconds / 4.0).clamp(2.0, 5.0).min(seconds);
    let points = &measured.points;
    let (mut first, mut best) = (0, 0.0_f64);
    for last in 0..points.len() {
        while first + 1 < last && points[last].at - points[first + 1].at >= length {
            first += 1;
        }
        let took = points[last].at - points[first].at;
        if took >= length {
            best = best.max((points[last].delivered - points[first].delivered) / took);
        }
    }
    best.max(f64::MIN_POSITIVE)
}

/// Returns the rate of payload in bytes per second while round trips were above `full`, the range
/// of the rate, and the share of that time.
fn rate(measured: &Measured, full: f64) -> Option<(f64, Range, f64)> {
    // Stretches between neighbouring points that both have a queue. A point without a round trip
    // uses the previous one.
    let (mut before, mut stretches) = (None, Vec::new());
    for point in &measured.points {
        let rtt = point.rtt.or(before.map(|(_, _, rtt)| rtt));
        let Some(rtt) = rtt else { continue };
        if let Some((at, delivered, earlier)) = before
            && earlier > full
            && rtt > full
            && point.at > at
            && delivered > 0.0
        {
            stretches.push((point.at - at, point.delivered - delivered));
        }
        before = Some((point.at, point.delivered, rtt));
    }
    let took: f64 = stretches.iter().map(|own| own.0).sum();
    let bytes: f64 = stretches.iter().map(|own| own.1).sum();
    if stretches.len() < 3 || took <= 0.0 || bytes <= 0.0 {
        return None;
    }
    let rate = bytes / took;
    let mut rates = Vec::new();
    let (mut part_took, mut part_bytes) = (0.0, 0.0);
    for (own_took, own_bytes) in stretches {
        part_took += own_took;
        part_bytes += own_bytes;
        if part_took >= took / PARTS as f64 * (1.0 - 1e-9) {
            rates.push(part_bytes / part_took);
            (part_took, part_bytes) = (0.0, 0.0);
        }
    }
    let (low, high) = Mean::of(&rates).map_or((rate, rate), |mean| mean.ends());
    Some((rate, Range { low: low.min(rate), high: high.max(rate) }, took / measured.seconds()))
}

/// Returns the buffer, and the number of retransmitted segments that it does not explain. Queues
/// are in seconds: the longest one, and one that was reached often.
fn buffer(
    measured: &Measured,
    base: f64,
    rate: f64,
    (longest, often): (f64, f64),
    all_full: bool,
) -> (Buffer, f64) {
    let episodes = episodes(measured);
    // A round trip also contains the packet's own transmission time, and on average half of the
    // previous packet's.
    let bytes = |queue: f64| (queue * rate / 8.0 - 1.5 * measured.packet()).max(0.0);
    let is_full = |episode: &&(f64, f64)| episode.0 - base >= FULL * longest;
    let full: Vec<f64> = episodes.iter().filter(is_full).map(|own| own.0 - base).collect();
    let all: f64 = episodes.iter().map(|own| own.1).sum();
    if all_full {
        let low = full.iter().copied().fold(longest, f64::min);
        let range = Range { low: bytes(low), high: bytes(longest) };
        let episodes = episodes.len();
        let bytes = bytes(longest);
        return (Buffer::Filled { bytes, range, full: episodes, episodes, is_assumed: true }, 0.0);
    }
    if full.is_empty() || (full.len() as f64) < MOST_EPISODES * episodes.len() as f64 {
        return (Buffer::NotFilled { at_least: bytes(often) }, all);
    }
    let mut sorted = full;
    sorted.sort_by(f64::total_cmp);
    // Smoothed round trips lag behind the queue, so the longest is nearest to it.
    let queue = match measured.origin {
        Origin::Capture => sorted[sorted.len() / 2],
        _ => longest,
    };
    let other = all - episodes.iter().filter(is_full).map(|own| own.1).sum::<f64>();
    let high = longest.max(sorted[sorted.len() - 1]);
    let range = Range { low: bytes(sorted[0]), high: bytes(high) };
    let (full, episodes) = (sorted.len(), episodes.len());
    let bytes = bytes(queue);
    (Buffer::Filled { bytes, range, full, episodes, is_assumed: false }, other)
}

/// Returns the episodes of loss: the longest round trip just before each, and the number of
/// segments retransmitted in it. An episode ends when nothing was retransmitted for two round
/// trips.
fn episodes(measured: &Measured) -> Vec<(f64, f64)> {
    let points = &measured.points;
    let mut episodes: Vec<(f64, f64)> = Vec::new();
    let (mut last, mut recent) = (f64::NEG_INFINITY, 0.0);
    let mut first = 0;
    for (index, point) in points.iter().enumerate() {
        recent = point.rtt.unwrap_or(recent);
        if point.resent <= 0.0 {
            continue;
        }
        // Two round trips back, and at least one point back.
        while points[first].at < point.at - 2.0 * recent && first + 1 < index {
            first += 1;
        }
        let highest = points[first..=index].iter().filter_map(|own| own.rtt).fold(0.0, f64::max);
        let is_new = point.at - last > 2.0 * recent.max(0.01);
        match episodes.last_mut().filter(|_| !is_new) {
            Some(episode) => episode.1 += point.resent,
            None => episodes.push((highest, point.resent)),
        }
        last = point.at;
    }
    episodes
}

/// Returns a share with its 95 % interval (E. B. Wilson, JASA 22, 1927).
fn wilson(hits: f64, of: f64) -> Losses {
    const Z: f64 = 1.959_963_984_540_054;
    let of = of.max(1.0);
    let share = (hits / of).clamp(0.0, 1.0);
    let middle = share + Z * Z / (2.0 * of);
    let half = Z * (share * (1.0 - share) / of + Z * Z / (4.0 * of * of)).sqrt();
    let all = 1.0 + Z * Z / of;
    let low = if share == 0.0 { 0.0 } else { ((middle - half) / all).max(0.0) };
    Losses { share, range: Range { low, high: ((middle + half) / all).min(1.0) } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measured::Point;

    /// Twenty seconds at 20 Mbit/s of a queue that goes from 20 to 100 ms and never empties.
    fn never_empty(least_rtt: f64) -> Measured {
        let points = (0..200).map(|i| Point {
            at: f64::from(i) / 10.0,
            delivered: 250e3 * f64::from(i),
            rtt: Some(0.02 + 0.08 * f64::from(i % 40) / 40.0),
            resent: if i % 40 == 39 { 1.0 } else { 0.0 },
        });
        Measured {
            origin: Origin::Ss,
            controller: None,
            mss: 1448.0,
            headers: 52.0,
            least_rtt: Some(least_rtt),
            sent: 34_000.0,
            points: points.collect(),
            remark: None,
        }
    }

    #[test]
    fn a_round_trip_far_below_all_of_data_makes_the_base_a_bound() {
        let far = estimate("flow.ss", &never_empty(1e-5), false).expect("an estimate");
        assert_eq!((far.shorter, far.is_base_bound), (Some(1e-5), true));
        assert!((0.018..0.02).contains(&far.base), "{}", far.base);
        let near = estimate("flow.ss", &never_empty(0.015), false).expect("an estimate");
        assert_eq!((near.shorter, near.is_base_bound, near.base), (None, false, 0.015));
    }

    #[test]
    fn the_interval_of_wilson_is_that_of_the_textbook() {
        // 15 of 50: 0.1910 to 0.4375 (Agresti and Coull, 1998, by hand).
        let losses = wilson(15.0, 50.0);
        assert!((losses.range.low - 0.1910).abs() < 1e-4, "{losses:?}");
        assert!((losses.range.high - 0.4375).abs() < 1e-4, "{losses:?}");
        assert_eq!(wilson(0.0, 1000.0).range.low, 0.0);
    }
}
