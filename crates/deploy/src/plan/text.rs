//! A plan in the terminal.

use super::outcome::{Candidate, Compared, Outcome, Verdict, effect};
use crate::experiment::{Metric, Unit};
use narrows_measure::metrics::in_words;
use narrows_measure::sequential::{Mean, half_width};
use narrows_report::{capital, text_table};

/// Formats what a plan's runs say.
pub fn text(outcome: &Outcome) -> String {
    let [control, treatment] = &outcome.arms;
    let mut text = format!(
        "{}: {control} to {treatment}, simulated with {} seeds; 95 % intervals\n\n{}\n",
        outcome.name,
        outcome.seeds,
        text_table(&rows(outcome), 1)
    );
    if let Some(spill) = spillover(outcome) {
        text += &format!("{spill}\n");
    }
    if !outcome.ramp.is_empty() {
        text += &format!(
            "\n{} while a share is treated, against nobody treated\n\n{}",
            capital(&words(outcome.metrics[0].metric)),
            text_table(&ramp(outcome), 1)
        );
    }
    text += &format!("\n{}\n", text_table(&timings(outcome), 1));
    text += &advice(outcome);
    if let Some(times) = outcome.observed {
        text += &format!(
            "Deviations are those of the host's observation: {times:.2} times the simulated ones.\n"
        );
    }
    if let Some(most) = outcome.emergency {
        text += &format!(
            "\nWithout treatment, 200 connections in a row took at most {most:.1} times the mean; an emergency bound must be above it.\n"
        );
    }
    text
}

/// Returns the name of a metric in words.
pub(crate) fn words(metric: Metric) -> String {
    in_words(metric.name())
}

/// Formats an effect with its interval: "+31 % (29 to 33)".
pub(super) fn with_interval(own: Option<Mean>, unit: Unit) -> String {
    own.map_or("\u{2013}".to_owned(), |own| {
        let (low, high) = own.ends();
        let bare = |value: f64| {
            let text = effect(value, unit);
            text.split(' ').next().unwrap_or_default().to_owned()
        };
        format!("{} ({} to {})", effect(own.mean, unit), bare(low), bare(high))
    })
}

/// Says what an A/B test says beside the truth.
pub(super) fn verdict(own: Verdict) -> &'static str {
    match own {
        Verdict::WrongSign => "WRONG SIGN",
        Verdict::Wrong => "wrong",
        Verdict::Right => "",
        Verdict::Unknown => "too few seeds or connections",
    }
}

/// Returns the interval that an experiment with the proposed pairs would have.
pub(super) fn expected(outcome: &Outcome, own: &Compared) -> Option<Mean> {
    let pairs = outcome.candidates[outcome.chosen?].pairs.unwrap_or(outcome.file_pairs).max(2);
    own.switchback.map(|mean| Mean { half: half_width(mean.deviation, pairs), ..mean })
}

/// The heads and rows of the table of metrics.
pub(super) fn rows(outcome: &Outcome) -> Vec<Vec<String>> {
    let share = format!("A/B test at {} %", 100.0 * outcome.share);
    let switchback = outcome.chosen.map_or("Switchback".to_owned(), |place| {
        let own = &outcome.candidates[place];
        let pairs = own.pairs.unwrap_or(outcome.file_pairs);
        format!("Switchback, {pairs} pairs of {}", span(own.period_s))
    });
    let mut rows =
        vec![["", "All against none", &share, "", &switchback].map(str::to_owned).into()];
    for own in &outcome.metrics {
        let unit = own.metric.unit();
        rows.push(vec![
            words(own.metric),
            with_interval(own.truth, unit),
            with_interval(own.test, unit),
            verdict(own.verdict).to_owned(),
            with_interval(expected(outcome, own), unit),
        ]);
    }
    rows
}

/// Says what the A/B test does to untreated connections, if anything is shown.
pub(super) fn spillover(outcome: &Outcome) -> Option<String> {
    let first = outcome.metrics.first()?;
    let own = first.spillover?;
    let (low, high) = own.ends();
    let shown = low > 0.0 || high < 0.0;
    let (worse, size) = (first.metric.more_is_worse() == (own.mean > 0.0), own.mean);
    shown.then(|| {
        format!(
            "In the A/B test, {} of connections without {} is {} than if nobody had it: {}.",
            words(first.metric),
            outcome.arms[1],
            if worse { "worse" } else { "better" },
            with_interval(Some(Mean { mean: size, ..own }), first.metric.unit())
        )
    })
}

/// The heads and rows of the table of shares.
pub(super) fn ramp(outcome: &Outcome) -> Vec<Vec<String>> {
    let unit = outcome.metrics[0].metric.unit();
    let mut rows =
        vec![["Share", "A/B test says", "Treated", "Untreated"].map(str::to_owned).into()];
    for own in &outcome.ramp {
        rows.push(vec![
            format!("{} %", 100.0 * own.share),
            with_interval(own.test, unit),
            with_interval(own.treated, unit),
            with_interval(own.control, unit),
        ]);
    }
    rows
}

/// The heads and rows of the table of timings.
pub(super) fn timings(outcome: &Outcome) -> Vec<Vec<String>> {
    let unit = outcome.metrics[0].metric.unit();
    let heads = [
        "Switchback",
        "Left out at its ends",
        "Bias",
        "Deviation of a pair",
        "Pairs needed",
        "Takes",
    ];
    let mut rows = vec![heads.map(str::to_owned).into()];
    for (place, own) in outcome.candidates.iter().enumerate() {
        let chosen = if outcome.chosen == Some(place) { " *" } else { "" };
        let file = if own.of_file { ", the file's" } else { "" };
        let too_many = || "more than 2000".to_owned();
        rows.push(vec![
            format!("{}{file}{chosen}", span(own.period_s)),
            format!("{}, {}", span(own.burn_in_s), span(own.burn_out_s)),
            with_interval(Some(bias(own)), unit) + if own.unbiased { "" } else { ": too large" },
            format!("{:.3}", own.deviation),
            own.pairs.map_or_else(too_many, |pairs| pairs.to_string()),
            own.pairs.map_or("\u{2013}".to_owned(), |pairs| span(own.length_s(pairs))),
        ]);
    }
    rows
}

fn bias(own: &Candidate) -> Mean {
    Mean { mean: own.bias, half: own.bias_half, deviation: 0.0 }
}

/// Says which timing to take, and what the file's own design would measure.
pub(super) fn advice(outcome: &Outcome) -> String {
    proposed(outcome) + &of_file(outcome)
}

/// Says what the switchback of the file would measure. Empty if it is the proposed one, or if it
/// could not be simulated.
fn of_file(outcome: &Outcome) -> String {
    let Some(own) = outcome.file_timing.map(|place| &outcome.candidates[place]) else {
        return String::new();
    };
    let pairs = outcome.file_pairs;
    if outcome.file_timing == outcome.chosen && (own.pairs.is_none() || own.pairs == Some(pairs)) {
        return String::new();
    }
    let metric = outcome.metrics[0].metric;
    let within = |half: f64| effect(half, metric.unit()).trim_start_matches('+').to_owned();
    let verdict = match own.pairs {
        Some(needed) if needed <= pairs => "enough",
        _ => "too few",
    };
    let biased = if own.unbiased { "" } else { ", and its bias is too large" };
    format!(
        "The file has {pairs} pairs of {}, which are {verdict}: they measure {} to within {}{biased}.\n",
        span(own.period_s),
        words(metric),
        within(own.half),
    )
}

/// Says which timing to take.
fn proposed(outcome: &Outcome) -> String {
    let main = outcome.metrics[0].metric;
    let Some(own) = outcome.chosen.map(|place| &outcome.candidates[place]) else {
        return "No switchback has enough connections in its periods; take longer periods or more traffic.\n"
            .to_owned();
    };
    let width = effect(outcome.width, main.unit());
    let keys = keys(own);
    match (own.unbiased, own.pairs) {
        (true, Some(pairs)) => format!(
            "For {} to within {}: pairs = {pairs}, {keys}; it takes {}.\n",
            words(main),
            width.trim_start_matches('+'),
            span(own.length_s(pairs))
        ),
        (true, None) => format!(
            "{} to within {} needs more than 2000 pairs; with {keys} and {} pairs it is within {}.\n",
            capital(&words(main)),
            width.trim_start_matches('+'),
            outcome.file_pairs,
            effect(own.half, main.unit()).trim_start_matches('+')
        ),
        (false, _) => format!(
            "No simulated timing is without bias; the least has {keys}, and measures {} more than the truth. Connections outlive these periods: take longer ones.\n",
            effect(own.bias, main.unit())
        ),
    }
}

/// The keys of a timing in a file.
fn keys(own: &Candidate) -> String {
    format!(
        "period = \"{}\", burn_in = \"{}\", burn_out = \"{}\"",
        span(own.period_s),
        span(own.burn_in_s),
        span(own.burn_out_s)
    )
}

/// Formats a number of seconds: "2 min", "3 h 12 min".
pub(crate) fn span(seconds: u64) -> String {
    match seconds {
        short if short < 120 || (short < 3600 && short % 60 != 0) => format!("{short} s"),
        minutes if minutes < 2 * 3600 => format!("{} min", minutes / 60),
        hours => {
            let minutes = hours / 60;
            match minutes % 60 {
                0 => format!("{} h", minutes / 60),
                rest => format!("{} h {rest} min", minutes / 60),
            }
        }
    }
}
