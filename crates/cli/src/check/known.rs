//! `narrows check --self`: published results about deployed controllers, and the verdicts that they lead to.

use super::job::{Job, Runs};
use super::planned::{planned, remake};
use super::tested::Tested;
use crate::cells::partial;
use crate::cli::{CheckArgs, OutputArgs, ReproduceArgs, ScopeArg, SuiteArg, parse_choice};
use crate::error::Failure;
use crate::outcome::Outcome;
use crate::output;
use crate::reproduce;
use narrows_control::Choice;
use narrows_evidence::check::report;
use narrows_evidence::report::{Checked, found};
use narrows_evidence::suite::{KnownVerdict, known_verdicts};
use narrows_report::{Reproduction, reproduction_json, reproduction_table, text_table};
use serde::Serialize;
use std::path::Path;

/// A verdict beside the one that was to be found.
#[derive(Serialize)]
struct Verified {
    #[serde(flatten)]
    known: KnownVerdict,
    /// The verdict that the quick check found.
    found: String,
    /// True if it is one of those that agree.
    holds: bool,
    /// The worst cell, and what was found there.
    cell: String,
    /// The command that shows its runs.
    remake: String,
}

/// Runs both, and says whether all of it holds. The verdicts come first: their runs are kept until the claims are made, too.
pub fn known_answers(args: CheckArgs) -> Result<Outcome, Failure> {
    let CheckArgs { quick, output, .. } = args;
    let papers = vec!["known-answers".to_owned()];
    let claims =
        ReproduceArgs { papers, quick, live: false, why: false, figure: Vec::new(), output };
    let reserved = reproduce::reserve(&claims)?;
    let (verdicts, kept) = verified(&claims.output, &partial(reserved.directory()))?;
    reserved.file(
        "verdicts.json",
        (serde_json::to_string_pretty(&verdicts).expect("they are texts") + "\n").as_bytes(),
    )?;
    let show = |reproduction: &Reproduction| {
        let text = match claims.output.json {
            true => json(reproduction, &verdicts),
            false => reproduction_table(reproduction) + &table(&verdicts),
        };
        claims.output.console.print(&text)
    };
    let (reproduction, directory) = reproduce::made(&claims, reserved, show)?;
    kept.into_iter().try_for_each(Runs::remove)?;
    // Only if it is empty.
    let _ = std::fs::remove_dir(partial(&directory));
    output::point_to(&directory, &claims.output)?;
    let holds = reproduction.as_expected() && verdicts.iter().all(|own| own.holds);
    Ok(if holds { Outcome::Ok } else { Outcome::Missed })
}

/// Makes a quick check of each controller, by the criteria that something is known of; its runs are kept in `folder`.
fn verified(output: &OutputArgs, folder: &Path) -> Result<(Vec<Verified>, Vec<Runs>), Failure> {
    let known = known_verdicts()?;
    let (mut all, mut kept) = (Vec::new(), Vec::new());
    for (place, group) in known
        .chunk_by(|one, other| {
            (&one.controller, &one.baselines) == (&other.controller, &other.baselines)
        })
        .enumerate()
    {
        let args = arguments(group, output)?;
        let tested = Tested::of(&args)?;
        let check = planned(&args, &tested)?;
        let job = Job::new(&check, remake(&args, &tested), None);
        let runs = job.make(&folder.join(format!("verdicts-{:02}", place + 1)), output)?;
        let report = report(&check, &|run| runs.get(run));
        let checked =
            Checked::of(&check, &report, env!("CARGO_PKG_VERSION"), &job.remake, runs.count());
        all.extend(group.iter().map(|own| verify(own, &checked)));
        kept.push(runs);
    }
    Ok((all, kept))
}

/// Those of the check of one controller.
fn arguments(group: &[KnownVerdict], output: &OutputArgs) -> Result<CheckArgs, Failure> {
    let choice =
        |text: &String| -> Result<Choice, Failure> { parse_choice(text).map_err(Failure::Other) };
    let first = &group[0];
    Ok(CheckArgs {
        controller: Some(choice(&first.controller)?),
        known: false,
        suite: SuiteArg::Rfc9743,
        quick: true,
        only: group.iter().map(|own| own.criterion.clone()).collect(),
        scope: ScopeArg::Internet,
        baselines: first.baselines.iter().map(choice).collect::<Result<_, _>>()?,
        against: None,
        about: None,
        keep: None,
        live: false,
        strict: false,
        seeds: None,
        seed: 1,
        words: Vec::new(),
        serve: Vec::new(),
        output: output.clone(),
    })
}

fn verify(known: &KnownVerdict, checked: &Checked) -> Verified {
    let own = checked.criteria.iter().find(|own| own.id == known.criterion);
    let verdict = own.map_or("not run", |own| &own.verdict).to_owned();
    let cell = own
        .and_then(|own| own.cells.first())
        .map_or_else(String::new, |cell| format!("{}: {}", cell.cell, found(cell)));
    let holds = known.verdicts.contains(&verdict);
    Verified { known: known.clone(), found: verdict, holds, cell, remake: checked.remake.clone() }
}

fn json(reproduction: &Reproduction, verdicts: &[Verified]) -> String {
    let claims: serde_json::Value =
        serde_json::from_str(&reproduction_json(reproduction)).expect("it is JSON");
    format!("{:#}\n", serde_json::json!({ "claims": claims, "verdicts": verdicts }))
}

fn table(verdicts: &[Verified]) -> String {
    let mut rows = vec![
        ["Controller", "Criterion", "Published", "Verdict", "", "Worst cell"]
            .map(str::to_owned)
            .to_vec(),
    ];
    rows.extend(verdicts.iter().map(|own| {
        let against = if own.known.baselines.is_empty() {
            String::new()
        } else {
            format!(" against {}", own.known.baselines.join(", "))
        };
        vec![
            format!("{}{against}", own.known.controller),
            own.known.criterion.clone(),
            own.known.verdicts.join(" or "),
            own.found.clone(),
            if own.holds { "holds" } else { "differs" }.to_owned(),
            own.cell.clone(),
        ]
    }));
    let held = verdicts.iter().filter(|own| own.holds).count();
    format!(
        "\nVerdicts of quick checks: {held} of {} are those that published results lead to\n\n{}",
        verdicts.len(),
        text_table(&rows, rows[0].len())
    )
}
