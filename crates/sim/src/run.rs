//! Runs a scenario: its parts one after another, each with packets that have the room it needs.

use crate::SimError;
use crate::carried::{Carried, Room};
use crate::icn;
use crate::packet::Packet;
use crate::parts::Parts;
use crate::pulse::Progress;
use crate::refusal;
use crate::watch::Watch;
use crate::world::World;
use narrows_control::Choice;
use narrows_measure::{Follower, Record};
use narrows_params::Need;
use narrows_scenario::Scenario;
use narrows_traffic::LISTED;
use narrows_transport::Observer;
use narrows_units::{Span, Time};
use std::sync::atomic::AtomicBool;

/// Runs a scenario to its end.
pub fn run(scenario: &Scenario) -> Result<Record, SimError> {
    run_followed(scenario, Progress::heard_by(&mut |_| true), None, &mut ())
}

/// Runs a scenario to its end, or until `progress` answers false ([`SimError::Stopped`]).
pub fn run_with_progress(
    scenario: &Scenario,
    progress: &mut dyn FnMut(Time) -> bool,
) -> Result<Record, SimError> {
    run_followed(scenario, Progress::heard_by(progress), None, &mut ())
}

/// Runs a scenario to its end, or until `stop` is set ([`SimError::Stopped`]).
pub fn run_until(scenario: &Scenario, stop: &AtomicBool) -> Result<Record, SimError> {
    run_followed(scenario, Progress::until(stop), None, &mut ())
}

/// Simulates, watched by `observer`: the record is the record of an unwatched run, but for the
/// number of events, since a watched network goes link by link.
///
/// Parts of the network that share no link are run one after another, unless somebody watches, who
/// is to see all in order of time.
pub fn run_observed(
    scenario: &Scenario,
    progress: Progress<'_>,
    observer: &mut dyn Observer,
) -> Result<Record, SimError> {
    run_followed(scenario, progress, Some(observer), &mut ())
}

/// The same, watched by an observer or by nobody, while `follower` hears of the samples. Its record
/// is the same with a follower as without one.
pub fn run_followed(
    scenario: &Scenario,
    mut progress: Progress<'_>,
    observer: Option<&mut dyn Observer>,
    follower: &mut dyn Follower,
) -> Result<Record, SimError> {
    if let Some(icn) = &scenario.icn {
        return icn::run(scenario, icn, progress, follower);
    }
    refusal::check(scenario)?;
    if follower.follows() {
        follower.begun(scenario.blank_record::<Packet<()>>().finish());
    }
    if let Some(mut observer) = observer {
        return run_part(scenario, LISTED, progress, &mut observer, follower);
    }
    let parts = Parts::new(scenario);
    let count = parts.count();
    if count <= 1 {
        return run_part(scenario, LISTED, progress, &mut (), follower);
    }
    let mut left = LISTED;
    let mut records = Vec::with_capacity(count);
    for part in 0..count {
        let stop = progress.stop();
        let mut heard = |now: Time| progress.tell(reached(scenario.duration, part, count, now));
        let of_part = &mut parts.follower(part, follower);
        let own = Progress::new(&mut heard, stop);
        let record =
            run_part(&parts.scenario(part), left / (count - part) as u64, own, &mut (), of_part)?;
        if !heard(Time::ZERO + scenario.duration) {
            return Err(SimError::Stopped);
        }
        left -= record
            .flows
            .iter()
            .filter_map(|flow| flow.transfers.as_ref())
            .map(|transfers| transfers.list.len() as u64)
            .sum::<u64>();
        records.push(record);
    }
    Ok(parts.join(records))
}

/// Runs one part of the network, of which `listed` transfers at most are listed. Its packets have
/// room for headers only if somebody may write one.
fn run_part<O: Watch>(
    scenario: &Scenario,
    listed: u64,
    progress: Progress<'_>,
    observer: &mut O,
    follower: &mut dyn Follower,
) -> Result<Record, SimError> {
    if scenario.flows.iter().filter_map(|flow| flow.controller.as_ref()).any(writes_headers) {
        run_carrying::<Room, O>(scenario, listed, progress, observer, follower)
    } else {
        run_carrying::<(), O>(scenario, listed, progress, observer, follower)
    }
}

/// Simulates with packets that carry `C`.
fn run_carrying<C: Carried, O: Watch>(
    scenario: &Scenario,
    listed: u64,
    mut progress: Progress<'_>,
    observer: &mut O,
    follower: &mut dyn Follower,
) -> Result<Record, SimError> {
    let mut world = World::<O, C>::new(scenario, listed, progress.lent(), observer, follower)?;
    world.run(Time::ZERO + scenario.duration)?;
    Ok(world.record())
}

/// True of controllers that may have something to tell routers in a header.
fn writes_headers(choice: &Choice) -> bool {
    let needs = choice.needs();
    [Need::LoadCode, Need::StampedRate, Need::Delta].iter().any(|need| needs.contains(need))
}

/// How far the whole is, in virtual time, when `part` of `count` parts has reached `now`.
fn reached(duration: Span, part: usize, count: usize, now: Time) -> Time {
    let done = duration.as_nanos() as u128 * part as u128 + now.as_nanos() as u128;
    Time::from_nanos((done / count as u128) as u64)
}
