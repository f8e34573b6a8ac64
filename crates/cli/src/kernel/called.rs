//! Call counts and run times of controllers from files. Such controllers have no counters in their
//! programs, but the kernel counts the calls.

use super::found::{age, connections};
use narrows_kernel::{Calls, Counting, KernelError, Pinned};
use narrows_workbench::Failure;
use serde_json::{Value, json};

/// Controllers from files, with the call counts of their callbacks at the start of the measurement.
pub struct Called<'a> {
    before: Vec<(&'a Pinned, Vec<Calls>)>,
    /// Keeps the kernel's statistics turned on. The kernel counts as long as a process holds such a
    /// handle.
    _counting: Option<Counting>,
}

/// Calls of one callback since the start of the measurement.
struct Since {
    function: String,
    count: u64,
    nanoseconds: u128,
}

impl<'a> Called<'a> {
    /// Starts the measurement.
    pub fn begin(files: &'a [Pinned]) -> Result<Called<'a>, KernelError> {
        let counting = (!files.is_empty()).then(Counting::begin).transpose()?;
        let before = files
            .iter()
            .map(|pinned| Ok((pinned, pinned.callbacks()?)))
            .collect::<Result<_, KernelError>>()?;
        Ok(Called { before, _counting: counting })
    }

    fn since(&self) -> Result<Vec<(&'a Pinned, Vec<Since>)>, Failure> {
        let one = |(pinned, before): &(&'a Pinned, Vec<Calls>)| {
            let calls = pinned.callbacks()?.into_iter().zip(before);
            let since = calls.map(|(after, before)| Since {
                count: after.count - before.count,
                nanoseconds: (after.time - before.time).as_nanos(),
                function: after.function,
            });
            Ok((*pinned, since.collect()))
        };
        self.before.iter().map(one).collect()
    }

    /// Formats the calls of the last `seconds` seconds as text, one entry per controller.
    pub fn text(&self, seconds: f64) -> Result<Vec<String>, Failure> {
        let one = |(pinned, since): (&Pinned, Vec<Since>)| {
            let (name, controller) = (pinned.name(), pinned.text());
            let mut text = format!(
                "{name} ({controller}), loaded {}, {} open\n",
                age(pinned.since()),
                connections(pinned.open())
            );
            for Since { function, count, nanoseconds } in since {
                let each = if count == 0 {
                    String::new()
                } else {
                    format!("{} ns each", nanoseconds / u128::from(count))
                };
                text += format!(
                    "  {function:<17}{:>12}/s   {each}",
                    format!("{:.0}", count as f64 / seconds)
                )
                .trim_end();
                text += "\n";
            }
            text
        };
        Ok(self.since()?.into_iter().map(one).collect())
    }

    /// Formats the calls of the last `seconds` seconds as JSON, one value per controller.
    pub fn json(&self, seconds: f64) -> Result<Vec<Value>, Failure> {
        let one = |(pinned, since): (&Pinned, Vec<Since>)| {
            let callbacks: Value = since
                .into_iter()
                .map(|Since { function, count, nanoseconds }| {
                    let each = (count > 0).then(|| nanoseconds as f64 / count as f64);
                    (function, json!({ "per_second": count as f64 / seconds, "mean_ns": each }))
                })
                .collect();
            json!({ "name": pinned.name(), "controller": pinned.text(), "open": pinned.open(), "callbacks": callbacks })
        };
        Ok(self.since()?.into_iter().map(one).collect())
    }
}
