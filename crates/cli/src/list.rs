//! `narrows list` and `narrows schema`.

use crate::cli::{ListArgs, Listed, PathArgs, SchemaArgs};

use narrows_control::{Controllers, EntryRef, TWINS};
use narrows_deploy::result::Summary;
use narrows_evidence::report::Checked;
use narrows_measure::metrics::METRICS;
use narrows_params::{Catalogue, ParamKind, Spec, suggest};
use narrows_path::{DISCIPLINES, offering};
use narrows_scenario::paper::{Claim, Figure, Mode, Origin, Statement};
use narrows_scenario::{NamedTraffic, PATHS, PathProfile, TRAFFIC};
use narrows_workbench::Failure;
use narrows_workbench::Outcome;
use narrows_workbench::papers;
use serde_json::{Value, json};
use std::io::Write;

/// Prints a list as text or JSON.
pub fn list(args: ListArgs) -> Result<Outcome, Failure> {
    let items = match args.what {
        Listed::Controllers => controllers(),
        Listed::Disciplines => disciplines(),
        Listed::Icn => icn(),
        Listed::Metrics => metrics(),
        Listed::Papers => papers()?,
        Listed::Paths => paths(),
        Listed::Statements => statements()?,
        Listed::Traffic => traffic(),
    };
    let items = match &args.name {
        Some(name) => named(items, name)?,
        None => items,
    };
    let mut out = std::io::stdout().lock();
    if args.json {
        let values: Vec<&Value> = items.iter().map(|item| &item.json).collect();
        writeln!(out, "{:#}", json!(values))?;
        return Ok(Outcome::Ok);
    }
    for item in items {
        writeln!(out, "{}", item.text)?;
    }
    Ok(Outcome::Ok)
}

/// Returns the entries with this name.
fn named(items: Vec<Item>, name: &str) -> Result<Vec<Item>, Failure> {
    let known: Vec<String> =
        items.iter().filter_map(|item| item.json["name"].as_str().map(str::to_owned)).collect();
    let found: Vec<Item> = items.into_iter().filter(|item| item.json["name"] == name).collect();
    match found.is_empty() {
        false => Ok(found),
        true => Err(Failure::Other(format!(
            "there is no entry \"{name}\"; {}",
            suggest(name, "entries", known.iter().map(String::as_str))
        ))),
    }
}

/// Prints the JSON Schema of scenarios, of checks, or of experiments.
pub fn schema(args: &SchemaArgs) -> Result<Outcome, Failure> {
    let schema = match () {
        () if args.check => Checked::schema(),
        () if args.deploy => Summary::schema(),
        () => narrows_scenario::schema(),
    };
    writeln!(std::io::stdout(), "{schema:#}")?;
    Ok(Outcome::Ok)
}

/// Prints a named path.
pub fn path(args: PathArgs) -> Result<Outcome, Failure> {
    let path = PathProfile::named(&args.name).expect("the argument was checked");
    write!(std::io::stdout(), "{}", path.text)?;
    Ok(Outcome::Ok)
}

struct Item {
    text: String,
    json: Value,
}

fn controllers() -> Vec<Item> {
    let item = |entry: &EntryRef| {
        let needs: Vec<String> = entry.needs().iter().map(ToString::to_string).collect();
        let mut text = format!("{:<10} {}\n", entry.name(), entry.summary());
        text += &format!("{:<10} source: {}\n", "", entry.source());
        text += &format!("{:<10} in Linux: {}\n", "", entry.kernel().unwrap_or("not available"));
        let loadable =
            TWINS.iter().find(|twin| twin.entry.name == entry.name()).map(|twin| twin.entry.name);
        if let Some(name) = &loadable {
            text += &format!("{:<10} load into Linux: narrows kernel load {name}\n", "");
        }
        if !needs.is_empty() {
            text += &format!("{:<10} needs: {}\n", "", needs.join(", "));
        }
        let router =
            entry.needs().iter().find_map(|need| offering(*need)).map(|router| router.name);
        text += &router
            .map_or(String::new(), |router| format!("{:<10} router: queue = \"{router}\"\n", ""));
        text += &described(entry.params());
        let params = params(entry.params());
        let json = json!({
            "name": entry.name(), "summary": entry.summary(), "source": entry.source(), "kernel": entry.kernel(), "loadable": loadable, "needs": needs, "router": router,
            "params": params,
        });
        Item { text, json }
    };
    Controllers::all().iter().map(item).collect()
}

/// Lists rate laws, consumers and strategies.
fn icn() -> Vec<Item> {
    let item = |kind: &str, name: &str, summary: &str, source: &str, all: &[Spec]| {
        let text = format!(
            "{name:<10} {kind}: {summary}\n{:<10} source: {source}\n{}",
            "",
            described(all)
        );
        Item {
            text,
            json: json!({ "kind": kind, "name": name, "summary": summary, "source": source, "params": params(all) }),
        }
    };
    let laws = narrows_path::LAWS
        .iter()
        .map(|law| item("law", law.name, law.summary, law.source, law.params));
    let consumers = narrows_icn::CONSUMERS.iter();
    let consumers = consumers.map(|consumer| {
        item("consumer", consumer.name, consumer.summary, consumer.source, consumer.params)
    });
    let strategies = narrows_icn::STRATEGIES.iter();
    let strategies = strategies.map(|strategy| {
        item("strategy", strategy.name, strategy.summary, strategy.source, strategy.params)
    });
    laws.chain(consumers).chain(strategies).collect()
}

/// Formats parameters as lines of text.
fn described(params: &[Spec]) -> String {
    params
        .iter()
        .map(|param| format!("{:<10} ?{}={}  {}\n", "", param.name, allowed(param), help(param)))
        .collect()
}

/// Formats parameters as JSON.
fn params(params: &[Spec]) -> Vec<Value> {
    params
        .iter()
        .map(|param| json!({ "name": param.name, "values": allowed(param), "help": help(param) }))
        .collect()
}

/// Describes a parameter, and the signals that the controller needs if it is set.
fn help(param: &Spec) -> String {
    let signals = match (param.need, param.spares) {
        (Some(need), _) => format!("; needs {need}"),
        (None, Some(spared)) => format!("; works without {spared}"),
        (None, None) => String::new(),
    };
    format!("{}{signals}", param.help)
}

/// Formats the values that a parameter accepts, with the default first.
fn allowed(param: &Spec) -> String {
    match param.kind {
        ParamKind::Flag { default } => format!("{default}|{}", !default),
        ParamKind::Number { default, min, max, unit, .. } => {
            format!("{default} ({min} to {max} {unit})").replace(" )", ")")
        }
        ParamKind::NumberOr { word, min, max, unit } => {
            format!("{word}|{min} to {max} {unit}").trim_end().to_owned()
        }
        ParamKind::Choice { default, options } => {
            let others = options.iter().filter(|option| *option != default);
            std::iter::once(default).chain(others).collect::<Vec<_>>().join("|")
        }
    }
}

fn disciplines() -> Vec<Item> {
    let item = |entry: &&narrows_path::DisciplineEntry| {
        let mut text =
            format!("{:<10} {}\n{:<10} source: {}\n", entry.name, entry.summary, "", entry.source);
        let offers: Vec<String> = entry.offers.iter().map(ToString::to_string).collect();
        if !offers.is_empty() {
            text += &format!("{:<10} signals for controllers: {}\n", "", offers.join(", "));
        }
        text += &described(entry.params);
        let params = params(entry.params);
        let json = json!({ "name": entry.name, "summary": entry.summary, "source": entry.source, "offers": offers, "params": params });
        Item { text, json }
    };
    DISCIPLINES.iter().map(item).collect()
}

fn metrics() -> Vec<Item> {
    METRICS
        .iter()
        .map(|metric| {
            let unit = if metric.unit.is_empty() { String::new() } else { format!(" [{}]", metric.unit) };
            Item {
                text: format!("{}{unit}: {}\n    = {}\n    source: {}", metric.name, metric.summary, metric.formula, metric.source),
                json: json!({
                    "name": metric.name, "unit": metric.unit, "summary": metric.summary, "formula": metric.formula, "source": metric.source,
                }),
            }
        })
        .collect()
}

fn paths() -> Vec<Item> {
    PATHS
        .iter()
        .map(|path| Item {
            text: format!(
                "{:<14} {}\n{:<14} source: {}",
                path.name,
                path.summary(),
                "",
                path.source()
            ),
            json: json!({ "name": path.name, "summary": path.summary(), "source": path.source() }),
        })
        .collect()
}

fn traffic() -> Vec<Item> {
    let item = |own: &NamedTraffic| Item {
        text: format!(
            "{:<14} {}\n{:<14} workload = {}\n{:<14} source: {}",
            own.name, own.summary, "", own.workload, "", own.source
        ),
        json: json!({
            "name": own.name, "summary": own.summary, "workload": own.workload, "source": own.source,
            "metrics": own.metrics.iter().map(|(_, metric)| metric).collect::<Vec<_>>(),
        }),
    };
    TRAFFIC.iter().map(item).collect()
}

fn papers() -> Result<Vec<Item>, Failure> {
    let item = |source: papers::Source| {
        let paper = source.paper;
        let mut text = format!(
            "{:<14} {}\n{:<14} {}, {}\n",
            paper.name, paper.title, "", paper.authors, paper.published
        );
        for figure in paper.figures.iter().chain(&paper.experiments) {
            let live = if figure.on_kernel().is_some() { ", also with --live" } else { "" };
            text += &format!(
                "{:<14} {}: {} ({}{live})\n",
                "", figure.name, figure.title, figure.source
            );
        }
        let claim = |claim: &Claim| json!({ "claim": claim.says, "statement": claim.statement, "published": claim.published, "source": claim.source, "known": claim.known });
        let figure = |figure: &Figure| {
            let claims = |live| {
                let plan = figure.plan(Mode { live, quick: false });
                plan.map(|plan| plan.claims.iter().map(claim).collect::<Vec<Value>>())
            };
            json!({ "name": figure.name, "title": figure.title, "source": figure.source, "claims": claims(false), "live": claims(true) })
        };
        let [figures, experiments] = [&paper.figures, &paper.experiments]
            .map(|own| own.iter().map(figure).collect::<Vec<Value>>());
        let json = json!({
            "name": paper.name, "title": paper.title, "authors": paper.authors, "published": paper.published, "about": paper.about, "figures": figures, "experiments": experiments,
        });
        Item { text, json }
    };
    Ok(papers::built_in()?.into_iter().map(item).collect())
}

/// Lists the statements of the papers, with their verdicts.
fn statements() -> Result<Vec<Item>, Failure> {
    let of = |source: papers::Source| {
        let paper = source.paper;
        let item = |statement: &Statement| {
            let Statement { name, says, source, origin, range, why, experiment } = statement;
            let verdict = paper.standing(name).text();
            let known = match origin {
                Origin::Text => "",
                Origin::Picture => ", a picture",
                Origin::Memory => ", from memory",
            };
            let mut text = format!("{:<14} {verdict}: {says} ({source}{known})", paper.name);
            text += &range
                .as_ref()
                .map_or(String::new(), |range| format!("\n{:<14} judged for: {range}", ""));
            text += &why.as_ref().map_or(String::new(), |why| format!("\n{:<14} why: {why}", ""));
            let decided = |own: &String| {
                format!("\n{:<14} decided by: narrows reproduce {} --figure {own}", "", paper.name)
            };
            text += &experiment.as_ref().map_or(String::new(), decided);
            let claims: Vec<&str> =
                paper.judging(name).map(|(_, claim)| claim.says.as_str()).collect();
            let json = json!({
                "paper": paper.name, "name": name, "statement": says, "source": source, "from": origin.text(), "range": range, "verdict": verdict, "why": why, "experiment": experiment,
                "claims": claims,
            });
            Item { text, json }
        };
        paper.statements.iter().map(item).collect::<Vec<Item>>()
    };
    Ok(papers::built_in()?.into_iter().flat_map(of).collect())
}
