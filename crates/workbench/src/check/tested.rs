//! The subject of a check: a controller or a user's program.

use crate::error::Failure;
use crate::host::Progress;
use crate::interruption::on_host;
use crate::quote::quote;
use crate::request;
use crate::work::steps;
use narrows_control::Choice;
use narrows_evidence::check::place;
use narrows_live::{Beside, Ending, Exit, Extras, LiveError, Program, Stdout};
use narrows_measure::Record;
use narrows_scenario::Scenario;
use narrows_units::{Span, Time};

/// The subject of a check.
pub enum Tested {
    /// A controller, which runs in the simulator.
    Controller(Choice),
    /// A program, which runs on this host's kernel.
    Program(Program),
}

/// A run of a program, with the reasons why it does not count.
pub struct Tried {
    /// Measurements of the network.
    pub record: Record,
    /// Faults of the run. Empty if it counts.
    pub troubles: Vec<String>,
    /// True if every run would have the same fault: the program fails at once, ends before the run
    /// does, or sends nothing in the expected direction.
    pub hopeless: bool,
}

/// Tolerance for a program that ends before the run does, because its clock started earlier.
const EARLY: Span = Span::from_secs(1);

/// Time within which a failure counts as a failure at the start.
const AT_ONCE: Span = Span::from_secs(5);

impl Tested {
    /// Returns the subject that the arguments name.
    ///
    /// # Errors
    ///
    /// If the suite cannot check programs.
    pub fn of(args: &request::Check) -> Result<Tested, Failure> {
        if let Some(controller) = &args.controller {
            return Ok(Tested::Controller(controller.clone()));
        }
        if matches!(args.suite, request::Suite::Tcpeval | request::Suite::Media) {
            return Err(Failure::Other(
                "of a program only the criteria of RFC 9743 and the cases of BBR's draft can be checked; leave --suite out, or take --suite bbr-draft".to_owned(),
            ));
        }
        Ok(Tested::Program(Program {
            words: args.words.clone(),
            on: None,
            servers: args.serve.iter().map(|command| (None, command.clone())).collect(),
            beside: Beside::Nothing,
            stdout: Stdout::Nowhere,
        }))
    }

    /// Returns the name of the subject.
    pub fn name(&self) -> String {
        match self {
            Tested::Controller(choice) => choice.text().to_owned(),
            Tested::Program(program) => {
                program.words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
            }
        }
    }

    /// Returns the controller, or `None` for a program.
    pub fn controller(&self) -> Option<&Choice> {
        if let Tested::Controller(choice) = self { Some(choice) } else { None }
    }

    /// Returns the program, or `None` for a controller.
    pub fn program(&self) -> Option<&Program> {
        if let Tested::Program(program) = self { Some(program) } else { None }
    }
}

/// Runs a program in place of the scenario's flow of the controller `self`. Repeats the run once if
/// the host was too slow for a valid run.
pub fn run(program: &Program, scenario: &Scenario, bar: &Progress) -> Result<Tried, Failure> {
    let tried = run_once(program, scenario, bar)?;
    match tried
        .record
        .emulation
        .as_ref()
        .is_some_and(|emulation| !emulation.validity_issues().is_empty())
        && tried.troubles.is_empty()
    {
        true => run_once(program, scenario, bar),
        false => Ok(tried),
    }
}

fn run_once(program: &Program, scenario: &Scenario, bar: &Progress) -> Result<Tried, Failure> {
    let replaced = place(scenario).expect("the check has chosen cells with such a flow");
    let program = Program { beside: Beside::AllBut(replaced), ..program.clone() };
    let mut shown = Time::ZERO;
    let mut progress = |now: Time| {
        bar.inc(steps(now.since(shown)));
        shown = now;
        !bar.is_stopped()
    };
    let _on_host = on_host();
    let ran =
        narrows_live::run_program(scenario, &program, &Extras::default(), &mut progress, &mut ());
    let (record, ending) = ran.map_err(|error| match error {
        LiveError::Stopped => Failure::Interrupted,
        other => Failure::Live(other),
    })?;
    let place = scenario.flow_records().nth(replaced.0).expect("it is one of the scenario's flows");
    let of_program = record.flows.iter().find(|own| own.name == place.name);
    let sent = of_program.is_some_and(|own| own.total.arrived_wire.get() > 0);
    let back = of_program.is_some_and(|own| own.route != place.route);
    let failed = !ending.program.is_fine();
    let early = ending.program == Exit::Status(0) && record.duration + EARLY < scenario.duration;
    let troubles = troubles(scenario, &record, &ending, (sent, back, early));
    Ok(Tried {
        hopeless: early || !sent || back || (failed && record.duration < AT_ONCE),
        record,
        troubles,
    })
}

/// Returns the faults of a run as messages. The flags mean: the program sent data, most data went
/// in the wrong direction, and the program ended early.
fn troubles(
    scenario: &Scenario,
    record: &Record,
    ending: &Ending,
    (sent, back, early): (bool, bool, bool),
) -> Vec<String> {
    let mut troubles = Vec::new();
    let (lasted, wanted) = (record.duration.as_secs_f64(), scenario.duration);
    if !ending.program.is_fine() {
        troubles.push(format!("the program {} after {lasted:.1} s", ending.program));
    } else if early {
        troubles.push(format!("the program ended after {lasted:.1} s, and the run lasts {wanted}: let it send for longer"));
    } else if !sent {
        troubles
            .push("the program sent nothing to the receiver's host; give it the name \"receiver\" or the address {receiver}".to_owned());
    }
    if sent && back {
        troubles.push("most data went from the receiver to the sender, where nothing else is; let the program send, or swap what --serve and -- start".to_owned());
    }
    troubles.extend(ending.early(quote));
    troubles
}
