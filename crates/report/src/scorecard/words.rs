//! The sentences of a scorecard.

use super::model::{Against, Best, Entry, Scorecard};
use crate::baseline::Standings;
use crate::estimate::Estimate;
use crate::estimate::percent;
use crate::spread::statistic;
use narrows_figure::number::count;
use narrows_measure::metrics::{Metric, metric};
use narrows_scenario::NamedTraffic;

/// Largest number of undefined numbers that notes list.
const UNDEFINED: usize = 6;

/// Returns the metrics that matter to a kind of traffic, with the heads of their columns.
pub(crate) fn heads(traffic: &str) -> Vec<(&'static str, &'static Metric)> {
    let named = NamedTraffic::named(traffic).map_or(&[][..], |named| named.metrics);
    named.iter().filter_map(|(head, name)| Some((*head, metric(name)?))).collect()
}

/// Names the traffic of a controller: "a cubic download", "cubic web traffic".
pub(crate) fn whose(traffic: &str, controller: &str, flows: u32) -> String {
    let flows = if traffic == "bulk" { flows } else { 1 };
    NamedTraffic::named(traffic).map_or_else(
        |_| format!("{traffic} by {controller}"),
        |named| named.driven_by(controller, flows),
    )
}

/// Names the competition: "beside a cubic download", "alone".
pub(crate) fn beside(beside: Option<&str>) -> String {
    beside.map_or_else(|| "alone".to_owned(), |own| format!("beside {}", whose("bulk", own, 1)))
}

/// Describes the loss of a row's competitor.
pub(super) fn sentence(entry: &Entry, flows: u32) -> Option<String> {
    let beside = entry.beside.as_deref()?;
    let subject = whose(&entry.traffic, &entry.controller, flows);
    let [goodput, delay] = &entry.harm[..] else { return None };
    let verb = |one: &'static str, many: &'static str| {
        if entry.traffic == "bulk" && flows > 1 { many } else { one }
    };
    let itself = entry.controller == beside;
    let (network, competitor) = match itself && entry.traffic == "bulk" {
        true => (&entry.network, format!("another {beside} download")),
        false => (&entry.network, whose("bulk", beside, 1)),
    };
    goodput.estimate.median?;
    let takes = verb("takes", "take");
    let mut text = format!(
        "On {network}, {subject} {takes} {} % of {competitor}'s goodput",
        percent(goodput.estimate.median)
    );
    if !itself {
        text += &format!("; {beside}'s own {takes} {} %", percent(goodput.own.median));
    }
    text += ".";
    if delay.estimate.median.is_some() {
        let (causes, adds) = (verb("accounts for", "account for"), verb("adds", "add"));
        let it = verb("It", "They");
        let part = percent(delay.estimate.median);
        let own = percent(delay.own.median);
        let (says, own) = match part.as_str() {
            "0" => (format!("{adds} nothing to"), format!("accounts for {own} %")),
            _ => (format!("{causes} {part} % of"), format!("for {own} %")),
        };
        text += &format!(" {it} {says} {competitor}'s p95 round trip");
        if !itself {
            text += &format!("; {beside}'s own {own}");
        }
        text += ".";
    }
    Some(text)
}

/// Names of the columns of harm.
const HARMS: [&str; 2] = ["harm to goodput", "harm to RTT"];

/// Heading of the columns without a best controller.
pub(crate) const NO_WINNER: &str = "no clear winner";

/// Compares the rows of a network and a kind of traffic, alone or next to a competitor, with the
/// baseline's row.
pub(super) fn against(entries: &[Entry], baseline: Option<&str>) -> Vec<Against> {
    let judged = entries.iter().filter(|entry| {
        baseline.is_some_and(|baseline| entry.tested && entry.controller != baseline)
    });
    let standings = |entry: &Entry| {
        let heads = heads(&entry.traffic).into_iter().map(|(head, _)| head);
        let metrics = heads.zip(entry.metrics.iter().map(|own| own.standing));
        let harms = HARMS.into_iter().zip(entry.harm.iter().map(|own| own.standing));
        let mut standings = Standings::default();
        for (head, standing) in metrics.chain(harms) {
            standing.into_iter().for_each(|standing| standings.add(head, standing));
        }
        standings
    };
    let against = |entry: &Entry| Against {
        network: entry.network.clone(),
        traffic: entry.traffic.clone(),
        beside: entry.beside.clone(),
        controller: entry.controller.clone(),
        standings: standings(entry),
    };
    judged.map(against).collect()
}

/// Names the best of the rows of a network and a kind of traffic, alone or next to a competitor.
/// `None` if there is only one controller.
pub(super) fn verdict(entries: &[Entry]) -> Option<Best> {
    let tested: Vec<&Entry> = entries.iter().filter(|entry| entry.tested).collect();
    let [first, _, ..] = &tested[..] else { return None };
    let columns: Vec<(&str, usize, bool)> = heads(&first.traffic)
        .iter()
        .enumerate()
        .map(|(place, (head, _))| (*head, place, false))
        .collect();
    let harms = HARMS
        .into_iter()
        .enumerate()
        .take(first.harm.len())
        .map(|(place, head)| (head, place, true));
    let columns: Vec<(&str, usize, bool)> = columns.into_iter().chain(harms).collect();
    let number = |entry: &Entry, (_, place, harm): &(&str, usize, bool)| -> (bool, Option<f64>) {
        match harm {
            true => (entry.harm[*place].best, entry.harm[*place].estimate.median),
            false => (entry.metrics[*place].best, entry.metrics[*place].estimate.median),
        }
    };
    let named = |wanted: &dyn Fn(&(&str, usize, bool)) -> bool| -> String {
        columns
            .iter()
            .filter(|column| wanted(column))
            .map(|(head, ..)| *head)
            .collect::<Vec<_>>()
            .join(", ")
    };
    let wins = tested
        .iter()
        .map(|entry| (entry.controller.clone(), named(&|column| number(entry, column).0)));
    let undefined =
        |column: &(&str, usize, bool)| tested.iter().all(|entry| number(entry, column).1.is_none());
    let won = |column: &(&str, usize, bool)| tested.iter().any(|entry| number(entry, column).0);
    let others = [
        (NO_WINNER.to_owned(), named(&|column| !won(column) && !undefined(column))),
        ("not defined".to_owned(), named(&|column| undefined(column))),
    ];
    let parts: Vec<String> = wins
        .chain(others)
        .filter(|(_, columns)| !columns.is_empty())
        .map(|(who, columns)| format!("{who}: {columns}"))
        .collect();
    let (network, traffic, beside) =
        (first.network.clone(), first.traffic.clone(), first.beside.clone());
    Some(Best { network, traffic, beside, says: parts.join("; ") })
}

/// Explains how to read the numbers, and what they do not show.
pub(super) fn notes(card: &Scorecard) -> Vec<String> {
    let seeds = card.seeds.len();
    let mut notes = vec![match seeds {
        1 => "One seed: the spread is unknown, and no difference can be seen.".to_owned(),
        n => match &card.baseline {
            Some(baseline) => format!(
                "{} Against {baseline}, + marks better and - worse numbers: their intervals do not overlap, and they differ by more than 2 %.",
                statistic(n)
            ),
            None => format!(
                "{} A star marks the best controller of a column if its interval lies apart from all others and it is more than 2 % better.",
                statistic(n)
            ),
        },
    }];
    if !card.beside.is_empty() {
        notes.push(
            "Harm, in percent, is the part of its solo goodput that the competitor loses, and the part of its round trip p95 that it does not have alone. \
             An exclamation mark says that the traffic does more harm than the same traffic of the competitor's own controller, beyond the intervals."
                .to_owned(),
        );
        notes.push(
            "Each competitor is one download that begins with the traffic and runs to the end; other numbers and starts are not shown. \
             narrows check asks the same on many buffers and round trips, where harm can be larger."
                .to_owned(),
        );
    }
    notes.push(
        "Networks are models with one bottleneck each, and the simulator computed the runs; narrows live runs a scenario on the Linux kernel."
            .to_owned(),
    );
    if card
        .traffic
        .iter()
        .any(|traffic| traffic.metrics.iter().any(|name| name == "standing_queue"))
    {
        notes.push("The standing queue is that of the link, whoever fills it.".to_owned());
    }
    if card
        .traffic
        .iter()
        .any(|traffic| traffic.metrics.iter().any(|name| name.contains("slowdown")))
    {
        notes.push(
            "A slowdown (×) is the completion time divided by the ideal one; short transfers are below 100 kB, medium ones below 10 MB."
                .to_owned(),
        );
    }
    let mut undefined = Vec::new();
    for entry in &card.entries {
        let heads = heads(&entry.traffic);
        let lacking = |estimate: &Estimate| estimate.defined() < seeds;
        for (own, (head, _)) in
            entry.metrics.iter().zip(heads).filter(|(own, _)| lacking(&own.estimate))
        {
            undefined.push(format!(
                "On {}, {head} of {} {} is defined in {} of {seeds} {}.",
                entry.network,
                whose(&entry.traffic, &entry.controller, card.flows),
                beside(entry.beside.as_deref()),
                own.estimate.defined(),
                if seeds == 1 { "seed" } else { "seeds" },
            ));
        }
    }
    let more = undefined.len().saturating_sub(UNDEFINED);
    undefined.truncate(UNDEFINED);
    notes.extend(undefined);
    if more > 0 {
        notes.push(format!(
            "{} more numbers are not defined in every seed: scorecard.json has them.",
            count(more as u64)
        ));
    }
    notes
}
