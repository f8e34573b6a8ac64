//! Flags of `narrows compare` that do not go together.

use crate::cli::CompareArgs;
use crate::error::Failure;

/// Refuses flags that would not be heeded.
///
/// # Errors
/// A flag describes a network that is not the one compared, or would change one that describes itself.
pub fn refuse(args: &CompareArgs) -> Result<(), Failure> {
    if args.icn && args.file.len() > 1 {
        return Err(Failure::Other(
            "--icn compares on one network; give --file one scenario".to_owned(),
        ));
    }
    args.on.refuse_several("compare", false)?;
    let described = [("--path", !args.on.path.is_empty()), ("--file", !args.file.is_empty())];
    let Some((source, _)) = described.into_iter().find(|(_, given)| *given) else { return Ok(()) };
    let of_links = [
        ("--rtt", args.rtt.is_some()),
        ("--buffer", args.buffer.is_some()),
        ("--loss", args.loss.is_some()),
    ];
    let unheeded = of_links.into_iter().find(|(_, given)| *given && args.on.trace.is_empty());
    let scorecard = crate::scorecard::is_wanted(args);
    let of_runs = [
        ("--flows", args.flows.is_some()),
        ("--stagger", args.stagger.is_some()),
        ("--duration", args.duration.is_some()),
        ("--warmup", args.warmup.is_some()),
    ];
    let fixed = of_runs.into_iter().find(|(_, given)| *given && source == "--file" && !scorecard);
    match unheeded.or(fixed) {
        Some((flag, _)) => Err(Failure::Other(format!(
            "{flag} cannot be used with {source}, which brings its own; leave one of the two out"
        ))),
        None => Ok(()),
    }
}
