//! What happens to a daemon, for those who operate it.

use crate::name::PacketName;
use narrows_ndn::Data;
use narrows_ndn::management::{ControlResponse, ManagementName};
use serde::Serialize;

/// Something that an operator may want to know. None of them comes with each packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event<'a> {
    /// The daemon listens.
    Started {
        /// The version of the program.
        version: &'a str,
        /// The URIs of the addresses at which it listens.
        listening: &'a [String],
    },
    /// The daemon ends in order.
    Stopped,
    /// There is a new face.
    FaceCreated {
        /// Its number.
        face: u64,
        /// The URI of the neighbour.
        remote: &'a str,
        /// The URI of this end.
        local: &'a str,
    },
    /// A face is gone.
    FaceRemoved {
        /// Its number.
        face: u64,
        /// The URI of the neighbour.
        remote: &'a str,
        /// Octets received.
        octets_in: u64,
        /// Octets sent.
        octets_out: u64,
        /// Packets received that were malformed.
        malformed: u64,
        /// Packets that did not leave.
        dropped: u64,
    },
    /// A face has no rates, since the rate of its link is to be that of the device that leads to the neighbour, and this device has none.
    RateUnknown {
        /// The address of the neighbour.
        remote: &'a str,
    },
    /// A face has lost packets since the last such line of it. Told at most every 10 s.
    FaceLosses {
        /// Its number.
        face: u64,
        /// The URI of the neighbour.
        remote: &'a str,
        /// Packets that did not leave.
        unsent: u64,
        /// Why the socket did not take the last one that it did not take.
        #[serde(skip_serializing_if = "Option::is_none")]
        problem: Option<&'a str>,
        /// Packets that came and were malformed, or broke a rule of the link.
        malformed: u64,
        /// Those of them whose names have more than 64 components.
        long_names: u64,
    },
    /// The path to a neighbour takes less than the MTU of its face in one piece: the MTU is lower
    /// from now on.
    FaceMtu {
        /// The number of the face.
        face: u64,
        /// The URI of the neighbour.
        remote: &'a str,
        /// The new MTU in octets.
        mtu: usize,
    },
    /// Connections wait: the daemon cannot accept any at the moment. Told at most once a minute.
    AcceptingPaused {
        /// The kernel's reason.
        problem: &'a str,
    },
    /// The management has answered a command.
    Command {
        /// Its module and verb: `rib/register`.
        command: &'a str,
        /// The prefix that it is about, if it is about one.
        prefix: Option<&'a str>,
        /// The code of the answer: 200 if it was obeyed.
        code: u64,
        /// The text of the answer.
        text: &'a str,
    },
}

/// Passes on what Data of the management tells, if it answers a command.
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
