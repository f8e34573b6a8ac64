//! Datasets: the state of the daemon as segmented Data.

use super::reply::{Reply, management_data};
use super::response::Outcome;
use super::{strategies, tables};
use crate::name::PacketName;
use crate::rib::Route;
use crate::shard::{TABLES, TableUse};
use crate::state::State;
use crate::stored::Dataset;
use narrows_ndn::management::{
    ChannelStatus, CsInfo, Entry, FaceQueryFilter, FaceScope, FaceStatus, FibEntry, GeneralStatus,
    LinkType, ManagementName, NextHopRecord, RibEntry, StrategyChoice, StrategyName, TableStatus,
    route_flags,
};
use narrows_ndn::signature::Signer;
use narrows_ndn::{ContentType, DataDraft, MetaInfo, Name, number};
use narrows_units::{Rate, Time};

/// Makes the dataset of this name. `None` if there is no such dataset. A name that ends with a
/// version or a segment gets an empty reply, because its Data is no longer stored.
pub(super) fn answer(
    state: &mut State,
    now: Time,
    name: &ManagementName<'_>,
    whole: &PacketName,
) -> Option<Reply> {
    let last = name.rest.last().map(|last| u32::from(last.number));
    let is_part = matches!(last, Some(number::VERSION | number::SEGMENT));
    // The large datasets are cached: only commands change them, so that many requests cost little.
    let source = match (name.module, name.verb) {
        // If routes expire, the list changes without a command, because it contains their remaining
        // time.
        (b"rib", b"list") if state.rib.due().is_none() => Some(("rib", state.rib.generation())),
        (b"fib", b"list") => Some(("fib", state.rib.generation())),
        _ => None,
    };
    let known =
        source.filter(|_| !is_part).and_then(|source| state.memory.stored.content_of(now, source));
    let made = match (name.module, name.verb) {
        _ if known.is_some() => Vec::new(),
        (b"rib", b"list") | (b"fib", b"list") if is_part => return Some(Reply::new()),
        (b"tables", b"list") => uses(state),
        (b"status", b"general") => general(state, now),
        (b"faces", b"list") => faces(state, now, &FaceQueryFilter::default()),
        (b"faces", b"query") => {
            match name.rest.component(0).map(|component| FaceQueryFilter::decode(component.value)) {
                Some(Ok(filter)) => faces(state, now, &filter),
                _ => return Some(vec![refused(whole)]),
            }
        }
        (b"faces", b"channels") => channels(state),
        (b"rib", b"list") => rib(state, now),
        (b"fib", b"list") => fib(state),
        (b"strategy-choice", b"list") => choices(state),
        (b"cs", b"info") => store(state),
        _ => return None,
    };
    if is_part {
        return Some(Reply::new());
    }
    let version = state.memory.next_version(now);
    let base = PacketName::new(Name::new().join(&whole.view()).version(version).as_ref());
    let dataset = Dataset { source, base, content: known.unwrap_or_else(|| made.into()) };
    let first = dataset.segment(0);
    state.memory.stored.insert_dataset(now, dataset);
    Some(first.into_iter().collect())
}

/// Reports that a filter cannot be read: a ControlResponse as an application Nack.
fn refused(whole: &PacketName) -> narrows_icn::Data<PacketName> {
    let response = Outcome::refuse(400, "the filter of faces cannot be read");
    let meta = MetaInfo {
        content_type: Some(ContentType::Nack),
        freshness_ms: Some(1000),
        ..MetaInfo::default()
    };
    let mut octets = Vec::new();
    DataDraft { name: whole.view(), meta, content: Some(response.content()) }
        .write(&Signer::DIGEST, &mut octets);
    management_data(octets)
}

fn general(state: &State, now: Time) -> Vec<u8> {
    let tally = state.tally();
    let totals = state.totals();
    let mut content = Vec::new();
    GeneralStatus {
        version: concat!("narrows-", env!("CARGO_PKG_VERSION")),
        start_ms: state.memory.started_ms(),
        current_ms: state.memory.wall_ms(now),
        name_tree_entries: 0,
        fib_entries: state.rib.prefixes() as u64,
        pit_entries: tally.pending,
        measurements_entries: 0,
        cs_entries: tally.cached,
        in_interests: totals.interests_in,
        in_data: totals.data_in,
        in_nacks: totals.nacks_in,
        out_interests: totals.interests_out,
        out_data: totals.data_out,
        out_nacks: totals.nacks_out,
        satisfied_interests: tally.satisfied,
        unsatisfied_interests: tally.expired,
        lost_between_threads: (!state.others.is_empty()).then_some(tally.lost),
        faces_refused: Some(state.faces_refused),
        faces_evicted: Some(state.faces_evicted),
        dropped: Some(state.dropped()),
    }
    .write(&mut content);
    content
}

fn faces(state: &State, now: Time, filter: &FaceQueryFilter<'_>) -> Vec<u8> {
    let canonical = |uri: &str| {
        let remote = crate::face_uri::Remote::parse(uri).ok();
        remote
            .and_then(|remote| Some(remote.uri(remote.address()?).to_string()))
            .unwrap_or_else(|| uri.to_owned())
    };
    let (wanted, wanted_local) = (filter.uri.map(canonical), filter.local_uri.map(canonical));
    let mut content = Vec::new();
    for face in state.faces() {
        let at_node = state.node.face(face.slot);
        let (counters, traffic, (in_capacity, out_capacity)) =
            (state.counters_of(face.slot), state.traffic_of(face), face.capacities());
        let (uri, local_uri) = (face.setup.remote.to_string(), face.setup.local.to_string());
        let scope = if face.setup.is_local { FaceScope::Local } else { FaceScope::NonLocal };
        let schemes = [face.setup.remote.scheme(), face.setup.local.scheme()];
        let matches = filter.face_id.is_none_or(|id| id == face.id)
            && filter.uri_scheme.is_none_or(|scheme| schemes.contains(&scheme))
            && wanted.as_ref().is_none_or(|wanted| *wanted == uri)
            && wanted_local.as_ref().is_none_or(|wanted| *wanted == local_uri)
            && filter.scope.is_none_or(|wanted| wanted == scope)
            && filter.persistency.is_none_or(|wanted| wanted == face.setup.persistency)
            && filter.link_type.is_none_or(|wanted| wanted == LinkType::PointToPoint);
        if !matches {
            continue;
        }
        FaceStatus {
            face_id: face.id,
            uri: &uri,
            local_uri: &local_uri,
            expiration_ms: face.ends().map(|end| end.since(now).as_nanos() / 1_000_000),
            scope,
            persistency: face.setup.persistency,
            link_type: LinkType::PointToPoint,
            marking_interval_ns: face.marker.map(|marker| marker.interval.as_nanos()),
            marking_threshold: face.marker.map(|marker| marker.threshold),
            mtu: Some(face.link.mtu as u64),
            in_interests: counters.interests_in,
            in_data: counters.data_in,
            in_nacks: counters.nacks_in,
            out_interests: counters.interests_out,
            out_data: counters.data_out,
            out_nacks: counters.nacks_out,
            in_bytes: traffic.octets_in,
            out_bytes: traffic.octets_out,
            flags: super::faces::flags(face),
            in_malformed: Some(traffic.malformed),
            out_dropped: Some(traffic.dropped + traffic.refused),
            in_capacity_bps: at_node.estimate.or(in_capacity).map(Rate::as_bps),
            out_capacity_bps: out_capacity.map(Rate::as_bps),
            primary_bps: at_node.rates.map(|rates| rates.primary.as_bps()),
            secondary_bps: at_node.rates.map(|rates| rates.secondary.as_bps()),
            shaped: at_node.rates.map(|_| at_node.waiting as u64),
            suspect_s: at_node
                .rates
                .map(|_| at_node.suspect_seconds.unwrap_or(face.suspicion.seconds())),
            in_long_names: Some(traffic.long_names),
            in_policed: face.setup.police.then_some(counters.policed),
        }
        .write(&mut content);
    }
    content
}

/// Use of the tables whose octets are limited.
fn uses(state: &State) -> Vec<u8> {
    let tally = state.tally();
    let mut content = Vec::new();
    for (name, TableUse { used, limit, refused }) in TABLES.iter().zip(tally.uses) {
        TableStatus { name, used, limit, refused }.write(&mut content);
    }
    content
}

fn channels(state: &State) -> Vec<u8> {
    let mut content = Vec::new();
    state
        .memory
        .channels
        .iter()
        .for_each(|local_uri| ChannelStatus { local_uri }.write(&mut content));
    content
}

fn rib(state: &State, now: Time) -> Vec<u8> {
    let mut content = Vec::new();
    for (prefix, routes) in state.rib.iter() {
        let route = |route: &Route| narrows_ndn::management::Route {
            face_id: route.face,
            origin: route.origin,
            cost: route.cost,
            flags: u64::from(route.child_inherit) * route_flags::CHILD_INHERIT
                + u64::from(route.capture) * route_flags::CAPTURE,
            expiration_ms: route.expires.map(|end| end.since(now).as_nanos() / 1_000_000),
        };
        RibEntry { name: prefix.view(), routes: routes.iter().map(route).collect() }
            .write(&mut content);
    }
    content
}

fn fib(state: &State) -> Vec<u8> {
    let mut content = Vec::new();
    for (prefix, _) in state.rib.iter() {
        let hops = state.rib.next_hops(prefix);
        let next_hops =
            hops.iter().map(|hop| NextHopRecord { face_id: hop.face, cost: hop.cost }).collect();
        FibEntry { name: prefix.view(), next_hops }.write(&mut content);
    }
    let own: narrows_ndn::Name = "/localhost/nfd".parse().expect("a name");
    let next_hops = vec![NextHopRecord { face_id: crate::numbers::MANAGEMENT, cost: 0 }];
    FibEntry { name: own.as_ref(), next_hops }.write(&mut content);
    content
}

fn choices(state: &State) -> Vec<u8> {
    let mut content = Vec::new();
    for (prefix, strategy) in &state.memory.strategies {
        let name = strategies::name_of(strategy);
        StrategyChoice { name: prefix.view(), strategy: StrategyName(name.as_ref()) }
            .write(&mut content);
    }
    content
}

fn store(state: &State) -> Vec<u8> {
    let (limits, tally) = (state.cache_limits(), state.tally());
    let mut content = Vec::new();
    CsInfo {
        capacity: limits.packets as u64,
        flags: tables::flags(&limits),
        entries: tally.cached,
        hits: tally.cache_hits,
        misses: tally.cache_misses,
    }
    .write(&mut content);
    content
}
