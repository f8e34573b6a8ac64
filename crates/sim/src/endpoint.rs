//! Flows: their two ends, their workload, and their place in the network.

use narrows_control::registry::{Need, Setup};
use narrows_flow::{Receiver, Sender, SenderCounters};
use narrows_measure::Histogram;
use narrows_scenario::{Flow, Workload};
use narrows_units::{Bytes, Random, Rate, Segments, Span, Time};

use crate::SimError;

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
    pub(crate) tally: Tally,
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
}

impl Endpoint {
    /// Both ends of `flow`. `overhead`: longest time between being able to send and sending.
    pub(crate) fn new(flow: &Flow, seed: u64, overhead: Span, offers: &[Need]) -> Result<Endpoint, SimError> {
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
            tally: Tally::default(),
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
            (Workload::Size(bytes), Some(sender)) => sender.write_last(bytes),
            (Workload::Constant(_), _) => self.next_write = now,
            (_, None) => unreachable!("a flow without a controller has a constant rate"),
        }
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
        assert!(Endpoint::new(flow, 1, Span::ZERO, crate::OFFERS).is_ok());
        let error = Endpoint::new(flow, 1, Span::ZERO, &[Need::Pacing]).err().map(|error| error.to_string());
        let expected =
            "flow \"bbr\": bbr needs delivery rate samples, which the simulated network does not offer; choose another controller";
        assert_eq!(error.as_deref(), Some(expected));
    }
}
