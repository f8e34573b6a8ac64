//! `narrows compare`.

use crate::bpf_log::BpfLog;
use crate::conflicts;
use crate::contenders::{baseline, controllers, distinct, join};
use crate::error::Failure;
use crate::icn::IcnWay;
use crate::inputs;
use crate::notes::bursts;
use crate::notes::flow_control;
use crate::notes::offload;
use crate::notes::short_runs;
use crate::notes::timed_out;
use crate::notes::unmarked;
use crate::notes::unopened;
use crate::notes::unverified;
use crate::outcome::Outcome;
use crate::output::{self, Started};
use crate::quote::quote;
use crate::request;
use crate::routers;
use crate::runner::{run_all_logged, with_seeds};
use crate::saved;
use crate::scorecard;
use narrows_control::Choice;
use narrows_report::{Case, Comparison};
use narrows_scenario::{Overrides, Scenario, ScenarioError, Workload};
use narrows_units::Span;
use std::path::{Path, PathBuf};

/// Runs each controller on the same network with several seeds and shows them side by side, or
/// makes a scorecard if the arguments describe one.
pub fn compare(args: request::Compare) -> Result<Outcome, Failure> {
    conflicts::refuse(&args)?;
    if scorecard::is_wanted(&args) {
        if args.bpf_log.is_some() {
            let problem = "--bpf-log keeps the lines of one comparison, and this is a scorecard of several; compare on one network without --traffic and --beside";
            return Err(Failure::Other(problem.to_owned()));
        }
        return scorecard::scorecard(&args);
    }
    let contest = if args.icn {
        Contest::of_ways(&args, &ways(&args)?)?
    } else {
        Contest::of_controllers(&args, &controllers(&args)?)?
    };
    let started = Started::now();
    let Contest { names, mut networks, own } = contest;
    let reserved = output::reserve(&args.output, "compare")?;
    let inputs = inputs::adopt(&mut networks, file(&args))?;
    let runs: Vec<Scenario> =
        networks.iter().flat_map(|network| with_seeds(network, args.seed, args.seeds)).collect();
    let log = BpfLog::begin(args.bpf_log.as_deref(), &runs)?;
    let records = run_all_logged(
        &runs,
        log.as_ref(),
        |index| &names[index / args.seeds as usize],
        &args.output,
    );
    // Write the log even after a fault, because its lines help to find the fault.
    log.map_or(Ok(()), BpfLog::finish)?;
    let mut records = records?.into_iter();
    let cases = networks.iter().zip(&names).map(|(network, name)| Case {
        label: name.clone(),
        scenario_toml: network.to_toml(),
        runs: records.by_ref().take(args.seeds as usize).collect(),
    });
    let mut comparison = Comparison::new(
        format!(
            "{} compared{}",
            join(&names),
            args.on.path.first().map_or(String::new(), |path| format!(" on the path {path}"))
        ),
        cases.collect(),
        String::new(),
    );
    if !args.icn {
        comparison.baseline = baseline(&args, &names)?;
    }
    comparison.notes.extend(unmarked::note(&networks));
    comparison.notes.extend(bursts::note(&networks));
    // Paths and files define their own hosts, and refuse `--host-rate`.
    let own_link = args.host_rate.is_none() && args.on.path.is_empty() && file(&args).is_none();
    comparison.notes.extend(own_link.then(|| offload::note(&networks[0])).flatten());
    let records = comparison.cases.iter().flat_map(|case| &case.runs);
    let short = short_runs::note(records);
    comparison.notes.extend(short);
    let opened = unopened::note(
        comparison.cases.iter().map(|case| (case.label.as_str(), case.runs.as_slice())),
    );
    comparison.notes.extend(opened);
    let timed_out = timed_out::note(
        comparison.cases.iter().map(|case| (case.label.as_str(), case.runs.as_slice())),
    );
    comparison.notes.extend(timed_out);
    let flow_control = flow_control::note(
        comparison.cases.iter().map(|case| (case.label.as_str(), case.runs.as_slice())),
    );
    comparison.notes.extend(flow_control);
    comparison.notes.extend(unverified::notes());
    // Prefer a network without added routers for the command.
    let given = own.iter().position(Option::is_none).unwrap_or(0);
    let own: Vec<String> = own.into_iter().flatten().collect();
    comparison
        .notes
        .extend((!own.is_empty()).then(|| format!("each with its own router: {}", own.join("; "))));
    comparison.remake = remake(&args, &names, &networks[given], &comparison.scenario_file(given));
    output::deliver(
        reserved,
        &comparison,
        &started.info(inputs, &args.output.console),
        &args.output,
    )?;
    if !args.output.quiet && !args.output.json {
        args.output.console.print(&format!("Try next: {}\n", next(&args)))?;
    }
    Ok(Outcome::Ok)
}

/// The compared controllers or ways of control, each with its network.
struct Contest {
    names: Vec<String>,
    networks: Vec<Scenario>,
    /// Description of the routers that a network has for its controller, or `None`.
    own: Vec<Option<String>>,
}

impl Contest {
    fn of_controllers(args: &request::Compare, controllers: &[Choice]) -> Result<Contest, Failure> {
        let names = distinct(controllers.iter().map(Choice::text))?;
        let mut networks = controllers
            .iter()
            .map(|choice| network(args, choice))
            .collect::<Result<Vec<_>, _>>()?;
        let equipped = networks
            .iter_mut()
            .zip(controllers)
            .map(|(network, choice)| routers::equip(network, choice));
        let own = equipped.collect::<Result<Vec<_>, _>>()?;
        Ok(Contest { names, networks, own })
    }

    fn of_ways(args: &request::Compare, ways: &[IcnWay]) -> Result<Contest, Failure> {
        let names = distinct(ways.iter().map(IcnWay::text))?;
        let networks =
            ways.iter().map(|way| way.network(file(args))).collect::<Result<Vec<_>, _>>()?;
        Ok(Contest { names, networks, own: vec![None; ways.len()] })
    }
}

/// Returns the ways to control an information-centric network that the arguments name.
fn ways(args: &request::Compare) -> Result<Vec<IcnWay>, Failure> {
    if args.controllers.is_empty() {
        let default = |name: &&str| match IcnWay::read(name) {
            Ok(Some(way)) => way,
            _ => IcnWay::window(name.parse().expect("a controller of the registry")),
        };
        return Ok(IcnWay::DEFAULT.iter().map(default).collect());
    }
    let way = |compared: &request::Compared| match compared {
        request::Compared::Icn(way) => Ok(way.clone()),
        request::Compared::Controller(choice) => {
            Ok(match IcnWay::read(choice.text()).map_err(Failure::Other)? {
                Some(way) => way,
                None => IcnWay::window(choice.clone()),
            })
        }
    };
    args.controllers.iter().map(way).collect()
}

/// Returns the scenario file that defines the network.
fn file(args: &request::Compare) -> Option<&Path> {
    args.file.first().map(PathBuf::as_path)
}

/// Returns the changes to the network that the arguments request.
fn overrides(args: &request::Compare) -> Overrides {
    Overrides { set: args.set.set.clone(), ..args.on.at_bottleneck() }
}

/// Returns the network with the controller `choice`, and what the flows have saved.
fn network(args: &request::Compare, choice: &Choice) -> Result<Scenario, Failure> {
    let mut network = written(args, choice)?;
    if args.warmup.is_none() && file(args).is_none() {
        count_single_transfers(&mut network);
    }
    if let Some(times) = args.saved {
        saved::give(&mut network, times)?;
    }
    Ok(network)
}

/// Leaves the warm-up out if every flow has a single transfer, which would not count if it began in
/// it.
fn count_single_transfers(network: &mut Scenario) {
    if network.flows.iter().all(|flow| matches!(flow.workload, Workload::Size(_))) {
        network.warmup = Span::ZERO;
    }
}

/// Returns the network as flags and files describe it.
fn written(args: &request::Compare, choice: &Choice) -> Result<Scenario, Failure> {
    match file(args) {
        None => {
            let text = args.network().to_toml(choice.text(), args.seed.unwrap_or(1));
            let file = "the network given by flags";
            Ok(narrows_scenario::parse_with(
                &text,
                file,
                &overrides(args),
                None,
                &narrows_scenario::read_named,
            )?)
        }
        Some(file) => {
            let scenario =
                narrows_scenario::load_with(file, &overrides(args), Some(choice.text()))?;
            if scenario.icn.is_some() {
                let message = "this network is information-centric: it has no flows";
                let remedy = format!(
                    "narrows compare --icn {} --file {} lets the controller drive its consumers",
                    choice.text(),
                    file.display()
                );
                return Err(Failure::Scenario(ScenarioError::unsupported(
                    file,
                    &["icn".to_owned()],
                    message,
                    remedy,
                )));
            }
            Ok(scenario)
        }
    }
}

/// Returns the command that repeats the comparison in the result directory, which has
/// `scenario_file` and the traces.
fn remake(
    args: &request::Compare,
    names: &[String],
    network: &Scenario,
    scenario_file: &str,
) -> String {
    let mut changed = vec![("controllers", names.to_vec())];
    let trace = |link: usize| network.links[link].trace_file.clone().into_iter().collect();
    if file(args).is_some() {
        changed.push(("file", vec![scenario_file.to_owned()]));
        // The scenario file has these changes.
        changed.extend(["queue", "workload", "set"].map(|name| (name, Vec::new())));
    } else if !args.on.trace.is_empty() {
        changed.extend([("trace", trace(0)), ("trace_back", trace(1))]);
    }
    request::remake("compare", args, &changed)
}

/// Returns a suggestion for a comparison that shows something new.
fn next(args: &request::Compare) -> String {
    if args.icn && args.file.is_empty() {
        return "narrows reproduce mircc --quick to reproduce its authors' results".to_owned();
    }
    if let Some(file) = file(args) {
        return format!(
            "narrows run {} to run it with its own controllers",
            quote(&file.display().to_string())
        );
    }
    let network = args.network();
    // The leading arguments, as the user typed them.
    let typed = args
        .output
        .console
        .words()
        .into_iter()
        .skip(2)
        .take_while(|word| !word.starts_with('-'))
        .map(|word| quote(&word) + " ");
    let typed: String = typed.collect();
    if let Some(path) = &network.path {
        format!("narrows path {path} to print that network as a file")
    } else if network.loss == 0.0 && network.trace.is_none() && network.flows <= 2 {
        format!(
            "narrows compare {typed}--loss '1 %' to see which controllers mistake random loss for congestion"
        )
    } else if network.flows <= 2 {
        format!(
            "narrows compare {typed}--flows 10 --buffer '0.5 bdp' to see how they share a small buffer"
        )
    } else {
        format!("narrows compare {typed}--path lte to compare them on a cellular link")
    }
}
