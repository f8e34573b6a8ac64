//! Controllers that are named by files: `"./mine.bpf.c?gain=700"`.

use crate::error::{Checked, Problem};
use crate::raw::RawScenario;
use crate::text::At;
use narrows_control::{Controllers, FileForm, entry_of_file, meant_file, names_file};
use narrows_params::{ParamError, find};
use std::path::{Path, PathBuf};

/// Returns a choice of a controller under its registered name, and loads the controller's file if
/// the choice names one. Relative file names begin in `folder`. If a named file is missing, or a
/// controller is unknown, a file named after the controller is looked for in `folder`, because
/// result directories store it there: `mine.o`, `mine.policy.json`.
///
/// # Errors
///
/// The file cannot be loaded. The text has its name, the place in it, the reason and a remedy.
pub fn load_controller(text: &str, folder: &Path) -> Result<String, String> {
    let (name, settings) = text.split_once('?').unwrap_or((text, ""));
    let Some(file) = file_of(name, folder) else {
        let unknown = matches!(find::<Controllers>(name), Err(ParamError::UnknownName { .. }));
        return meant_file(name, folder)
            .or_else(|| meant_source(name, folder))
            .filter(|_| unknown)
            .map_or_else(|| Ok(text.to_owned()), Err);
    };
    if let (false, Some(meant)) = (file.exists(), meant_source(name, folder)) {
        return Err(meant);
    }
    let entry = entry_of_file(&file.display().to_string())?;
    let mark = if settings.is_empty() { "" } else { "?" };
    Ok(format!("{}{mark}{settings}", entry.name()))
}

/// The text for a C source that is named without the middle of its ending: `./grad.bpf.c` for
/// `grad.c`. `None` if `folder` has no such source.
fn meant_source(name: &str, folder: &Path) -> Option<String> {
    let source = format!("{}.bpf.c", name.strip_suffix(".c")?);
    let shown = if source.contains('/') { source.clone() } else { format!("./{source}") };
    folder
        .join(&source)
        .is_file()
        .then(|| format!("there is no file \"{name}\"; did you mean the file \"{shown}\"?"))
}

fn file_of(name: &str, folder: &Path) -> Option<PathBuf> {
    let last = name.rsplit('/').next().unwrap_or(name);
    let stem = [".bpf.c", ".bpf.o"]
        .into_iter()
        .chain(FileForm::ALL.map(FileForm::end))
        .find_map(|end| last.strip_suffix(end))
        .unwrap_or(last);
    let kept = || {
        let mut names = FileForm::ALL
            .map(FileForm::end)
            .into_iter()
            .chain([".bpf.o"])
            .map(|end| folder.join(format!("{stem}{end}")));
        names.find(|kept| kept.is_file())
    };
    if names_file(name) {
        let own = folder.join(name);
        return if own.exists() { Some(own) } else { kept().or(Some(own)) };
    }
    match find::<Controllers>(name) {
        Err(ParamError::UnknownName { .. }) => kept(),
        _ => None,
    }
}

/// Loads the files that name controllers in a scenario; `file` is the scenario's file.
pub(crate) fn resolve(raw: &mut RawScenario, file: &str) -> Checked<()> {
    let folder = Path::new(file).parent().unwrap_or(Path::new(""));
    let flows = raw.flow.iter_mut().filter_map(|flow| flow.value.controller.as_mut());
    let asked = raw.icn.iter_mut().filter_map(|icn| icn.value.controller.as_mut());
    let consumers =
        raw.consumer.iter_mut().filter_map(|consumer| consumer.value.controller.as_mut());
    let requests = raw.request.iter_mut().filter_map(|request| request.value.controller.as_mut());
    flows.chain(asked).chain(consumers).chain(requests).try_for_each(|text| load(text, folder))
}

fn load(text: &mut At<String>, folder: &Path) -> Checked<()> {
    // The reason has its own remedy.
    let refused = |said: String| {
        let name = text.value.split('?').next().unwrap_or_default();
        Problem::at(&text.span, format!("the controller \"{name}\" cannot be loaded"), said)
    };
    text.value = load_controller(&text.value, folder).map_err(refused)?;
    Ok(())
}
