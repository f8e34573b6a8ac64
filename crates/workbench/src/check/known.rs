//! `narrows lab self-check`: published results on deployed controllers, and the verdicts that
//! follow from them.

use super::job::{Job, Runs};
use super::planned::{planned, remake};
use super::tested::Tested;
use crate::error::Failure;
use crate::outcome::Outcome;
use crate::output;
use crate::reproduce;
use crate::request;
use crate::run_store::partial;
use narrows_evidence::check::report;
use narrows_evidence::report::{Checked, found};
use narrows_evidence::suite::{KnownVerdict, known_verdicts};
use narrows_report::{Reproduction, reproduction_json, reproduction_table, text_table};
use serde::Serialize;
use std::path::Path;

/// A found verdict together with the expected ones.
#[derive(Serialize)]
struct Verified {
    #[serde(flatten)]
    known: KnownVerdict,
    /// Verdict of the quick check.
    found: String,
    /// True if the verdict is one of the expected verdicts.
    holds: bool,
    /// The worst cell and its value.
    cell: String,
    /// Command that shows the runs.
    remake: String,
}

/// Runs the verdicts and the claims. The outcome is good only if all hold. The verdicts are first,
/// and their runs stay stored until the claims are done.
pub fn self_check(args: request::SelfCheck) -> Result<Outcome, Failure> {
    let request::SelfCheck { quick, output } = args;
    let papers = vec!["known-answers".to_owned()];
    let claims =
        request::Reproduce { papers, quick, live: false, why: false, figure: Vec::new(), output };
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
    // This removes the directory only if it is empty.
    let _ = std::fs::remove_dir(partial(&directory));
    output::point_to(&directory, &claims.output)?;
    let holds = reproduction.as_expected() && verdicts.iter().all(|own| own.holds);
    Ok(if holds { Outcome::Ok } else { Outcome::Missed })
}

/// Runs a quick check of each controller, limited to the criteria with published results. Stores
/// the runs in `folder`.
fn verified(
    output: &request::Output,
    folder: &Path,
) -> Result<(Vec<Verified>, Vec<Runs>), Failure> {
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

/// Returns the arguments of the check of one controller.
fn arguments(group: &[KnownVerdict], output: &request::Output) -> Result<request::Check, Failure> {
    let choice = |text: &String| request::parse_choice(text).map_err(Failure::Other);
    let first = &group[0];
    Ok(request::Check {
        quick: true,
        only: group.iter().map(|own| own.criterion.clone()).collect(),
        baselines: first.baselines.iter().map(choice).collect::<Result<_, _>>()?,
        output: output.clone(),
        ..request::Check::of(choice(&first.controller)?)
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
