//! All sockets of a run, with the applications that use them.

use super::datagrams::Datagrams;
use super::events::{Role, key};
use super::flow::{Endpoint, FlowSockets, FlowView};
use super::open;
use super::stream::{CHUNK, Stream};
use crate::error::LiveError;
use crate::host::Host;
use crate::plan::{Plan, port};
use narrows_measure::{FlowCounters, Histogram};
use narrows_scenario::{Flow, Scenario, Workload};
use narrows_traffic::{Application, LISTED};
use narrows_units::Time;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::io::Errno;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, OwnedFd};

/// All sockets of a run, with the applications that use them.
pub struct Sockets<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) hosts: &'a [Host],
    /// Hosts of each flow.
    pub(super) ends: &'a [(usize, usize)],
    pub(super) plan: &'a Plan,
    pub(super) epoll: OwnedFd,
    pub(super) flows: Vec<FlowSockets>,
    pub(super) streams: Vec<Option<Stream>>,
    /// Empty indices of `streams`.
    pub(super) free: Vec<usize>,
    /// Times at which flows want to act.
    pub(super) agenda: BTreeSet<(Time, usize)>,
    /// Number of transfers that can still be listed.
    pub(super) room: u64,
    pub(super) zeros: Vec<u8>,
    /// Lateness of the thread.
    pub lateness: Histogram,
}

impl<'a> Sockets<'a> {
    /// Opens the receivers of all flows, without connections. `ends` are the hosts of each flow.
    pub fn open(
        scenario: &'a Scenario,
        hosts: &'a [Host],
        ends: &'a [(usize, usize)],
        plan: &'a Plan,
    ) -> Result<Sockets<'a>, LiveError> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)
            .map_err(|error| LiveError::system("epoll", "see `narrows doctor`")(error.into()))?;
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
            let flow_sockets =
                sockets.receiver(index, flow).map_err(|error| sockets.failed(index, error))?;
            sockets.flows.push(flow_sockets);
            sockets.plan(index);
        }
        Ok(sockets)
    }

    fn receiver(&self, index: usize, flow: &Flow) -> io::Result<FlowSockets> {
        let (from, at) = (&self.hosts[self.ends[index].0], &self.hosts[self.ends[index].1]);
        let options = &self.plan.flows[index];
        let to = SocketAddr::new(at.address(options.class, options.v6), port(index));
        let (mut endpoint, mut listener) = (Endpoint::None, None);
        // A receiver that opens a connection for each request connects from this port.
        let connects = flow.workload.receiver_opens() && flow.workload.opens_connections();
        if flow.controller.is_some() && !connects {
            listener = Some(at.namespace.enter(|| open::listener(to, options, None))?);
            self.watch(listener.as_ref(), index, Role::Listener)?;
        } else if flow.controller.is_none() {
            let datagrams = Datagrams::open(from, at, to, &flow.transport)?;
            self.watch(Some(&datagrams.receiver), index, Role::Datagrams)?;
            endpoint = Endpoint::Datagrams(Box::new(datagrams));
        }
        let opens_at = match (&flow.controller, &flow.workload) {
            (None, _) => Time::NEVER,
            (_, workload) if workload.opens_connections() => Time::NEVER,
            // The client has opened the connection before the first request.
            (_, Workload::Requests(_)) => Time::ZERO,
            _ => flow.start,
        };
        Ok(FlowSockets {
            application: Application::new(self.scenario, flow),
            endpoint,
            listener,
            to,
            opens_at,
            scheduled: Time::NEVER,
            streams: BTreeSet::new(),
            unaccepted: BTreeMap::new(),
            closed: FlowCounters::default(),
            samples: Vec::new(),
            at_warmup: FlowView::default(),
        })
    }

    /// Adds a socket to epoll.
    pub(super) fn watch(
        &self,
        socket: Option<impl AsFd>,
        index: usize,
        role: Role,
    ) -> Result<(), Errno> {
        let Some(socket) = socket else { return Ok(()) };
        let what = match role {
            Role::Listener | Role::Datagrams | Role::Acceptor => EventFlags::IN,
            Role::Sender | Role::Receiver => EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP,
        };
        epoll::add(&self.epoll, socket, EventData::new_u64(key(index, role)), what | EventFlags::ET)
    }

    /// Makes the error of a flow whose socket failed.
    pub(super) fn failed(&self, flow: usize, error: impl Into<io::Error>) -> LiveError {
        let error = error.into();
        let name = &self.scenario.flows[flow].name;
        let (what, remedy) = match Errno::from_io_error(&error) {
            Some(Errno::ADDRNOTAVAIL | Errno::ADDRINUSE) => (
                "finds no port for a further connection",
                "let fewer transfers arrive in a second, or be under way at once",
            ),
            Some(Errno::MFILE | Errno::NFILE) => (
                "cannot open a further socket",
                "raise the limit of open files (ulimit -n), or let fewer transfers arrive",
            ),
            Some(Errno::NOMEM | Errno::NOBUFS) => {
                ("gets no memory for its sockets", "let fewer flows or connections run at once")
            }
            Some(Errno::TIMEDOUT) => (
                "was given up by the kernel, which had no answer for too long",
                "shorten the outages on its route, or simulate it with narrows run",
            ),
            Some(Errno::CONNRESET | Errno::PIPE | Errno::CONNREFUSED) => (
                "was cut off by its far end",
                "run it again; another process may have closed its sockets",
            ),
            _ => ("failed", "see `narrows doctor`"),
        };
        LiveError::system(format!("flow \"{name}\" {what}"), remedy)(error)
    }
}
