//! Sets a parameter in the text of a choice: `rise` of `"cubic?rise=2&ecn=true"`.

/// Sets the parameter in the text of a choice: replaces its value, or adds it at the end.
pub(super) fn with_parameter(choice: &str, name: &str, value: &str) -> String {
    let (entry, settings) = choice.split_once('?').unwrap_or((choice, ""));
    let is_set = |setting: &str| setting.split('=').next() == Some(name);
    let new = format!("{name}={value}");
    let mut all: Vec<&str> = settings.split('&').filter(|setting| !setting.is_empty()).collect();
    match all.iter().position(|setting| is_set(setting)) {
        Some(place) => all[place] = &new,
        None => all.push(&new),
    }
    format!("{entry}?{}", all.join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_is_set_in_its_place_or_last() {
        assert_eq!(with_parameter("cubic", "beta", "0.5"), "cubic?beta=0.5");
        assert_eq!(with_parameter("./a.c?x=1&ecn&y=2", "ecn", "false"), "./a.c?x=1&ecn=false&y=2");
        assert_eq!(with_parameter("a?x=1", "xy", "2"), "a?x=1&xy=2");
    }
}
