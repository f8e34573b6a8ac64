//! Measured series, to be laid over a simulation.

mod iperf3;
mod mahimahi;
mod model;

pub use model::{Overlay, OverlayError, Quantity, Series};

impl Overlay {
    /// Reads the output of `iperf3 --json`, or a log of mahimahi's `mm-link`.
    pub fn parse(name: &str, text: &str) -> Result<Overlay, OverlayError> {
        let series = if text.trim_start().starts_with('{') { iperf3::parse(text) } else { mahimahi::parse(text) };
        let series = series.map_err(|(line, problem, remedy)| OverlayError { name: name.to_owned(), line, problem, remedy })?;
        Ok(Overlay { name: name.to_owned(), text: text.to_owned(), series })
    }
}
