//! Lookup and description of loaded controllers.

use narrows_kernel::{Damaged, KernelError, Pinned};
use narrows_params::nearest;
use narrows_workbench::Failure;
use std::time::{Duration, SystemTime};

/// Finds the controller with this name among those that narrows loaded. The error suggests a
/// similar name if there is one.
pub fn find(name: &str) -> Result<Result<Pinned, Damaged>, Failure> {
    Pinned::find(name).map_err(|error| match &error {
        KernelError::NotLoaded { loaded, .. } => {
            let near = nearest(&name.replace('-', "_"), loaded.iter().map(String::as_str));
            Failure::Other(
                near.map_or(error.to_string(), |near| format!("{error}; did you mean \"{near}\"?")),
            )
        }
        _ => error.into(),
    })
}

/// Formats the time since `since`, for example "for 2 h 5 min".
pub fn age(since: Option<SystemTime>) -> String {
    let Some(since) = since else { return "for a time that is not known".to_owned() };
    format!("for {}", length(SystemTime::now().duration_since(since).unwrap_or_default()))
}

/// Formats a duration in its two largest units.
fn length(time: Duration) -> String {
    let seconds = time.as_secs();
    let units = [("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)];
    let first = units.iter().position(|(_, size)| seconds >= *size).unwrap_or(3);
    let mut rest = seconds;
    let parts: Vec<String> = units[first..]
        .iter()
        .take(2)
        .map(|(name, size)| {
            let count = rest / size;
            rest %= size;
            format!("{count} {name}")
        })
        .collect();
    parts.join(" ")
}

/// Formats a number of connections with its noun.
pub fn connections(count: u64) -> String {
    if count == 1 { "1 connection".to_owned() } else { format!("{count} connections") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths() {
        let cases = [
            (0, "0 s"),
            (59, "59 s"),
            (60, "1 min 0 s"),
            (3_725, "1 h 2 min"),
            (200_000, "2 d 7 h"),
        ];
        for (seconds, text) in cases {
            assert_eq!(length(Duration::from_secs(seconds)), text);
        }
    }
}
