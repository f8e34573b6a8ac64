//! FAST as a fluid with delayed feedback: the window law without packets, written independently of the controller.

/// One source: its base round trip in seconds, and alpha in packets.
#[derive(Clone, Copy)]
pub struct Source {
    pub base: f64,
    pub alpha: f64,
}

/// What a fluid run shows at its end, and its largest queue on the way.
pub struct Outcome {
    pub windows: Vec<f64>,
    pub rates: Vec<f64>,
    pub queue: f64,
    pub largest_queue: f64,
}

/// Queueing delay below which windows double per round trip.
const THRESHOLD: f64 = 0.75e-3;
const GAMMA: f64 = 0.5;

/// Sources on a link of `capacity` packets per second without a limit of its buffer, from windows of ten packets, for `seconds` in steps of `step`.
///
/// Per source the amounts sent, served and acknowledged are kept over time; half of the base round trip lies before the link and half behind it. The link serves in
/// order of arrival, so what has left it at a time is what had arrived when the total that has left had arrived.
pub fn run(sources: &[Source], capacity: f64, seconds: f64, step: f64) -> Outcome {
    let steps = (seconds / step) as usize;
    let count = sources.len();
    let mut sent = vec![vec![0.0; count]; steps + 1];
    let mut arrived = vec![0.0; steps + 1];
    // Of what leaves at a step: by source how much has left so far, and how long it waited.
    let mut left = vec![vec![0.0; count]; steps + 1];
    let mut waited = vec![0.0; steps + 1];
    let mut windows = vec![vec![10.0; count]; steps + 1];
    let mut next_update = vec![0.0; count];
    let (mut departed, mut head, mut largest) = (0.0f64, 0usize, 0.0f64);
    let half: Vec<usize> = sources.iter().map(|source| (source.base / 2.0 / step).round() as usize).collect();
    let at = |series: &[Vec<f64>], now: usize, ago: usize, source: usize| if now >= ago { series[now - ago][source] } else { 0.0 };
    for now in 1..=steps {
        let time = now as f64 * step;
        arrived[now] = (0..count).map(|source| at(&sent, now - 1, half[source], source)).sum();
        departed = (departed + capacity * step).min(arrived[now]);
        largest = largest.max(arrived[now] - departed);
        while head + 1 < now && arrived[head + 1] <= departed {
            head += 1;
        }
        let span = arrived[head + 1] - arrived[head];
        let part = if span > 0.0 { ((departed - arrived[head]) / span).clamp(0.0, 1.0) } else { 1.0 };
        let before = if arrived[now] > departed { head as f64 + part } else { now as f64 };
        waited[now] = (now as f64 - before) * step;
        for source in 0..count {
            let arrivals = |index: usize| if index == 0 { 0.0 } else { at(&sent, index - 1, half[source], source) };
            let low = before as usize;
            let high = (low + 1).min(now);
            left[now][source] = arrivals(low) + (arrivals(high) - arrivals(low)) * (before - low as f64);
            let acknowledged = at(&left, now, half[source], source);
            let more = acknowledged - at(&left, now - 1, half[source], source);
            let Source { base, alpha } = sources[source];
            let wait = if now >= half[source] { waited[now - half[source]] } else { 0.0 };
            let rtt = base + wait;
            let mut window = windows[now - 1][source];
            if wait < THRESHOLD {
                window += more;
                next_update[source] = time + 2.0 * rtt;
            } else if time >= next_update[source] {
                let past = windows[now.saturating_sub((rtt / step) as usize + 1)][source];
                window = ((1.0 - GAMMA) * window + GAMMA * (past * base / rtt + alpha)).min(2.0 * window);
                next_update[source] = time + 2.0 * rtt;
            }
            windows[now][source] = window;
            sent[now][source] = sent[now - 1][source].max(acknowledged + window);
        }
    }
    let second = (1.0 / step) as usize;
    let rates = (0..count).map(|source| (left[steps][source] - left[steps - 10 * second][source]) / 10.0).collect();
    Outcome { windows: windows[steps].clone(), rates, queue: arrived[steps] - departed, largest_queue: largest }
}
