//! `narrows kernel stats`.

use super::called::Called;
use super::found::{age, connections, find};
use super::routers::{self, Sight};
use crate::cli::StatsArgs;
use crate::terminal;
use narrows_kernel::{KernelError, Pinned, Router, Stats};
use narrows_workbench::Failure;
use narrows_workbench::Outcome;
use serde_json::{Value, json};
use std::thread;
use std::time::{Duration, Instant};

/// A counter: name, accessor and description.
type Counter = (&'static str, fn(&Stats) -> u64, &'static str);

const COUNTERS: [Counter; 7] = [
    ("opened", |stats| stats.opened, "connections that took it"),
    ("closed", |stats| stats.closed, "of these, ended or with another controller now"),
    ("acknowledgements", |stats| stats.acknowledgements, "processed"),
    ("decisions", |stats| stats.decisions, "that changed a window or a rate"),
    ("timeouts", |stats| stats.timeouts, "retransmission timeouts"),
    (
        "without_memory",
        |stats| stats.without_memory,
        "connections that the kernel had no memory for: they keep their window",
    ),
    (
        "unrecorded",
        |stats| stats.unrecorded,
        "calls that `narrows kernel watch` was too slow to read",
    ),
];

/// Prints the counters of loaded controllers and routers, with their rates over one second.
pub fn stats(args: StatsArgs) -> Result<Outcome, Failure> {
    let mut routers = Router::all()?;
    if let Some(name) = &args.name {
        routers.retain(|router| router.is_here() && router.interface() == name);
    }
    let all = match &args.name {
        Some(_) if !routers.is_empty() => Vec::new(),
        Some(name) => vec![find(name)?.map_err(KernelError::from)?],
        None => {
            let (whole, damaged): (Vec<_>, Vec<_>) =
                Pinned::all()?.into_iter().partition(Result::is_ok);
            damaged.into_iter().filter_map(Result::err).for_each(|damaged| {
                terminal::tell(&format!("left out: {}", KernelError::from(damaged)))
            });
            whole.into_iter().flatten().collect()
        }
    };
    let (files, all): (Vec<Pinned>, Vec<Pinned>) = all.into_iter().partition(Pinned::is_file);
    let called = Called::begin(&files)?;
    let stats = |pinned: &Pinned| pinned.stats().unwrap_or_default();
    let (start, before): (Instant, Vec<Stats>) = (Instant::now(), all.iter().map(stats).collect());
    let looked: Vec<Sight> = routers.iter().map(Sight::of).collect::<Result<_, _>>()?;
    let any = !all.is_empty() || !files.is_empty() || !routers.is_empty();
    if any {
        thread::sleep(Duration::from_secs(1));
    }
    let after = all.iter().map(stats).collect::<Vec<Stats>>();
    let seconds = start.elapsed().as_secs_f64();
    let rows = all.iter().zip(before).zip(after);
    let text = if args.json {
        let of_routers = looked
            .iter()
            .map(|before| routers::stats_json(before, seconds))
            .collect::<Result<Vec<Value>, _>>()?;
        let values: Vec<Value> = rows
            .map(|((pinned, before), after)| as_json(pinned, &before, &after, seconds))
            .chain(called.json(seconds)?)
            .chain(of_routers)
            .collect();
        format!("{:#}\n", json!(values))
    } else if !any {
        "narrows has loaded no controller.\n".to_owned()
    } else {
        let of_routers = looked
            .iter()
            .map(|before| routers::stats_text(before, seconds))
            .collect::<Result<Vec<String>, _>>()?;
        rows.map(|((pinned, before), after)| as_text(pinned, &before, &after, seconds))
            .chain(called.text(seconds)?)
            .chain(of_routers)
            .collect::<Vec<String>>()
            .join("\n")
    };
    terminal::print(&text)?;
    Ok(Outcome::Ok)
}

fn as_text(pinned: &Pinned, before: &Stats, after: &Stats, seconds: f64) -> String {
    let (name, controller) = (pinned.name(), pinned.text());
    let mut text = format!(
        "{name} ({controller}), loaded {}, {} open\n",
        age(pinned.since()),
        connections(after.open())
    );
    for (name, value, what) in COUNTERS {
        let rate = (value(after) - value(before)) as f64 / seconds;
        text +=
            &format!("  {name:<17}{:>14}{:>12}/s   {what}\n", value(after), format!("{rate:.0}"));
    }
    text
}

fn as_json(pinned: &Pinned, before: &Stats, after: &Stats, seconds: f64) -> Value {
    let total =
        COUNTERS.iter().map(|(name, value, _)| ((*name).to_owned(), Value::from(value(after))));
    let rates = COUNTERS.iter().map(|(name, value, _)| {
        ((*name).to_owned(), Value::from((value(after) - value(before)) as f64 / seconds))
    });
    json!({
        "name": pinned.name(), "controller": pinned.text(), "open": after.open(),
        "total": total.collect::<Value>(), "per_second": rates.collect::<Value>(),
    })
}
