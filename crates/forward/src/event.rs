//! Events of a daemon, for its operators.

use crate::name::PacketName;
use narrows_ndn::Data;
use narrows_ndn::management::{ControlResponse, ManagementName};
use serde::Serialize;

/// An event that an operator may want to know. No event occurs once per packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event<'a> {
    /// The daemon listens.
    Started {
        /// Version of the program.
        version: &'a str,
        /// URIs of the addresses on which the daemon listens.
        listening: &'a [String],
    },
    /// The daemon ends in an orderly way.
    Stopped,
    /// A face was created.
    FaceCreated {
        /// Number of the face.
        face: u64,
        /// URI of the neighbour.
        remote: &'a str,
        /// URI of the local end.
        local: &'a str,
    },
    /// A face was removed.
    FaceRemoved {
        /// Number of the face.
        face: u64,
        /// URI of the neighbour.
        remote: &'a str,
        /// Octets received.
        octets_in: u64,
        /// Octets sent.
        octets_out: u64,
        /// Malformed packets received.
        malformed: u64,
        /// Packets that could not be sent.
        dropped: u64,
    },
    /// A face has no rates: its link rate is `auto`, and the device that leads to the neighbour has
    /// no rate.
    RateUnknown {
        /// Address of the neighbour.
        remote: &'a str,
    },
    /// A face has lost packets since its previous event of this kind. At most one event in 10 s.
    FaceLosses {
        /// Number of the face.
        face: u64,
        /// URI of the neighbour.
        remote: &'a str,
        /// Packets that could not be sent.
        unsent: u64,
        /// Reason why the socket refused the latest packet that it refused.
        #[serde(skip_serializing_if = "Option::is_none")]
        problem: Option<&'a str>,
        /// Packets received that were malformed or broke a rule of the link.
        malformed: u64,
        /// Packets among the malformed ones whose names have more than 64 components.
        long_names: u64,
    },
    /// The path MTU to a neighbour is lower than the MTU of its face. The face has the lower MTU
    /// from now on.
    FaceMtu {
        /// Number of the face.
        face: u64,
        /// URI of the neighbour.
        remote: &'a str,
        /// New MTU in octets.
        mtu: usize,
    },
    /// Connections wait: the daemon cannot accept any at the moment. At most one event in a minute.
    AcceptingPaused {
        /// Error of the kernel.
        problem: &'a str,
    },
    /// The management has answered a command.
    Command {
        /// Module and verb, for example `rib/register`.
        command: &'a str,
        /// Prefix in the command, if it has one.
        prefix: Option<&'a str>,
        /// Status code of the answer: 200 if the command was executed.
        code: u64,
        /// Text of the answer.
        text: &'a str,
    },
}

/// Reports a management command, if `data` is the answer to one.
pub(crate) fn of_answer(data: &narrows_icn::Data<PacketName>, tell: impl FnOnce(&Event<'_>)) {
    let name = data.name.view();
    let Some(ManagementName { module, verb, .. }) = ManagementName::parse(&name) else { return };
    let content = Data::decode(data.body.octets(&data.name)).ok().and_then(|data| data.content);
    let Some(Ok(response)) = content.map(ControlResponse::decode) else { return };
    let command = format!("{}/{}", String::from_utf8_lossy(module), String::from_utf8_lossy(verb));
    let prefix =
        response.parameters.and_then(|parameters| parameters.name).map(|name| name.to_string());
    tell(&Event::Command {
        command: &command,
        prefix: prefix.as_deref(),
        code: response.code,
        text: response.text,
    });
}
