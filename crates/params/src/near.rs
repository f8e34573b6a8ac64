//! The name that somebody who wrote a wrong one may have meant.

/// The known name that `word` is nearest to, if one is near; of equally near ones the first of the
/// same length.
pub fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    let lower = word.to_lowercase();
    let apart = |name: &str| {
        (strsim::osa_distance(&lower, &name.to_lowercase()), name.chars().count().abs_diff(length))
    };
    let (distance, name) = known.map(|name| (apart(name), name)).min_by_key(|(apart, _)| *apart)?;
    (distance.0 <= (length / 4).max(usize::from(length > 1))).then_some(name)
}

/// Kinds of names that `narrows list` lists.
const LISTED: [&str; 5] = ["controllers", "disciplines", "metrics", "paths", "traffic"];

/// `did you mean "cubic"?` if a known name is near, otherwise the known names, the first of those
/// that `narrows list` lists; `what` is their plural.
pub fn suggest<'a>(word: &str, what: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    const SHOWN: usize = 16;
    match nearest(word, known.clone()) {
        Some(name) => format!("did you mean \"{name}\"?"),
        None if known.clone().next().is_none() => format!("there are no {what} here"),
        None => {
            let shown = if LISTED.contains(&what) { SHOWN } else { usize::MAX };
            let names: Vec<&str> = known.clone().take(shown).collect();
            let rest = match known.count() - names.len() {
                0 => String::new(),
                more => format!(" and {more} more, which `narrows list {what}` lists"),
            };
            format!("known {what}: {}{rest}", names.join(", "))
        }
    }
}
