//! What a measurement is.

use thiserror::Error;

/// What another program measured, over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlay {
    /// Its file's name, without a directory.
    pub name: String,
    /// What the file says, as it is kept in the result directory.
    pub text: String,
    /// The measured quantities.
    pub series: Vec<Series>,
    /// What the measuring program said of its end, if it was not a normal one.
    pub remark: Option<String>,
}

/// One measured quantity over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What was measured.
    pub quantity: Quantity,
    /// Seconds since the measurement began, and the value in the quantity's unit.
    pub points: Vec<(f64, f64)>,
}

/// What a series measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Mbit/s.
    Throughput,
    /// Round trip in milliseconds.
    Rtt,
    /// Congestion window in segments.
    Window,
    /// Queueing delay in milliseconds.
    QueueingDelay,
}

impl Quantity {
    /// Name and unit, as a summary has them.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Quantity::Throughput => ("throughput", "Mbit/s"),
            Quantity::Rtt => ("RTT", "ms"),
            Quantity::Window => ("window", "segments"),
            Quantity::QueueingDelay => ("queueing delay", "ms"),
        }
    }
}

/// Text that is not a measurement.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{name}, line {line}: {problem}; {remedy}")]
pub struct OverlayError {
    /// The file.
    pub name: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: String,
    /// What would be right.
    pub remedy: &'static str,
}

/// What is wrong with a line.
pub(super) type Problem = (usize, String, &'static str);

impl Overlay {
    /// Its name in a result directory.
    pub fn file(&self) -> String {
        Overlay::file_of(&self.name)
    }

    /// The name in a result directory of the overlay `name`.
    pub(crate) fn file_of(name: &str) -> String {
        format!("overlay-{name}")
    }

    /// Mean throughput, and median and 95th percentile of what else it measured.
    pub fn summary(&self) -> String {
        let one = |series: &Series| {
            let (name, unit) = series.quantity.words();
            let mut values: Vec<f64> = series.points.iter().map(|(_, value)| *value).collect();
            values.sort_by(f64::total_cmp);
            let at = |share: f64| {
                crate::number::plain(values[((values.len() - 1) as f64 * share + 0.5) as usize])
            };
            match series.quantity {
                Quantity::Throughput => format!(
                    "{name} {} {unit}",
                    crate::number::plain(values.iter().sum::<f64>() / values.len() as f64)
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
