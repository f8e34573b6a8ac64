//! How quantities are read and written: a decimal number and a unit, exactly, without passing
//! through floating point.

use thiserror::Error;

/// Text that is not the quantity it should be. Says what was found, what is wrong with it and what
/// would be right.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("\"{found}\" is not {expected}: {reason}; write for example {example}")]
pub struct ParseError {
    found: String,
    expected: &'static str,
    example: &'static str,
    reason: String,
}

impl ParseError {
    pub(crate) fn new(
        found: &str,
        expected: &'static str,
        example: &'static str,
        reason: impl Into<String>,
    ) -> ParseError {
        ParseError { found: found.to_owned(), expected, example, reason: reason.into() }
    }

    /// The problem, without the surrounding sentence.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// A way of writing the quantity that would be accepted.
    pub fn example(&self) -> &'static str {
        self.example
    }
}

/// Splits "1.5 ms" into its number and its unit.
pub(crate) fn split<'a>(
    text: &'a str,
    expected: &'static str,
    example: &'static str,
) -> Result<(&'a str, &'a str), ParseError> {
    let trimmed = text.trim();
    let end = trimmed
        .find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-' || c == '+' || c == '_'))
        .unwrap_or(trimmed.len());
    let (number, unit) = trimmed.split_at(end);
    let fail = |reason: &str| Err(ParseError::new(text, expected, example, reason));
    if number.is_empty() {
        return fail("it does not begin with a number");
    }
    if number.starts_with('-') {
        return fail("it is negative");
    }
    Ok((number, unit.trim()))
}

/// Reads a number and one of `units` (name and size), giving the whole number of `1/scale` parts of
/// the base unit. A number finer than that is an error.
pub(crate) fn quantity(
    text: &str,
    expected: &'static str,
    example: &'static str,
    units: &[(&str, u64)],
    scale: u64,
) -> Result<u64, ParseError> {
    let (number, unit) = split(text, expected, example)?;
    let fail = |reason: String| Err(ParseError::new(text, expected, example, reason));
    if unit.is_empty() {
        return fail("it has no unit".to_owned());
    }
    let Some(&(_, size)) = units.iter().find(|(name, _)| *name == unit) else {
        let names: Vec<&str> = units.iter().map(|(name, _)| *name).collect();
        return fail(format!("the unit \"{unit}\" is unknown (known: {})", names.join(", ")));
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits: String = whole.chars().chain(fraction.chars()).filter(|c| *c != '_').collect();
    let places = fraction.chars().filter(|c| *c != '_').count() as u32;
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return fail(format!("\"{number}\" is not a decimal number"));
    }
    let exact = (|| {
        let value = digits.parse::<u128>().ok()?;
        let product = value.checked_mul(size as u128)?.checked_mul(scale as u128)?;
        Some((product, 10u128.checked_pow(places)?))
    })();
    let Some((product, divisor)) = exact else {
        return fail("it has too many digits".to_owned());
    };
    if product % divisor != 0 {
        return fail("it is finer than can be represented".to_owned());
    }
    match u64::try_from(product / divisor) {
        Ok(value) => Ok(value),
        Err(_) => fail("it is too large".to_owned()),
    }
}

/// `value / scale` as the shortest exact decimal; `scale` is a power of ten.
pub(crate) fn decimal(value: u64, scale: u64) -> String {
    let whole = value / scale;
    let part = value % scale;
    if part == 0 {
        return whole.to_string();
    }
    let places = scale.ilog10() as usize;
    let part = format!("{part:0places$}");
    format!("{whole}.{}", part.trim_end_matches('0'))
}
