//! Commands on faces.

use super::command::{Command, Effect};
use super::reply::Reply;
use super::response::Outcome;
use crate::face::Face;
use crate::face_uri::{Remote, RemoteError};
use crate::link_rates::LinkRates;
use crate::memory::{PendingCreation, Settings};
use crate::state::State;
use narrows_icn::FaceId;
use narrows_ndn::management::{ControlParameters, FacePersistency, face_flags};
use narrows_units::{Rate, Span};

/// Range of the MTU of a face, in octets of an LpPacket.
const MTUS: std::ops::RangeInclusive<u64> = 64..=8800;
/// Most faces that may be being opened at once.
const MOST_OPENING: usize = 256;

/// Flags of a face.
pub(super) fn flags(face: &Face) -> u64 {
    u64::from(face.link.local_fields) * face_flags::LOCAL_FIELDS
        + u64::from(face.marker.is_some()) * face_flags::CONGESTION_MARKING
}

/// Begins to make a face. The answer follows when the face is open.
pub(super) fn create(
    state: &mut State,
    command: &Command<'_>,
) -> (Option<Outcome>, Option<Effect>) {
    let refuse = |code, text: &str| (Some(Outcome::refuse(code, text)), None);
    let Some(uri) = command.parameters.uri else { return refuse(400, "faces/create needs a Uri") };
    let remote = match Remote::parse(uri) {
        Ok(remote) => remote,
        Err(error @ RemoteError::Malformed(_)) => return refuse(400, &error.to_string()),
        Err(error) => return refuse(406, &error.to_string()),
    };
    if command.parameters.local_uri.is_some() {
        return refuse(406, "the LocalUri of a face cannot be chosen: leave it out");
    }
    if command.parameters.persistency == Some(FacePersistency::OnDemand) {
        return refuse(
            406,
            "only received packets create on-demand faces: choose persistent or permanent",
        );
    }
    let settings = match settings(&command.parameters) {
        Ok(settings) => settings,
        Err((code, text)) => return refuse(code, text),
    };
    if settings.rates.is_some() && !state.others.is_empty() {
        return refuse(
            406,
            "a rate law needs all packets of its link on one thread: leave the rates out, or set threads = 1 in [tables]",
        );
    }
    let is_local = remote.address().is_some_and(|address| address.ip().is_loopback());
    if settings.local_fields == Some(true) && !is_local {
        return refuse(406, "local fields are for neighbours on this host");
    }
    if let Some(address) = remote.address()
        && let Some(face) = state.faces().find(|face| face.setup.remote == remote.uri(address))
    {
        return (Some(exists(face)), None);
    }
    if state.memory.opening.len() >= MOST_OPENING {
        return refuse(503, "too many faces are being opened: try again");
    }
    let ticket = state.memory.next_ticket;
    state.memory.next_ticket += 1;
    state.memory.opening.insert(ticket, PendingCreation { name: command.name.clone(), settings });
    (None, Some(Effect::Open { ticket, remote, rates: settings.rates }))
}

/// Answers a command when the face that it asked for is open, or cannot be opened for the reason in
/// the error.
pub(crate) fn opened(state: &mut State, ticket: u64, face: Result<FaceId, String>) -> Reply {
    let Some(PendingCreation { name, settings }) = state.memory.opening.remove(&ticket) else {
        return Reply::new();
    };
    let outcome = match face {
        Err(error) => Outcome::refuse(504, &error),
        Ok(slot) => {
            apply(state, slot, &settings);
            state
                .face(slot)
                .map_or_else(|| Outcome::refuse(504, "the face is gone already"), created)
        }
    };
    vec![outcome.data(&name)]
}

/// Answers a command that asked for a face that exists already.
pub(crate) fn found(state: &mut State, ticket: u64, slot: FaceId) -> Reply {
    let Some(PendingCreation { name, .. }) = state.memory.opening.remove(&ticket) else {
        return Reply::new();
    };
    state.face(slot).map(exists).map(|outcome| outcome.data(&name)).into_iter().collect()
}

fn created(face: &Face) -> Outcome {
    with_face(200, "OK", face)
}

fn exists(face: &Face) -> Outcome {
    with_face(409, "a face to this neighbour exists already", face)
}

/// An outcome with FaceId, Uri, LocalUri, Flags and FacePersistency only: some clients expect
/// further parameters in an order of their own.
fn with_face(code: u64, text: &str, face: &Face) -> Outcome {
    let (uri, local_uri) = (face.setup.remote.to_string(), face.setup.local.to_string());
    Outcome::with(
        code,
        text,
        &ControlParameters {
            face_id: Some(face.id),
            uri: Some(&uri),
            local_uri: Some(&local_uri),
            flags: Some(flags(face)),
            persistency: Some(face.setup.persistency),
            ..ControlParameters::default()
        },
    )
}

/// Changes a face.
pub(super) fn update(state: &mut State, command: &Command<'_>) -> Outcome {
    let id = command.face();
    let Some(slot) = state.ids.get(&id).copied() else {
        return Outcome::refuse(404, &format!("there is no face {id}"));
    };
    let settings = match settings(&command.parameters) {
        Ok(settings) => settings,
        Err((code, text)) => return Outcome::refuse(code, text),
    };
    let Some(face) = state.face(slot) else { return Outcome::refuse(404, "the face is gone") };
    if settings.local_fields == Some(true) && !face.setup.is_local {
        let refused = ControlParameters {
            flags: command.parameters.flags,
            mask: command.parameters.mask,
            ..ControlParameters::default()
        };
        return Outcome::with(409, "local fields are for neighbours on this host", &refused);
    }
    if settings.rates.is_some() {
        return Outcome::refuse(409, "the rates of a face can only be set when it is created");
    }
    apply(state, slot, &settings);
    let Some(face) = state.face(slot) else { return Outcome::refuse(404, "the face is gone") };
    Outcome::done(&ControlParameters {
        face_id: Some(face.id),
        flags: Some(flags(face)),
        persistency: Some(face.setup.persistency),
        ..ControlParameters::default()
    })
}

/// Removes a face. A missing face is not an error.
pub(super) fn destroy(
    state: &mut State,
    command: &Command<'_>,
) -> (Option<Outcome>, Option<Effect>) {
    let Some(id) = command.parameters.face_id else {
        return (Some(Outcome::refuse(400, "faces/destroy needs a FaceId")), None);
    };
    let outcome =
        Outcome::done(&ControlParameters { face_id: Some(id), ..ControlParameters::default() });
    (Some(outcome), state.ids.get(&id).copied().map(Effect::Close))
}

/// Settings of a face in the parameters of a command.
fn settings(parameters: &ControlParameters<'_>) -> Result<Settings, (u64, &'static str)> {
    let flag = |bit: u64| match (parameters.flags, parameters.mask) {
        (Some(flags), Some(mask)) if mask & bit != 0 => Some(flags & bit != 0),
        _ => None,
    };
    if parameters.flags.is_some() != parameters.mask.is_some() {
        return Err((409, "Flags and Mask must be given together"));
    }
    if flag(face_flags::RELIABILITY) == Some(true) {
        return Err((409, "faces do not retransmit lost packets: leave that flag out"));
    }
    if parameters.mtu.is_some_and(|mtu| !MTUS.contains(&mtu)) {
        return Err((406, "the MTU must be between 64 and 8800 octets"));
    }
    let rate = |bps: Option<u64>| bps.map(Rate::from_bps);
    let rates = rate(parameters.capacity_in_bps).zip(rate(parameters.capacity_out_bps));
    if rates.is_some_and(|(inward, out)| inward == Rate::ZERO || out == Rate::ZERO) {
        return Err((406, "a rate of 0 lets nothing through"));
    }
    Ok(Settings {
        permanent: parameters
            .persistency
            .map(|persistency| persistency == FacePersistency::Permanent),
        local_fields: flag(face_flags::LOCAL_FIELDS),
        marking: flag(face_flags::CONGESTION_MARKING),
        marking_interval: parameters.marking_interval_ns.map(Span::from_nanos),
        marking_threshold: parameters.marking_threshold,
        mtu: parameters.mtu.map(|mtu| mtu as usize),
        rates: rates.map(|(inward, out)| LinkRates::known(inward, out, true)),
    })
}

/// Applies settings to a face, on this thread and on the thread of the face.
fn apply(state: &mut State, slot: FaceId, settings: &Settings) {
    apply_here(state, slot, settings);
    state.others.iter().for_each(|other| other.update_face(slot, settings));
}

/// Applies settings to a face on this thread only.
pub(crate) fn apply_here(state: &mut State, slot: FaceId, settings: &Settings) {
    let Some(face) = state.face_mut(slot) else { return };
    if let Some(permanent) = settings.permanent {
        face.setup.persistency =
            if permanent { FacePersistency::Permanent } else { FacePersistency::Persistent };
    }
    if let Some(local_fields) = settings.local_fields {
        face.link.local_fields = local_fields;
    }
    if let Some(marking) = settings.marking {
        face.marker = marking.then(|| face.marker.unwrap_or_default());
    }
    if let Some(marker) = &mut face.marker {
        marker.interval = settings.marking_interval.unwrap_or(marker.interval);
        marker.threshold = settings.marking_threshold.unwrap_or(marker.threshold);
    }
    if let Some(mtu) = settings.mtu {
        face.link.mtu = mtu;
        face.setup.follows_path = false;
    }
}
