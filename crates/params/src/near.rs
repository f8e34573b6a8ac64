//! The name that somebody who wrote a wrong one may have meant.

/// The known name that `word` is nearest to, if one is near; of equally near ones the first of the same length.
pub fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let (length, lower) = (word.chars().count(), word.to_lowercase());
    let apart = |name: &str| (strsim::osa_distance(&lower, &name.to_lowercase()), name.chars().count().abs_diff(length));
    let (distance, name) = known.map(|name| (apart(name), name)).min_by_key(|(apart, _)| *apart)?;
    (distance.0 <= length / 4 + usize::from(length > 1)).then_some(name)
}

/// `did you mean "cubic"?` if a known name is near, otherwise the known names; `what` is their plural.
pub fn suggest<'a>(word: &str, what: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    const SHOWN: usize = 16;
    match nearest(word, known.clone()) {
        Some(name) => format!("did you mean \"{name}\"?"),
        None if known.clone().next().is_none() => format!("there are no {what} here"),
        None => {
            let mut names: Vec<&str> = known.clone().take(SHOWN).collect();
            if known.count() > SHOWN {
                names.push("...");
            }
            format!("known {what}: {}", names.join(", "))
        }
    }
}
