//! The checks of an experiment's keys.

use super::description::{
    Design, DesignKind, EXPOSED, Experiment, Kept, On, OpenConnections, Planned, RollBack, Stop,
};
use super::metrics::{Judged, Metric};
use super::raw::{Raw, RawDesign, RawKind, RawMetric, RawPlan, RawPorts, RawSelect};
use super::select::{End, Ports, Prefix, Select, Unit};
use narrows_scenario::written::{At, Checked, Problem, Quantity};
use narrows_units::Span;
use std::ops::Range;

/// Most periods of an experiment: as many as the program in the kernel has thresholds for.
const MOST_PERIODS: u32 = 1024;
/// Slices of a share that are judged, unless the file says so: an hour.
const SLICES: u32 = 120;
/// Length of a slice of a share, unless the file says so.
const SLICE: Span = Span::from_secs(30);
/// Shortest lease: the program renews it each second.
const SHORTEST_LEASE: Span = Span::from_secs(2);

/// Resolves the name of a controller. The error is the reason and the remedy.
pub type Controllers<'a> = &'a dyn Fn(&str) -> Result<(), String>;

pub(super) fn check(raw: Raw, controllers: Controllers) -> Checked<Experiment> {
    let Raw { name, control, treatment, select, design, metric, stop, roll_back, result, plan } =
        raw;
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.value.is_empty() || name.value.len() > 32 || !name.value.chars().all(plain) {
        return Err(Problem::at(
            &name.span,
            format!("an experiment cannot be called \"{}\"", name.value),
            "write 1 to 32 characters of a to z, 0 to 9 and -",
        ));
    }
    let control = control.filter(|own| own.value != "default");
    for own in control.iter().chain([&treatment]) {
        let refuse = |reason: String| {
            let (message, help) = reason.split_once("; ").unwrap_or((&reason, "name another one"));
            Problem::at(&own.span, message, help)
        };
        controllers(&own.value).map_err(refuse)?;
    }
    if control.as_ref().is_some_and(|own| own.value == treatment.value) {
        return Err(Problem::at(
            &treatment.span,
            "the treatment is the control",
            "name two controllers, or leave control away for what each connection has",
        ));
    }
    let alpha = stop.alpha.as_ref().map_or(Ok(0.05), |own| percent(own, 0.001..=0.2))?;
    let emergency = stop.emergency.map_or(Ok(4.0), |own| match own.value {
        0.0 => Ok(0.0),
        value if value >= 1.5 && value.is_finite() => Ok(value),
        _ => Err(Problem::at(
            &own.span,
            "an emergency this near to 1 would stop an experiment without effect",
            "write at least 1.5, or 0 for never",
        )),
    })?;
    let lease = roll_back.lease.map_or(Ok(Span::from_secs(10)), |own| match own.value.0 {
        short if short < SHORTEST_LEASE => Err(Problem::at(
            &own.span,
            format!("a lease of {short} can lapse while the program runs"),
            format!("write at least \"{SHORTEST_LEASE}\": it is renewed each second"),
        )),
        lease => Ok(lease),
    })?;
    let listen = match result.listen {
        Some(own) if own.value.is_empty() => None,
        Some(own) => Some(own.value.parse().map_err(|_| {
            Problem::at(
                &own.span,
                format!("\"{}\" is no address and port", own.value),
                "write for example \"127.0.0.1:9464\", or \"\" for none",
            )
        })?),
        None => None,
    };
    Ok(Experiment {
        name: name.value,
        control: control.map(|own| own.value),
        treatment: treatment.value,
        select: of_select(select)?,
        design: of_design(design)?,
        metrics: of_metrics(metric)?,
        stop: Stop { alpha, emergency },
        roll_back: RollBack { open: roll_back.open.unwrap_or(OpenConnections::Change), lease },
        result: Kept {
            keep: result.keep.as_ref().map_or(Ok(0.0), |own| percent(own, 0.0..=1.0))?,
            listen,
        },
        plan: plan.map(|own| of_plan(own.value, &own.span)).transpose()?,
    })
}

/// Reads a percentage within a range of shares.
fn percent(own: &At<String>, within: std::ops::RangeInclusive<f64>) -> Checked<f64> {
    let number = own.value.trim().strip_suffix('%').and_then(|own| own.trim().parse::<f64>().ok());
    let share = number.map(|own| own / 100.0).filter(|share| within.contains(share));
    share.ok_or_else(|| {
        let (low, high) = (100.0 * within.start(), 100.0 * within.end());
        Problem::at(
            &own.span,
            format!("\"{}\" is not a percentage of {low} % to {high} %", own.value),
            format!("write for example \"{} %\"", if high < 50.0 { 5 } else { 50 }),
        )
    })
}

fn of_select(raw: RawSelect) -> Checked<Select> {
    let mut ports = Vec::new();
    for own in raw.ports.unwrap_or_default() {
        let text = match &own.value {
            RawPorts::One(port) => port.to_string(),
            RawPorts::Range(text) => text.clone(),
        };
        ports.push(Ports::read(&text).map_err(|help| {
            Problem::at(&own.span, format!("\"{text}\" is neither a port nor a range"), help)
        })?);
    }
    let network = |own: &At<String>| {
        Prefix::read(&own.value).map_err(|help| {
            Problem::at(&own.span, format!("\"{}\" is no network", own.value), help)
        })
    };
    let taking_part: Vec<Prefix> =
        raw.prefixes.iter().flatten().map(network).collect::<Checked<_>>()?;
    let mut prefixes: Vec<(Prefix, bool)> = taking_part.iter().map(|own| (*own, true)).collect();
    for own in &raw.except {
        let out = network(own)?;
        if !taking_part.is_empty() && !taking_part.iter().any(|within| within.holds(&out)) {
            return Err(Problem::at(
                &own.span,
                format!(
                    "\"{}\" is in none of the prefixes, so nothing is left out by it",
                    own.value
                ),
                "leave it out, or add a prefix that holds it",
            ));
        }
        prefixes.push((out, false));
    }
    let mut cgroups = Vec::new();
    for own in raw.cgroups.unwrap_or_default() {
        if !own.value.starts_with('/') || own.value.split('/').any(|part| part == "..") {
            return Err(Problem::at(
                &own.span,
                format!("\"{}\" is no path of a control group", own.value),
                "write its path below the cgroup2 mount, such as \"/system.slice/nginx.service\"",
            ));
        }
        cgroups.push(own.value);
    }
    if cgroups.is_empty() {
        cgroups.push("/".to_owned());
    }
    Ok(Select {
        cgroups,
        end: raw.end.unwrap_or(End::Accepted),
        ports,
        prefixes,
        interfaces: raw.interfaces,
        respect: raw.respect.unwrap_or(true),
        mptcp: raw.mptcp,
        loopback: raw.loopback,
        unit: raw.unit.unwrap_or(Unit::Connection),
    })
}

fn of_design(raw: Option<RawDesign>) -> Checked<Design> {
    let raw = raw.unwrap_or_default();
    let kind = raw.kind.as_ref().map_or(RawKind::Switchback, |own| own.value);
    let others = [
        (&raw.high.as_ref().map(|own| own.span.clone()), "high", RawKind::Switchback),
        (&raw.share.as_ref().map(|own| own.span.clone()), "share", RawKind::Share),
        (&raw.steps.as_ref().map(|own| own.span.clone()), "steps", RawKind::Steps),
    ];
    for (span, key, of) in others {
        if let Some(span) = span.as_ref().filter(|_| of != kind) {
            return Err(Problem::at(
                span,
                format!("{key} is of designs of the kind \"{}\"", of.name()),
                format!("leave it out, or write kind = \"{}\"", of.name()),
            ));
        }
    }
    let observe = raw.observe.as_ref().map_or(4, |own| own.value);
    let usual = if kind == RawKind::Share { SLICES } else { 24 };
    let pairs = raw.pairs.as_ref().map_or(usual, |own| own.value);
    let shares = match &raw.steps {
        Some(steps) => {
            let shares: Vec<f64> =
                steps.value.iter().map(|own| percent(own, 0.0..=1.0)).collect::<Checked<_>>()?;
            if shares.len() < 2 || shares.windows(2).any(|pair| pair[0] >= pair[1]) {
                return Err(Problem::at(
                    &steps.span,
                    "steps are two or more shares, each above the one before",
                    "write for example [\"0 %\", \"10 %\", \"50 %\", \"100 %\"]",
                ));
            }
            shares
        }
        None => vec![0.0, 0.1, 0.5, 1.0],
    };
    let periods = match kind {
        RawKind::Switchback => 2 * (u64::from(observe) + u64::from(pairs)),
        RawKind::Share => 2 * u64::from(observe) + u64::from(pairs),
        RawKind::Steps => 2 * u64::from(observe) + u64::from(pairs) * shares.len() as u64,
    };
    if periods > u64::from(MOST_PERIODS) || pairs == 0 {
        let span = raw.pairs.as_ref().or(raw.observe.as_ref()).map_or(0..0, |own| own.span.clone());
        return Err(Problem::at(
            &span,
            format!("this makes {periods} periods, of 1 to {MOST_PERIODS}"),
            "take fewer pairs, or at least one",
        ));
    }
    let off = |own: &Option<At<Quantity<Span>>>, otherwise: u64| {
        own.as_ref().map_or(Span::from_secs(otherwise), |own| own.value.0)
    };
    // Slices of a share feel nothing of each other that the next does not.
    let usual = if kind == RawKind::Share { (0, 0) } else { (30, 10) };
    let (burn_in, burn_out) = (off(&raw.burn_in, usual.0), off(&raw.burn_out, usual.1));
    let slice = (kind == RawKind::Share).then_some(SLICE);
    let period = raw.period.as_ref().map(|own| own.value.0).or(slice);
    if let Some(own) = raw.period.as_ref().filter(|own| own.value.0 <= burn_in + burn_out) {
        return Err(Problem::at(
            &own.span,
            format!(
                "nothing is left of this period but burn_in ({burn_in}) and burn_out ({burn_out})"
            ),
            format!("write more than \"{}\"", burn_in + burn_out),
        ));
    }
    let kind = match kind {
        RawKind::Switchback => DesignKind::Switchback {
            pairs,
            high: raw.high.as_ref().map_or(Ok(1.0), |own| percent(own, 0.01..=1.0))?,
        },
        RawKind::Share => DesignKind::Share {
            share: raw.share.as_ref().map_or(Ok(0.01), |own| percent(own, 0.0001..=0.5))?,
            slices: pairs,
        },
        RawKind::Steps => DesignKind::Steps { blocks: pairs, shares },
    };
    let start = raw.start.filter(|own| own.value != "now").map(|own| {
        super::time::read(&own.value).ok_or_else(|| {
            Problem::at(
                &own.span,
                format!("\"{}\" is no time", own.value),
                "write \"now\", or a time of RFC 3339 such as \"2026-12-01T03:00:00Z\"",
            )
        })
    });
    let start = start.transpose()?;
    Ok(Design { kind, period, burn_in, burn_out, observe, seed: raw.seed.unwrap_or(1), start })
}

fn of_metrics(raw: Vec<RawMetric>) -> Checked<Vec<Judged>> {
    if raw.is_empty() {
        return Ok(Judged::DEFAULTS.to_vec());
    }
    let mut all: Vec<Judged> = Vec::new();
    for own in raw {
        let metric = Metric::named(&own.name.value).map_err(|help| {
            Problem::at(&own.name.span, format!("there is no metric \"{}\"", own.name.value), help)
        })?;
        if all.iter().any(|other| other.metric == metric) {
            return Err(Problem::at(
                &own.name.span,
                format!("\"{}\" is given twice", own.name.value),
                "keep one of the two",
            ));
        }
        let harm = own.harm.map(|bound| {
            metric.unit().bound(bound.value.trim()).map_err(|help| {
                let message = format!("\"{}\" is no bound of {}", bound.value, metric.name());
                Problem::at(&bound.span, message, help)
            })
        });
        all.push(Judged { metric, harm: harm.transpose()? });
    }
    Ok(all)
}

fn of_plan(raw: RawPlan, span: &Range<usize>) -> Checked<Planned> {
    let on = match (raw.scenario, raw.path) {
        (Some(_), Some(path)) => {
            let help = "keep scenario or path; a scenario has its own network";
            return Err(Problem::at(&path.span, "a plan has one network", help));
        }
        (None, None) => {
            return Err(Problem::at(
                span,
                "a plan needs a network",
                format!(
                    "write scenario = \"FILE.toml\", whose exposed flows have controller = \"{EXPOSED}\", or path = \"broadband\" with traffic"
                ),
            ));
        }
        (Some(scenario), None) => match raw.traffic {
            Some(traffic) => {
                let help = "leave it out: the flows of the scenario have their workloads";
                return Err(Problem::at(&traffic.span, "traffic is of a path", help));
            }
            None => On::Scenario(scenario.value),
        },
        (None, Some(path)) => {
            let traffic = raw.traffic.ok_or_else(|| {
                Problem::at(
                    &path.span,
                    "a path has no traffic of its own",
                    "write traffic = { load = \"50 %\", sizes = \"web-search\" }",
                )
            })?;
            if narrows_scenario::PathProfile::named(&path.value).is_none() {
                let known = narrows_scenario::PATHS.iter().map(|own| own.name);
                return Err(Problem::at(
                    &path.span,
                    format!("there is no path \"{}\"", path.value),
                    narrows_params::suggest(&path.value, "paths", known),
                ));
            }
            On::Path { path: path.value, traffic: traffic.value }
        }
    };
    Ok(Planned {
        on,
        width: raw.width.as_ref().map_or(Ok(0.1), |own| percent(own, 0.001..=1.0))?,
        share: raw.share.as_ref().map_or(Ok(0.5), |own| percent(own, 0.01..=0.99))?,
        variation: raw.variation.as_ref().map_or(Ok(0.0), |own| percent(own, 0.0..=1.0))?,
    })
}
