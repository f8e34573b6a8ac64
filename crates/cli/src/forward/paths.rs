//! Pings over paths, and traces of them.

use super::given::{name, other, place};
use crate::cli::TracerouteArgs;
use crate::error::Failure;
use crate::outcome::Outcome;
use crate::output;
use narrows_forward::{Consumer, FetchError, FoundPath, Name, PathPong, Pong};
use narrows_units::{Rate, Span};

/// Pings without a hint that look for paths: each of four equal paths is missed once in a hundred million times.
const TRIES: u64 = 64;
/// How long a ping is waited for.
pub(super) const PATIENCE: Span = Span::from_secs(4);
/// How long one of those that look for paths is waited for.
const FINDING: Span = Span::from_secs(1);

/// Lists the paths to a producer.
pub(super) fn list(consumer: &mut Consumer, prefix: &Name) -> Result<Outcome, Failure> {
    let found = find(consumer, prefix)?;
    for (index, path) in found.iter().enumerate() {
        output::print(&format!("{}\n", line(&found, index, path)))?;
    }
    Ok(Outcome::Ok)
}

/// The path with a number of the list.
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

/// Pings over a path.
pub(super) fn ping(
    consumer: &mut Consumer,
    prefix: &Name,
    number: u64,
    path: &FoundPath,
) -> Result<Pong, Failure> {
    Ok(
        match consumer
            .ping_path(prefix, number, Some(path), PATIENCE)
            .map_err(|error| other(&error))?
        {
            PathPong::Answered(span, _) => Pong::Answered(span),
            PathPong::Refused(..) => {
                let gone = "a node on its path has no such next hop any more; `narrows ndn ping --paths` lists the paths of now";
                Pong::Lost(FetchError::Wrong(prefix.as_ref().to_string(), gone.to_owned()))
            }
            PathPong::Lost(error) => Pong::Lost(error),
        },
    )
}

/// The paths to a producer, in an order that does not depend on which was found first: fewest hops, then by their hash.
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

/// "path 2: 3 hops, id 00f3..., primary 9.5 Mbit/s, secondary 0 bit/s, limited by the same link as path 1".
fn line(all: &[FoundPath], index: usize, path: &FoundPath) -> String {
    let mut text = format!("path {}: {} hops, id {:016x}", index + 1, path.labels.hops(), path.id);
    match path.rates {
        None => text += ", no link tells a rate",
        Some((primary, secondary)) => {
            text += &format!(", primary {primary}, secondary {secondary}")
        }
    }
    let same =
        all[..index].iter().position(|other| path.limit.is_some() && other.limit == path.limit);
    text + &same
        .map_or(String::new(), |other| format!(", limited by the same link as path {}", other + 1))
}

/// Shows the hops of paths.
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
        output::print(&format!("{}\n", line(&found, index, path)))?;
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
            output::print(&format!("  {hop:>2}  {what:<22} {text}\n"))?;
        }
    }
    Ok(if whole { Outcome::Ok } else { Outcome::Missed })
}

/// The text for a hop, and whether it answered as it should.
fn hop_line(pong: &PathPong) -> (String, bool) {
    let timed = |span: &Span, rates: Option<(Rate, Rate)>| {
        let rate =
            rates.map_or("no rate yet".to_owned(), |(primary, _)| format!("primary {primary}"));
        format!("{:>9.3} ms  {rate}", span.as_millis_f64())
    };
    match pong {
        PathPong::Answered(span, path) => (timed(span, path.rates), true),
        PathPong::Refused(span, rates) => (timed(span, *rates), true),
        PathPong::Lost(error) => (format!("no answer: {error}"), false),
    }
}
