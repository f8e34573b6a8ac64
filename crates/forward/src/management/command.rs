//! A command, and what follows from it.

use crate::face_uri::Remote;
use crate::link_rates::LinkRates;
use crate::name::PacketName;
use narrows_icn::FaceId;
use narrows_ndn::management::ControlParameters;

/// A command, and who sent it.
pub(crate) struct Command<'a> {
    /// Its whole name: the answer has it too.
    pub(super) name: &'a PacketName,
    /// The number of the face on which it came.
    pub(super) from: u64,
    pub(super) parameters: ControlParameters<'a>,
}

impl Command<'_> {
    /// The face that the command means: that on which it came, unless it names one.
    pub(super) fn face(&self) -> u64 {
        self.parameters.face_id.filter(|face| *face != 0).unwrap_or(self.from)
    }
}

/// What the daemon must do beside answering.
#[derive(Clone, Debug)]
pub(crate) enum Effect {
    /// Open a face, and tell the end by [`faces::opened`].
    Open {
        /// Stands for the command.
        ticket: u64,
        /// The neighbour.
        remote: Remote,
        /// The rates of its link, if they are known.
        rates: Option<LinkRates>,
    },
    /// Remove a face.
    Close(FaceId),
}
