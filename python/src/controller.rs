//! Controllers in Python: one object for each connection, asked once per interval or at each acknowledgement.

use narrows::control::{
    Basis, Build, Built, ByInterval, Congestion, Entry, Fault, Feedback, Interval, Policy, Reduction, Setting, Setup, Timeout,
};
use narrows::params::{Kind, Need, Params, Spec};
use narrows::units::{Bytes, Rate, Span, Time};
use narrows::within::Own;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::cell::Cell;
use std::hash::{Hash, Hasher};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

/// Larger numbers are no rates, windows or parameters.
const LARGEST: f64 = 1e15;

/// A pacing rate, which counts packets with their headers.
#[pyclass(frozen, eq, ord, hash, name = "Rate", module = "narrows")]
#[derive(PartialEq, PartialOrd, Hash)]
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

    /// Rates have no constructor without a unit, so a function makes them again.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (u64,))> {
        Ok((py.import("narrows._controllers")?.getattr("rate_of_bps")?, (self.0.as_bps(),)))
    }
}

/// A window.
#[pyclass(frozen, eq, ord, hash, module = "narrows")]
#[derive(PartialEq, PartialOrd)]
pub struct Window(f64);

impl Hash for Window {
    /// Windows are at least 1: equal numbers have equal bits.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

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

    fn __getnewargs__(&self) -> (f64,) {
        (self.0,)
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

/// What an acknowledgement tells a connection.
#[pyclass(frozen, module = "narrows")]
pub struct Ack {
    now: Time,
    acked: usize,
    acked_bytes: Bytes,
    /// Of these the ones that a full window had sent.
    limited: usize,
    lost: usize,
    marked: u32,
    rtt: Option<Span>,
    /// Segments delivered, and over which time.
    rate: Option<(u32, Span)>,
    congestion: Option<Congestion>,
    seen: Interval,
}

impl Ack {
    fn of(feedback: &Feedback<'_>, seen: &Interval) -> Ack {
        Ack {
            now: feedback.now,
            acked: feedback.acked.len(),
            acked_bytes: feedback.acked.iter().fold(Bytes::ZERO, |sum, acked| sum + acked.bytes),
            limited: feedback.acked.iter().filter(|acked| acked.window_limited).count(),
            lost: feedback.lost.len(),
            marked: feedback.ecn.ce,
            rtt: feedback.rtt,
            rate: feedback.rate.and_then(|rate| Some((rate.delivered, rate.interval?))),
            congestion: feedback.congestion,
            seen: *seen,
        }
    }
}

#[pymethods]
impl Ack {
    /// When it was processed, in seconds since the run began.
    #[getter]
    fn now_s(&self) -> f64 {
        self.now.as_secs_f64()
    }

    /// Segments that it newly acknowledges.
    #[getter]
    fn acked(&self) -> usize {
        self.acked
    }

    /// Payload of these, in bytes.
    #[getter]
    fn acked_bytes(&self) -> u64 {
        self.acked_bytes.get()
    }

    /// Those of them that left while the window was what limited sending.
    #[getter]
    fn acked_limited(&self) -> usize {
        self.limited
    }

    /// Transmissions that are newly declared lost.
    #[getter]
    fn lost(&self) -> usize {
        self.lost
    }

    /// Packets that the receiver newly counted with CE.
    #[getter]
    fn marked(&self) -> u32 {
        self.marked
    }

    /// Its round trip, in ms; None if it measures none.
    #[getter]
    fn rtt_ms(&self) -> Option<f64> {
        self.rtt.map(ms)
    }

    /// Smoothed round trip, this one included, in ms.
    #[getter]
    fn srtt_ms(&self) -> f64 {
        ms(self.seen.srtt)
    }

    /// Least round trip of the connection so far, in ms; None before the first.
    #[getter]
    fn base_rtt_ms(&self) -> Option<f64> {
        (self.seen.least_rtt != Span::MAX).then(|| ms(self.seen.least_rtt))
    }

    /// Packets delivered with their headers, in Mbit/s, as its delivery rate sample has it; None without one.
    #[getter]
    fn delivery_rate_mbps(&self) -> Option<f64> {
        self.rate.map(|(packets, over)| Rate::of(Bytes::new(u64::from(packets) * self.seen.packet.get()), over).as_mbps())
    }

    /// "loss" or "mark" if a reduction is due, which is told once for the losses or marks of a round trip; else None.
    #[getter]
    fn congestion(&self) -> Option<&'static str> {
        self.congestion.map(|congestion| match congestion {
            Congestion::Loss => "loss",
            Congestion::Mark => "mark",
        })
    }

    /// Segments in flight after it.
    #[getter]
    fn in_flight(&self) -> u32 {
        self.seen.in_flight
    }

    /// The window in force, in segments.
    #[getter]
    fn window(&self) -> f64 {
        self.seen.window
    }

    /// The pacing rate in force, in Mbit/s; None without pacing.
    #[getter]
    fn pacing_mbps(&self) -> Option<f64> {
        self.seen.pacing.map(Rate::as_mbps)
    }

    /// Payload of a full segment, in bytes.
    #[getter]
    fn mss_bytes(&self) -> u64 {
        self.seen.mss.get()
    }

    /// A full packet with its headers, in bytes.
    #[getter]
    fn packet_bytes(&self) -> u64 {
        self.seen.packet.get()
    }

    fn __repr__(&self) -> String {
        let rtt = self.rtt_ms().map_or("-".to_owned(), |rtt| format!("{rtt:.3}"));
        format!("<{} acknowledged, {} lost at {:.6} s, round trip {rtt} ms>", self.acked, self.lost, self.now_s())
    }
}

/// A retransmission timeout.
#[pyclass(frozen, name = "Timeout", module = "narrows")]
pub struct Expired {
    timeout: Timeout,
    window: f64,
}

#[pymethods]
impl Expired {
    /// When the timer expired, in seconds since the run began.
    #[getter]
    fn now_s(&self) -> f64 {
        self.timeout.now.as_secs_f64()
    }

    /// Transmissions that are newly presumed lost.
    #[getter]
    fn lost(&self) -> u32 {
        self.timeout.lost
    }

    /// True if a reduction was already made for these losses.
    #[getter]
    fn repeated(&self) -> bool {
        self.timeout.repeated
    }

    /// The window in force, in segments.
    #[getter]
    fn window(&self) -> f64 {
        self.window
    }

    fn __repr__(&self) -> String {
        format!("<timeout at {:.6} s, {} lost>", self.now_s(), self.timeout.lost)
    }
}

/// The default of a parameter. Of `True`, which is an `int` too, the first kind that fits is taken.
#[derive(FromPyObject)]
enum Attribute {
    Flag(bool),
    Whole(i64),
    Number(f64),
}

impl Attribute {
    fn kind(&self) -> Kind {
        let number = |default, whole| Kind::Number { default, min: -LARGEST, max: LARGEST, unit: "", whole };
        match *self {
            Attribute::Flag(default) => Kind::Flag { default },
            Attribute::Whole(default) => number(default as f64, true),
            Attribute::Number(default) => number(default, false),
        }
    }
}

/// A class of Python that is to be chosen by name.
#[derive(FromPyObject)]
pub struct Class {
    name: String,
    summary: String,
    source: String,
    /// Names and defaults.
    params: Vec<(String, Attribute)>,
    /// A word that tells it from other classes of its name.
    identity: String,
    /// It hears of acknowledgements, and of their delivery rate samples.
    hears: bool,
    /// Makes an object of the parameters and a seed, and tells of its methods.
    factory: Py<PyAny>,
}

/// Entries live as long as the program, which a command may be asked for more often than once.
fn leaked(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

impl Class {
    /// Its entry in the registry, and what tells it apart.
    pub fn own(self) -> Own {
        let identity = leaked(self.identity.clone());
        Own { entry: self.entry(), identity }
    }

    fn entry(self) -> &'static Entry {
        let spec = |(name, default): (String, Attribute)| Spec {
            name: leaked(name),
            kind: default.kind(),
            help: "an attribute of the class",
            need: None,
        };
        let params: &'static [Spec] = Box::leak(self.params.into_iter().map(spec).collect());
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
            needs: if self.hears { const { &[Need::Pacing, Need::RateSample] } } else { const { &[Need::Pacing] } },
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

/// The methods of an object that its class defines.
#[derive(FromPyObject)]
struct Made {
    on_interval: Option<Py<PyAny>>,
    on_ack: Option<Py<PyAny>>,
    on_timeout: Option<Py<PyAny>>,
    on_undo: Option<Py<PyAny>>,
    /// The length of intervals if it is fixed.
    interval_ms: Option<f64>,
    /// The transport spreads its reductions over the acknowledgements.
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
                        Kind::Flag { .. } => values.set_item(spec.name, text == "true")?,
                        Kind::Number { whole: true, .. } => values.set_item(spec.name, value as i64)?,
                        _ => values.set_item(spec.name, value)?,
                    }
                }
                let made: Made = factory.bind(py).call1((values, seed))?.extract()?;
                match made.interval_ms {
                    Some(length) if !(0.1..=1e6).contains(&length) => {
                        Err(PyValueError::new_err(format!("interval_ms is {length}; give 0.1 to 1000000, or None")))
                    }
                    _ => Ok(made),
                }
            };
            make().map_err(|error| fault(py, &error))
        });
        Object { made }
    }

    /// Calls the method that `of` chooses, if the class defines it, with what `given` makes.
    fn call<G: for<'py> IntoPyObject<'py>>(
        &self,
        name: &str,
        of: impl Fn(&Made) -> &Option<Py<PyAny>>,
        given: impl FnOnce() -> G,
    ) -> Result<Option<Setting>, Fault> {
        let made = self.made.as_ref().map_err(Clone::clone)?;
        let Some(method) = of(made) else { return Ok(None) };
        calling(|py| {
            let answer = method.bind(py).call1((given(),)).and_then(|answer| setting(&answer, name));
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
        made.on_interval.as_ref().map(|_| now + made.interval_ms.map_or(srtt, |length| Span::from_secs_f64(length / 1e3)))
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>, seen: &Interval) -> Result<Option<Setting>, Fault> {
        self.call("on_ack", |made| &made.on_ack, || Ack::of(feedback, seen))
    }

    fn on_timeout(&mut self, timeout: &Timeout, seen: &Interval) -> Result<Option<Setting>, Fault> {
        self.call("on_timeout", |made| &made.on_timeout, || Expired { timeout: *timeout, window: seen.window })
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

/// A rate, a window, both, or None for what held before.
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

/// True if a controller's method is calling: the command that it belongs to waits for it.
pub fn is_calling() -> bool {
    CALLING.get()
}

/// Calls a method, or makes an object, of a controller.
fn calling<T>(call: impl FnOnce(Python<'_>) -> T) -> T {
    let before = CALLING.replace(true);
    let answer = Python::attach(call);
    CALLING.set(before);
    answer
}

/// An exception as a clause: file, line, function, type and text.
fn fault(py: Python<'_>, error: &PyErr) -> Fault {
    let told = py
        .import("narrows._controllers")
        .and_then(|module| module.call_method1("told", (error.value(py), error.traceback(py))))
        .and_then(|told| told.extract::<String>());
    Fault::new(told.unwrap_or_else(|_| error.to_string()))
}
