//! The hosts: connections, applications, and what is counted of them.

use crate::SimError;
use crate::carried::Carried;
use crate::endpoint::{Endpoint, Ends, opens};
use crate::event_loop::{Elements, Probe};
use crate::guest::Datagrams;
use crate::overhead::Overhead;
use crate::packet::{Net, Options};
use crate::probes::{Flows, Probes};
use crate::pulse::{Progress, Pulse};
use crate::source::{Source, Tally};
use crate::watch::Watch;
use narrows_control::Datagram;
use narrows_network::Agenda;
use narrows_scenario::Scenario;
use narrows_transport::{Handshake, Room};
use narrows_units::{Random, Time};

/// The hosts of a network, on which flows run.
pub(crate) struct Hosts<'a, O, C> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) agenda: Agenda,
    /// The flows, in the scenario's order.
    pub(crate) sources: Vec<Source>,
    pub(crate) tallies: Vec<Tally>,
    /// The connection of each flow, in the same order, and after them those that come and go.
    pub(crate) slots: Vec<Endpoint>,
    pub(crate) options: Options,
    pub(crate) overhead: Overhead,
    pub(crate) probes: Probes,
    pub(crate) observer: &'a mut O,
    /// Transfers that can still be listed one by one.
    pub(crate) listable: u64,
    pub(crate) pulse: Pulse<'a>,
    /// Packets that there may be in the network, and segments that connections may have
    /// outstanding.
    pub(crate) room: u64,
    /// True if the state that packets will touch is fetched before they come.
    pub(crate) fetches_ahead: bool,
    /// Room for what senders list at an event.
    pub(crate) lists: Room,
    /// Connections that may be open at once, where transfers open their own.
    pub(crate) most_open: usize,
    /// The contents of guests' datagrams in the network. These fields come last: TCP needs none.
    pub(crate) datagrams: Datagrams,
    /// Datagrams that the acting end of a guest has sent.
    pub(crate) outbox: Vec<Datagram>,
    carried: std::marker::PhantomData<C>,
}

/// Most packets in the network, and most segments that all connections have outstanding: ours. Of
/// either it is about a gigabyte of memory, and 25 GB of full packets.
const ROOM: u64 = 1 << 24;

/// Most connections open at once where each transfer opens its own: ours. They are some two
/// gigabytes.
const MOST_OPEN: usize = 1 << 20;

/// More flows than this have more state than the second-level caches of processors of these years
/// hold, 1 to 2 MiB: two kilobytes of each are touched by its packets.
const FETCHED: usize = 1 << 9;

/// Connections of ours that need as much memory as one of a guest: an idle connection of noq, with
/// both endpoints, is 129 kB, one of quinn 74 kB.
const GUEST_WEIGHT: usize = 64;

/// The seed of a flow's controller in a run of this seed: what a controller is made with
/// ([`Setup::seed`](narrows_control::Setup::seed)), and tells flows apart by. Of flows that open a
/// connection for each transfer, each connection has another.
pub fn controller_seed(seed: u64, flow: &str) -> u64 {
    Random::stream(seed, &format!("flow {flow} controller")).bits()
}

impl<'a, O: Watch, C: Carried> Hosts<'a, O, C> {
    pub(crate) fn new(
        scenario: &'a Scenario,
        network: &Net<C>,
        listable: u64,
        progress: Progress<'a>,
        observer: &'a mut O,
    ) -> Result<Hosts<'a, O, C>, SimError> {
        let overhead = Overhead::new(scenario, network);
        let mut slots = Vec::with_capacity(scenario.flows.len());
        let mut sources = Vec::with_capacity(scenario.flows.len());
        for (index, flow) in scenario.flows.iter().enumerate() {
            let seed = controller_seed(scenario.seed, &flow.name);
            let mut ends = Ends::new(flow, seed, flow.saved)?;
            if let Ends::Guest(hosted) = &mut ends
                && let Some(out) = observer.own_log(index)
            {
                let refused = |problem| SimError::Controller { flow: flow.name.clone(), problem };
                hosted.log(out).map_err(refused)?;
            }
            let ends = if flow.workload.opens_connections() { Ends::None } else { ends };
            let random = Random::stream(scenario.seed, &format!("flow {} overhead", flow.name));
            let mut endpoint = Endpoint::new(index, flow, ends, overhead.of(index), random);
            if opens(flow) {
                match endpoint.ends {
                    Ends::Guest(_) => endpoint.note_ready(Some(flow.start)),
                    _ => endpoint.open(Handshake::new(&flow.transport), flow.start),
                }
            }
            let source = Source::new(scenario, flow);
            endpoint.source_due = source.due();
            slots.push(endpoint);
            sources.push(source);
        }
        let elements = Elements::new(sources.len());
        let mut agenda = Agenda::new(elements.passing(0));
        for (index, source) in sources.iter().enumerate() {
            agenda.set(index, source.due().min(slots[index].due()));
        }
        let first = scenario.changes.first().map_or(Time::NEVER, |first| first.at);
        let refresh = overhead.next_refresh(Time::ZERO);
        agenda.set(elements.probe(Probe::Sample), Time::ZERO + scenario.interval);
        agenda.set(elements.probe(Probe::WarmUp), Time::ZERO + scenario.warmup);
        agenda.set(elements.probe(Probe::Change), first);
        agenda.set(elements.probe(Probe::Rates), refresh);
        Ok(Hosts {
            scenario,
            agenda,
            sources,
            tallies: vec![Tally::default(); scenario.flows.len()],
            slots,
            options: Options::default(),
            overhead,
            probes: Probes::new(scenario),
            observer,
            listable,
            pulse: Pulse::new(progress),
            room: ROOM,
            fetches_ahead: scenario.flows.len() > FETCHED,
            lists: Room::default(),
            most_open: MOST_OPEN,
            datagrams: Datagrams::default(),
            outbox: Vec::new(),
            carried: std::marker::PhantomData,
        })
    }

    /// The element of the agenda that a slot is.
    #[inline]
    pub(crate) fn element(&self, slot: usize) -> usize {
        let flows = self.sources.len();
        if slot < flows { slot } else { Elements::new(flows).passing(slot - flows) }
    }

    /// The flows as they are.
    pub(crate) fn flows(&self) -> Flows<'_> {
        Flows { slots: &self.slots, sources: &self.sources, tallies: &self.tallies }
    }

    /// Ends the run: the network has no room for more packets.
    #[cold]
    pub(crate) fn crowd(&mut self, packets: u64, now: Time) {
        let (flow, own) = self.flow_with_most(|slot| slot.in_network);
        self.pulse.fail(SimError::Crowded { flow, packets, own, at: now.since(Time::ZERO) });
    }

    /// The most connections like this one that may be open at once.
    pub(crate) fn most_open(&self, ends: &Ends) -> usize {
        match ends {
            Ends::Guest(_) => self.most_open / GUEST_WEIGHT,
            _ => self.most_open,
        }
    }

    /// Ends the run: no more connections may be open.
    #[cold]
    pub(crate) fn overload(&mut self, now: Time) {
        let open =
            |slot: &Endpoint| u32::from(matches!(slot.ends, Ends::Transport(_) | Ends::Guest(_)));
        let connections = self.slots.iter().map(|slot| u64::from(open(slot))).sum();
        let (flow, own) = self.flow_with_most(open);
        self.pulse.fail(SimError::Connections {
            flow,
            connections,
            own,
            at: now.since(Time::ZERO),
        });
    }

    /// Ends the run if connections together have more outstanding than there is room for: what the
    /// network drops is not in it, and kept by senders all the same.
    pub(crate) fn check_outstanding(&mut self, now: Time) {
        let outstanding = |slot: &Endpoint| {
            if let Ends::Transport(ends) = &slot.ends { ends.0.outstanding() } else { 0 }
        };
        let segments: u64 = self.slots.iter().map(|slot| u64::from(outstanding(slot))).sum();
        if segments > self.room {
            let (flow, own) = self.flow_with_most(outstanding);
            self.pulse.fail(SimError::Outstanding {
                flow,
                segments,
                own,
                at: now.since(Time::ZERO),
            });
        }
    }

    /// The flow whose connections together have most of something, and how much.
    fn flow_with_most(&self, of: impl Fn(&Endpoint) -> u32) -> (String, u64) {
        let mut own = vec![0u64; self.sources.len()];
        self.slots.iter().for_each(|slot| own[slot.flow as usize] += u64::from(of(slot)));
        let (most, own) =
            own.into_iter().enumerate().max_by_key(|(_, much)| *much).unwrap_or((0, 0));
        (self.scenario.flows[most].name.clone(), own)
    }

    /// A slot may be due at `due`, earlier than its element is. Of a later time nothing is noted:
    /// what comes too early comes without effect, which is cheaper.
    #[inline]
    pub(crate) fn hasten(&mut self, slot: usize, due: Time) {
        let element = self.element(slot);
        if due < self.agenda.time_of(element) {
            self.agenda.set(element, due);
        }
    }

    /// Ends the run if the controller of a slot cannot go on.
    #[cold]
    pub(crate) fn fail(&mut self, slot: usize) {
        let flow = &self.scenario.flows[self.slots[slot].flow as usize];
        let Some((at, fault)) = self.slots[slot].ends.sender().and_then(|sender| sender.fault())
        else {
            return;
        };
        let controller = flow.controller.as_ref().map_or("", |choice| choice.text()).to_owned();
        self.pulse.fail(SimError::Fault {
            flow: flow.name.clone(),
            controller,
            at: at.since(Time::ZERO),
            fault: fault.clone(),
        });
    }

    /// The rates of the network may have changed, and with them what hosts take to send.
    #[cold]
    pub(crate) fn refresh_overhead(&mut self, network: &Net<C>, now: Time) {
        if !self.overhead.refresh(network, now) {
            return;
        }
        for slot in 0..self.slots.len() {
            let endpoint = &mut self.slots[slot];
            endpoint.set_overhead(now, self.overhead.of(endpoint.flow as usize));
            let due = endpoint.due();
            self.hasten(slot, due);
        }
    }

    /// A connection may be ready to send, or its timers earlier.
    #[inline]
    pub(crate) fn reschedule(&mut self, now: Time, slot: usize) {
        let endpoint = &mut self.slots[slot];
        let ready = endpoint.ends.sender().and_then(|sender| sender.ready_at(now));
        endpoint.note_ready(ready);
        let due = endpoint.due();
        self.hasten(slot, due);
    }
}
