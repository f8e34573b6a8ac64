//! `narrows attack`: searches for networks on which a controller performs badly, and reports the
//! confirmed ones as findings.

pub mod keep;
mod on_kernel;
mod outcome;
mod runs;

use crate::campaign::Campaign;
use crate::error::Failure;
use crate::inputs::{as_kept, of_controllers};
use crate::outcome::Outcome;
use crate::output::{self, Started};
use crate::request;
use crate::run_store::{self, Origin};
use keep::Keep;
use narrows_evidence::attack::{
    Aim, Examined, Genome, GenomeKind, Replayed, Search, Searched, Standing, examine, search,
};
use narrows_report::Reserved;
use on_kernel::{OnKernel, on_kernel};
use outcome::Found;
use runs::Runs;

/// Default number of networks in a quick search.
const QUICK: usize = 3000;
/// Default number of networks in a full search.
const WHOLE: usize = 20_000;

/// Runs the search, examines the best candidates and writes the result.
pub fn attack(args: request::Attack) -> Result<Outcome, Failure> {
    let started = Started::now();
    if args.live {
        crate::live::acquire(&args.output.console)?;
    }
    let aim = aim(&args)?;
    let mut keep = args.keep.as_deref().map(Keep::read).transpose()?;
    let plan = Search {
        kinds: kinds(&args)?,
        seed: args.seed,
        budget: args
            .budget
            .map_or(if args.quick { QUICK } else { WHOLE }, |budget| budget as usize),
        strategy: args.search.strategy(),
        kept: keep.as_ref().map_or_else(Vec::new, |keep| keep.genomes(aim.goal)),
    };
    let words = remake(&args);
    let text = serde_json::json!([aim, plan, args.findings, keep]).to_string();
    let origin = Origin::of(words.clone(), text, of_controllers().collect());
    let reserved = reserve(&args, &origin)?;
    let resume = args.output.console.same_command();
    let kept = Campaign::begin(reserved.directory(), &origin, resume)?;
    let budget = plan.budget as u64;
    let mut runs = Runs::new(&aim, &kept, plan.budget, &args.output)?;
    let worked = work(&mut runs, &plan, keep.as_ref(), &args);
    drop(runs);
    let (kept, (replayed, searched, examined)) = kept.worked(worked, budget)?;
    let kernel = on_kernel(&aim, &examined.findings, args.live, &args.output)?;
    let found =
        Found { aim, plan, replayed, searched, findings: examined.findings, kernel, remake: words };
    let invalid = found.kernel.iter().any(|own| matches!(own, OnKernel::Invalid(_)));
    let confirmed = found.findings.iter().any(|finding| finding.standing == Standing::Confirmed);
    let directory = reserved.directory().to_owned();
    let told = outcome::write(&found, reserved, &started, &args.output)
        .map_err(|failure| kept.paused(failure, budget))?;
    kept.complete()?;
    if let Some(keep) = &mut keep {
        keep.add(&found.aim, &found.findings)?;
    }
    args.output.console.print(&told)?;
    output::point_to(&directory, &args.output)?;
    if !args.output.json && !args.output.quiet {
        args.output.console.print(&format!("{}\n", started.cost()))?;
    }
    Ok(match () {
        () if invalid => Outcome::Invalid,
        () if confirmed => Outcome::Missed,
        () => Outcome::Ok,
    })
}

/// Replayed findings, searches and examined candidates.
type Worked = (Vec<Replayed>, Vec<Searched>, Examined);

fn work(
    runs: &mut Runs<'_>,
    plan: &Search,
    keep: Option<&Keep>,
    args: &request::Attack,
) -> Result<Worked, Failure> {
    let replayed = keep.map_or(Ok(Vec::new()), |keep| {
        keep.replay(args.controller.text(), &mut |aim, trials| runs.of(aim, trials))
    })?;
    let searched = search(plan, runs)?;
    let mut ranked: Vec<&(Genome, f64)> =
        searched.iter().flat_map(|searched| &searched.best).collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    let candidates: Vec<Genome> = ranked.into_iter().map(|(genome, _)| genome.clone()).collect();
    let examined = examine(&candidates, args.findings as usize, plan.seed, runs)?;
    Ok((replayed, searched, examined))
}

/// Returns the kinds of networks to search.
fn kinds(args: &request::Attack) -> Result<Vec<GenomeKind>, Failure> {
    let goal = args.goal;
    if let Some(kind) = args.genome.iter().find(|kind| !goal.suits(**kind)) {
        let others: Vec<&str> = GenomeKind::ALL
            .into_iter()
            .filter(|other| goal.suits(*other))
            .map(GenomeKind::name)
            .collect();
        return Err(Failure::Other(format!(
            "--goal {} is about what lasts after a change, and a network of {} has none; take --genome {}",
            goal.name(),
            kind.name(),
            others.join(",")
        )));
    }
    Ok(if args.genome.is_empty() { vec![goal.kind()] } else { args.genome.clone() })
}

fn aim(args: &request::Attack) -> Result<Aim, Failure> {
    let mut aim = Aim::new(args.controller.text(), args.goal);
    if !args.reference.is_empty() {
        aim.references = args.reference.iter().map(|choice| choice.text().to_owned()).collect();
    }
    if aim.references.contains(&aim.subject) {
        return Err(Failure::Other(format!(
            "{} cannot be its own reference; name others with --reference",
            aim.subject
        )));
    }
    aim.transport = args.transport.iter().map(|key| key.line.as_str()).collect();
    Ok(aim)
}

/// Reserves the result directory: the directory from the command line, else one with stored runs of
/// the same search, else the next free one.
fn reserve(args: &request::Attack, origin: &Origin) -> Result<Reserved, Failure> {
    if args.output.out.is_some() {
        return output::reserve(&args.output, "");
    }
    let name = format!("attack {} {}", args.controller.text(), args.goal.name());
    let numbers = (1u32..).map(|n| output::numbered(&name, n));
    output::reserve_free(numbers.filter(|directory| {
        let partial = run_store::partial(directory);
        !partial.exists() || run_store::read_origin(&partial).is_ok_and(|kept| kept == *origin)
    }))
}

/// Returns the command that repeats the attack in its result directory.
fn remake(args: &request::Attack) -> String {
    let changed = [
        ("controller", vec![as_kept(&args.controller)]),
        ("reference", args.reference.iter().map(as_kept).collect()),
    ];
    request::remake("attack", args, &changed)
}
