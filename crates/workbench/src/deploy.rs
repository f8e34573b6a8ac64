//! `narrows deploy plan`: simulates an experiment before it is tried on a host.

use crate::error::Failure;
use crate::outcome::Outcome;
use crate::output::{self, Started};
use crate::request::{self, DeployPlan, parse_choice};
use crate::runner::run_cells;
use crate::work::Work;
use narrows_control::ENTRIES;
use narrows_deploy::Experiment;
use narrows_deploy::experiment::{EXPOSED, On};
use narrows_deploy::plan::{self, Effort, Exposed, Job, JobKind, Observed, Plan, Reduced};
use narrows_deploy::state::STATES;
use narrows_deploy::trial::{KeptPeriod, PERIODS, Trial};
use narrows_files::{Limit, read_text};
use narrows_report::{Bundle, write_bundle};
use narrows_scenario::paper::World;
use narrows_scenario::{ENDS, PathProfile, from_toml, read_named};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Most packets of a plan without `--full`: some three hours on one core.
const MOST_PACKETS: f64 = 4e10;
/// Packets that a core simulates in an hour, by order of magnitude.
const PACKETS_PER_HOUR: f64 = 1.4e10;
/// Bits of a full packet.
const PACKET_BITS: f64 = 12_000.0;

/// The controller that Linux gives each connection unless somebody has changed it.
const DEFAULT: &str = "cubic";

/// Simulates the experiment of a file, and says what an A/B test and a switchback would measure.
pub fn deploy_plan(args: DeployPlan) -> Result<Outcome, Failure> {
    let started = Started::now();
    let (text, planned) = planned(&args)?;
    let reserved = output::reserve(&args.output, &format!("plan {}", planned.experiment.name))?;
    let first = ran(&planned, planned.first_jobs(), &args.output)?;
    let mut second = Vec::new();
    loop {
        let jobs = planned.next_jobs(&first, &second);
        if jobs.is_empty() {
            break;
        }
        second.extend(ran(&planned, jobs, &args.output)?);
    }
    let outcome = plan::Outcome::of(&planned, &first, &second);
    let json = serde_json::to_string_pretty(&outcome).expect("its fields are texts and numbers");
    let json = json + "\n";
    args.output.console.print(&if args.output.json {
        json.clone()
    } else {
        plan::text(&outcome)
    })?;
    let changed = [("experiment", vec!["experiment.toml".to_owned()])];
    let remake = request::remake("deploy plan", &args, &changed);
    let version = env!("CARGO_PKG_VERSION");
    let setup = setup(&planned);
    let mut documents = vec![
        ("report.html".to_owned(), plan::page(&outcome, &setup, &remake, version).into_bytes()),
        ("summary.json".to_owned(), json.into_bytes()),
        ("experiment.toml".to_owned(), text.into_bytes()),
    ];
    documents.extend(scenarios(&planned, &second)?);
    let directory = reserved.directory().to_owned();
    let bundle = Bundle { documents, table: None, version: version.to_owned() };
    write_bundle(reserved, bundle, &started.info(Vec::new(), &args.output.console))?;
    output::point_to(&directory, &args.output)?;
    if !args.output.json && !args.output.quiet {
        args.output.console.print(&format!("{}\n", started.cost()))?;
    }
    Ok(Outcome::Ok)
}

/// Reads the experiment and its network. Returns the text of the experiment, too.
fn planned(args: &DeployPlan) -> Result<(String, Plan), Failure> {
    let file = args.experiment.display().to_string();
    let text = read_text(&args.experiment, Limit::TEXT).map_err(|error| {
        Failure::Other(format!(
            "{file} cannot be read: {error}; give the file of an experiment, which is TOML text (docs/how-to/deploy.md)"
        ))
    })?;
    let known = |name: &str| simulated(name).map(drop);
    let experiment = Experiment::read(&text, &file, &known)?;
    let Some(own) = &experiment.plan else {
        return Err(Failure::Other(format!(
            "{file} has no [plan], so there is nothing to simulate; add path = \"broadband\" and traffic = {{ load = \"50 %\", sizes = \"web-search\" }} below [plan], or scenario = \"FILE.toml\""
        )));
    };
    let network = exposed(&own.on, &args.experiment)?;
    let arms = [experiment.control.as_deref().unwrap_or(DEFAULT), &experiment.treatment];
    let arms = arms.map(|name| simulated(name).expect("it was checked"));
    let seeds = args.seeds.unwrap_or(if args.quick { 3 } else { 10 });
    let effort = Effort { seeds, ramp: !args.quick };
    let observed = args.observed.as_deref().map(|name| observed(name, &experiment)).transpose()?;
    let plan = Plan { network, arms, effort, experiment, observed };
    if !args.full {
        refuse_large(&plan)?;
    }
    Ok((text, plan))
}

/// Refuses a plan that would simulate for hours.
fn refuse_large(plan: &Plan) -> Result<(), Failure> {
    let first = plan.first_jobs().remove(0);
    let work = Work::estimated(&plan.scenario(&first)?);
    let seconds = work.length.as_secs_f64();
    let packets = move |effort: Effort| {
        work.weight as f64 * 1e6 * seconds / PACKET_BITS * effort.runs() as f64
    };
    let needed = packets(plan.effort);
    if needed <= MOST_PACKETS {
        return Ok(());
    }
    let smaller = [true, false]
        .into_iter()
        .flat_map(|ramp| (2..=plan.effort.seeds).rev().map(move |seeds| Effort { seeds, ramp }));
    let fits = smaller
        .filter(|own| plan.effort.ramp || !own.ramp)
        .find(|own| packets(*own) <= MOST_PACKETS);
    let remedy = match fits {
        Some(Effort { seeds, ramp: true }) => format!("take --seeds {seeds}"),
        Some(Effort { seeds, ramp: false }) => format!("take --quick --seeds {seeds}"),
        None => "divide the rates of its links and of its traffic by ten: what connections share stays the same, and deviations grow".to_owned(),
    };
    Err(Failure::Other(format!(
        "this plan simulates up to {:.0} thousand million packets, some {:.0} hours on one core; {remedy}, or simulate all of it with --full",
        needed / 1e9,
        (needed / PACKETS_PER_HOUR).max(1.0)
    )))
}

/// Reads the observation of an experiment on a host, by its name or the folder of its state.
fn observed(name: &Path, experiment: &Experiment) -> Result<Observed, Failure> {
    let is_path = name.components().count() > 1 || name.join(PERIODS).is_file();
    let folder = if is_path { name.to_owned() } else { Path::new(STATES).join(name) };
    let read = |file: &str| {
        let path = folder.join(file);
        read_text(&path, Limit::MEASUREMENT).map_err(|error| {
            Failure::Other(format!(
                "{} cannot be read: {error}; name an experiment of this host, or the folder of its state",
                path.display()
            ))
        })
    };
    let other = |text: String| Failure::Other(text);
    let host = Experiment::read(&read("experiment.toml")?, "experiment.toml", &|_| Ok(()))?;
    let mut trial = Trial::new(&host).map_err(other)?;
    let periods = KeptPeriod::read(&read(PERIODS)?, PERIODS);
    let restored = periods.and_then(|own| trial.restore(own));
    restored.map_err(|error| other(error.to_string()))?;
    let metric = experiment.metrics[0].metric;
    Observed::of(&trial, metric).ok_or_else(|| {
        other(format!(
            "the observation in {} is not over, or has no {}; let the experiment run through its observe pairs, with this metric",
            folder.display(),
            metric.name()
        ))
    })
}

/// Returns the name in the simulator of a controller that is named as in the kernel or as in
/// scenarios.
pub(crate) fn simulated(name: &str) -> Result<String, String> {
    let (base, settings) = name.split_once('?').unwrap_or((name, ""));
    let of_kernel = ENTRIES.iter().find(|entry| entry.kernel == Some(base) && entry.name != base);
    let known = ENTRIES.iter().any(|entry| entry.name == base);
    let written = match of_kernel.filter(|_| !known) {
        Some(entry) if settings.is_empty() => entry.name.to_owned(),
        Some(entry) => format!("{}?{settings}", entry.name),
        None => name.to_owned(),
    };
    parse_choice(&written).map(|choice| choice.text().to_owned())
}

/// Returns the network of a plan; `experiment` is the file that names it.
fn exposed(on: &On, experiment: &Path) -> Result<Exposed, Failure> {
    let folder = experiment.parent().unwrap_or(Path::new("")).to_owned();
    let (keys, file, folder) = match on {
        On::Path { path, traffic } => {
            let profile = PathProfile::named(path).expect("the experiment was checked");
            let mut keys: Map<String, Value> = from_toml(profile.text, path)?;
            let [from, to] = ENDS;
            let flow = json!({
                "from": from, "to": to, "controller": EXPOSED, "workload": traffic,
            });
            keys.insert("flow".to_owned(), json!([flow]));
            (keys, format!("the path {path}"), folder)
        }
        On::Scenario(name) => {
            let path: PathBuf = folder.join(name);
            let text = read_text(&path, Limit::TEXT).map_err(|error| {
                Failure::Other(format!(
                    "{} cannot be read: {error}; name a scenario file at scenario in {}",
                    path.display(),
                    experiment.display()
                ))
            })?;
            let file = path.display().to_string();
            let beside = path.parent().unwrap_or(Path::new("")).to_owned();
            (from_toml(&text, &file)?, file, beside)
        }
    };
    let read = Arc::new(move |name: &Path| read_named(&folder.join(name)));
    Exposed::of(keys, &file, read).map_err(|error| Failure::Other(error.to_string()))
}

/// Runs jobs, and keeps what the plan needs of each.
fn ran(
    plan: &Plan,
    jobs: Vec<Job>,
    output: &request::Output,
) -> Result<Vec<(Job, Reduced)>, Failure> {
    let scenario = |cell: u64| plan.scenario(&jobs[cell as usize]).map_err(Failure::from);
    let works: Vec<Work> = (0..jobs.len() as u64)
        .map(|cell| scenario(cell).map(|own| Work::of(&own)))
        .collect::<Result<_, _>>()?;
    let kept: Vec<Mutex<Option<Reduced>>> = jobs.iter().map(|_| Mutex::new(None)).collect();
    let pending: Vec<u64> = (0..jobs.len() as u64).collect();
    run_cells(
        &pending,
        |cell| works[cell as usize],
        |_| World::Simulator,
        scenario,
        |cell, record| {
            let record = record.map_err(Failure::Other)?;
            let reduced = plan.reduced(&jobs[cell as usize], &record);
            *kept[cell as usize].lock().expect("no panic while it is held") = Some(reduced);
            Ok(())
        },
        |cell| format!("seed {}", jobs[cell as usize].seed),
        output,
    )?;
    let reduced = kept.into_iter().map(|own| {
        own.into_inner().expect("no panic while it is held").expect("every job has run")
    });
    Ok(jobs.into_iter().zip(reduced.collect::<Vec<_>>()).collect())
}

/// Describes the network of a plan in one line.
fn setup(plan: &Plan) -> String {
    let own = plan.experiment.plan.as_ref().expect("the experiment was checked");
    match &own.on {
        On::Path { path, traffic } => format!("On the path {path}, traffic {traffic}."),
        On::Scenario(name) => format!("On the network of {name}."),
    }
}

/// Returns a scenario of each kind of run with the first seed, for `narrows run`.
fn scenarios(plan: &Plan, second: &[(Job, Reduced)]) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let share = |share: f64| JobKind::Share(share);
    let mut kinds = vec![
        ("all-control.toml", share(0.0)),
        ("all-treated.toml", share(1.0)),
        ("ab-test.toml", share(plan.share())),
    ];
    kinds.extend(second.first().map(|(job, _)| ("switchback.toml", job.kind.clone())));
    let text = |(name, kind): (&str, JobKind)| {
        let scenario = plan.scenario(&Job { kind, seed: 1 })?;
        Ok((name.to_owned(), scenario.to_toml().into_bytes()))
    };
    kinds.into_iter().map(text).collect()
}
