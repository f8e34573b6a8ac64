//! Numbers for people: three significant digits, formatted alike on every machine.

/// Placeholder for an undefined number.
pub const UNDEFINED: &str = "–";

/// Formats a number with three significant digits, and at most three decimals.
pub fn short(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if size < 0.000_5 => format!("{}<0.001", if value < 0.0 { "-" } else { "" }),
        size if size < 0.999_5 => format!("{value:.3}"),
        size if size < 9.995 => format!("{value:.2}"),
        size if size < 99.95 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// Formats a number like [`short`] but without trailing zeros, for values that were chosen rather
/// than measured.
pub fn plain(value: f64) -> String {
    let text = short(value);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// Formats a number like [`short`], or as a dash if it is undefined.
pub fn or_dash(value: Option<f64>) -> String {
    value.map_or_else(|| UNDEFINED.to_owned(), short)
}

/// Formats an integer with a comma between groups of three digits.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_significant_digits() {
        let cases = [
            (0.0, "0"),
            (0.0001, "<0.001"),
            (0.9714, "0.971"),
            (0.9999, "1.00"),
            (9.994, "9.99"),
            (9.996, "10.0"),
            (99.96, "100"),
            (12345.6, "12346"),
            (-3.21, "-3.21"),
        ];
        for (value, text) in cases {
            assert_eq!(short(value), text);
        }
        assert_eq!(or_dash(None), "–");
        assert_eq!([plain(40.0), plain(1.5), plain(100.0), plain(0.0)], ["40", "1.5", "100", "0"]);
    }

    #[test]
    fn thousands() {
        assert_eq!(
            [count(0), count(999), count(1_000), count(12_345_678)],
            ["0", "999", "1,000", "12,345,678"]
        );
    }
}
