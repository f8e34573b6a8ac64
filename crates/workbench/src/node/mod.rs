//! `narrows node`: one node of a live run of an information-centric scenario. `narrows live` starts
//! it in the node's network namespace.

mod asking;
mod clock;
mod config;
mod consumer;
mod looks;
mod part;
mod requests;
mod sampler;

use crate::error::Failure;
use crate::outcome::Outcome;
use clock::{RunClock, thread_time};
use config::config;
use consumer::consume;
use narrows_forward::{Client, Config, Daemon, LoadProducer, Place};
use narrows_live::icn::{NodeAnswer, NodePlan, NodeProgram, NodeReport};
use narrows_measure::Histogram;
use narrows_ndn::Name;
use narrows_units::Span;
use part::Part;
use requests::ask_for_all;
use sampler::Sampler;
use std::io::{self, BufRead, Read};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{self, ScopedJoinHandle};

/// Returns the command that runs a node: this program file with the subcommand `node`.
pub fn program() -> Result<NodeProgram, Failure> {
    let file = std::env::current_exe()
        .map_err(|error| other(&format!("this program's file is not known: {error}")))?;
    Ok(NodeProgram { file: file.into(), arguments: vec!["node".into()] })
}

/// Runs the plan from standard input and writes a report to standard output.
pub fn node() -> Result<Outcome, Failure> {
    narrows_live::leave_emulators_core();
    narrows_live::raise_file_limit();
    let mut input = io::stdin().lock();
    let plan: NodePlan = serde_json::from_str(&line(&mut input)?).map_err(|error| other(&error))?;
    let mut config =
        Config::parse(&config(&plan), "the node's configuration").map_err(|error| other(&error))?;
    // All nodes of a run see the same file system, so they cannot share a Unix socket.
    config.listen.unix = None;
    let (daemon, stopper) = Daemon::start(&config).map_err(|error| other(&error))?;
    let began = Arc::new(OnceLock::new());
    let over = Arc::new(AtomicBool::new(false));
    let sampler = Sampler::new(&plan, &daemon, Arc::clone(&began));
    let beginning = Arc::clone(&began);
    let forwarding = thread::spawn(move || {
        narrows_live::reduce_wakeup_latency();
        let mut sampler = sampler;
        Part::Forwarder.work(&beginning, || daemon.run_watched(&mut sampler));
        (sampler, thread_time())
    });
    let place =
        Place::parse(&format!("tcp4://127.0.0.1:{}", plan.port)).map_err(|error| other(&error))?;
    let connect = || Client::connect(&place);
    for producer in &plan.producers {
        let prefix: Name = producer.prefix.parse().map_err(|error| other(&error))?;
        let mut filler = LoadProducer::register(
            connect().map_err(|error| other(&error))?,
            &prefix,
            producer.data,
        )
        .map_err(|error| other(&error))?;
        let (part, beginning, over) =
            (Part::Producer(producer.prefix.clone()), Arc::clone(&began), Arc::clone(&over));
        thread::spawn(move || {
            narrows_live::reduce_wakeup_latency();
            part.work(&beginning, || {
                loop {
                    match filler.serve(Span::from_secs(1)) {
                        Ok(()) => (),
                        // The connection ends with the forwarder.
                        Err(_) if over.load(Ordering::Acquire) => return Ok(()),
                        Err(error) => return Err(error),
                    }
                }
            });
        });
    }
    let clients = plan
        .consumers
        .iter()
        .map(|_| connect())
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| other(&error))?;
    println!("ready");
    let zero: u64 = line(&mut input)?.trim().parse().map_err(|error| other(&error))?;
    drop(input);
    // Standard input ends when the parent process is gone.
    thread::spawn(|| {
        let _ = io::stdin().read(&mut [0]);
        std::process::exit(2);
    });
    began.get_or_init(|| zero);
    let clock = RunClock::beginning_at(zero);
    let (mut report, mut late) = (NodeReport::default(), Histogram::new());
    let (plan, connect, began) = (&plan, &connect, &began);
    let (consumed, requested): (Vec<_>, Vec<_>) = thread::scope(|scope| {
        let threads: Vec<_> = plan
            .consumers
            .iter()
            .zip(&plan.consumer_names)
            .zip(clients)
            .map(|((consumer, name), client)| {
                let part = Part::Consumer(name.clone());
                scope.spawn(move || {
                    (part.work(began, || consume(plan, consumer, client, clock)), thread_time())
                })
            })
            .collect();
        let asking: Vec<_> = (plan.requests.iter().zip(&plan.request_names))
            .map(|(consumers, name)| {
                let part = Part::Requests(name.clone());
                scope.spawn(move || {
                    (
                        part.work(began, || ask_for_all(plan, consumers, connect, clock)),
                        thread_time(),
                    )
                })
            })
            .collect();
        clock.sleep_until(plan.duration);
        (threads.into_iter().map(joined).collect(), asking.into_iter().map(joined).collect())
    });
    over.store(true, Ordering::Release);
    stopper.stop();
    let (sampler, cpu_time) = forwarding.join().unwrap_or_else(|panic| resume_unwind(panic));
    report.busiest = cpu_time;
    for ((consumer, lateness), cpu_time) in consumed {
        report.consumers.push(consumer);
        late.merge(&lateness);
        report.busiest = report.busiest.max(cpu_time);
    }
    for ((requests, lateness), cpu_time) in requested {
        report.requests.push(requests);
        late.merge(&lateness);
        report.busiest = report.busiest.max(cpu_time);
    }
    sampler.finish(&mut report, &mut late);
    report.late = (&late).into();
    println!(
        "{}",
        serde_json::to_string(&NodeAnswer::Done(Box::new(report)))
            .map_err(|error| other(&error))?
    );
    Ok(Outcome::Ok)
}

/// Returns the result of a thread. Panics if the thread panicked.
fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

fn line(input: &mut impl BufRead) -> Result<String, Failure> {
    let mut line = String::new();
    match input.read_line(&mut line) {
        Ok(0) => Err(other(&"this command is for `narrows live`, which tells it what to do")),
        Ok(_) => Ok(line),
        Err(error) => Err(other(&error)),
    }
}

fn other(error: &dyn std::fmt::Display) -> Failure {
    Failure::Other(error.to_string())
}
