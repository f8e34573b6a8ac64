//! The flows of a scenario as kernel sockets: their applications write to them, and hear what was read at the far end.

mod act;
mod datagrams;
mod flow;
mod open;
mod serve;
mod stream;

pub use datagrams::{DATAGRAM_HEADERS, number_of};
pub use flow::Outcome;

use crate::clock::Clock;
use crate::error::LiveError;
use crate::hosts::Host;
use crate::precision;
use crate::tcp_info::{INFINITE_SSTHRESH, TcpInfo};
use crate::terms::{Plan, UNLIMITED_PACING, port};
use datagrams::Datagrams;
use flow::{Look, Own, Talk};
use narrows_measure::{FlowCounters, FlowSample, Histogram};
use narrows_params::Need;
use narrows_scenario::{Flow, Scenario, Workload};
use narrows_traffic::{Application, LISTED, Ledger};
use narrows_units::{Rate, Span, Time};
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::io::Errno;
use rustix::time::Timespec;
use serve::{Role, key};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, OwnedFd};
use stream::Stream;

/// The port where the receiver of the first flow listens; the others follow.
pub const FIRST_PORT: u16 = 5001;

/// Most bytes written or read at once.
const CHUNK: usize = 256 * 1024;

/// The longest wait: how soon a stop is noticed.
const NAP: Span = Span::from_millis(50);

/// All sockets of a run, and the applications that use them.
pub struct Sockets<'a> {
    scenario: &'a Scenario,
    hosts: &'a [Host],
    /// The places of each flow's hosts.
    ends: &'a [(usize, usize)],
    plan: &'a Plan,
    epoll: OwnedFd,
    flows: Vec<Talk>,
    streams: Vec<Option<Stream>>,
    /// Places in `streams` that are empty.
    free: Vec<usize>,
    /// When each flow wants to act.
    agenda: BTreeSet<(Time, usize)>,
    /// How many more transfers are listed.
    room: u64,
    zeros: Vec<u8>,
    /// How late it was for what was due.
    pub lateness: Histogram,
}

impl<'a> Sockets<'a> {
    /// Opens the receivers of all flows; none is connected yet. `ends` are the places of each flow's hosts.
    pub fn open(scenario: &'a Scenario, hosts: &'a [Host], ends: &'a [(usize, usize)], plan: &'a Plan) -> Result<Sockets<'a>, LiveError> {
        open::raise_file_limit();
        let epoll =
            epoll::create(CreateFlags::CLOEXEC).map_err(|error| LiveError::system("epoll", "see `narrows doctor`")(error.into()))?;
        let mut sockets = Sockets {
            scenario,
            hosts,
            ends,
            plan,
            epoll,
            flows: Vec::new(),
            streams: Vec::new(),
            free: Vec::new(),
            agenda: BTreeSet::new(),
            room: LISTED,
            zeros: vec![0; CHUNK],
            lateness: Histogram::new(),
        };
        for (index, flow) in scenario.flows.iter().enumerate() {
            let talk = sockets.receiver(index, flow).map_err(|error| sockets.failed(index, error))?;
            sockets.flows.push(talk);
            sockets.plan(index);
        }
        Ok(sockets)
    }

    fn receiver(&self, index: usize, flow: &Flow) -> io::Result<Talk> {
        let (from, at) = (&self.hosts[self.ends[index].0], &self.hosts[self.ends[index].1]);
        let terms = &self.plan.flows[index];
        let to = SocketAddr::new(at.address(terms.class, terms.v6), port(index));
        let (mut own, mut listener) = (Own::None, None);
        if flow.controller.is_some() {
            listener = Some(at.namespace.enter(|| open::listener(to, terms))?);
            self.watch(listener.as_ref(), index, Role::Listener)?;
        } else {
            let datagrams = Datagrams::open(from, at, to, &flow.transport)?;
            self.watch(Some(&datagrams.receiver), index, Role::Datagrams)?;
            own = Own::Datagrams(Box::new(datagrams));
        }
        let opens_at = match (&flow.controller, &flow.workload) {
            (None, _) | (_, Workload::Arrivals(_)) => Time::NEVER,
            // Its client has opened it before the first request.
            (_, Workload::Requests(_)) => Time::ZERO,
            _ => flow.start,
        };
        Ok(Talk {
            application: Application::new(self.scenario, flow),
            own,
            listener,
            to,
            opens_at,
            noted: Time::NEVER,
            streams: BTreeSet::new(),
            unaccepted: BTreeMap::new(),
            gone: FlowCounters::default(),
            samples: Vec::new(),
            at_warmup: Look::default(),
        })
    }

    /// Lets events of a socket wake the loop.
    fn watch(&self, socket: Option<impl AsFd>, index: usize, role: Role) -> Result<(), Errno> {
        let Some(socket) = socket else { return Ok(()) };
        let what = match role {
            Role::Listener | Role::Datagrams => EventFlags::IN,
            Role::Sender | Role::Receiver => EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP,
        };
        epoll::add(&self.epoll, socket, EventData::new_u64(key(index, role)), what | EventFlags::ET)
    }

    /// Runs all flows until the scenario ends, with a sample at each interval. Moves the calling thread between namespaces.
    pub fn run(&mut self, clock: Clock, go_on: &dyn Fn() -> bool) -> Result<(), LiveError> {
        // Applications have nothing to wait for but their sockets.
        precision::sharpen();
        let (end, interval) = (Time::ZERO + self.scenario.duration, self.scenario.interval);
        let (mut sample_at, mut warmup) = (Time::ZERO + interval, Time::ZERO + self.scenario.warmup);
        let mut events = Vec::with_capacity(256);
        let mut next = Time::NEVER;
        loop {
            let now = clock.now();
            if next <= now {
                self.lateness.record(now.since(next));
                next = Time::NEVER;
            }
            if now < end && !go_on() {
                return Ok(());
            }
            if sample_at <= now.min(end).min(warmup) {
                self.sample(sample_at);
                sample_at += interval;
            } else if warmup <= now {
                self.end_warmup();
                warmup = Time::NEVER;
            } else if now >= end {
                // What was to begin before is counted, however late the thread is.
                return self.act(end);
            } else {
                self.act(now)?;
                let due = self.agenda.first().map_or(Time::NEVER, |(at, _)| *at);
                next = due.min(sample_at).min(warmup).min(end).min(now + NAP);
                events.clear();
                let wait = next.since(clock.now().min(next)).as_nanos();
                let timeout = Timespec { tv_sec: (wait / 1_000_000_000) as i64, tv_nsec: (wait % 1_000_000_000) as i64 };
                match epoll::wait(&self.epoll, rustix::buffer::spare_capacity(&mut events), Some(&timeout)) {
                    Ok(_) | Err(Errno::INTR) => {}
                    Err(error) => return Err(LiveError::system("epoll", "see `narrows doctor`")(error.into())),
                }
                for event in &events {
                    self.serve(event.data.u64(), event.flags, clock.now())?;
                }
            }
        }
    }

    /// What is to be seen of a flow.
    fn look(&self, flow: usize) -> Look {
        let talk = &self.flows[flow];
        let mut look = Look { counters: talk.gone, ..Look::default() };
        for place in &talk.streams {
            let Some(stream) = &self.streams[*place] else { continue };
            let Ok(info) = TcpInfo::of(&stream.sender) else { continue };
            look.add(&info, &stream.opening);
            if matches!(talk.own, Own::Stream(own) if own == *place) {
                look.own = info;
            }
        }
        look
    }

    fn end_warmup(&mut self) {
        for flow in 0..self.flows.len() {
            self.flows[flow].at_warmup = self.look(flow);
        }
    }

    fn sample(&mut self, at: Time) {
        for flow in 0..self.flows.len() {
            let look = self.look(flow);
            let Look { in_flight, connections, own, .. } = &look;
            let sample = FlowSample {
                at,
                cwnd: own.snd_cwnd.into(),
                ssthresh: (own.snd_cwnd > 0 && own.snd_ssthresh < INFINITE_SSTHRESH).then(|| own.snd_ssthresh.into()),
                in_flight: *in_flight,
                connections: *connections,
                pacing: self.pacing(flow, own),
                ..FlowSample::default()
            };
            self.flows[flow].samples.push(sample);
        }
    }

    /// At what rate a flow paces, if it does: the kernel computes a rate for every connection, of payload alone (`tcp_update_pacing_rate`).
    fn pacing(&self, flow: usize, info: &TcpInfo) -> Option<Rate> {
        let plan = &self.scenario.flows[flow];
        let paces = self.plan.flows[flow].paced || plan.controller.as_ref()?.entry().needs.contains(&Need::Pacing);
        let known = (1..UNLIMITED_PACING).contains(&info.pacing_rate);
        let (payload, headers) = (plan.transport.mss.get(), plan.transport.headers.get());
        (paces && known)
            .then(|| Rate::from_bps((info.pacing_rate.saturating_mul(8) as f64 * (1.0 + headers as f64 / payload as f64)) as u64))
    }

    /// What came of each flow.
    pub fn finish(mut self) -> Vec<Outcome> {
        let looks: Vec<Look> = (0..self.flows.len()).map(|flow| self.look(flow)).collect();
        let flows = self.flows.into_iter().zip(looks);
        let outcome = |(talk, at_end): (Talk, Look)| {
            let ledger = match talk.own {
                Own::None => Ledger::new(),
                Own::Stream(place) => self.streams[place].take().map_or_else(Ledger::new, |stream| stream.ledger),
                Own::Datagrams(datagrams) => datagrams.ledger,
            };
            Outcome { application: talk.application, ledger, samples: talk.samples, at_warmup: talk.at_warmup, at_end }
        };
        flows.map(outcome).collect()
    }

    /// What is told of a flow whose sockets fail.
    fn failed(&self, flow: usize, error: impl Into<io::Error>) -> LiveError {
        let error = error.into();
        let name = &self.scenario.flows[flow].name;
        let (what, remedy) = match Errno::from_io_error(&error) {
            Some(Errno::ADDRNOTAVAIL) => {
                ("finds no port for a further connection", "let fewer transfers arrive in a second, or be under way at once")
            }
            Some(Errno::MFILE | Errno::NFILE) => {
                ("cannot open a further socket", "raise the limit of open files (ulimit -n), or let fewer transfers arrive")
            }
            Some(Errno::NOMEM | Errno::NOBUFS) => ("gets no memory for its sockets", "let fewer flows or connections run at once"),
            Some(Errno::TIMEDOUT) => (
                "was given up by the kernel, which had no answer for too long",
                "shorten the outages on its route, or simulate it with narrows run",
            ),
            Some(Errno::CONNRESET | Errno::PIPE | Errno::CONNREFUSED) => {
                ("was cut off by its far end", "run it again; another process may have closed its sockets")
            }
            _ => ("failed", "see `narrows doctor`"),
        };
        LiveError::system(format!("flow \"{name}\" {what}"), remedy)(error)
    }
}
