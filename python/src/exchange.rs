//! Values that Python controllers receive and return: interval, acknowledgement, timeout, rate,
//! window.

use narrows::control::{Congestion, Feedback, Interval, Timeout};
use narrows::units::{Bytes, Rate, Span, Time};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::hash::{Hash, Hasher};

/// Largest number of a rate, a window or a parameter.
pub(crate) const LARGEST: f64 = 1e15;

/// A pacing rate, which counts packets with their headers.
#[pyclass(frozen, eq, ord, hash, name = "Rate", module = "narrows")]
#[derive(PartialEq, PartialOrd, Hash)]
pub struct PacingRate(pub(crate) Rate);

#[pymethods]
impl PacingRate {
    /// A rate in bit/s.
    #[staticmethod]
    fn bps(value: f64) -> PyResult<PacingRate> {
        if !(0.0..=LARGEST).contains(&value) {
            return Err(PyValueError::new_err(format!(
                "{value} is no rate in bit/s; give one from 0 to {LARGEST:e}"
            )));
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

    /// Pickles the rate as a call of a function, because rates have no constructor without a unit.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (u64,))> {
        Ok((py.import("narrows._controllers")?.getattr("rate_of_bps")?, (self.0.as_bps(),)))
    }
}

/// A window.
#[pyclass(frozen, eq, ord, hash, module = "narrows")]
#[derive(PartialEq, PartialOrd)]
pub struct Window(pub(crate) f64);

impl Hash for Window {
    /// Hashes the bits: windows are at least 1, so equal numbers have equal bits.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

#[pymethods]
impl Window {
    /// A window of this many segments, at least 1.
    #[new]
    fn new(segments: f64) -> PyResult<Window> {
        if !(1.0..=LARGEST).contains(&segments) {
            return Err(PyValueError::new_err(format!(
                "{segments} segments are no window; give 1 or more"
            )));
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

/// Measurements of a connection in an interval.
#[pyclass(frozen, module = "narrows")]
pub struct Stats(pub(crate) Interval);

fn ms(span: Span) -> f64 {
    span.as_millis_f64()
}

#[pymethods]
impl Stats {
    /// End of the interval, in seconds since the run began.
    #[getter]
    fn now_s(&self) -> f64 {
        self.0.now.since(narrows::units::Time::ZERO).as_secs_f64()
    }

    /// Length of the interval, in seconds.
    #[getter]
    fn length_s(&self) -> f64 {
        self.0.length.as_secs_f64()
    }

    /// Transmissions in the interval.
    #[getter]
    fn sent(&self) -> u64 {
        self.0.sent
    }

    /// Segments delivered in the interval.
    #[getter]
    fn delivered(&self) -> u64 {
        self.0.delivered
    }

    /// Payload delivered in the interval, in bytes.
    #[getter]
    fn delivered_bytes(&self) -> u64 {
        self.0.delivered_bytes.get()
    }

    /// Transmissions declared lost in the interval.
    #[getter]
    fn lost(&self) -> u64 {
        self.0.lost
    }

    /// Packets that the receiver counted with CE in the interval.
    #[getter]
    fn marked(&self) -> u64 {
        self.0.marked
    }

    /// Retransmission timeouts in the interval.
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

    /// Losses divided by losses and deliveries, 0 to 1.
    #[getter]
    fn loss_rate(&self) -> f64 {
        match self.0.lost + self.0.delivered {
            0 => 0.0,
            fates => self.0.lost as f64 / fates as f64,
        }
    }

    /// Mean round trip in the interval, in ms; None if none was measured.
    #[getter]
    fn rtt_ms(&self) -> Option<f64> {
        self.0.rtt.map(|(mean, _)| ms(mean))
    }

    /// Least round trip in the interval, in ms; None if none was measured.
    #[getter]
    fn least_rtt_ms(&self) -> Option<f64> {
        self.0.rtt.map(|(_, least)| ms(least))
    }

    /// Slope of the round trips in the interval, in seconds per second.
    #[getter]
    fn rtt_gradient(&self) -> f64 {
        self.0.gradient
    }

    /// Smoothed round trip at the end of the interval, in ms.
    #[getter]
    fn srtt_ms(&self) -> f64 {
        ms(self.0.srtt)
    }

    /// Least round trip of the connection so far, in ms.
    #[getter]
    fn base_rtt_ms(&self) -> f64 {
        ms(self.0.least_rtt)
    }

    /// Segments in flight at the end of the interval.
    #[getter]
    fn in_flight(&self) -> u32 {
        self.0.in_flight
    }

    /// True if the application had nothing to send at some time in the interval.
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

/// The contents of an acknowledgement.
#[pyclass(frozen, module = "narrows")]
pub struct Ack {
    now: Time,
    acked: usize,
    acked_bytes: Bytes,
    /// Acknowledged segments that were sent while the window was full.
    limited: usize,
    lost: usize,
    marked: u32,
    rtt: Option<Span>,
    /// Segments delivered, and the time over which they were counted.
    rate: Option<(u32, Span)>,
    congestion: Option<Congestion>,
    seen: Interval,
}

impl Ack {
    pub(crate) fn of(feedback: &Feedback<'_>, seen: &Interval) -> Ack {
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
    /// Time at which it was processed, in seconds since the run began.
    #[getter]
    fn now_s(&self) -> f64 {
        self.now.as_secs_f64()
    }

    /// Segments that it newly acknowledges.
    #[getter]
    fn acked(&self) -> usize {
        self.acked
    }

    /// Newly acknowledged payload, in bytes.
    #[getter]
    fn acked_bytes(&self) -> u64 {
        self.acked_bytes.get()
    }

    /// Newly acknowledged segments that left while the window limited sending.
    #[getter]
    fn acked_limited(&self) -> usize {
        self.limited
    }

    /// Transmissions newly declared lost.
    #[getter]
    fn lost(&self) -> usize {
        self.lost
    }

    /// Packets that the receiver newly counted with CE.
    #[getter]
    fn marked(&self) -> u32 {
        self.marked
    }

    /// Round trip of this acknowledgement, in ms; None if it measures none.
    #[getter]
    fn rtt_ms(&self) -> Option<f64> {
        self.rtt.map(ms)
    }

    /// Smoothed round trip, including this acknowledgement, in ms.
    #[getter]
    fn srtt_ms(&self) -> f64 {
        ms(self.seen.srtt)
    }

    /// Least round trip of the connection so far, in ms; None before the first.
    #[getter]
    fn base_rtt_ms(&self) -> Option<f64> {
        (self.seen.least_rtt != Span::MAX).then(|| ms(self.seen.least_rtt))
    }

    /// Delivery rate sample, in packets with their headers, in Mbit/s; None without a sample.
    #[getter]
    fn delivery_rate_mbps(&self) -> Option<f64> {
        self.rate.map(|(packets, over)| {
            Rate::of(Bytes::new(u64::from(packets) * self.seen.packet.get()), over).as_mbps()
        })
    }

    /// "loss" or "mark" if a reduction is due, once for the losses or marks of a round trip;
    /// otherwise None.
    #[getter]
    fn congestion(&self) -> Option<&'static str> {
        self.congestion.map(|congestion| match congestion {
            Congestion::Loss => "loss",
            Congestion::Mark => "mark",
        })
    }

    /// Segments in flight after this acknowledgement.
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
        format!(
            "<{} acknowledged, {} lost at {:.6} s, round trip {rtt} ms>",
            self.acked,
            self.lost,
            self.now_s()
        )
    }
}

/// A retransmission timeout.
#[pyclass(frozen, name = "Timeout", module = "narrows")]
pub struct Expired {
    pub(crate) timeout: Timeout,
    /// Window in force, in segments.
    pub(crate) window: f64,
}

#[pymethods]
impl Expired {
    /// Time at which the timer expired, in seconds since the run began.
    #[getter]
    fn now_s(&self) -> f64 {
        self.timeout.now.as_secs_f64()
    }

    /// Transmissions newly presumed lost.
    #[getter]
    fn lost(&self) -> u32 {
        self.timeout.lost
    }

    /// True if these losses have already caused a reduction.
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
