//! Names of controllers in this kernel.

use narrows_control::{ENTRIES, TWINS};
use narrows_kernel::Pinned;
use narrows_params::{Need, suggest};

/// Returns the kernel's name of a controller that narrows has loaded, if it has loaded one of this
/// name and kind. The error is that it has other parameters.
fn loaded(name: &str) -> Option<Result<String, String>> {
    let base = |text: &str| text.split('?').next().unwrap_or_default().to_owned();
    let is_wanted = |own: &Pinned| base(own.text()) == base(name);
    let alike: Vec<Pinned> = Pinned::all().ok()?.into_iter().flatten().filter(is_wanted).collect();
    if let Some(own) = alike.iter().find(|own| own.text() == name) {
        return Some(Ok(own.name().to_owned()));
    }
    let other = alike.first()?;
    Some(Err(format!(
        "{} is loaded with other parameters, as \"{}\"; write that, load the one that is wanted under another name, `narrows kernel load \"{name}\" --as NAME`, or unload this one with `narrows kernel unload {}`",
        other.name(),
        other.text(),
        other.name()
    )))
}

/// Returns the kernel's name of a controller. The error is the reason and the remedy.
pub fn in_kernel(name: &str) -> Result<String, String> {
    let available = narrows_kernel::available();
    if let Some(loaded) = loaded(name) {
        return loaded;
    }
    if name.contains('?') {
        return Err(format!(
            "\"{name}\" has parameters, which a controller gets when it is loaded; load it with `narrows kernel load \"{name}\"`"
        ));
    }
    let twin = TWINS.iter().find(|own| own.entry.name == name).map(|own| own.kernel);
    let own = twin.unwrap_or(name);
    let entry = ENTRIES.iter().find(|entry| entry.kernel == Some(own) || entry.name == name);
    if entry.is_some_and(|entry| entry.needs.contains(&Need::EcnCounts)) {
        return Err(format!(
            "{name} needs ECN, which is negotiated before connections are chosen; take a controller without"
        ));
    }
    if available.iter().any(|there| there == own) {
        return Ok(own.to_owned());
    }
    let remedy = match twin {
        Some(_) => format!("load it with `narrows kernel load {name}`"),
        None => {
            let near = suggest(own, "controllers", available.iter().map(String::as_str));
            format!("{near}; a module of the kernel is loaded with `modprobe tcp_{own}`")
        }
    };
    Err(format!("this kernel has no controller \"{own}\"; {remedy}"))
}
