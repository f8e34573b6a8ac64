//! Controllers in Python: one object for each connection, called once per interval or for each
//! acknowledgement.

use crate::exchange::{Ack, Expired, LARGEST, PacingRate, Stats, Window};
use narrows::control::{
    Basis, Build, Built, ByInterval, Fault, Feedback, Interval, OwnedEntry, Policy, Reduction,
    Setting, Setup, Timeout,
};
use narrows::params::{Need, ParamKind, Params, Spec, word};
use narrows::units::{Span, Time};
use narrows::workbench::HostController;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::cell::Cell;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

/// The default of a parameter. The order of the variants matters: `True` is also an `int`, and the
/// first variant that fits is taken.
#[derive(FromPyObject)]
enum Attribute {
    Flag(bool),
    Whole(i64),
    Number(f64),
}

impl Attribute {
    fn kind(&self) -> ParamKind {
        let number = |default, whole| ParamKind::Number {
            default,
            min: -LARGEST,
            max: LARGEST,
            unit: "",
            whole,
        };
        match *self {
            Attribute::Flag(default) => ParamKind::Flag { default },
            Attribute::Whole(default) => number(default as f64, true),
            Attribute::Number(default) => number(default, false),
        }
    }
}

/// A Python class that can be chosen as a controller by name.
#[derive(FromPyObject)]
pub struct Class {
    name: String,
    summary: String,
    source: String,
    /// Names and defaults of the parameters.
    params: Vec<(String, Attribute)>,
    /// A hash that distinguishes the class from other classes of its name.
    identity: String,
    /// True if it gets acknowledgements and their delivery rate samples.
    hears: bool,
    /// Makes an object from the parameters and a seed, and returns its methods.
    factory: Py<PyAny>,
}

impl Class {
    /// Returns the entry in the registry, with the identity.
    pub fn own(self) -> HostController {
        let identity = self.identity.clone();
        HostController { entry: self.entry().into(), identity }
    }

    fn entry(self) -> OwnedEntry {
        let spec = |(name, default): (String, Attribute)| {
            Spec::new(word(&name), default.kind(), "an attribute of the class")
        };
        let params: Vec<Spec> = self.params.into_iter().map(spec).collect();
        let specs = params.clone();
        let factory = AssertUnwindSafe(Arc::new(self.factory));
        let build = move |setup: &Setup, chosen: &Params| {
            let policy = Object::new(&factory, &specs, chosen, setup.seed);
            Ok(Built::new(ByInterval::new(setup, policy)))
        };
        let mut needs = vec![Need::Pacing];
        if self.hears {
            needs.push(Need::RateSample);
        }
        OwnedEntry {
            name: self.name,
            summary: self.summary,
            source: self.source,
            basis: Basis::Model,
            needs,
            params,
            build: Build::Shared(Arc::new(build)),
        }
    }
}

/// The object of a connection, or the error of its construction.
struct Object {
    made: Result<Made, Fault>,
}

/// The methods that the class of an object defines.
#[derive(FromPyObject)]
struct Made {
    on_interval: Option<Py<PyAny>>,
    on_ack: Option<Py<PyAny>>,
    on_timeout: Option<Py<PyAny>>,
    on_undo: Option<Py<PyAny>>,
    /// Length of intervals, if it is fixed.
    interval_ms: Option<f64>,
    /// True if the transport spreads reductions over the acknowledgements.
    spreads: bool,
}

impl Object {
    fn new(factory: &Py<PyAny>, specs: &[Spec], chosen: &Params, seed: u64) -> Object {
        let made = calling(|py| {
            let make = || -> PyResult<Made> {
                let values = PyDict::new(py);
                for spec in specs {
                    let text = chosen.text(spec.name).unwrap_or_default();
                    let value: f64 = text.parse().unwrap_or_default();
                    match spec.kind {
                        ParamKind::Flag { .. } => values.set_item(spec.name, text == "true")?,
                        ParamKind::Number { whole: true, .. } => {
                            values.set_item(spec.name, value as i64)?
                        }
                        _ => values.set_item(spec.name, value)?,
                    }
                }
                let made: Made = factory.bind(py).call1((values, seed))?.extract()?;
                match made.interval_ms {
                    Some(length) if !(0.1..=1e6).contains(&length) => Err(PyValueError::new_err(
                        format!("interval_ms is {length}; give 0.1 to 1000000, or None"),
                    )),
                    _ => Ok(made),
                }
            };
            make().map_err(|error| fault(py, &error))
        });
        Object { made }
    }

    /// Calls the method that `of` selects, if the class defines it, with the argument that `given`
    /// makes.
    fn call<G: for<'py> IntoPyObject<'py>>(
        &self,
        name: &str,
        of: impl Fn(&Made) -> &Option<Py<PyAny>>,
        given: impl FnOnce() -> G,
    ) -> Result<Option<Setting>, Fault> {
        let made = self.made.as_ref().map_err(Clone::clone)?;
        let Some(method) = of(made) else { return Ok(None) };
        calling(|py| {
            let answer =
                method.bind(py).call1((given(),)).and_then(|answer| setting(&answer, name));
            answer.map_err(|error| fault(py, &error))
        })
    }
}

impl Policy for Object {
    fn decide(&mut self, interval: &Interval) -> Result<Option<Setting>, Fault> {
        self.call("on_interval", |made| &made.on_interval, || Stats(*interval))
    }

    fn next(&self, now: Time, srtt: Span) -> Option<Time> {
        let Ok(made) = &self.made else { return Some(now + srtt) };
        made.on_interval.as_ref().map(|_| {
            now + made.interval_ms.map_or(srtt, |length| Span::from_secs_f64(length / 1e3))
        })
    }

    fn on_feedback(
        &mut self,
        feedback: &Feedback<'_>,
        seen: &Interval,
    ) -> Result<Option<Setting>, Fault> {
        self.call("on_ack", |made| &made.on_ack, || Ack::of(feedback, seen))
    }

    fn on_timeout(&mut self, timeout: &Timeout, seen: &Interval) -> Result<Option<Setting>, Fault> {
        self.call(
            "on_timeout",
            |made| &made.on_timeout,
            || Expired { timeout: *timeout, window: seen.window },
        )
    }

    fn on_undo(&mut self, now: Time, _: &Interval) -> Result<Option<Setting>, Fault> {
        self.call("on_undo", |made| &made.on_undo, || now.as_secs_f64())
    }

    fn reduction(&self) -> Reduction {
        match &self.made {
            Ok(made) if made.spreads => Reduction::Transport,
            _ => Reduction::Immediate,
        }
    }
}

/// Reads a rate, a window, both, or None for no change.
fn setting(answer: &Bound<'_, PyAny>, method: &str) -> PyResult<Option<Setting>> {
    if answer.is_none() {
        return Ok(None);
    }
    let parts = match answer.cast::<PyTuple>() {
        Ok(both) if both.len() == 2 => both.iter().collect(),
        _ => vec![answer.clone()],
    };
    let mut setting = Setting::default();
    for part in parts {
        if let Ok(rate) = part.cast::<PacingRate>() {
            setting.pacing = Some(rate.get().0);
        } else if let Ok(window) = part.cast::<Window>() {
            setting.window = Some(window.get().0);
        } else {
            let given = answer.repr()?;
            return Err(PyTypeError::new_err(format!(
                "{method} answered {given}; let it return Rate.mbps(...), Window(...), a tuple of both, or None to go on as before"
            )));
        }
    }
    Ok(Some(setting))
}

thread_local! {
    /// True while this thread calls a method of a controller.
    static CALLING: Cell<bool> = const { Cell::new(false) };
}

/// True if this thread calls a method of a controller. The command of the controller waits for the
/// method.
pub fn is_calling() -> bool {
    CALLING.get()
}

/// Calls a method of a controller, or makes an object.
fn calling<T>(call: impl FnOnce(Python<'_>) -> T) -> T {
    let before = CALLING.replace(true);
    let answer = Python::attach(call);
    CALLING.set(before);
    answer
}

/// Describes an exception: file, line, function, type and text.
fn fault(py: Python<'_>, error: &PyErr) -> Fault {
    let told = py
        .import("narrows._controllers")
        .and_then(|module| module.call_method1("told", (error.value(py), error.traceback(py))))
        .and_then(|told| told.extract::<String>());
    Fault::new(told.unwrap_or_else(|_| error.to_string()))
}
