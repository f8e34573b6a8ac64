//! Cases T05 to T09, T21 and T22: the cycle of bandwidth probes.

use super::experiment::{Changed, at_transition};
use super::model::{inflight, product, with_headroom};
use super::outcome::Trial;
use super::plan::{Plan, text};
use super::record::{Field, Record, State};
use super::startup::flat_rounds;
use super::subject::Subject;
use narrows_units::{Span, Time};

/// Time by which the first ProbeBW_UP of a flow on path R is over.
const FIRST_PROBE: Span = Span::from_secs(5);

fn first(state: State) -> impl Fn(&Record) -> Result<usize, String> {
    move |record| record.enters(state, Time::ZERO)
}

pub(super) fn plateau(subject: &Subject) -> Vec<Trial> {
    vec![Trial::new("", |trial| {
        let run = Plan::r(subject).buffer("1 MB").lasting(FIRST_PROBE).run()?;
        let record = &run.record;
        let up = record.enters(State::Up, Time::ZERO)?;
        let down = record.leaves(up)?;
        let row = &record.rows[down];
        trial.note("up_at_s", record.rows[up].at.as_secs_f64());
        trial.note("down_at_s", row.at.as_secs_f64());
        trial.check("loss", record.lost.iter().all(|lost| lost.row > down), || {
            "something was lost".to_owned()
        });
        trial.check("state", row.state() == Some(State::Down), || {
            format!("Up is followed by {:?}", row.state())
        });
        trial.check("full", row.is(Field::FullBwNow) && row.get(Field::FullBwCount) == 3.0, || {
            format!(
                "Up ends with full_bw_now {} and full_bw_count {}",
                row.get(Field::FullBwNow),
                row.get(Field::FullBwCount)
            )
        });
        let flat = flat_rounds(record, down);
        let (rounds, limited) =
            (flat.len(), flat.iter().filter(|row| row.is(Field::AppLimited)).count());
        trial.check("flat", rounds == 3 && limited == 0, || {
            format!("of {rounds} flat rounds {limited} were limited by the application")
        });
        let mut full = 0;
        for row in &flat {
            let began = record.rows[..]
                .iter()
                .rev()
                .find(|before| before.rounds() < row.rounds())
                .map_or(Time::ZERO, |before| before.at);
            let window = row.get(Field::Cwnd) as u32;
            full += record
                .departed
                .iter()
                .any(|sent| sent.at > began && sent.at <= row.at && sent.flight + 1 >= window)
                as u8;
        }
        trial.note("flat_rounds_limited_by_cwnd", full as f64);
        Ok(())
    })]
}

/// Limits the application to 30 Mbit/s on path R: it sends for 12 of every 20 ms.
const LIMITED: (Span, Span) = (Span::from_millis(12), Span::from_millis(20));

pub(super) fn limited_loss(subject: &Subject) -> Vec<Trial> {
    vec![Trial::new("", |trial| {
        let plan = Plan::r(subject).lasting(FIRST_PROBE);
        let end = Time::ZERO + FIRST_PROBE;
        let limit = |plan: Plan, at| plan.at_times(at, end, LIMITED.0, LIMITED.1);
        let Changed { plan, .. } = at_transition(trial, &plan, first(State::Refill), limit)?;
        let lossy = |plan: Plan, at| {
            let rtt = plan.rtt();
            plan.loss(at, rtt, 10)
        };
        let Changed { run, at, .. } = at_transition(trial, &plan, first(State::Up), lossy)?;
        let record = &run.record;
        let up = record.enters(State::Up, at)?;
        let after = record.leaves(up)?;
        let (row, before) = (&record.rows[after], &record.rows[up]);
        let lost = record.lost.iter().find(|lost| lost.row >= up).ok_or("nothing is lost")?.row;
        let rounds = row.rounds() - record.rows[lost].rounds();
        trial.note("first_loss_s", record.rows[lost].at.as_secs_f64());
        trial.note("down_at_s", row.at.as_secs_f64());
        // So little is in flight that the same acknowledgement may end Down, too. Each Down picks a
        // new wait.
        let down = matches!(row.state(), Some(State::Down | State::Cruise))
            && row.get(Field::BwProbeWait) != before.get(Field::BwProbeWait);
        trial.check("down", down && rounds <= 1, || {
            format!(
                "{:?} follows {rounds} rounds after the first loss, not Down within 1",
                row.state()
            )
        });
        trial.check("too-high", row.is(Field::PrevProbeTooHigh), || {
            "prev_probe_too_high is not set".to_owned()
        });
        let limited = record.rows[lost..=after].iter().all(|row| row.is(Field::AppLimited));
        trial.check("app-limited", limited, || {
            "a sample with the losses was not limited by the application".to_owned()
        });
        let bounds = [before, row].map(|row| row.bound(Field::InflightLongTerm));
        trial.check("bound", bounds[0] == bounds[1], || {
            format!(
                "inflight_longterm goes from {} to {} on losses limited by the application",
                bounds[0], bounds[1]
            )
        });
        Ok(())
    })]
}

/// Limits the application to about 10 Mbit/s on path R while it probes: it sends for 3 of every 20
/// ms.
const SLOW: (Span, Span) = (Span::from_millis(3), Span::from_millis(20));

pub(super) fn stays(subject: &Subject) -> Vec<Trial> {
    let minute = Span::from_secs(60);
    let probe = Trial::new("from Up", |trial| {
        let plan = Plan::r(subject).lasting(FIRST_PROBE);
        let slow = |plan: Plan, at: Time| {
            plan.lasting(minute).at_times(at, Time::ZERO + minute, SLOW.0, SLOW.1)
        };
        let Changed { run, at, .. } = at_transition(trial, &plan, first(State::Up), slow)?;
        let record = &run.record;
        let (mut from, mut ended) = (at, 0);
        trial.note(
            "offered_mbit_s",
            record.arrived(at, Time::ZERO + minute) as f64 * 1448.0 * 8.0
                / 1e6
                / (minute.as_secs_f64() - at.as_secs_f64()),
        );
        while let Ok(up) = record.enters(State::Up, from) {
            let Ok(after) = record.leaves(up) else { break };
            let next = record.rows[after].state();
            trial.check("stays", next == Some(State::ProbeRtt), || {
                format!(
                    "Up of {:.2} s is followed by {next:?} though the application is the limit",
                    record.rows[up].at.as_secs_f64()
                )
            });
            ended += 1;
            from = record.rows[after].at;
        }
        trial.note("probes_ended_by_probe_rtt", ended as f64);
        trial.check("reached", ended > 0, || "no ProbeRTT ended a probe".to_owned());
        Ok(())
    });
    let startup = Trial::new("from Startup", |trial| {
        let run = Plan::r(subject).offered(10).lasting(minute).run()?;
        let record = &run.record;
        let states = |row: &super::record::Row| {
            matches!(row.state(), Some(State::Startup | State::ProbeRtt))
        };
        let left = record.rows.iter().find(|row| !states(row));
        trial.check("stays", left.is_none(), || {
            format!("it leaves Startup at {:.2} s", left.map_or(0.0, |row| row.at.as_secs_f64()))
        });
        let returns = record.rows.windows(2).filter(|pair| {
            pair[0].state() == Some(State::ProbeRtt) && pair[1].state() == Some(State::Startup)
        });
        let returns = returns.count();
        trial.note("returns_from_probe_rtt", returns as f64);
        trial.check("returns", returns > 0, || {
            "it does not return from ProbeRTT to Startup".to_owned()
        });
        trial.check("full", record.rows.iter().all(|row| !row.is(Field::FullBwReached)), || {
            "full_bw_reached is set".to_owned()
        });
        Ok(())
    });
    vec![probe, startup]
}

/// Runs a plan with 10 % loss during the first round trip of the first probe, so that
/// `inflight_longterm` becomes finite.
fn bounded(trial: &mut Trial, plan: &Plan, end: Span) -> Result<Changed, String> {
    at_transition(trial, plan, first(State::Up), |plan, at| {
        let rtt = plan.rtt();
        plan.loss(at, rtt, 10).lasting(end)
    })
}

pub(super) fn down_by_flight(subject: &Subject) -> Vec<Trial> {
    let finite = Trial::new("finite inflight_longterm", |trial| {
        let Changed { run, at, .. } =
            bounded(trial, &Plan::r(subject).lasting(FIRST_PROBE), Span::from_secs(7))?;
        down_to_cruise(trial, &run.record, at, true)
    });
    let infinite = Trial::new("infinite inflight_longterm", |trial| {
        let run = Plan::r(subject).buffer("1 MB").lasting(FIRST_PROBE).run()?;
        let up = run.record.enters(State::Up, Time::ZERO)?;
        down_to_cruise(trial, &run.record, run.record.rows[up].at, false)
    });
    vec![finite, infinite]
}

fn down_to_cruise(
    trial: &mut Trial,
    record: &Record,
    from: Time,
    finite: bool,
) -> Result<(), String> {
    let down = record.enters(State::Down, from)?;
    let cruise = record.leaves(down)?;
    let row = &record.rows[cruise];
    let gain = record.rows[down].get(Field::PacingGain);
    trial.note("pacing_gain", gain);
    trial.note("inflight_longterm", row.bound(Field::InflightLongTerm));
    trial.note("with_headroom", with_headroom(row));
    trial.note("in_flight_at_end", row.in_flight as f64);
    trial.check("gain", gain == 0.9, || format!("the pacing gain is {gain}, not 0.90"));
    trial.check("bounded", row.bound(Field::InflightLongTerm).is_finite() == finite, || {
        "inflight_longterm is not as the case asks for".to_owned()
    });
    trial.check("state", row.state() == Some(State::Cruise), || {
        format!("Down is followed by {:?}", row.state())
    });
    let may = |index: usize| {
        let row = &record.rows[index];
        row.in_flight as f64 <= with_headroom(row)
            && row.in_flight <= inflight(&record.rows[index - 1], row.get(Field::MaxBandwidth), 256)
    };
    trial.check("flight", may(cruise), || {
        format!(
            "Cruise begins with {} packets in flight, more than the bounds allow",
            row.in_flight
        )
    });
    // Rows that acknowledge nothing new decide nothing.
    let early = (down + 1..cruise).find(|index| record.rows[*index].acked > 0 && may(*index));
    trial.check("first", early.is_none(), || {
        format!(
            "{} packets were in flight, within the bounds, and Down went on",
            record.rows[early.unwrap_or(0)].in_flight
        )
    });
    Ok(())
}

pub(super) fn down_by_time(subject: &Subject) -> Vec<Trial> {
    let variant = |name: &str, percent: u64| {
        Trial::new(name, |trial| {
            let plan = Plan::path(subject, 50_000_000, Span::from_millis(100), "2500 kB")
                .lasting(Span::from_secs(6));
            // A shorter round trip from Refill on delays ProbeRTT, which would otherwise end Down.
            let shorter = |plan: Plan, at| plan.change(at, text("delay", "49 ms"));
            let Changed { plan, .. } = at_transition(trial, &plan, first(State::Refill), shorter)?;
            let rate = plan.rate * percent / 100;
            let slower = |plan: Plan, at| {
                plan.change(at, text("rate", format!("{rate} bit/s"))).lasting(Span::from_secs(10))
            };
            let Changed { run, at, .. } =
                at_transition(trial, &plan, first(State::Up).and_down(), slower)?;
            let record = &run.record;
            let down = record.enters(State::Down, at)?;
            let after = record.leaves(down)?;
            let (row, began) = (&record.rows[after], record.rows[down].at);
            let wait = record.rows[down].get(Field::BwProbeWait);
            let lasted = |index: usize| record.rows[index].at.since(began).as_secs_f64();
            trial.note("bw_probe_wait_s", wait);
            trial.note("lasts_s", lasted(after));
            trial.note("rounds", (row.rounds() - record.rows[down].rounds()) as f64);
            trial.check("state", row.state() == Some(State::Refill), || {
                format!("Down is followed by {:?}, not by Refill", row.state())
            });
            trial.check("wait", (2.0..=3.0).contains(&wait), || {
                format!("bw_probe_wait is {wait} s, not 2 to 3 s")
            });
            trial.check("time", lasted(after) > wait && lasted(after - 1) <= wait, || {
                format!(
                    "Down lasts {:.3} s, not until the first acknowledgement after {wait:.3} s",
                    lasted(after)
                )
            });
            Ok(())
        })
    };
    vec![variant("rate x 0.9", 90), variant("rate x 0.85", 85)]
}

/// Extends a transition to the Down that follows it.
trait AndDown {
    fn and_down(self) -> impl FnOnce(&Record) -> Result<usize, String>;
}

impl<F: FnOnce(&Record) -> Result<usize, String>> AndDown for F {
    fn and_down(self) -> impl FnOnce(&Record) -> Result<usize, String> {
        |record| {
            let found = self(record)?;
            record.enters(State::Down, record.rows[found].at)
        }
    }
}

pub(super) fn loss_in_up(subject: &Subject) -> Vec<Trial> {
    vec![Trial::new("", |trial| {
        let Changed { plan, at, .. } =
            bounded(trial, &Plan::r(subject).lasting(FIRST_PROBE), Span::from_secs(16))?;
        // The next probe stops at the bound. The probe after it may stay there.
        let second = |record: &Record| whole_probe(record, at);
        let lossy = |plan: Plan, at: Time| {
            let rtt = plan.rtt();
            plan.loss(at, rtt, 5).until(at + Span::from_secs(1))
        };
        let Changed { run, at, .. } = at_transition(trial, &plan, second, lossy)?;
        let record = &run.record;
        let up = record.enters(State::Up, at)?;
        let down = record.leaves(up)?;
        let (row, before) = (&record.rows[down], &record.rows[down - 1]);
        trial.note("up_at_s", record.rows[up].at.as_secs_f64());
        trial.note("down_at_s", row.at.as_secs_f64());
        trial.check("state", row.state() == Some(State::Down) && row.lost > 0, || {
            format!(
                "Up is followed by {:?} on an acknowledgement with {} losses",
                row.state(),
                row.lost
            )
        });
        trial.check("too-high", row.is(Field::PrevProbeTooHigh), || {
            "prev_probe_too_high is not set".to_owned()
        });
        let sent = |lost: &super::record::LostPacket| {
            record
                .departed
                .iter()
                .rev()
                .find(|sent| sent.number == lost.number && sent.at == lost.sent_at)
        };
        let flights: Vec<u32> = record
            .lost
            .iter()
            .filter(|lost| lost.row == down)
            .filter_map(|lost| Some(sent(lost)?.flight))
            .collect();
        let target =
            product(before, before.get(Field::Bandwidth), 256).min(before.get(Field::Cwnd) as u32);
        let floor = (0.7 * target as f64).floor();
        let bound = row.bound(Field::InflightLongTerm);
        trial.note("inflight_longterm_before", before.bound(Field::InflightLongTerm));
        trial.note("inflight_longterm", bound);
        trial.note("flight_of_the_lost", flights.first().copied().unwrap_or(0) as f64);
        trial.note("floor", floor);
        // In whole packets, InflightAtLoss may be one packet below the flight of the packet that
        // crossed the threshold.
        let close = flights.iter().any(|flight| (bound - (*flight as f64).max(floor)).abs() <= 1.0);
        trial.check("bound", close, || {
            format!("inflight_longterm becomes {bound}, but the lost packets left with {flights:?} in flight, and the floor is {floor}")
        });
        Ok(())
    })]
}

/// Returns the first Up after `from` with a finite bound and without prev_probe_too_high. Such a
/// probe may stay at the bound.
pub(super) fn whole_probe(record: &Record, from: Time) -> Result<usize, String> {
    let mut from = from;
    loop {
        let up = record.enters(State::Up, from)?;
        let row = &record.rows[up];
        if row.bound(Field::InflightLongTerm).is_finite()
            && !row.is(Field::PrevProbeTooHigh)
            && row.at > from
        {
            return Ok(up);
        }
        from = row.at + Span::from_nanos(1);
    }
}

pub(super) fn limited_refill(subject: &Subject) -> Vec<Trial> {
    vec![Trial::new("", |trial| {
        let plan = Plan::r(subject).lasting(FIRST_PROBE);
        let quiet = |plan: Plan, at| {
            let rtt = plan.rtt();
            plan.pause(at, at + rtt)
        };
        let Changed { run, at, .. } = at_transition(trial, &plan, first(State::Refill), quiet)?;
        let record = &run.record;
        let refill = record.enters(State::Refill, at)?;
        let up = record.leaves(refill)?;
        let max = record.rows[refill].get(Field::MaxBandwidth);
        trial.note("up_at_s", record.rows[up].at.as_secs_f64());
        trial.check("state", record.rows[up].state() == Some(State::Up), || {
            format!("Refill is followed by {:?}", record.rows[up].state())
        });
        trial.check("round", record.rows[up].rounds() == record.rows[refill].rounds() + 1, || {
            "Refill does not last one round".to_owned()
        });
        let mut low = 0;
        for row in record.rows[refill..].iter().take_while(|row| row.state() != Some(State::Down)) {
            let slow = row.get(Field::DeliveryRate) < 0.9 * max;
            low += slow as u32;
            trial.check("app-limited", !slow || row.is(Field::AppLimited), || {
                format!(
                    "a sample of {:.0} packets/s at {:.3} s is not marked as limited by the application",
                    row.get(Field::DeliveryRate),
                    row.at.as_secs_f64()
                )
            });
            trial.check(
                "bandwidth",
                (row.get(Field::MaxBandwidth) - max).abs() <= 0.02 * max,
                || format!("max_bw goes from {max:.0} to {:.0}", row.get(Field::MaxBandwidth)),
            );
        }
        trial.note("low_samples", low as f64);
        trial.check("reached", low > 0, || "no sample was low".to_owned());
        Ok(())
    })]
}
