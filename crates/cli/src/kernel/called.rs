//! What the kernel counts of controllers from files, which have no counters of their own.

use super::found::{age, connections};
use crate::error::Failure;
use narrows_kernel::{Calls, Counting, KernelError, Pinned};
use serde_json::{Value, json};

/// Controllers from files, and the calls of their callbacks when counting began.
pub struct Called<'a> {
    before: Vec<(&'a Pinned, Vec<Calls>)>,
    /// The kernel counts as long as somebody asks it to.
    _counting: Option<Counting>,
}

/// What was called since.
struct Since {
    function: String,
    count: u64,
    nanoseconds: u128,
}

impl<'a> Called<'a> {
    /// Begins to count.
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

    /// What was counted in so many seconds, for people: a text for each controller.
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

    /// The same for programs.
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
