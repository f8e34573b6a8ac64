//! What someone who wrote a wrong name may have meant.

/// The known name that somebody who wrote `word` may have meant, if one is near.
pub fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let (length, lower) = (word.chars().count(), word.to_lowercase());
    let (distance, name) =
        known.map(|name| (strsim::osa_distance(&lower, &name.to_lowercase()), name)).min_by_key(|(distance, _)| *distance)?;
    (distance <= length / 4 + usize::from(length > 1)).then_some(name)
}

/// "did you mean ..." if a known name is near, otherwise the known names.
pub(crate) fn suggest<'a>(word: &str, what: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
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
