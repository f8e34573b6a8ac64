//! A world without packets: amounts that flow, and the laws of controllers as differential equations with delay.
//!
//! Papers analyse their laws this way. The sources meet at one link without a limit of its queue, which serves in order of arrival; all else only delays. Feedback is as late as in
//! a network. The laws are written independently of the controllers, so that each is a check of the other; what a law has of its own is said in its file.
//!
//! The result is a [`Record`] like that of packets. Time moves in steps of a hundredth of the shortest round trip; round trips and queueing delays are counted at the samples, so
//! that their quantiles are over time and not over packets. What only packets have (losses, one-way delays, reductions) is not in it.

mod fast;
mod network;
mod record;
mod vcp;

use crate::pulse::Pulse;
use crate::{Progress, SimError};
use fast::Fast;
use narrows_control::Choice;
use narrows_measure::Record;
use narrows_scenario::Scenario;
use narrows_units::{Span, Time};
use network::Network;
use record::{Flowing, Probes, Serving};
use thiserror::Error;
use vcp::{Load, Vcp};

/// A scenario of which there is no fluid.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{problem}; {remedy}")]
pub struct Unfit {
    /// The place in the scenario, and what is there.
    pub problem: String,
    /// What would be right.
    pub remedy: String,
}

/// Controllers with a fluid, as they are written.
const KNOWN: &str = "fluids are known of fast with a number for alpha, and of vcp?bits=8";

/// What an acknowledgement tells a source.
#[derive(Clone, Copy, Debug)]
struct Told {
    /// Seconds since the run began.
    now: f64,
    /// Packets that it acknowledges.
    packets: f64,
    /// The round trip without queue, in seconds.
    base: f64,
    /// What it waited, in seconds.
    wait: f64,
    /// The window a round trip ago.
    past: f64,
    /// The load that the link told when it left.
    load: f64,
}

/// How the window of a source moves.
#[derive(Clone, Debug)]
enum Law {
    Fast(Fast),
    Vcp(Vcp),
}

impl Law {
    /// That of a controller, if it is known.
    fn of(choice: &Choice) -> Option<Law> {
        let params = choice.params();
        match choice.entry().name {
            "fast" => Fast::new(&params).map(Law::Fast),
            "vcp" => Vcp::new(&params).map(Law::Vcp),
            _ => None,
        }
    }

    /// The window after an acknowledgement at a window of `w`.
    fn step(&mut self, w: f64, told: &Told) -> f64 {
        match self {
            Law::Fast(law) => law.step(w, told),
            Law::Vcp(law) => law.step(w, told),
        }
    }
}

/// Refuses a scenario of which there is no fluid.
///
/// # Errors
/// What of it a fluid does not have.
pub fn check(scenario: &Scenario) -> Result<(), Unfit> {
    Network::new(scenario).map(drop)
}

/// Most steps of all sources together: each takes 24 bytes.
const MOST_AMOUNTS: usize = 1 << 27;

fn too_fine(shortest: f64) -> SimError {
    let shortest = Span::from_secs_f64(shortest);
    let problem = format!("steps of a hundredth of the shortest round trip, {shortest}, are more than there is room for");
    Unfit { problem, remedy: "lengthen the delay of its links, or shorten the run".to_owned() }.into()
}

/// Runs a scenario as a fluid to its end, or until `progress` answers false.
///
/// # Errors
/// [`SimError::Unfit`] if there is no fluid of it, [`SimError::Stopped`].
pub fn run(scenario: &Scenario, progress: Progress<'_>) -> Result<Record, SimError> {
    let Network { sources, capacity, packet, bottleneck, router } = Network::new(scenario)?;
    let shortest = sources.iter().map(|source| source.base).fold(f64::INFINITY, f64::min);
    let interval = scenario.interval.as_secs_f64();
    let per_sample = libm::ceil(interval / (shortest / 100.0)) as usize;
    let step = interval / per_sample as f64;
    let samples = (scenario.duration.as_nanos() / scenario.interval.as_nanos()) as usize;
    let count = sources.len();
    let Some(steps) = samples.checked_mul(per_sample).filter(|steps| steps.saturating_mul(count) <= MOST_AMOUNTS) else {
        return Err(too_fine(shortest));
    };
    let mut probes = Probes::new(scenario, bottleneck, packet);
    let mut load = Load::new(router, capacity);

    // Amounts up to each step: sent by each source, arrived at the link from all, left the link by source; how long what leaves had waited, and the load told to it.
    let mut sent = vec![vec![0.0; count]; steps + 1];
    let mut left = vec![vec![0.0; count]; steps + 1];
    let mut windows = vec![vec![0.0; count]; steps + 1];
    let mut arrived = vec![0.0; steps + 1];
    let mut waited = vec![0.0; steps + 1];
    let mut loads = vec![0.0; steps + 1];
    let (mut departed, mut head) = (0.0f64, 0usize);
    let in_steps = |seconds: f64| libm::round(seconds / step) as usize;
    let before: Vec<usize> = sources.iter().map(|source| in_steps(source.before)).collect();
    let after: Vec<usize> = sources.iter().map(|source| in_steps(source.base - source.before)).collect();
    let beyond: Vec<usize> = sources.iter().map(|source| in_steps(source.beyond)).collect();
    let active: Vec<(usize, usize)> = sources.iter().map(|source| (in_steps(source.start), source.stop.map_or(steps, in_steps))).collect();
    let mut laws: Vec<Law> = sources.iter().map(|source| source.law.clone()).collect();
    let ago = |series: &[Vec<f64>], now: usize, steps: usize, source: usize| if now >= steps { series[now - steps][source] } else { 0.0 };
    let (mut pulse, mut reached) = (Pulse::new(progress), Time::ZERO);
    for now in 1..=steps {
        arrived[now] = (0..count).map(|source| ago(&sent, now - 1, before[source], source)).sum();
        departed = (departed + capacity * step).min(arrived[now]);
        // What leaves now arrived at the time when as much had arrived as has left.
        while head + 1 < now && arrived[head + 1] <= departed {
            head += 1;
        }
        let span = arrived[head + 1] - arrived[head];
        let part = if span > 0.0 { ((departed - arrived[head]) / span).clamp(0.0, 1.0) } else { 1.0 };
        let entered = if arrived[now] > departed { head as f64 + part } else { now as f64 };
        waited[now] = (now as f64 - entered) * step;
        loads[now] = load.step(step, arrived[now], arrived[now] - departed);
        for source in 0..count {
            if !pulse.goes_on(reached) {
                return Err(SimError::Stopped);
            }
            let arrivals = |index: usize| if index == 0 { 0.0 } else { ago(&sent, index - 1, before[source], source) };
            let (low, high) = (entered as usize, (entered as usize + 1).min(now));
            left[now][source] = arrivals(low) + (arrivals(high) - arrivals(low)) * (entered - low as f64);
            let (begin, end) = active[source];
            if now < begin.max(1) {
                continue;
            }
            let acknowledged = ago(&left, now, after[source], source);
            let left_then = now.saturating_sub(after[source]);
            let (base, wait) = (sources[source].base, waited[left_then]);
            let round = ((base + wait) / step) as usize + 1;
            let own = if now == begin.max(1) { sources[source].initial } else { windows[now - 1][source] };
            let told = Told {
                now: now as f64 * step,
                packets: acknowledged - ago(&left, now - 1, after[source], source),
                base,
                wait,
                past: if now - begin > round { windows[now - round][source] } else { sources[source].initial },
                load: loads[left_then],
            };
            windows[now][source] = if now == begin.max(1) { own } else { laws[source].step(own, &told) };
            let more = if now < end { acknowledged + windows[now][source] } else { 0.0 };
            sent[now][source] = sent[now - 1][source].max(more);
        }
        if now % per_sample == 0 {
            let at = Time::ZERO + scenario.interval * (now / per_sample) as u64;
            reached = at;
            let flow = |source: usize| {
                let acknowledged = ago(&left, now, after[source], source);
                let rtt = sources[source].base + waited[now.saturating_sub(after[source])];
                Flowing {
                    window: windows[now][source],
                    sent: sent[now][source],
                    arrived: ago(&left, now, beyond[source], source),
                    in_flight: sent[now][source] - acknowledged,
                    rtt: (acknowledged > 0.0).then(|| Span::from_secs_f64(rtt)),
                    runs: (active[source].0..active[source].1).contains(&now),
                }
            };
            let link = Serving { queue: arrived[now] - departed, departed, waited: Span::from_secs_f64(waited[now]) };
            probes.sample(at, scenario, (0..count).map(flow), &link);
            if !pulse.ask(at) {
                return Err(SimError::Stopped);
            }
        }
    }
    // What has arrived from each source when it stops, or at the end.
    let in_time = (0..count).map(|source| ago(&left, active[source].1.min(steps), beyond[source], source)).collect();
    Ok(probes.finish(scenario, in_time, steps as u64))
}
