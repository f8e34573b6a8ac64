//! Pings and traces over single paths.

use super::given::{name, other, place};
use crate::cli::TracerouteArgs;
use crate::terminal;
use narrows_forward::{Consumer, FetchError, FoundPath, Name, PathPingOutcome, PingOutcome};
use narrows_units::{Rate, Span};
use narrows_workbench::Failure;
use narrows_workbench::Outcome;

/// Number of pings without a path hint that search for paths. With four equally likely paths, the
/// probability to miss a given path is (3/4)^64 = 1e-8.
const TRIES: u64 = 64;
/// Timeout of a ping.
pub(super) const PATIENCE: Span = Span::from_secs(4);
/// Timeout of a ping that searches for paths.
const FINDING: Span = Span::from_secs(1);

/// Lists the paths to a producer.
pub(super) fn list(consumer: &mut Consumer, prefix: &Name) -> Result<Outcome, Failure> {
    let found = find(consumer, prefix)?;
    for (index, path) in found.iter().enumerate() {
        terminal::print(&format!("{}\n", line(&found, index, path)))?;
    }
    Ok(Outcome::Ok)
}

/// Returns the path with this number in the list, counted from 1.
pub(super) fn numbered(
    consumer: &mut Consumer,
    prefix: &Name,
    number: u32,
) -> Result<FoundPath, Failure> {
    let found = find(consumer, prefix)?;
    let path = found.get(number as usize - 1).copied();
    path.ok_or_else(|| {
        Failure::Other(format!(
            "there is no path {number} to {}: {TRIES} pings found {}",
            prefix.as_ref(),
            found.len()
        ))
    })
}

/// Sends a ping over a path.
pub(super) fn ping(
    consumer: &mut Consumer,
    prefix: &Name,
    number: u64,
    path: &FoundPath,
) -> Result<PingOutcome, Failure> {
    Ok(
        match consumer
            .ping_path(prefix, number, Some(path), PATIENCE)
            .map_err(|error| other(&error))?
        {
            PathPingOutcome::Answered(span, _) => PingOutcome::Answered(span),
            PathPingOutcome::Refused(..) => {
                let gone = "a node on its path has no such next hop any more; `narrows ndn ping --paths` lists the paths of now";
                PingOutcome::Lost(FetchError::Wrong(prefix.as_ref().to_string(), gone.to_owned()))
            }
            PathPingOutcome::Lost(error) => PingOutcome::Lost(error),
        },
    )
}

/// Finds the paths to a producer. Sorts them by their number of hops and then by id, so that the
/// order does not depend on the order of discovery.
fn find(consumer: &mut Consumer, prefix: &Name) -> Result<Vec<FoundPath>, Failure> {
    let first = u64::from(consumer.nonce());
    let mut found =
        consumer.find_paths(prefix, first, TRIES, FINDING).map_err(|error| other(&error))?;
    found.sort_by_key(|path| (path.labels.hops(), path.id));
    if found.is_empty() {
        let text = format!(
            "nobody answers pings under {}: run `narrows ndn ping --serve {0}` there, and look for a route",
            prefix.as_ref()
        );
        return Err(Failure::Other(text));
    }
    Ok(found)
}

/// Formats a path, for example "path 2: 3 hops, id 00f3..., primary 9.5 Mbit/s, secondary 0 bit/s,
/// limited by the same link as path 1".
fn line(all: &[FoundPath], index: usize, path: &FoundPath) -> String {
    let hops = path.labels.hops();
    let noun = if hops == 1 { "hop" } else { "hops" };
    let mut text = format!("path {}: {hops} {noun}, id {:016x}", index + 1, path.id);
    match path.rates {
        None => text += ", no link tells a rate",
        Some((primary, secondary)) => {
            text += &format!(", primary {}, secondary {}", rounded(primary), rounded(secondary))
        }
    }
    let same =
        all[..index].iter().position(|other| path.limit.is_some() && other.limit == path.limit);
    text + &same
        .map_or(String::new(), |other| format!(", limited by the same link as path {}", other + 1))
}

/// Rounds a rate to three significant digits.
pub(super) fn rounded(rate: Rate) -> Rate {
    let bps = rate.as_bps();
    let unit = 10u64.pow(bps.checked_ilog10().unwrap_or(0).saturating_sub(2));
    Rate::from_bps(bps.saturating_add(unit / 2) / unit * unit)
}

/// Shows the hops of all paths or of one path.
pub fn traceroute(args: TracerouteArgs) -> Result<Outcome, Failure> {
    let prefix = name(&args.prefix)?;
    let mut consumer = Consumer::connect(&place(&args.at)?).map_err(|error| other(&error))?;
    let found = find(&mut consumer, &prefix)?;
    let chosen = |index: usize| args.path.is_none_or(|number| number as usize == index + 1);
    if !(0..found.len()).any(chosen) {
        let number = args.path.unwrap_or(0);
        return Err(Failure::Other(format!(
            "there is no path {number} to {}: {TRIES} pings found {}",
            prefix.as_ref(),
            found.len()
        )));
    }
    let mut whole = true;
    for (index, path) in found.iter().enumerate().filter(|(index, _)| chosen(*index)) {
        terminal::print(&format!("{}\n", line(&found, index, path)))?;
        for hop in 1..=path.labels.hops() + 1 {
            let number = u64::from(consumer.nonce());
            let (text, known) = hop_line(
                &consumer
                    .trace(&prefix, number, path, hop, PATIENCE)
                    .map_err(|error| other(&error))?,
            );
            whole &= known;
            let what = match hop {
                hop if hop > path.labels.hops() => "producer",
                1 => "this host's forwarder",
                _ => "node",
            };
            terminal::print(&format!("  {hop:>2}  {what:<22} {text}\n"))?;
        }
    }
    Ok(if whole { Outcome::Ok } else { Outcome::Missed })
}

/// Formats a hop. Also returns true if the hop answered.
fn hop_line(pong: &PathPingOutcome) -> (String, bool) {
    let timed = |span: &Span, rates: Option<(Rate, Rate)>| {
        let rate =
            rates.map_or("no rate yet".to_owned(), |(own, _)| format!("primary {}", rounded(own)));
        format!("{:>9.3} ms  {rate}", span.as_millis_f64())
    };
    match pong {
        PathPingOutcome::Answered(span, path) => (timed(span, path.rates), true),
        PathPingOutcome::Refused(span, rates) => (timed(span, *rates), true),
        PathPingOutcome::Lost(error) => (format!("no answer: {error}"), false),
    }
}
