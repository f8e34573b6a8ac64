//! Cases T18 and T19: spurious losses.

use super::experiment::{Changed, at_transition};
use super::outcome::Trial;
use super::plan::{Plan, text};
use super::record::{Field, Record, State};
use super::subject::Subject;
use narrows_scenario::Keys;
use narrows_units::{Span, Time};

/// Bounds, and the fields with their saved values.
const SAVED: [(Field, Field); 3] = [
    (Field::BandwidthShortTerm, Field::UndoBandwidthShortTerm),
    (Field::InflightShortTerm, Field::UndoInflightShortTerm),
    (Field::InflightLongTerm, Field::UndoInflightLongTerm),
];

pub(super) fn fast_recovery(subject: &Subject) -> Vec<Trial> {
    let late = |plan: Plan, at: Time, share: u32, by: &str, lasting: Span| {
        let reorder = |share: u32| {
            let keys = text("share", format!("{share} %")).text("delay", by);
            Keys::new().table("reorder", keys)
        };
        plan.change(at, reorder(share)).change(at + lasting, reorder(0))
    };
    let plan = || Plan::r(subject).transport(text("loss_detection", "dupack").flag("undo", true));
    let probe = Trial::new("from Up", |trial| {
        let plan = plan().lasting(Span::from_secs(5));
        let up = |record: &Record| record.enters(State::Up, Time::ZERO);
        let Changed { run, at, .. } = at_transition(trial, &plan, up, |plan, at| {
            let rtt = plan.rtt();
            late(plan, at, 5, "24 ms", rtt).until(at + Span::from_secs(1))
        })?;
        undone_to(trial, &run.record, at, State::Up)
    });
    let startup = |variant: &str, by: &str| {
        Trial::new(variant, |trial| {
            let plan = plan().lasting(Span::from_secs(1));
            let fifth = |record: &Record| {
                record
                    .rows
                    .iter()
                    .position(|row| row.rounds() == 5)
                    .ok_or("there is no fifth round".to_owned())
            };
            let Changed { run, at, .. } = at_transition(trial, &plan, fifth, |plan, at| {
                let rtt = plan.rtt();
                late(plan, at, 15, by, rtt * 2)
            })?;
            undone_to(trial, &run.record, at, State::Startup)
        })
    };
    // A delay of two and a half round trips delays the undo until after the round that ends
    // Startup.
    vec![probe, startup("from Startup", "24 ms"), startup("from Startup, later", "100 ms")]
}

pub(super) fn timeout(subject: &Subject) -> Vec<Trial> {
    vec![Trial::new("", |trial| {
        let plan = Plan::r(subject).lasting(Span::from_secs(5));
        let up = |record: &Record| record.enters(State::Up, Time::ZERO);
        let Changed { run, at, .. } = at_transition(trial, &plan, up, |plan, at| {
            let rtt = plan.rtt();
            plan.change(at, text("delay", "420 ms"))
                .change(at + rtt, text("delay", "20 ms"))
                .until(at + Span::from_secs(2))
        })?;
        let record = &run.record;
        let rows = &record.rows;
        let first = &rows[record.up_to(at).len() - 1];
        let undone =
            rows.iter().find(|row| row.undone > first.undone).ok_or("nothing was undone")?;
        trial.note("timeouts", (undone.timeouts - first.timeouts) as f64);
        trial.note("sent_twice", (undone.retransmitted - first.retransmitted) as f64);
        trial.check("timeout", undone.timeouts > first.timeouts, || {
            "there was no timeout".to_owned()
        });
        trial.check("twice", undone.retransmitted - first.retransmitted <= 1, || {
            format!(
                "{} packets were sent twice, more than the first",
                undone.retransmitted - first.retransmitted
            )
        });
        trial.check("nothing-lost", record.drops.iter().all(|drop| *drop > undone.at), || {
            "something was lost".to_owned()
        });
        undone_to(trial, record, at, State::Up)
    })]
}

/// Checks the conditions of an undo. The spurious losses are declared after `at`, in `state`.
fn undone_to(trial: &mut Trial, record: &Record, at: Time, state: State) -> Result<(), String> {
    let rows = &record.rows;
    let lost = rows
        .iter()
        .position(|row| row.at > at && (row.lost > 0 || row.timeouts > rows[0].timeouts))
        .ok_or("nothing was declared lost")?;
    let undone = (lost..rows.len())
        .find(|row| rows[*row].undone > rows[lost - 1].undone)
        .ok_or("nothing was undone")?;
    trial.note("first_loss_s", rows[lost].at.as_secs_f64());
    trial.note("undone_at_s", rows[undone].at.as_secs_f64());
    let (before, saved, after) = (&rows[lost - 1], &rows[lost], &rows[undone]);
    let kept = SAVED.iter().all(|(bound, undo)| saved.bound(*undo) == before.bound(*bound));
    trial.check("saved", kept, || {
        "what is saved at the first loss is not what the bounds were before it".to_owned()
    });
    let restored = SAVED.iter().all(|(bound, _)| after.bound(*bound) >= before.bound(*bound));
    trial
        .check("restored", restored, || "after the undo a bound is below the saved one".to_owned());
    let left = rows[lost..undone].iter().any(|row| row.state() != Some(state));
    trial.note("left_the_state", left as u8 as f64);
    if state == State::Startup {
        trial.check(
            "returns",
            after.state() == Some(State::Startup) && !after.is(Field::FullBwReached),
            || {
                format!(
                    "the undo leads to {:?}, with full_bw_reached {}",
                    after.state(),
                    after.get(Field::FullBwReached)
                )
            },
        );
    } else {
        trial.check("left", left, || {
            "the losses did not end Up, so that there is nothing to return to".to_owned()
        });
        trial.check("returns", after.state() == Some(State::Refill), || {
            format!("the undo leads to {:?}, not to Refill", after.state())
        });
        if after.state() == Some(State::Refill) {
            let next = &rows[record.leaves(undone)?];
            trial.check(
                "up",
                next.state() == Some(State::Up) && next.rounds() == after.rounds() + 1,
                || {
                    format!(
                        "{:?} follows {} rounds after the undo, not Up after one",
                        next.state(),
                        next.rounds() - after.rounds()
                    )
                },
            );
        }
    }
    Ok(())
}
