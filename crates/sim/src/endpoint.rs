//! Flows: their two ends, their workload, and their place in the network.

use narrows_control::registry::{Need, Setup};
use narrows_flow::{Receiver, Sender, SenderCounters};
use narrows_measure::{Histogram, Transfer, Transfers};
use narrows_scenario::{Flow, Scenario, Workload};
use narrows_units::{Bytes, Random, Rate, Segments, Span, Time};
use std::collections::VecDeque;

use crate::SimError;
use crate::ideal::Ideal;

/// A flow at work.
pub(crate) struct Endpoint {
    pub(crate) ends: Ends,
    pub(crate) workload: Workload,
    pub(crate) start: Time,
    pub(crate) stop: Time,
    pub(crate) started: bool,
    pub(crate) finished_at: Option<Time>,
    pub(crate) completed: bool,
    /// When the workload produces its next segment.
    pub(crate) next_write: Time,
    write_interval: Span,
    /// When the transport became ready to send, and when the host will do so.
    ready: Time,
    pub(crate) send_at: Time,
    overhead: Span,
    random: Random,
    /// When the receiver has this many segments in order, the first pending transfer is complete.
    pub(crate) awaited: u64,
    pending: VecDeque<Pending>,
    pub(crate) tally: Tally,
}

/// A transfer under way.
#[derive(Clone, Copy, Debug)]
struct Pending {
    start: Time,
    size: Bytes,
    /// One past its last segment.
    end: u64,
}

/// The two ends of a flow.
pub(crate) enum Ends {
    /// A connection.
    Transport(Box<(Sender, Receiver)>),
    /// Packets of this payload, sent without being asked and never acknowledged.
    Datagrams {
        /// Payload.
        payload: Bytes,
        /// Headers.
        headers: Bytes,
    },
}

/// What the world counts of a flow beside its endpoints.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) datagrams_sent: u64,
    pub(crate) arrived: u64,
    pub(crate) arrived_wire: Bytes,
    pub(crate) datagram_goodput: Bytes,
    pub(crate) dropped: u64,
    pub(crate) acks: u64,
    pub(crate) rtt: Histogram,
    pub(crate) one_way: Histogram,
    /// Of a flow that makes transfers.
    pub(crate) transfers: Option<Box<Work>>,
}

/// What is measured of transfers.
#[derive(Clone, Debug)]
pub(crate) struct Work {
    pub(crate) done: Transfers,
    ideal: Ideal,
    /// Those that begin from then on are counted.
    warmup: Time,
}

impl Endpoint {
    /// Both ends of `flow`. `overhead`: longest time between being able to send and sending.
    pub(crate) fn new(scenario: &Scenario, flow: &Flow, overhead: Span, offers: &[Need]) -> Result<Endpoint, SimError> {
        let seed = scenario.seed;
        let random_seed = Random::stream(seed, &format!("flow {} controller", flow.name)).bits();
        let ends = match &flow.controller {
            Some(choice) => {
                let needs = choice.entry().needs;
                if let Some(missing) = needs.iter().find(|need| !offers.contains(need)) {
                    return Err(SimError::Missing { flow: flow.name.clone(), controller: choice.text().to_owned(), signal: *missing });
                }
                let setup = Setup {
                    mss: flow.transport.mss,
                    headers: flow.transport.headers,
                    initial_window: Segments::new(flow.transport.initial_window as f64),
                    seed: random_seed,
                };
                let controller =
                    choice.build(&setup).map_err(|error| SimError::Controller { flow: flow.name.clone(), problem: error.to_string() })?;
                let sample_rates = needs.contains(&Need::RateSample);
                Ends::Transport(Box::new((Sender::new(&flow.transport, controller, sample_rates), Receiver::new(&flow.transport))))
            }
            None => Ends::Datagrams { payload: flow.transport.mss, headers: flow.transport.headers },
        };
        let write_interval = match flow.workload {
            Workload::Constant(rate) => rate.time_for(flow.transport.mss),
            _ => Span::MAX,
        };
        let transfers = matches!(flow.workload, Workload::Size(_)).then(|| {
            let ideal = Ideal::new(scenario, &flow.route, flow.transport.mss, flow.transport.headers);
            Box::new(Work { done: Transfers::default(), ideal, warmup: Time::ZERO + scenario.warmup })
        });
        Ok(Endpoint {
            ends,
            workload: flow.workload,
            start: flow.start,
            stop: flow.stop.unwrap_or(Time::NEVER),
            started: false,
            finished_at: None,
            completed: false,
            next_write: Time::NEVER,
            write_interval,
            ready: Time::NEVER,
            send_at: Time::NEVER,
            overhead,
            random: Random::stream(seed, &format!("flow {} overhead", flow.name)),
            awaited: u64::MAX,
            pending: VecDeque::new(),
            tally: Tally { transfers, ..Tally::default() },
        })
    }

    /// The flow begins.
    pub(crate) fn begin(&mut self, now: Time) {
        self.started = true;
        let sender = match &mut self.ends {
            Ends::Transport(ends) => Some(&mut ends.0),
            Ends::Datagrams { .. } => None,
        };
        match (self.workload, sender) {
            (Workload::Bulk, Some(sender)) => sender.write(u64::MAX),
            (Workload::Size(bytes), Some(sender)) => {
                sender.write_last(bytes);
                let end = sender.written();
                self.await_transfer(Pending { start: now, size: bytes, end });
            }
            (Workload::Constant(_), _) => self.next_write = now,
            (_, None) => unreachable!("a flow without a controller has a constant rate"),
        }
    }

    fn await_transfer(&mut self, pending: Pending) {
        if let Some(work) = &mut self.tally.transfers {
            work.done.begun += (pending.start >= work.warmup) as u64;
        }
        self.pending.push_back(pending);
        self.awaited = self.pending[0].end;
    }

    /// The receiver has `next` segments in order: what was awaited of them is complete.
    pub(crate) fn complete(&mut self, now: Time, next: u64) {
        while let Some(Pending { start, size, .. }) = self.pending.front().copied().filter(|first| first.end <= next) {
            self.pending.pop_front();
            let Some(work) = &mut self.tally.transfers else { continue };
            let transfer = Transfer { start, size, took: now.since(start), ideal: work.ideal.time(size) };
            if start >= work.warmup {
                work.done.count(&transfer);
            }
            work.done.list.push(transfer);
        }
        self.awaited = self.pending.front().map_or(u64::MAX, |first| first.end);
    }

    /// The workload has produced a segment; the next one follows at its interval.
    pub(crate) fn advance_write(&mut self) {
        self.next_write += self.write_interval;
    }

    /// Notes when the transport can send: the host will do it after a draw of its overhead.
    #[inline]
    pub(crate) fn note_ready(&mut self, ready: Option<Time>) {
        let Some(ready) = ready else { return };
        if ready < self.ready {
            self.ready = ready;
            self.send_at = if self.overhead.is_zero() { ready } else { ready + self.random.span_below(self.overhead) };
        }
    }

    /// The host sends now: whatever was awaited is done.
    #[inline]
    pub(crate) fn clear_ready(&mut self) {
        self.ready = Time::NEVER;
        self.send_at = Time::NEVER;
    }

    /// When one of the ends wants to be looked at.
    #[inline]
    pub(crate) fn due(&self) -> Time {
        if !self.started {
            return self.start;
        }
        let timer = match &self.ends {
            Ends::Transport(ends) => {
                let (sender, receiver) = (ends.0.next_timer(), ends.1.next_timer());
                sender.unwrap_or(Time::NEVER).min(receiver.unwrap_or(Time::NEVER))
            }
            Ends::Datagrams { .. } => Time::NEVER,
        };
        let stop = if self.finished_at.is_none() { self.stop } else { Time::NEVER };
        self.send_at.min(timer).min(self.next_write).min(stop)
    }

    pub(crate) fn sender(&self) -> Option<&Sender> {
        match &self.ends {
            Ends::Transport(ends) => Some(&ends.0),
            Ends::Datagrams { .. } => None,
        }
    }

    pub(crate) fn receiver(&self) -> Option<&Receiver> {
        match &self.ends {
            Ends::Transport(ends) => Some(&ends.1),
            Ends::Datagrams { .. } => None,
        }
    }

    pub(crate) fn goodput(&self) -> Bytes {
        self.receiver().map_or(self.tally.datagram_goodput, Receiver::goodput)
    }

    pub(crate) fn sender_counters(&self) -> SenderCounters {
        match &self.ends {
            Ends::Transport(ends) => *ends.0.counters(),
            Ends::Datagrams { .. } => SenderCounters { sent: self.tally.datagrams_sent, ..SenderCounters::default() },
        }
    }

    pub(crate) fn pacing(&self) -> Option<Rate> {
        self.sender().and_then(Sender::pacing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_that_the_world_does_not_offer_is_refused_by_name() {
        let text = "duration = \"1 s\"\n[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\n\
                    [[flow]]\nfrom = \"a\"\nto = \"b\"\ncontroller = \"bbr\"\n";
        let scenario = narrows_scenario::parse(text, "test.toml", &|path| std::fs::read_to_string(path)).unwrap();
        let flow = &scenario.flows[0];
        assert!(Endpoint::new(&scenario, flow, Span::ZERO, crate::OFFERS).is_ok());
        let error = Endpoint::new(&scenario, flow, Span::ZERO, &[Need::Pacing]).err().map(|error| error.to_string());
        let expected =
            "flow \"bbr\": bbr needs delivery rate samples, which the simulated network does not offer; choose another controller";
        assert_eq!(error.as_deref(), Some(expected));
    }
}
