//! `summary.json`.

use super::Ended;
use crate::experiment::{DesignKind, Metric, Unit};
use crate::guards::Guard;
use crate::state::{FORMAT, LeftOut};
use crate::trial::AtShare;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::{Value, json};

/// An effect with the interval of Student's t.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Effect {
    /// The mean over pairs.
    pub estimate: f64,
    /// The lower end of the 95 % interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Effect {
    /// Returns the effect of a mean and half the width of its interval.
    pub fn of([mean, half]: [f64; 2]) -> Effect {
        Effect { estimate: mean, low: mean - half, high: mean + half }
    }
}

/// A metric of a result. Effects are treatment less control: of logarithms if the unit is "share".
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MetricResult {
    /// Name of the metric.
    pub name: &'static str,
    /// "share", "points" or "per 1000".
    pub unit: &'static str,
    /// "less" or "more".
    pub better: &'static str,
    /// Level of the control: seconds, bytes per second, percent, or per 1000.
    pub control: Option<f64>,
    /// Level of the treatment.
    pub treatment: Option<f64>,
    /// The effect, with an interval for a number of pairs that was fixed before.
    pub effect: Option<Effect>,
    /// The interval that holds at any time.
    pub always: Option<[f64; 2]>,
    /// Bound of harm: a share, or in the unit.
    pub harm: Option<f64>,
    /// Evidence of harm above the bound.
    pub evidence: Option<f64>,
    /// Evidence at which the experiment stops.
    pub limit: f64,
    /// Number of valid pairs.
    pub pairs: usize,
    /// Number of void pairs.
    pub void: usize,
    /// Effects at each share, of steps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shares: Vec<AtShare>,
}

/// The result of a plan for a metric: effects with half the width of their intervals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Planned {
    /// All treated against none.
    pub truth: Option<[f64; 2]>,
    /// The result of a simulated A/B test.
    pub test: Option<[f64; 2]>,
}

/// The summary of a result.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Summary {
    /// Number of this form.
    pub format: u32,
    /// Version of the program.
    pub narrows: String,
    /// Name of the experiment.
    pub experiment: String,
    /// How it is.
    pub state: &'static str,
    /// Why it ended, or an empty text.
    pub reason: String,
    /// Names of the controllers: control, treatment.
    pub arms: [String; 2],
    /// Kind, timing and order.
    pub design: Value,
    /// The metrics.
    pub metrics: Vec<MetricResult>,
    /// Part of the bytes of a period that connections of its own arm got acknowledged.
    pub exposure: Option<f64>,
    /// The guards.
    pub guards: Vec<Guard>,
    /// Connections that were left out.
    pub left_out: LeftOut,
    /// The summary of a plan.
    pub plan: Option<Value>,
}

impl Summary {
    /// Summarises a result.
    pub fn of(own: &Ended) -> Summary {
        let Ended { experiment, trial, state, plan } = own;
        let sums = trial.sums();
        let is_steps = matches!(experiment.design.kind, DesignKind::Steps { .. });
        let metric = |(judged, shown): (&crate::experiment::Judged, crate::trial::Shown)| {
            let metric = judged.metric;
            MetricResult {
                name: metric.name(),
                unit: unit(metric),
                better: if metric.more_is_worse() { "less" } else { "more" },
                control: sums[0].level(metric),
                treatment: sums[1].level(metric),
                effect: shown.effect.map(Effect::of),
                always: shown.always.map(|(low, high)| [low, high]),
                harm: judged.harm.map(|own| own.0),
                evidence: shown.evidence,
                limit: shown.limit,
                pairs: shown.pairs,
                void: trial.judged() - shown.pairs,
                shares: if is_steps { trial.at_shares(metric) } else { Vec::new() },
            }
        };
        Summary {
            format: FORMAT,
            narrows: state.narrows.clone(),
            experiment: experiment.name.clone(),
            state: state.phase.word(),
            reason: state.reason.clone(),
            arms: state.arms.clone(),
            design: design(own),
            metrics: experiment.metrics.iter().zip(trial.shown()).map(metric).collect(),
            exposure: trial.exposure(),
            guards: state.guards.clone(),
            left_out: state.left_out,
            plan: plan.cloned(),
        }
    }

    /// Returns the JSON Schema of `summary.json`.
    pub fn schema() -> Value {
        SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Summary>().to_value()
    }

    /// Formats the summary as JSON.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("its fields are texts and numbers") + "\n"
    }
}

/// Returns what a plan said of a metric.
pub(super) fn planned(plan: &Value, metric: Metric) -> Option<Planned> {
    let all = plan["metrics"].as_array()?;
    let own = all.iter().find(|own| own["metric"] == metric.name())?;
    let mean = |key: &str| Some([own[key][0].as_f64()?, own[key][1].as_f64()?]);
    Some(Planned { truth: mean("truth"), test: mean("test") })
}

fn unit(metric: Metric) -> &'static str {
    match metric.unit() {
        Unit::Share => "share",
        Unit::Points => "points",
        Unit::Per1000 => "per 1000",
    }
}

fn design(own: &Ended) -> Value {
    let design = &own.experiment.design;
    let (period, burn_in, burn_out) = own.trial.timing();
    let shares: Vec<f64> = own.trial.slots().iter().map(|slot| slot.share).collect();
    json!({
        "kind": own.experiment.design.kind.name(),
        "period_s": period.as_secs_f64(),
        "burn_in_s": burn_in.as_secs_f64(),
        "burn_out_s": burn_out.as_secs_f64(),
        "observed_periods": own.trial.observed(),
        "groups": own.trial.groups(),
        "seed": design.seed,
        "alpha": own.experiment.stop.alpha,
        "shares": shares,
    })
}
