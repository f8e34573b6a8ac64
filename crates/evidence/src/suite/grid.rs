//! Grids: networks on which a criterion is judged.

use super::cast::{Cast, Part, Players, Who};
use super::criterion::Criterion;
use super::raw;
use crate::EvidenceError;
use crate::number::{Number, metric};
use crate::rule::{Bound, Levels, Rule, RuleKind};
use narrows_measure::metrics::Better;
use narrows_scenario::{Changes, Sweep};
use narrows_units::{Span, Time};
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value};

/// The cells on which a criterion is judged: a scenario with axes, a cast, and rules.
#[derive(Clone, Debug)]
pub struct Grid {
    /// File name without extension.
    pub name: String,
    /// Index of its criterion in the suite.
    pub criterion: usize,
    /// The runs of a cell.
    pub cast: Cast,
    /// True if only controllers that use signals of routers run it.
    pub signals: bool,
    /// True if only full checks run it.
    pub full: bool,
    /// Parameters added to each baseline, such as `ecn=true`.
    pub baselines: Option<String>,
    /// Parameters added to baselines that drive the flows of `other`, instead of `baselines`.
    pub other: Option<String>,
    /// The rules.
    pub rules: Vec<Rule>,
    /// The numbers that the rules ask for.
    pub asked: Vec<Number>,
    document: DocumentMut,
}

impl Grid {
    pub(super) fn read(
        name: &str,
        text: &str,
        criteria: &[Criterion],
    ) -> Result<Grid, EvidenceError> {
        let file = format!("{name}.toml");
        let fail = |says: String| EvidenceError::new(&file, &says);
        let raw: raw::Grid = raw::parse(&file, text)?;
        let place = |id: &str| {
            criteria
                .iter()
                .position(|own| own.id == id)
                .ok_or_else(|| fail(format!("there is no criterion \"{id}\"")))
        };
        let criterion = place(&raw.check.criterion)?;
        let cast = match raw.check.cast.as_str() {
            "alone" => Cast::Alone,
            "pairs" => Cast::Pairs,
            other => {
                return Err(fail(format!(
                    "there is no cast \"{other}\"; take \"alone\" or \"pairs\""
                )));
            }
        };
        let mut asked: Vec<Number> = Vec::new();
        let mut rules = Vec::new();
        for raw in raw.rule {
            let criterion = raw.criterion.as_deref().map_or(Ok(criterion), place)?;
            rules.push(rule(raw, criterion, &mut asked).map_err(&fail)?);
        }
        let mut document: DocumentMut =
            text.parse().map_err(|error: toml_edit::TomlError| fail(error.to_string()))?;
        document.remove("check");
        document.remove("rule");
        let raw::Check { signals, full, baselines, other, .. } = raw.check;
        Ok(Grid {
            name: name.to_owned(),
            criterion,
            cast,
            signals,
            full,
            baselines,
            other,
            rules,
            asked,
            document,
        })
    }

    /// Returns the runs with these players: on the cells of `[sweep]`, or if `full` is set on the
    /// cells of `[full]`, if the grid has that table.
    ///
    /// # Errors
    ///
    /// A scenario of the grid is invalid.
    pub fn parts(&self, players: &Players, full: bool) -> Result<Vec<Part>, EvidenceError> {
        let mut document = self.document.clone();
        let more = document.remove("full");
        if let Some(more) = more.filter(|_| full) {
            document["sweep"] = more;
        }
        let all = players.all();
        match self.cast {
            Cast::Alone => {
                let pairs = all.iter().map(|who| (Some(*who), None)).collect();
                Ok(vec![self.part(document, players, pairs)?])
            }
            Cast::Pairs => {
                let beside = |who: &Who| {
                    players.standard().map(|other| (Some(*who), Some(other))).collect::<Vec<_>>()
                };
                let mut pairs: Vec<_> = all.iter().flat_map(beside).collect();
                let itself = (Some(all[0]), Some(all[0]));
                if !pairs.contains(&itself) && !players.program {
                    pairs.push(itself);
                }
                let mut alone = document.clone();
                remove_tested(&mut alone);
                let solos = players.standard().map(|other| (None, Some(other))).collect();
                Ok(vec![self.part(document, players, pairs)?, self.part(alone, players, solos)?])
            }
        }
    }

    /// Returns the sweep of the scenario, with the pairs as its last axis.
    fn part(
        &self,
        mut document: DocumentMut,
        players: &Players,
        pairs: Vec<(Option<Who>, Option<Who>)>,
    ) -> Result<Part, EvidenceError> {
        let [own, others] = ["self", "other"].map(|role| named(&document, role));
        let paths: Vec<String> =
            own.iter().chain(&others).map(|name| format!("flow.{name}.controller")).collect();
        let text = |who: Option<Who>| who.map_or("", |who| players.controller(who)).to_owned();
        let with = |more: Option<&String>, who: Option<Who>| match (more, who) {
            (Some(more), Some(Who::Baseline(_))) => {
                let text = text(who);
                let mark = if text.contains('?') { '&' } else { '?' };
                format!("{text}{mark}{more}")
            }
            _ => text(who),
        };
        let (tested, beside) =
            (self.baselines.as_ref(), self.other.as_ref().or(self.baselines.as_ref()));
        let mut axis = Array::new();
        for (this, other) in &pairs {
            let values: Vec<String> = own
                .iter()
                .map(|_| with(tested, *this))
                .chain(others.iter().map(|_| with(beside, *other)))
                .collect();
            let value = match &values[..] {
                [one] => Value::from(one.as_str()),
                several => Value::Array(several.iter().map(String::as_str).collect()),
            };
            let mut labelled = InlineTable::new();
            labelled.insert("label", Value::from(label(players, *this, *other)));
            labelled.insert("value", value);
            axis.push(labelled);
        }
        let sweep = document.entry("sweep").or_insert(Item::Table(Table::new()));
        let table = sweep
            .as_table_mut()
            .ok_or_else(|| EvidenceError::new(&self.name, "[sweep] must be a table"))?;
        table.insert(&paths.join(", "), Item::Value(Value::Array(axis)));
        let text = document.to_string();
        let sweep = Sweep::parse(&text, &format!("{}.toml", self.name), &Changes::default())?;
        Ok(Part { pairs, sweep })
    }
}

/// Describes the controllers of a run.
fn label(players: &Players, this: Option<Who>, other: Option<Who>) -> String {
    match (this, other) {
        (Some(this), Some(other)) => {
            format!("{} beside {}", players.text(this), players.text(other))
        }
        (Some(this), None) => players.text(this).to_owned(),
        (None, Some(other)) => format!("{} alone", players.text(other)),
        (None, None) => String::new(),
    }
}

fn flows(document: &DocumentMut) -> Option<&ArrayOfTables> {
    document.get("flow").and_then(Item::as_array_of_tables)
}

/// Returns the names of the flows with this role.
fn named(document: &DocumentMut, role: &str) -> Vec<String> {
    let text = |flow: &Table, key: &str| flow.get(key).and_then(Item::as_str).map(str::to_owned);
    let own = flows(document)
        .into_iter()
        .flatten()
        .filter(|flow| text(flow, "controller").as_deref() == Some(role));
    own.filter_map(|flow| text(flow, "name")).collect()
}

/// Keeps only the values at these indices in a labelled value that has one value per path.
fn keep_places(labelled: &mut Value, places: &[usize]) {
    let Some(value) = labelled.as_inline_table_mut().and_then(|table| table.get_mut("value"))
    else {
        return;
    };
    let Some(all) = value.as_array() else { return };
    let mut kept: Vec<Value> = places.iter().filter_map(|place| all.get(*place).cloned()).collect();
    *value =
        if kept.len() == 1 { kept.remove(0) } else { Value::Array(kept.into_iter().collect()) };
}

/// Removes the flows of `self` and their values on the axes. The axes keep their order, so that
/// cells keep their numbers.
fn remove_tested(document: &mut DocumentMut) {
    let gone = named(document, "self");
    let stays = |path: &str| !gone.iter().any(|flow| path.starts_with(&format!("flow.{flow}.")));
    if let Some(axes) = document.get_mut("sweep").and_then(Item::as_table_mut) {
        let all: Vec<(String, Item)> =
            axes.iter().map(|(key, values)| (key.to_owned(), values.clone())).collect();
        axes.clear();
        for (key, mut values) in all {
            let paths: Vec<&str> = key.split(", ").collect();
            let left: Vec<usize> = (0..paths.len()).filter(|place| stays(paths[*place])).collect();
            if left.len() < paths.len() {
                values
                    .as_array_mut()
                    .into_iter()
                    .flat_map(Array::iter_mut)
                    .for_each(|value| keep_places(value, &left));
            }
            axes.insert(
                &left.iter().map(|place| paths[*place]).collect::<Vec<_>>().join(", "),
                values,
            );
        }
    }
    if let Some(flows) = document.get_mut("flow").and_then(Item::as_array_of_tables_mut) {
        flows.retain(|flow| flow.get("controller").and_then(Item::as_str) != Some("self"));
    }
}

fn rule(raw: raw::Rule, criterion: usize, asked: &mut Vec<Number>) -> Result<Rule, String> {
    let window = match &raw.window {
        Some([from, to]) => {
            let time = |text: &str| {
                text.parse::<Span>()
                    .map(|span| Time::ZERO + span)
                    .map_err(|error| format!("\"{text}\": {error}"))
            };
            Some((time(from)?, time(to)?))
        }
        None => None,
    };
    let mut ask = |name: &Option<String>| -> Result<usize, String> {
        let name = name.as_ref().ok_or("a rule of this kind needs a measure")?;
        let number = Number { metric: metric(name)?, of: raw.of.clone(), window };
        Ok(asked.iter().position(|own| *own == number).unwrap_or_else(|| {
            asked.push(number);
            asked.len() - 1
        }))
    };
    let number = ask(&raw.measure)?;
    let kind = match raw.kind.as_str() {
        "relative" => RuleKind::Relative,
        "limit" => RuleKind::Limit,
        "harm" => RuleKind::Harm,
        "pareto" => RuleKind::Pareto { and: ask(&raw.and)? },
        "twins" => RuleKind::Twins,
        "undefined" => RuleKind::Undefined,
        "starves" => RuleKind::Starves,
        "shown" => RuleKind::Shown,
        "rises" => {
            RuleKind::Rises { axis: raw.axis.ok_or("a rule of kind \"rises\" needs an axis")? }
        }
        other => return Err(format!("there is no kind of rule \"{other}\"")),
    };
    if raw.improves.is_some() && asked[number].metric.better != Better::Lower {
        return Err("improves is of numbers of which less is better".to_owned());
    }
    let bound = |raw: raw::Bound| Bound {
        above: raw.above,
        below: raw.below,
        by: raw.by,
        times: raw.times,
    };
    let levels = Levels { fail: raw.fail.map(bound), concern: raw.concern.map(bound) };
    match (&kind, levels.fail.is_some() || levels.concern.is_some()) {
        (RuleKind::Shown, true) => {
            return Err("a number that is only shown has no bound".to_owned());
        }
        (RuleKind::Shown, false) | (_, true) => {}
        (_, false) => return Err("a rule needs a bound: fail or concern".to_owned()),
    }
    let passes_undefined = match raw.undefined.as_deref() {
        None => false,
        Some("pass") => true,
        Some(other) => return Err(format!("undefined = \"{other}\" is not known; take \"pass\"")),
    };
    Ok(Rule {
        criterion,
        kind,
        number,
        levels,
        only: raw.only,
        passes_undefined,
        improves: raw.improves,
        says: raw.says,
        source: raw.source,
    })
}
