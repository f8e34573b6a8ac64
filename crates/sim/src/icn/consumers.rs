//! Consumers come, ask, and go.

use super::instance::ConsumerInstance;
use super::nodes::{FaceTarget, Nodes, Tally};
use super::parcel::Parcel;
use crate::error::SimError;
use narrows_icn::{
    AnyConsumer, ConsumerSetup, FaceConfig, Interned, InternedContent, Method, Nacking, Neighbour,
    Packet, ProxyConfig,
};
use narrows_measure::{FlowRecord, Transfer, Transfers};
use narrows_network::Network;
use narrows_scenario::{Icn, Ideal, NodeId};
use narrows_traffic::{ContentId, Request};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::Rates;

pub(super) fn consumer(
    icn: &Icn,
    by: &Method,
    data: Bytes,
    content: InternedContent,
    segments: Option<u64>,
    start: Time,
    seed: u64,
) -> Result<AnyConsumer<InternedContent>, SimError> {
    let setup = ConsumerSetup {
        seed,
        interest: icn.interest,
        data,
        lifetime: icn.lifetime,
        form: icn.steering,
        catch_up: Span::ZERO,
    };
    AnyConsumer::new(by, &setup, content, segments, start).map_err(|error| SimError::Controller {
        flow: by.text().to_owned(),
        problem: error.to_string(),
    })
}

/// A content as names have it.
pub(super) fn interned(content: ContentId) -> InternedContent {
    InternedContent { prefix: content.prefix.0 as u32, content: content.number }
}

/// The face of a consumer.
pub(super) fn consumer_face(icn: &Icn, by: &Method) -> FaceConfig {
    let Neighbour { rates, nacks } = neighbour(icn, by);
    FaceConfig {
        rates,
        nacks,
        proxy: icn.proxy.then(ProxyConfig::default),
        police: icn.police,
        ..FaceConfig::APPLICATION
    }
}

/// The role of a consumer for its node: one with a window knows nothing of rates where a proxy
/// follows them for it.
fn neighbour(icn: &Icn, by: &Method) -> Neighbour {
    match by {
        Method::Window(_) if icn.proxy => {
            Neighbour { rates: false, nacks: Nacking::ExceptCongestion }
        }
        _ => Neighbour { rates: true, nacks: Nacking::Always },
    }
}

/// The capacity of a node's links together: the rate for consumers that need none of them, which
/// nothing else limits. An application whose node does not know its links can ask for more than
/// they carry.
pub(super) fn most(icn: &Icn, capacities: &[Rate], node: usize) -> Rates {
    let links = icn
        .faces
        .iter()
        .filter(|face| face.node.0 == node)
        .map(|face| capacities[face.coming.0].as_bps());
    let excess = if icn.measured { 4 } else { 1 };
    let sum = Rate::from_bps(links.fold(0, u64::saturating_add).saturating_mul(excess));
    Rates { primary: sum, secondary: sum }
}

pub(super) fn begin(tally: &mut Tally, start: Time, warmup: Time) {
    if let Some(transfers) = &mut tally.transfers {
        transfers.begun += (start >= warmup) as u64;
    }
}

impl Nodes<'_> {
    /// A content of a request process is asked for.
    pub(super) fn on_request(&mut self, network: &mut Network<Parcel>, now: Time) {
        let request = self.requests.next(&mut self.contents);
        self.agenda.set(self.requests_element(), self.requests.due());
        if let Some(request) = request {
            let place = self.spawn(now, &request);
            self.on_instance(network, now, place);
        }
    }

    /// Data or a Nack reaches a consumer.
    pub(super) fn deliver(&mut self, now: Time, place: usize, mut packet: Packet<Interned>) {
        let instance = &mut self.instances[place];
        match &mut packet {
            Packet::Data(data) => data.rates = data.rates.min(instance.most),
            Packet::Nack(nack) => nack.rates = nack.rates.min(instance.most),
            Packet::Interest(_) => {}
        }
        instance.consumer.handle(now, &packet);
        self.spare.give(packet);
        if let Some(rtt) = instance.consumer.take_rtt() {
            self.tallies[instance.flow].rtt.record(rtt);
        }
        self.ask(now, place);
    }

    /// A consumer sends what it has to send, and is done if it has everything. Its node is drained
    /// by the caller.
    fn ask(&mut self, now: Time, place: usize) {
        let instance = &mut self.instances[place];
        let node = &mut self.forwarders[instance.node];
        while self.pulse.goes_on(now)
            && let Some(interest) = instance.consumer.interest()
        {
            let interest = self.spare.interest(interest);
            node.handle(now, instance.face, interest, &mut self.spare);
        }
        if !instance.over && instance.consumer.finished() {
            self.fail(place);
            self.finish(now, place);
        }
        let due = self.instances[place].due();
        self.agenda.set(self.elements().passing(place), due);
    }

    pub(super) fn on_instance(&mut self, network: &mut Network<Parcel>, now: Time, place: usize) {
        let instance = &mut self.instances[place];
        if now >= instance.stop {
            instance.consumer.stop();
            self.tallies[instance.flow].stopped_with = Some(instance.consumer.counters().goodput);
            instance.stop = Time::NEVER;
        }
        if instance.consumer.fault().is_some() {
            return self.fail(place);
        }
        instance.consumer.poll(now);
        let node = instance.node;
        self.ask(now, place);
        self.drain(network, now, node);
    }

    /// Ends the run if the controller of a consumer cannot go on.
    #[cold]
    fn fail(&mut self, place: usize) {
        let instance = &self.instances[place];
        let Some((at, fault)) = instance.consumer.fault() else { return };
        let FlowRecord { name, controller, .. } =
            self.icn.flow_records(self.scenario).swap_remove(instance.flow);
        self.pulse.fail(SimError::Fault {
            flow: name,
            controller,
            at: at.since(Time::ZERO),
            fault: fault.clone(),
        });
    }

    /// Starts a consumer for one content of a request process. Returns its place.
    fn spawn(&mut self, now: Time, request: &Request) -> usize {
        let plan = &self.icn.requests[request.process];
        let flow = request.flow;
        let node = plan.at[request.node].0;
        let prefix = request.content.prefix;
        let most = most(self.icn, &self.capacities, node);
        let data = self.icn.prefixes[prefix.0].data;
        let made = consumer(
            self.icn,
            &plan.by,
            data,
            interned(request.content),
            Some(request.segments),
            now,
            request.seed,
        );
        let consumer =
            made.expect("what one consumer of a process was made with makes the next one");
        let (place, face) = match self.free[node].pop() {
            Some(place) => {
                let face = self.instances[place].face;
                self.forwarders[node].set_neighbour(face, neighbour(self.icn, &plan.by));
                (place, face)
            }
            None => {
                let face = self.forwarders[node].add_face(now, &consumer_face(self.icn, &plan.by));
                self.targets[node].push(FaceTarget::Consumer(self.instances.len()));
                (self.instances.len(), face)
            }
        };
        let instance = ConsumerInstance {
            consumer,
            node,
            face,
            flow,
            start: now,
            stop: Time::NEVER,
            prefix,
            segments: request.segments,
            data,
            most,
            over: false,
        };
        if place == self.instances.len() {
            self.instances.push(instance);
            self.agenda.grow(self.elements().passing(self.instances.len()));
        } else {
            self.instances[place] = instance;
        }
        self.tallies[flow].working += 1;
        begin(&mut self.tallies[flow], now, Time::ZERO + self.scenario.warmup);
        place
    }

    /// A consumer has its whole content.
    pub(super) fn finish(&mut self, now: Time, place: usize) {
        let instance = &mut self.instances[place];
        instance.over = true;
        let flow = instance.flow;
        let size = Bytes::new(instance.segments * instance.data.get());
        let node = NodeId(instance.node);
        let prefix = instance.prefix;
        let ideal = self
            .ideals
            .entry((node, prefix))
            .or_insert_with(|| Ideal::new(self.scenario, self.icn, node, prefix));
        let ideal = ideal.time(instance.segments);
        let transfer =
            Transfer { start: instance.start, size, took: now.since(instance.start), ideal };
        let tally = &mut self.tallies[flow];
        tally.working -= 1;
        let transfers: &mut Transfers = tally.transfers.get_or_insert_default();
        if instance.start >= Time::ZERO + self.scenario.warmup {
            transfers.count(&transfer);
        }
        if self.listable > 0 {
            self.listable -= 1;
            transfers.list.push(transfer);
        }
        if flow < self.icn.consumers.len() {
            tally.finished = Some(now);
        } else {
            instance.add_to(&mut tally.gone, &mut tally.gone_asking);
            self.free[instance.node].push(place);
        }
    }
}
