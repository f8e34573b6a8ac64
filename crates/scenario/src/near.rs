//! What someone who wrote a wrong name may have meant.

/// "did you mean ..." if a known name is near, otherwise the known names.
pub(crate) fn suggest<'a>(word: &str, what: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    const SHOWN: usize = 16;
    let length = word.chars().count();
    let lower = word.to_lowercase();
    let nearest =
        known.clone().map(|name| (strsim::osa_distance(&lower, &name.to_lowercase()), name)).min_by_key(|(distance, _)| *distance);
    match nearest {
        Some((distance, name)) if distance <= length / 4 + usize::from(length > 1) => format!("did you mean \"{name}\"?"),
        None => format!("there are no {what} here"),
        Some(_) => {
            let mut names: Vec<&str> = known.clone().take(SHOWN).collect();
            if known.count() > SHOWN {
                names.push("...");
            }
            format!("known {what}: {}", names.join(", "))
        }
    }
}
