//! A management command and its effect.

use crate::face_uri::Remote;
use crate::link_rates::LinkRates;
use crate::name::PacketName;
use narrows_icn::FaceId;
use narrows_ndn::management::ControlParameters;

/// A command and its sender.
pub(crate) struct Command<'a> {
    /// Whole name of the command. The answer has the same name.
    pub(super) name: &'a PacketName,
    /// Number of the face on which the command arrived.
    pub(super) from: u64,
    pub(super) parameters: ControlParameters<'a>,
}

impl Command<'_> {
    /// Number of the face that the command is about: the face in its parameters, or else the face
    /// on which it arrived.
    pub(super) fn face(&self) -> u64 {
        self.parameters.face_id.filter(|face| *face != 0).unwrap_or(self.from)
    }
}

/// Action of the daemon that a command requires in addition to the answer.
#[derive(Clone, Debug)]
pub(crate) enum Effect {
    /// Open a face, and report the result to [`faces::opened`].
    Open {
        /// Number that identifies the command.
        ticket: u64,
        /// The neighbour.
        remote: Remote,
        /// Rates of the link, if they are known.
        rates: Option<LinkRates>,
    },
    /// Remove a face.
    Close(FaceId),
}
