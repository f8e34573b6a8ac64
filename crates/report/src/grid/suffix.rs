//! Suffixes of column names.

/// Returns the suffix of a column name for a unit.
pub(super) fn suffix(unit: &str) -> String {
    match unit {
        "" => String::new(),
        "%" => "_percent".to_owned(),
        "Mbit/s" => "_mbps".to_owned(),
        "B" => "_bytes".to_owned(),
        other => format!(
            "_{}",
            other
                .to_lowercase()
                .replace(|c: char| !c.is_ascii_alphanumeric(), "_per_")
                .trim_matches('_')
        ),
    }
}
