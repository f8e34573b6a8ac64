//! `narrows ndn serve`, `get` and `ndn ping`.

use super::given::{name, other, place};
use super::keys::{identity, trust};
use super::paths::{self, PATIENCE, rounded};
use crate::cli::{GetArgs, PingArgs, ServeArgs};
use crate::terminal;
use narrows_files::{Limit, Output, read};
use narrows_forward::{
    Connection, Consumer, FetchError, Fetched, Object, PingOutcome, Producer, Progress,
    SignatureStatus,
};
use narrows_units::Rate;
use narrows_workbench::Failure;
use narrows_workbench::Outcome;
use narrows_workbench::interruption::interruption;
use std::fs::Metadata;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{SystemTime, UNIX_EPOCH};

/// Interval between two pings.
const BETWEEN: std::time::Duration = std::time::Duration::from_millis(1000);

/// Serves a file until a signal arrives.
pub fn serve(args: ServeArgs) -> Result<Outcome, Failure> {
    let name = name(&args.name)?;
    let failed = |error: io::Error| {
        other(&format!("{} cannot be read: {error}; give a regular file", args.file.display()))
    };
    let file = narrows_files::open(&args.file).map_err(failed)?;
    let before = file.metadata().map_err(failed)?;
    // The content of a pipe or a device can be read only once, so it stays in memory.
    let kept =
        (!before.is_file()).then(|| read(&args.file, Limit::SERVED)).transpose().map_err(failed)?;
    let watched = kept.is_none().then(|| file.try_clone()).transpose()?;
    let version =
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros() as u64);
    let identity =
        args.key.as_deref().map(|key| identity(key, args.cert.as_deref())).transpose()?;
    let segment = usize::from(args.segment);
    let object = match kept {
        Some(content) => Object::new(name, content, segment, version),
        None => Object::of_file(name, file, before.len(), segment, version),
    };
    let what = format!("{}, {} segments", object.base().as_ref(), object.segments());
    let mut producer = Producer::connect(&place(&args.at)?).map_err(|error| other(&error))?;
    if let Some(identity) = identity {
        producer.sign_as(identity).map_err(|error| other(&error))?;
    }
    producer.serve(object).map_err(|error| other(&error))?;
    terminal::tell(&format!("serving {what}; Ctrl-C ends"));
    // Segments are read from the file on request, and all segments of a version must have the same
    // content.
    let same =
        |now: Metadata| (now.len(), now.modified().ok()) == (before.len(), before.modified().ok());
    let unchanged = || watched.as_ref().is_none_or(|file| file.metadata().is_ok_and(same));
    let ended = run(&mut producer, unchanged)?;
    if unchanged() {
        Ok(ended)
    } else {
        Err(other(&format!(
            "{} has changed while it was served; serve it again, as a new version",
            args.file.display()
        )))
    }
}

/// Answers Interests until a signal arrives or `goes_on` returns false.
fn run(producer: &mut Producer, goes_on: impl Fn() -> bool) -> Result<Outcome, Failure> {
    let interrupted = interruption();
    producer.on_connection(|connection| match connection {
        Connection::Lost => {
            terminal::tell("the forwarder has gone; waiting until there is one again")
        }
        Connection::Back => terminal::tell("connected to the forwarder again"),
    });
    producer
        .run(&mut || !interrupted.load(Ordering::Relaxed) && goes_on())
        .map_err(|error| other(&error))?;
    terminal::tell(&format!("{} Interests answered", producer.answered()));
    Ok(Outcome::Ok)
}

/// Fetches an object.
pub fn get(args: GetArgs) -> Result<Outcome, Failure> {
    let name = name(&args.name)?;
    let trust = trust(&args.trust)?;
    let mut consumer = Consumer::connect(&place(&args.at)?).map_err(|error| other(&error))?;
    consumer.trust(trust);
    consumer.limit(args.max_size);
    consumer.patience(args.patience);
    consumer.ask_for_marks().map_err(|error| other(&error))?;
    let bar = (!args.quiet).then(|| {
        indicatif::ProgressBar::new(0).with_style(
            indicatif::ProgressStyle::with_template("{bar:30} {percent}% {msg}")
                .expect("a template"),
        )
    });
    let mut told = |progress: Progress| {
        if let Some(bar) = &bar {
            bar.set_length(progress.of);
            bar.set_position(progress.segments);
            bar.set_message(format!("{:.1} MB", progress.octets as f64 / 1e6));
        }
    };
    let mut run = |out: &mut dyn Write| consumer.fetch(&name, out, &mut told);
    let fetched = match &args.output {
        Some(path) => into_file(path, &mut run),
        None => run(&mut BufWriter::new(io::stdout().lock())).map_err(|error| other(&error)),
    };
    if let Some(bar) = &bar {
        bar.finish_and_clear();
    }
    let fetched = fetched?;
    if !args.quiet {
        terminal::tell(summary(&fetched).trim_end());
    }
    Ok(Outcome::Ok)
}

/// Writes the object to a file. A regular file appears under its name only when it is complete.
fn into_file(
    path: &Path,
    run: &mut dyn FnMut(&mut dyn Write) -> Result<Fetched, FetchError>,
) -> Result<Fetched, Failure> {
    let failed = |error: io::Error| {
        other(&format!("{} cannot be written: {error}; choose another -o", path.display()))
    };
    let mut file = Output::create(path).map_err(failed)?;
    let fetched = run(&mut file).map_err(|error| other(&error))?;
    file.finish().map_err(failed)?;
    Ok(fetched)
}

fn summary(fetched: &Fetched) -> String {
    let seconds = fetched.took.as_secs_f64().max(1e-9);
    let goodput = rounded(Rate::from_bps((fetched.octets as f64 * 8.0 / seconds) as u64));
    let mut text = format!(
        "{}: {:.3} MB in {:.3} s, goodput {goodput}",
        fetched.name,
        fetched.octets as f64 / 1e6,
        seconds
    );
    if !fetched.srtt.is_zero() {
        text += &format!(", round trip {:.2} ms", fetched.srtt.as_millis_f64());
    }
    text += &format!(", {} Interests repeated\n", fetched.repeated);
    for signed in fetched.signed.iter().filter(|signed| **signed != SignatureStatus::Nobody) {
        text += &format!("  {signed}\n");
    }
    if fetched.followed_rates {
        // Data from a cache on this host tells no path and no rate.
        let told = fetched.paths.iter().filter(|path| path.rates.primary.as_bps() < u64::MAX);
        for (number, path) in told.enumerate() {
            text += &format!(
                "  path {}: {:016x}, primary {}, secondary {}\n",
                number + 1,
                path.id,
                rounded(path.rates.primary),
                rounded(path.rates.secondary)
            );
        }
    } else if fetched.segments > 1 {
        text += "  no link on the way writes rates: a window that halves at losses (NewReno) was used\n";
    }
    text
}

/// Pings a prefix, lists the paths to it, or answers pings under it.
pub fn pings(args: PingArgs) -> Result<Outcome, Failure> {
    let prefix = name(&args.prefix)?;
    if args.serve {
        let mut producer = Producer::connect(&place(&args.at)?).map_err(|error| other(&error))?;
        producer.answer_pings(&prefix).map_err(|error| other(&error))?;
        terminal::tell(&format!("answering pings under {}; Ctrl-C ends", prefix.as_ref()));
        return run(&mut producer, || true);
    }
    let mut consumer = Consumer::connect(&place(&args.at)?).map_err(|error| other(&error))?;
    if args.paths {
        return paths::list(&mut consumer, &prefix);
    }
    let over =
        args.path.map(|number| paths::numbered(&mut consumer, &prefix, number)).transpose()?;
    let first = u64::from(consumer.nonce());
    let mut times: Vec<f64> = Vec::new();
    let interrupted = interruption();
    let mut sent = 0;
    for number in 0..args.count {
        if number > 0 {
            std::thread::sleep(BETWEEN);
        }
        if interrupted.load(Ordering::Relaxed) {
            break;
        }
        sent += 1;
        let number = first + u64::from(number);
        let pong = match &over {
            Some(path) => paths::ping(&mut consumer, &prefix, number, path)?,
            None => consumer.ping(&prefix, number, PATIENCE).map_err(|error| other(&error))?,
        };
        match pong {
            PingOutcome::Answered(span) => {
                times.push(span.as_millis_f64());
                terminal::print(&format!(
                    "{}: answered in {:.3} ms\n",
                    prefix.as_ref(),
                    span.as_millis_f64()
                ))?;
            }
            PingOutcome::Lost(error) => terminal::print(&format!("{error}\n"))?,
        }
    }
    times.sort_by(f64::total_cmp);
    let lost = sent as usize - times.len();
    let median = times.get(times.len() / 2).map_or(String::new(), |median| {
        format!("; median {median:.3} ms, {:.3} to {:.3}", times[0], times[times.len() - 1])
    });
    terminal::print(&format!("{sent} sent, {lost} lost{median}\n"))?;
    Ok(if lost == 0 { Outcome::Ok } else { Outcome::Missed })
}
