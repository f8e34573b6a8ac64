//! The stream of face events.

use super::reply::{Reply, management_data};
use crate::state::State;
use narrows_icn::FaceId;
use narrows_ndn::management::{FaceEvent, FaceEventKind, FaceScope, LinkType, ManagementName};
use narrows_ndn::signature::Signer;
use narrows_ndn::{DataDraft, MetaInfo, Name};
use narrows_units::Time;

/// True if the name belongs to the stream. Its Interests stay pending until the next event.
pub(super) fn is_stream(name: &ManagementName<'_>) -> bool {
    (name.module, name.verb) == (b"faces", b"events")
}

/// Data that reports a change of a face.
pub(crate) fn announce(state: &mut State, now: Time, slot: FaceId, kind: FaceEventKind) -> Reply {
    let Some(face) = state.face(slot) else { return Reply::new() };
    let (uri, local_uri) = (face.setup.remote.to_string(), face.setup.local.to_string());
    let mut content = Vec::new();
    let event = FaceEvent {
        kind,
        face_id: face.id,
        uri: &uri,
        local_uri: &local_uri,
        scope: if face.setup.is_local { FaceScope::Local } else { FaceScope::NonLocal },
        persistency: face.setup.persistency,
        link_type: LinkType::PointToPoint,
        flags: super::faces::flags(face),
    };
    event.write(&mut content);
    let number = state.memory.next_event;
    state.memory.next_event += 1;
    let name = Name::new()
        .generic(b"localhost")
        .generic(b"nfd")
        .generic(b"faces")
        .generic(b"events")
        .sequence(number);
    let meta = MetaInfo { freshness_ms: Some(1000), ..MetaInfo::default() };
    let mut octets = Vec::new();
    DataDraft { name: name.as_ref(), meta, content: Some(&content) }
        .write(&Signer::DIGEST, &mut octets);
    let data = management_data(octets);
    state.memory.keep(now, &data);
    vec![data]
}
