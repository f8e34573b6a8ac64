//! Columns that the user asks for: metrics of a whole run, of a group of flows, or of a controller.

use crate::columns::{COLUMNS, ICN_COLUMNS};
use narrows_measure::metrics::{METRICS, Metric, OF_FLOWS, metric};
use narrows_params::suggest;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// A metric and its scope: "goodput", "goodput of cubic".
#[derive(Clone, Debug)]
pub struct Column {
    /// The metric.
    pub metric: &'static Metric,
    /// Name of a group of flows or of a controller; `None` for the whole run.
    pub of: Option<Arc<str>>,
}

impl Column {
    /// Returns the column of a metric of whole runs.
    pub(crate) fn whole(metric: &'static Metric) -> Column {
        Column { metric, of: None }
    }

    /// True if the metric is defined for groups of flows and for controllers, not only for whole
    /// runs.
    pub(crate) fn is_of_flows(metric: &Metric) -> bool {
        OF_FLOWS.iter().any(|own| own.name == metric.name)
    }

    /// Returns the title in tables and plots: "Goodput", "Goodput of cubic".
    pub(crate) fn head(&self) -> String {
        let known = COLUMNS.iter().chain(ICN_COLUMNS).find(|(_, name)| *name == self.metric.name);
        let head = known.map_or(self.metric.name, |(head, _)| head);
        self.of.as_ref().map_or_else(|| head.to_owned(), |of| format!("{head} of {of}"))
    }
}

impl fmt::Display for Column {
    /// Writes what [`Column::from_str`] reads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.of {
            None => f.write_str(self.metric.name),
            Some(of) => write!(f, "{} of {of}", self.metric.name),
        }
    }
}

impl FromStr for Column {
    type Err = String;

    /// Parses "goodput" or "goodput of cubic".
    fn from_str(text: &str) -> Result<Column, String> {
        let (name, of) = match text.trim().split_once(" of ") {
            Some((name, of)) => (name.trim(), Some(of.trim())),
            None => (text.trim(), None),
        };
        let metric = metric(name).ok_or_else(|| {
            format!(
                "there is no metric \"{name}\"; {}",
                suggest(name, "metrics", METRICS.iter().map(|own| own.name))
            )
        })?;
        match of {
            Some("") => Err(format!("{name} of whom? Write for example \"{name} of cubic\"")),
            Some(_) if !Column::is_of_flows(metric) => {
                Err(format!("{name} is of the whole network, not of some flows; write \"{name}\""))
            }
            of => Ok(Column { metric, of: of.map(Arc::from) }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_of_a_run_or_of_flows() {
        let read = |text: &str| {
            text.parse::<Column>()
                .map(|column| (column.head(), column.of.as_deref().map(str::to_owned)))
        };
        assert_eq!(read("goodput"), Ok(("Goodput".to_owned(), None)));
        assert_eq!(
            read("rtt_p95 of cubic?profile=rfc9438").map(|(_, of)| of),
            Ok(Some("cubic?profile=rfc9438".to_owned()))
        );
        assert!(read("godput").is_err_and(|error| error.contains("did you mean \"goodput\"")));
        assert!(
            read("standing_queue of cubic").is_err_and(|error| error.contains("whole network"))
        );
        assert!(read("goodput of ").is_err());
    }
}
