//! Flags of `narrows compare` that cannot be combined.

use crate::error::Failure;
use crate::request;

/// Refuses flags that would have no effect.
///
/// # Errors
/// If a flag describes a network other than the compared one, or would change a network that
/// defines the value itself.
pub fn refuse(args: &request::Compare) -> Result<(), Failure> {
    if args.icn && args.file.len() > 1 {
        return Err(Failure::Other(
            "--icn compares on one network; give --file one scenario".to_owned(),
        ));
    }
    args.on.refuse_several("compare", false)?;
    if !args.set.set.is_empty() && crate::scorecard::is_wanted(args) {
        return Err(Failure::Other(
            "--set changes one network, and a scorecard may have several; save the network with narrows path NAME > FILE, change it there, and give --file FILE"
                .to_owned(),
        ));
    }
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
