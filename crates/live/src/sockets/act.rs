//! Carries out the actions of applications on their sockets.

use super::events::Role;
use super::flow::Endpoint;
use super::open;
use super::state::Sockets;
use super::stream::{CHUNK, Stream};
use crate::error::LiveError;
use narrows_scenario::{Flow, On, OnOff, Scenario, Workload};
use narrows_traffic::{Action, Message};
use narrows_units::{Bytes, Span, Time};
use rustix::net::getsockname;
use std::io;
use std::net::SocketAddr;

/// Longest time that a runnable thread waits for the running one, on a kernel that does not preempt
/// it: a tick of a 250 Hz clock.
const TICK: Span = Span::from_millis(4);

impl Sockets<'_> {
    /// Lets all flows act that are due by `now`.
    pub(super) fn act(&mut self, now: Time) -> Result<(), LiveError> {
        while let Some((_, flow)) = self.agenda.first().copied().filter(|(at, _)| *at <= now) {
            self.agenda.pop_first();
            self.flows[flow].scheduled = Time::NEVER;
            self.act_for(flow, now).map_err(|error| self.failed(flow, error))?;
            self.plan(flow);
        }
        Ok(())
    }

    /// Records the time at which a flow wants to act next.
    pub(super) fn plan(&mut self, flow: usize) {
        let flow_sockets = &mut self.flows[flow];
        let due = flow_sockets.application.due().min(flow_sockets.opens_at);
        let scheduled = std::mem::replace(&mut flow_sockets.scheduled, due);
        if scheduled != due {
            self.agenda.remove(&(scheduled, flow));
            if due != Time::NEVER {
                self.agenda.insert((due, flow));
            }
        }
    }

    fn act_for(&mut self, flow: usize, now: Time) -> io::Result<()> {
        if self.flows[flow].opens_at <= now {
            self.flows[flow].opens_at = Time::NEVER;
            self.flows[flow].endpoint = Endpoint::Stream(self.connect(flow)?);
        }
        while let Some(action) = self.flows[flow].application.act(now) {
            self.perform(flow, now, action)?;
        }
        Ok(())
    }

    fn perform(&mut self, flow: usize, now: Time, action: Action) -> io::Result<()> {
        if let Action::Open { message, .. } = action {
            let place = self.connect(flow)?;
            return self.write(flow, place, message, true);
        }
        if let Action::Ask { size, seed: Some(_) } = action {
            return self.ask_anew(flow, size);
        }
        let flow_sockets = &mut self.flows[flow];
        let place = match &mut flow_sockets.endpoint {
            Endpoint::None => return Ok(()),
            Endpoint::Stream(place) => *place,
            Endpoint::Datagrams(datagrams) => {
                let Action::Write { message, .. } = action else { return Ok(()) };
                let (application, room) = (&mut flow_sockets.application, &mut self.room);
                let end = datagrams.end_of(message.size);
                application.expect(&mut datagrams.ledger, message, end);
                datagrams.send(message.size, |ledger, number| {
                    application.datagram(now, ledger, number, false, room)
                })?;
                return Ok(());
            }
        };
        if let Action::Write { message, last } = action {
            return self.write(flow, place, message, last);
        }
        let (application, Some(stream)) = (&mut flow_sockets.application, &mut self.streams[place])
        else {
            return Ok(());
        };
        match action {
            Action::Flood => stream.flooding = true,
            Action::Cut { start } => {
                stream.flooding = false;
                let size = Bytes::new(stream.written - stream.ledger.end());
                application.expect(&mut stream.ledger, Message { start, size }, stream.written);
                application.delivered(now, &mut stream.ledger, stream.read, &mut self.room);
            }
            Action::Ask { size, .. } => {
                stream.request_unsent += size.get();
                stream.request_unread += size.get();
                stream.send_request(&self.zeros)?;
            }
            Action::Stop => (stream.flooding, stream.backlog, stream.closing) = (false, 0, true),
            Action::Write { .. } | Action::Open { .. } => {}
        }
        Ok(stream.fill(&self.zeros)?)
    }

    /// Writes a message to a connection; `last` closes it after the message.
    pub(super) fn write(
        &mut self,
        flow: usize,
        place: usize,
        message: Message,
        last: bool,
    ) -> io::Result<()> {
        let Some(stream) = &mut self.streams[place] else { return Ok(()) };
        stream.backlog += message.size.get();
        stream.closing |= last;
        self.flows[flow].application.expect(
            &mut stream.ledger,
            message,
            stream.written + stream.backlog,
        );
        Ok(stream.fill(&self.zeros)?)
    }

    /// Opens a connection of a flow. Returns its index.
    fn connect(&mut self, flow: usize) -> io::Result<usize> {
        let plan = &self.scenario.flows[flow];
        let unsent = most_unsent(self.scenario, plan);
        self.hosts[self.ends[flow].0].namespace.move_into()?;
        let sender = open::sender(self.flows[flow].to, &self.plan.flows[flow], unsent)?;
        let port = SocketAddr::try_from(getsockname(&sender)?)?.port();
        let place = self.place();
        self.watch(Some(&sender), place, Role::Sender)?;
        self.streams[place] = Some(Stream::new(flow, sender, piece(unsent)));
        self.flows[flow].unaccepted.insert(port, place);
        self.flows[flow].streams.insert(place);
        Ok(place)
    }

    /// Returns an empty index for a connection.
    pub(super) fn place(&mut self) -> usize {
        self.free.pop().unwrap_or_else(|| {
            self.streams.push(None);
            self.streams.len() - 1
        })
    }
}

/// Returns the most bytes to write at once.
pub(super) fn piece(unsent: Option<u32>) -> usize {
    unsent.map_or(CHUNK, |unsent| (unsent as usize).min(CHUNK))
}

/// Returns the limit of unsent data in a socket (`TCP_NOTSENT_LOWAT`), for a flow that stops
/// offering data: the kernel sends all data that it has taken, however late. It wakes the writer
/// when half of the limit is left, which covers the time by which the writer may be late.
pub(super) fn most_unsent(scenario: &Scenario, flow: &Flow) -> Option<u32> {
    let bursts =
        matches!(&flow.workload, Workload::OnOff(OnOff { on: On::Time(_), rate: None, .. }));
    if !bursts && flow.stop.is_none() && flow.pauses.is_empty() {
        return None;
    }
    let slowest = flow.route.iter().filter_map(|id| scenario.links[id.0].config.rate.mean()).min();
    slowest.map(|rate| rate.bytes_in(TICK * 2).max(flow.transport.mss * 2).get() as u32)
}
