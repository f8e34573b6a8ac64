//! Ranges of values, in the unit of their ends.

use toml_edit::Value;

/// A number and its unit: "10 Mbit/s" is 10 and "Mbit/s".
struct Written {
    number: f64,
    unit: Option<String>,
}

/// Expands `{ from, to, step }` or `{ from, to, count, log }` to its values. `Err` has the problem
/// and the remedy.
pub(super) fn expand(get: impl Fn(&str) -> Option<Value>) -> Result<Vec<Value>, (String, String)> {
    let quantity = |key: &str| -> Result<Option<Written>, (String, String)> {
        get(key).map(|value| read(key, &value)).transpose()
    };
    let fail = |message: &str, help: &str| Err((message.to_owned(), help.to_owned()));
    let (Some(from), Some(to)) = (quantity("from")?, quantity("to")?) else {
        return fail(
            "a range needs both ends",
            "write for example { from = \"10 Mbit/s\", to = \"100 Mbit/s\", step = \"10 Mbit/s\" }",
        );
    };
    if from.unit != to.unit {
        return fail(
            "the ends of the range have different units",
            "write both ends in the same unit",
        );
    }
    let log = match get("log") {
        None => false,
        Some(value) => match value.as_bool() {
            Some(log) => log,
            None => return fail("log is true or false", "write log = true for equal ratios"),
        },
    };
    let numbers = match (quantity("step")?, get("count")) {
        (Some(step), None) => {
            if step.unit != from.unit {
                return fail(
                    "the step has another unit than the ends",
                    "write the step in the unit of the ends",
                );
            }
            if log {
                return fail(
                    "a range with a step has equal steps, not equal ratios",
                    "write count instead of step, or leave log out",
                );
            }
            stepped(from.number, to.number, step.number)?
        }
        (None, Some(count)) => match count.as_integer() {
            Some(count @ 2..=1_000_000) => {
                let finest = from.unit.as_deref().and_then(finest);
                let whole =
                    |number: f64| finest.map_or(number, |decimals| to_decimals(number, decimals));
                counted(from.number, to.number, count as usize, log)?
                    .into_iter()
                    .map(whole)
                    .collect()
            }
            _ => {
                return fail("a range has from 2 to 1000000 values", "write for example count = 5");
            }
        },
        _ => {
            return fail(
                "a range needs either a step or a count",
                "write for example step = \"10 Mbit/s\", or count = 5",
            );
        }
    };
    let whole = |key: &str| get(key).is_some_and(|value| value.is_integer());
    let whole = from.unit.is_none()
        && whole("from")
        && whole("to")
        && numbers.iter().all(|number| number.fract() == 0.0);
    Ok(numbers
        .into_iter()
        .map(|number| match &from.unit {
            Some(unit) => Value::from(format!("{number} {unit}").trim_end()),
            None if whole => Value::from(number as i64),
            None => Value::from(number),
        })
        .collect())
}

fn read(key: &str, value: &Value) -> Result<Written, (String, String)> {
    if let Some(number) = value.as_integer() {
        return Ok(Written { number: number as f64, unit: None });
    }
    if let Some(number) = value.as_float().filter(|number| number.is_finite()) {
        return Ok(Written { number, unit: None });
    }
    let split = value.as_str().and_then(|text| {
        let text = text.trim();
        let end =
            text.find(|c: char| !c.is_ascii_digit() && !"._+-eE".contains(c)).unwrap_or(text.len());
        Some(Written {
            number: text[..end].trim().replace('_', "").parse().ok()?,
            unit: Some(text[end..].trim().to_owned()),
        })
    });
    split.ok_or_else(|| {
        (
            format!("{key} is {}, which is not a number with its unit", value.to_string().trim()),
            "write for example \"10 Mbit/s\"".to_owned(),
        )
    })
}

fn stepped(from: f64, to: f64, step: f64) -> Result<Vec<f64>, (String, String)> {
    let count = (to - from) / step;
    if !(count.is_finite() && count >= 0.0) {
        return Err((
            "the step never leads from one end to the other".to_owned(),
            "give the step the sign of the way, and not zero".to_owned(),
        ));
    }
    if count > 1e6 {
        return Err((
            "the range has more than 1000000 values".to_owned(),
            "take a larger step".to_owned(),
        ));
    }
    // Rounding errors may put the last step slightly short of the end.
    Ok((0..=(count + 1e-9) as u64).map(|index| rounded(from + step * index as f64, 12)).collect())
}

fn counted(from: f64, to: f64, count: usize, log: bool) -> Result<Vec<f64>, (String, String)> {
    if log && (from <= 0.0 || to <= 0.0) {
        return Err((
            "equal ratios need ends above zero".to_owned(),
            "give ends above zero, or leave log out".to_owned(),
        ));
    }
    let part = |index: usize| index as f64 / (count - 1) as f64;
    let between = |index: usize| match index {
        0 => from,
        _ if index + 1 == count => to,
        _ if log => rounded(from * libm::pow(to / from, part(index)), 4),
        _ => rounded(from + (to - from) * part(index), 6),
    };
    Ok((0..count).map(between).collect())
}

/// Returns the number of decimals that a unit can have; `None` for large units, in which any four
/// significant digits can be written.
fn finest(unit: &str) -> Option<usize> {
    match unit {
        "B" | "byte" | "bytes" | "packets" | "packet" | "pkts" | "pkt" | "p" | "ns" | "bit/s"
        | "bps" | "B/s" => Some(0),
        "bdp" | "BDP" | "kB" | "KB" | "kbit/s" | "kbps" | "kB/s" | "us" | "µs" => Some(3),
        _ => None,
    }
}

fn to_decimals(number: f64, decimals: usize) -> f64 {
    format!("{number:.decimals$}").parse().unwrap_or(number)
}

/// Rounds the number to this many significant digits.
fn rounded(number: f64, digits: usize) -> f64 {
    format!("{number:.*e}", digits - 1).parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(table: &str) -> Result<Vec<String>, (String, String)> {
        let table: Value = table.parse().unwrap();
        let table = table.as_inline_table().unwrap();
        Ok(expand(|key| table.get(key).cloned())?
            .iter()
            .map(|value| value.to_string().trim().to_owned())
            .collect())
    }

    #[test]
    fn steps_reach_the_end() {
        assert_eq!(
            values("{ from = \"0.1 %\", to = \"0.3 %\", step = \"0.1 %\" }").unwrap(),
            ["\"0.1 %\"", "\"0.2 %\"", "\"0.3 %\""]
        );
        assert_eq!(values("{ from = 1, to = 8, step = 3 }").unwrap(), ["1", "4", "7"]);
        assert_eq!(
            values("{ from = \"30ms\", to = \"10ms\", step = \"-10ms\" }").unwrap(),
            ["\"30 ms\"", "\"20 ms\"", "\"10 ms\""]
        );
    }

    #[test]
    fn counts_divide_evenly_or_by_ratio() {
        assert_eq!(
            values("{ from = 0, to = 1, count = 5 }").unwrap(),
            ["0.0", "0.25", "0.5", "0.75", "1.0"]
        );
        let rates =
            values("{ from = \"1 Mbit/s\", to = \"1000 Mbit/s\", count = 4, log = true }").unwrap();
        assert_eq!(rates, ["\"1 Mbit/s\"", "\"10 Mbit/s\"", "\"100 Mbit/s\"", "\"1000 Mbit/s\""]);
        let odd = values("{ from = \"1 bdp\", to = \"2 bdp\", count = 3, log = true }").unwrap();
        assert_eq!(odd[1], "\"1.414 bdp\"");
        // Rounded to the unit's resolution: thousandths of a bdp, whole packets.
        assert_eq!(
            values("{ from = \"0.25 bdp\", to = \"4 bdp\", count = 10, log = true }").unwrap()[1],
            "\"0.34 bdp\""
        );
        assert_eq!(
            values("{ from = \"10 packets\", to = \"100 packets\", count = 3, log = true }")
                .unwrap()[1],
            "\"32 packets\""
        );
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for (table, says) in [
            ("{ from = 1, step = 2 }", "both ends"),
            ("{ from = \"1 ms\", to = \"2 s\", count = 2 }", "different units"),
            ("{ from = \"1 ms\", to = \"2 ms\", step = \"1 s\" }", "another unit"),
            ("{ from = 1, to = 2 }", "either a step or a count"),
            ("{ from = 1, to = 2, step = 1, count = 2 }", "either a step or a count"),
            ("{ from = 1, to = 2, step = -1 }", "never leads"),
            ("{ from = 1, to = 2, step = 0 }", "never leads"),
            ("{ from = 0, to = 2, count = 3, log = true }", "above zero"),
            ("{ from = 1, to = 2, count = 1 }", "from 2"),
            ("{ from = \"fast\", to = 2, count = 3 }", "not a number"),
        ] {
            let (message, help) = values(table).unwrap_err();
            assert!(message.contains(says) && !help.is_empty(), "{table}: {message}");
        }
    }
}
