//! `narrows matrix`: every controller beside every other, as a sweep whose cells are the pairs and each controller alone.

use crate::cli::MatrixArgs;
use crate::error::Failure;
use crate::inputs::Files;
use crate::outcome::Outcome;
use crate::output::{self, Started};
use crate::quote::quote;
use crate::routers;
use crate::sweep::Job;
use narrows_control::Choice;
use narrows_report::{Grid, Matrix, Pairing, Runs};
use narrows_scenario::{Changes, Sweep};
use std::path::Path;

/// What every harm is held against: what the second does to the first.
const YARDSTICK: [&str; 2] = ["newreno", "cubic"];

/// Runs all pairs on all networks and shows who harms whom.
pub fn matrix(args: MatrixArgs) -> Result<Outcome, Failure> {
    let started = Started::now();
    let names: Vec<String> = args.controllers.iter().map(|choice| choice.text().to_owned()).collect();
    if let Some(twice) = names.iter().enumerate().find(|(index, name)| names[..*index].contains(name)) {
        return Err(Failure::Other(format!("{} is named twice; name each controller once, self-pairs are always included", twice.1)));
    }
    routers::refuse(&args.controllers, "all pairs share one drop-tail queue")?;
    let sweep = Sweep::parse(&toml(&args, &names), "matrix.toml", &Changes::default())?;
    let job = Job::new(sweep, Files::beside(Path::new("matrix.toml")), |_| remake(&args), None)?;
    let reserved = job.reserve(&args.output, None)?;
    let directory = reserved.directory().to_owned();
    let grid = job.run(reserved, &args.output, &started, Some(&|grid, runs| of(&args, &names, grid, runs)))?;
    output::show(&grid, &directory, &args.output)?;
    Ok(Outcome::Ok)
}

/// The runs: each controller alone, and each pair; those of the yardstick if they are not among them.
fn pairings(names: &[String]) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = Vec::new();
    let yardstick: Vec<Vec<String>> = vec![vec![YARDSTICK[0].to_owned()], YARDSTICK.map(str::to_owned).to_vec()];
    let solo = names.iter().map(|name| vec![name.clone()]);
    let pairs = names.iter().enumerate().flat_map(|(i, one)| names[i..].iter().map(move |two| vec![one.clone(), two.clone()]));
    for pairing in solo.chain(pairs).chain(yardstick) {
        let turned: Vec<String> = pairing.iter().rev().cloned().collect();
        if !all.contains(&pairing) && !all.contains(&turned) {
            all.push(pairing);
        }
    }
    all
}

fn label(pairing: &[String]) -> String {
    match pairing {
        [only] => format!("{only} alone"),
        both => both.join(" beside "),
    }
}

fn toml(args: &MatrixArgs, names: &[String]) -> String {
    let list = |texts: Vec<String>| format!("[{}]", texts.join(", "));
    let rates = list(args.rate.iter().map(|rate| format!("\"{rate}\"")).collect());
    let delays = list(args.rtt.iter().map(|rtt| format!("{{ label = \"{rtt} round trip\", value = \"{}\" }}", *rtt / 2)).collect());
    let buffers = list(args.buffer.iter().map(|buffer| format!("\"{buffer}\"")).collect());
    let flow = |place: usize, name: &String| {
        let side = ["first", "second"][place];
        format!("{{ name = \"{side}\", from = \"left\", to = \"right\", controller = '{name}' }}")
    };
    let flows = pairings(names).into_iter().map(|pairing| {
        let flows: Vec<String> = pairing.iter().enumerate().map(|(place, name)| flow(place, name)).collect();
        format!("    {{ label = '{}', value = [{}] }},\n", label(&pairing), flows.join(", "))
    });
    format!(
        "name = \"Pairs of controllers\"\nseed = {}\nduration = \"{}\"\nwarmup = \"{}\"\n\n\
         [[link]]\nname = \"bottleneck\"\nbetween = [\"left\", \"right\"]\nrate = \"{}\"\n\n\
         [sweep]\n\"link.bottleneck.rate\" = {rates}\n\"link.bottleneck.delay\" = {delays}\n\"link.bottleneck.buffer\" = {buffers}\n\
         flow = [\n{}]\nseeds = {}\n",
        args.seed,
        args.duration,
        args.warmup.unwrap_or(args.duration / 6),
        args.rate[0],
        flows.collect::<String>(),
        args.seeds,
    )
}

/// The matrix of a complete grid: its last axis is the pairing.
fn of(args: &MatrixArgs, names: &[String], grid: &Grid, runs: &[Pairing]) -> Matrix {
    let pairings = pairings(names);
    let seeds = grid.seeds.len();
    let find = |network: usize, wanted: &[&str]| -> Vec<Pairing> {
        let place = pairings.iter().position(|pairing| pairing.iter().map(String::as_str).eq(wanted.iter().copied()));
        place.map_or(Vec::new(), |place| runs[(network * pairings.len() + place) * seeds..][..seeds].to_vec())
    };
    let conditions = args.rate.iter().flat_map(|rate| {
        args.rtt.iter().flat_map(move |rtt| args.buffer.iter().map(move |buffer| format!("{rate}, {rtt} round trip, buffer {buffer}")))
    });
    Matrix::of(&Runs {
        controllers: names.to_vec(),
        conditions: conditions.collect(),
        solo: &|network, own| find(network, &[own]),
        pair: &|network, own, other| find(network, &[own, other]),
    })
}

fn remake(args: &MatrixArgs) -> String {
    let list = |texts: Vec<String>| quote(&texts.join(","));
    let mut words = vec!["narrows matrix".to_owned()];
    words.extend(args.controllers.iter().map(|choice: &Choice| quote(choice.text())));
    words.push(format!("--rate {}", list(args.rate.iter().map(ToString::to_string).collect())));
    words.push(format!("--rtt {}", list(args.rtt.iter().map(ToString::to_string).collect())));
    words.push(format!("--buffer {}", list(args.buffer.iter().map(ToString::to_string).collect())));
    words.push(format!("--duration {}", quote(&args.duration.to_string())));
    words.extend(args.warmup.map(|warmup| format!("--warmup {}", quote(&warmup.to_string()))));
    words.push(format!("--seed {} --seeds {}", args.seed, args.seeds));
    words.join(" ")
}
