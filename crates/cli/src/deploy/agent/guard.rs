//! The guards of each second, and the state that the agent writes.

use super::super::notify::notify;
use super::super::place::inode;
use super::Agent;
use super::reading::histogram;
use crate::terminal;
use narrows_deploy::experiment::DrawnBy;
use narrows_deploy::guards::{Counted, Ending};
use narrows_deploy::result::Summary;
use narrows_deploy::state::{ArmCounts, LeftOut, Phase};
use narrows_deploy::{counters, result::Ended};
use narrows_kernel::deployment::Counts;
use narrows_units::Span;
use narrows_workbench::Failure;
use std::fs::{self, File};
use std::time::{Duration, Instant};

/// Longest time without a control group.
const GONE: Duration = Duration::from_secs(60);
/// Time after which somebody should have been assigned.
const NOBODY: Duration = Duration::from_secs(60);
/// Periods in a row, void because the agent or the host stood still, that end the experiment.
const MOST_VOID: usize = 3;

impl Agent {
    /// Looks for what ends an experiment without a test.
    pub(super) fn guard(&mut self, place: usize) -> Result<Option<(Phase, String)>, Failure> {
        if let Some((ending, text)) = self.counted().end() {
            let phase = match ending {
                Ending::Failed => Phase::Failed,
                Ending::Invalid => Phase::Invalid,
            };
            return Ok(Some((phase, text)));
        }
        if !self.deployment.path().join("link-0").exists() {
            let text = "somebody removed its pins".to_owned();
            return Ok(Some((Phase::Failed, text)));
        }
        let there = narrows_kernel::available();
        let mut names = std::iter::once(&self.experiment.treatment).chain(&self.experiment.control);
        if let Some(gone) = names.find(|own| !there.contains(*own)) {
            let text = format!("the controller {gone} is gone from the kernel");
            return Ok(Some((Phase::Failed, text)));
        }
        if self.suspended >= MOST_VOID {
            let text = format!(
                "{MOST_VOID} periods in a row are void, since the host slept or the agent stood still"
            );
            return Ok(Some((Phase::Failed, text)));
        }
        self.tell_of_nobody();
        Ok(self.follow_groups(place)?.map(|text| (Phase::Failed, text)))
    }

    /// Attaches the program again where a service has made its control group again. Returns why the
    /// experiment ends, if one is gone for long.
    fn follow_groups(&mut self, place: usize) -> Result<Option<String>, Failure> {
        for (index, group) in self.groups.iter_mut().enumerate() {
            match inode(&group.path) {
                None => {
                    let since = *group.gone.get_or_insert_with(Instant::now);
                    if since.elapsed() >= GONE {
                        let path = group.path.display();
                        return Ok(Some(format!("the control group {path} is gone for a minute")));
                    }
                }
                own if own == group.inode => group.gone = None,
                own => {
                    let Ok(cgroup) = File::open(&group.path) else { continue };
                    self.deployment.attach(index, &cgroup)?;
                    (group.inode, group.gone) = (own, None);
                    self.trial.void(place);
                    terminal::tell(&format!(
                        "the control group {} was made again: its connections are chosen again, and this period does not count",
                        group.path.display()
                    ));
                }
            }
        }
        Ok(None)
    }

    /// Tells once if connections were made on this host, and nobody was assigned.
    fn tell_of_nobody(&mut self) {
        let nobody = self.state.counts.iter().all(|own| own.assigned == 0);
        if self.has_told || !nobody || self.began.elapsed() < NOBODY {
            return;
        }
        if made() > self.made {
            self.has_told = true;
            terminal::tell(&format!(
                "nobody was assigned in {} s, though connections were made on this host: look at [select]; a listener that was made before its process came into the control group stays outside",
                NOBODY.as_secs()
            ));
        }
    }

    /// The numbers that guards watch.
    fn counted(&self) -> Counted {
        let [control, treated] = &self.state.counts;
        // Connections of one client share an arm, so their number says nothing about the draw.
        let is_drawn = self.experiment.select.unit == DrawnBy::Connection;
        Counted {
            assigned: control.assigned + treated.assigned,
            refused: control.all_refused() + treated.all_refused(),
            treated_closed: treated.closed,
            overridden: treated.overridden,
            closed: control.closed + treated.closed,
            uncalled: self.state.uncalled,
            unrecorded: self.state.unrecorded,
            balance: is_drawn.then_some(self.balance),
            judged: [self.trial.judged(), self.trial.voided()],
        }
    }

    /// Has the state written and the counters served. Returns false if an earlier state could not
    /// be written.
    pub(super) fn describe(&mut self, place: usize, age: Span) -> Result<bool, Failure> {
        let counts = self.deployment.counts()?;
        let arm = |own: &Counts| ArmCounts {
            assigned: own.assigned,
            closed: own.closed,
            refused: [
                own.unknown,
                own.not_permitted,
                own.refused.saturating_sub(own.unknown + own.not_permitted),
            ],
            overridden: own.overridden,
            restored: own.restored,
            not_restored: own.not_restored,
            timeouts: own.timeouts,
            acked: own.acked,
            sent: own.sent,
            again: own.again,
        };
        let rest = &counts[2];
        self.state.counts = [arm(&counts[0]), arm(&counts[1])];
        self.state.left_out = LeftOut {
            chose: rest.left_alone,
            mptcp: rest.mptcp,
            lapsed: rest.lapsed,
            rest: rest.assigned,
        };
        self.state.unrecorded = counts.iter().map(|own| own.unrecorded).sum();
        let slots = self.trial.slots();
        self.state.periods[1] = place.min(slots.len());
        self.state.share =
            slots.get(place).filter(|own| !own.is_beside).map_or(0.0, |own| own.share);
        self.state.age_s = [age, self.trial.timing().0].map(Span::as_secs_f64);
        self.state.lease_s = self.deployment.lease()?.as_secs_f64();
        self.state.pairs[0] = self.trial.judged();
        self.state.pairs[2] = self.trial.voided();
        self.state.exposure = self.trial.exposure();
        if self.state.phase == Phase::Observing && place >= self.trial.observed() {
            self.state.phase = Phase::Running;
        }
        self.state.guards = self.counted().guards();
        self.state.metrics = serde_json::to_value(self.trial.shown()).unwrap_or_default();
        let (experiment, trial, state) = (&self.experiment, &self.trial, &self.state);
        let summary = Summary::of(&Ended { experiment, trial, state, plan: None });
        self.state.levels =
            summary.metrics.iter().map(|own| [own.control, own.treatment]).collect();
        if let Some(served) = &self.served {
            let trips = [0, 1].map(|arm| self.deployment.round_trips(arm));
            let [control, treated] = trips.map(|own| own.map(|own| histogram(&own)));
            let [one, other] = &self.completion;
            *served.lock().unwrap_or_else(std::sync::PoisonError::into_inner) =
                counters::text(&self.state, [&control?, &treated?], [one, other]);
        }
        notify(&format!(
            "WATCHDOG=1\nSTATUS={}, period {} of {}, {} of {} judged\n",
            self.state.phase.word(),
            self.state.periods[1] + 1,
            self.state.periods[0],
            self.state.pairs[0],
            self.state.pairs[1]
        ));
        Ok(self.writer.put(&self.state))
    }
}

/// Returns the number of TCP connections that this network namespace has opened and accepted
/// (RFC 4022, tcpActiveOpens and tcpPassiveOpens).
pub fn made() -> u64 {
    let text = fs::read_to_string("/proc/net/snmp").unwrap_or_default();
    let mut lines = text.lines().filter_map(|line| line.strip_prefix("Tcp:"));
    let (Some(heads), Some(values)) = (lines.next(), lines.next()) else { return 0 };
    let of = |name: &str| {
        let place = heads.split_whitespace().position(|own| own == name)?;
        values.split_whitespace().nth(place)?.parse::<u64>().ok()
    };
    of("ActiveOpens").unwrap_or(0) + of("PassiveOpens").unwrap_or(0)
}
