//! Controllers in Python: one object for each connection, asked once per interval.

use narrows::control::{Basis, Build, Built, ByInterval, Course, Entry, Fault, Interval, Policy, Setup};
use narrows::params::{Kind, Need, Params, Spec};
use narrows::units::{Bytes, Rate, Span};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

/// Larger numbers are no rates, windows or parameters.
const LARGEST: f64 = 1e15;

/// A pacing rate, which counts packets with their headers.
#[pyclass(frozen, name = "Rate", module = "narrows")]
pub struct PacingRate(Rate);

#[pymethods]
impl PacingRate {
    /// A rate in bit/s.
    #[staticmethod]
    fn bps(value: f64) -> PyResult<PacingRate> {
        if !(0.0..=LARGEST).contains(&value) {
            return Err(PyValueError::new_err(format!("{value} is no rate in bit/s; give one from 0 to {LARGEST:e}")));
        }
        Ok(PacingRate(Rate::from_bps(value as u64)))
    }

    /// A rate in Mbit/s.
    #[staticmethod]
    fn mbps(value: f64) -> PyResult<PacingRate> {
        PacingRate::bps(1e6 * value)
    }

    fn __repr__(&self) -> String {
        format!("Rate.mbps({})", self.0.as_mbps())
    }
}

/// A window.
#[pyclass(frozen, module = "narrows")]
pub struct Window(f64);

#[pymethods]
impl Window {
    /// So many segments, at least 1.
    #[new]
    fn new(segments: f64) -> PyResult<Window> {
        if !(1.0..=LARGEST).contains(&segments) {
            return Err(PyValueError::new_err(format!("{segments} segments are no window; give 1 or more")));
        }
        Ok(Window(segments))
    }

    fn __repr__(&self) -> String {
        format!("Window({})", self.0)
    }
}

/// What a connection has seen in an interval.
#[pyclass(frozen, module = "narrows")]
pub struct Stats(Interval);

fn ms(span: Span) -> f64 {
    span.as_millis_f64()
}

#[pymethods]
impl Stats {
    /// When the interval ends, in seconds since the run began.
    #[getter]
    fn now_s(&self) -> f64 {
        self.0.now.since(narrows::units::Time::ZERO).as_secs_f64()
    }

    /// How long it was, in seconds.
    #[getter]
    fn length_s(&self) -> f64 {
        self.0.length.as_secs_f64()
    }

    /// Transmissions in it.
    #[getter]
    fn sent(&self) -> u64 {
        self.0.sent
    }

    /// Segments delivered in it.
    #[getter]
    fn delivered(&self) -> u64 {
        self.0.delivered
    }

    /// Payload delivered in it, in bytes.
    #[getter]
    fn delivered_bytes(&self) -> u64 {
        self.0.delivered_bytes.get()
    }

    /// Transmissions declared lost in it.
    #[getter]
    fn lost(&self) -> u64 {
        self.0.lost
    }

    /// Packets that the receiver counted with CE in it.
    #[getter]
    fn marked(&self) -> u64 {
        self.0.marked
    }

    /// Retransmission timeouts in it.
    #[getter]
    fn timeouts(&self) -> u32 {
        self.0.timeouts
    }

    /// Packets delivered with their headers, in Mbit/s, as pacing counts.
    #[getter]
    fn delivery_rate_mbps(&self) -> f64 {
        self.mbps(self.0.delivered)
    }

    /// Packets sent with their headers, in Mbit/s, as pacing counts.
    #[getter]
    fn send_rate_mbps(&self) -> f64 {
        self.mbps(self.0.sent)
    }

    /// Losses among losses and deliveries, 0 to 1.
    #[getter]
    fn loss_rate(&self) -> f64 {
        match self.0.lost + self.0.delivered {
            0 => 0.0,
            fates => self.0.lost as f64 / fates as f64,
        }
    }

    /// Mean round trip in it, in ms; None if none was measured.
    #[getter]
    fn rtt_ms(&self) -> Option<f64> {
        self.0.rtt.map(|(mean, _)| ms(mean))
    }

    /// Least round trip in it, in ms; None if none was measured.
    #[getter]
    fn least_rtt_ms(&self) -> Option<f64> {
        self.0.rtt.map(|(_, least)| ms(least))
    }

    /// Growth of its round trips, in seconds per second.
    #[getter]
    fn rtt_gradient(&self) -> f64 {
        self.0.gradient
    }

    /// Smoothed round trip at its end, in ms.
    #[getter]
    fn srtt_ms(&self) -> f64 {
        ms(self.0.srtt)
    }

    /// Least round trip of the connection so far, in ms.
    #[getter]
    fn base_rtt_ms(&self) -> f64 {
        ms(self.0.least_rtt)
    }

    /// Segments in flight at its end.
    #[getter]
    fn in_flight(&self) -> u32 {
        self.0.in_flight
    }

    /// True if the application had nothing to send at some time in it.
    #[getter]
    fn app_limited(&self) -> bool {
        self.0.app_limited
    }

    /// The window in force, in segments.
    #[getter]
    fn window(&self) -> f64 {
        self.0.window
    }

    /// The pacing rate in force, in Mbit/s; None without pacing.
    #[getter]
    fn pacing_mbps(&self) -> Option<f64> {
        self.0.pacing.map(Rate::as_mbps)
    }

    /// Payload of a full segment, in bytes.
    #[getter]
    fn mss_bytes(&self) -> u64 {
        self.0.mss.get()
    }

    /// A full packet with its headers, in bytes.
    #[getter]
    fn packet_bytes(&self) -> u64 {
        self.0.packet.get()
    }

    fn __repr__(&self) -> String {
        format!(
            "<{} sent, {} delivered, {} lost in {:.6} s, round trip {} ms>",
            self.0.sent,
            self.0.delivered,
            self.0.lost,
            self.length_s(),
            self.rtt_ms().map_or("-".to_owned(), |rtt| format!("{rtt:.3}"))
        )
    }
}

impl Stats {
    fn mbps(&self, packets: u64) -> f64 {
        Rate::of(Bytes::new(packets * self.0.packet.get()), self.0.length).as_mbps()
    }
}

/// A class of Python that is to be chosen by name.
#[derive(FromPyObject)]
pub struct Class {
    name: String,
    summary: String,
    source: String,
    /// Name, default, and whether only whole numbers are allowed.
    params: Vec<(String, f64, bool)>,
    /// Makes an object of the parameters and a seed.
    factory: Py<PyAny>,
}

/// Entries live as long as the program, which a command may be asked for more often than once.
fn leaked(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

impl Class {
    /// Its entry in the registry.
    pub fn entry(self) -> &'static Entry {
        let number = |(name, default, whole): (String, f64, bool)| Spec {
            name: leaked(name),
            kind: Kind::Number { default, min: -LARGEST, max: LARGEST, unit: "", whole },
            help: "an attribute of the class",
            need: None,
        };
        let params: &'static [Spec] = Box::leak(self.params.into_iter().map(number).collect());
        let factory = AssertUnwindSafe(Arc::new(self.factory));
        let build = move |setup: &Setup, chosen: &Params| {
            let policy = Object::new(&factory, params, chosen, setup.seed);
            Ok(Built::new(ByInterval::new(setup, policy)))
        };
        Box::leak(Box::new(Entry {
            name: leaked(self.name),
            kernel: None,
            summary: leaked(self.summary),
            source: leaked(self.source),
            basis: Basis::Model,
            needs: const { &[Need::Pacing] },
            numbered: false,
            params,
            build: Build::Shared(Arc::new(build)),
        }))
    }
}

/// The object of a connection, or why there is none.
struct Object {
    made: Result<Made, Fault>,
}

struct Made {
    on_interval: Py<PyAny>,
    /// The length of intervals if it is fixed.
    interval: Option<Span>,
}

impl Object {
    fn new(factory: &Py<PyAny>, specs: &[Spec], chosen: &Params, seed: u64) -> Object {
        let made = Python::attach(|py| {
            let make = || -> PyResult<Made> {
                let values = PyDict::new(py);
                for spec in specs {
                    let value: f64 = chosen.text(spec.name).and_then(|text| text.parse().ok()).unwrap_or_default();
                    match spec.kind {
                        Kind::Number { whole: true, .. } => values.set_item(spec.name, value as i64)?,
                        _ => values.set_item(spec.name, value)?,
                    }
                }
                let object = factory.bind(py).call1((values, seed))?;
                let interval = match object.getattr("interval_ms")?.extract::<Option<f64>>()? {
                    Some(length) if (0.1..=1e6).contains(&length) => Some(Span::from_secs_f64(length / 1e3)),
                    Some(length) => return Err(PyValueError::new_err(format!("interval_ms is {length}; give 0.1 to 1000000, or None"))),
                    None => None,
                };
                Ok(Made { on_interval: object.getattr("on_interval")?.unbind(), interval })
            };
            make().map_err(|error| fault(py, &error))
        });
        Object { made }
    }
}

impl Policy for Object {
    fn decide(&mut self, interval: &Interval) -> Result<Course, Fault> {
        let made = self.made.as_ref().map_err(Clone::clone)?;
        Python::attach(|py| {
            let answer = made.on_interval.bind(py).call1((Stats(*interval),)).and_then(|answer| course(&answer, interval));
            answer.map_err(|error| fault(py, &error))
        })
    }

    fn length(&self, srtt: Span) -> Span {
        self.made.as_ref().ok().and_then(|made| made.interval).unwrap_or(srtt)
    }
}

/// A rate, a window, both, or None for what held before.
fn course(answer: &Bound<'_, PyAny>, interval: &Interval) -> PyResult<Course> {
    if answer.is_none() {
        return Ok(Course { window: Some(interval.window), pacing: interval.pacing });
    }
    let parts = match answer.cast::<PyTuple>() {
        Ok(both) if both.len() == 2 => both.iter().collect(),
        _ => vec![answer.clone()],
    };
    let mut course = Course::default();
    for part in parts {
        if let Ok(rate) = part.cast::<PacingRate>() {
            course.pacing = Some(rate.get().0);
        } else if let Ok(window) = part.cast::<Window>() {
            course.window = Some(window.get().0);
        } else {
            let given = answer.repr()?;
            return Err(PyTypeError::new_err(format!(
                "on_interval answered {given}; let it return Rate.mbps(...), Window(...), a tuple of both, or None to go on as before"
            )));
        }
    }
    Ok(course)
}

/// An exception as a clause: file, line, function, type and text.
fn fault(py: Python<'_>, error: &PyErr) -> Fault {
    let told = py
        .import("narrows._controllers")
        .and_then(|module| module.call_method1("told", (error.value(py), error.traceback(py))))
        .and_then(|told| told.extract::<String>());
    Fault::new(told.unwrap_or_else(|_| error.to_string()))
}
