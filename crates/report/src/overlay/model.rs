//! Series measured by other programs.

use thiserror::Error;

/// Series measured by another program.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlay {
    /// File name without directory.
    pub name: String,
    /// Content of the file, as stored in the result directory.
    pub text: String,
    /// The measured quantities.
    pub series: Vec<Series>,
    /// Error message with which the measuring program ended, if any.
    pub remark: Option<String>,
}

/// One measured quantity over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The measured quantity.
    pub quantity: Quantity,
    /// Points: seconds since the measurement began, and the value in the quantity's unit.
    pub points: Vec<(f64, f64)>,
}

/// A measured quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Throughput in Mbit/s.
    Throughput,
    /// Round-trip time in milliseconds.
    Rtt,
    /// Congestion window in segments.
    Window,
    /// Data in flight in segments.
    InFlight,
    /// Queueing delay in milliseconds.
    QueueingDelay,
}

impl Quantity {
    /// Returns name and unit for a summary.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Quantity::Throughput => ("throughput", "Mbit/s"),
            Quantity::Rtt => ("RTT", "ms"),
            Quantity::Window => ("window", "segments"),
            Quantity::InFlight => ("in flight", "segments"),
            Quantity::QueueingDelay => ("queueing delay", "ms"),
        }
    }
}

/// An error in the text of a measurement.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{name}, line {line}: {problem}; {remedy}")]
pub struct OverlayError {
    /// Name of the file.
    pub name: String,
    /// Line number, starting at 1.
    pub line: usize,
    /// Description of the error.
    pub problem: String,
    /// Advice for the user.
    pub remedy: &'static str,
}

/// Line number, description of the error, and advice.
pub(super) type Problem = (usize, String, &'static str);

impl Overlay {
    /// Returns the file name in a result directory.
    pub fn file(&self) -> String {
        Overlay::file_of(&self.name)
    }

    /// Returns the file name of the overlay `name` in a result directory.
    pub(crate) fn file_of(name: &str) -> String {
        format!("overlay-{name}")
    }

    /// Summarises the overlay: mean throughput, and median and 95th percentile of each other
    /// quantity.
    pub fn summary(&self) -> String {
        let one = |series: &Series| {
            let (name, unit) = series.quantity.words();
            let mut values: Vec<f64> = series.points.iter().map(|(_, value)| *value).collect();
            values.sort_by(f64::total_cmp);
            let at = |share: f64| {
                narrows_figure::number::plain(
                    values[((values.len() - 1) as f64 * share + 0.5) as usize],
                )
            };
            match series.quantity {
                Quantity::Throughput => format!(
                    "{name} {} {unit}",
                    narrows_figure::number::plain(values.iter().sum::<f64>() / values.len() as f64)
                ),
                _ => format!("{name} p50 {} and p95 {} {unit}", at(0.5), at(0.95)),
            }
        };
        let all: Vec<String> =
            self.series.iter().filter(|series| !series.points.is_empty()).map(one).collect();
        let remark = self.remark.as_ref().map_or_else(String::new, |remark| format!(" ({remark})"));
        format!("Measured, {}{remark}: {}.", self.name, all.join(", "))
    }
}
