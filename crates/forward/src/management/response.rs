//! Answers to commands.

use super::reply::management_data;
use crate::name::PacketName;
use narrows_icn::Data;
use narrows_ndn::DataDraft;
use narrows_ndn::management::{ControlParameters, ControlResponse};
use narrows_ndn::signature::Signer;

/// Outcome of a command.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// The encoded ControlResponse.
    content: Vec<u8>,
}

impl Outcome {
    /// The command was executed with these parameters.
    pub(crate) fn done(parameters: &ControlParameters<'_>) -> Outcome {
        Outcome::with(200, "OK", parameters)
    }

    /// The command was refused.
    pub(crate) fn refuse(code: u64, text: &str) -> Outcome {
        Outcome::with(code, text, &ControlParameters::default())
    }

    /// An outcome with any code.
    pub(crate) fn with(code: u64, text: &str, parameters: &ControlParameters<'_>) -> Outcome {
        let mut content = Vec::new();
        ControlResponse { code, text, parameters: Some(*parameters) }.write(&mut content);
        Outcome { content }
    }

    /// Content of the answer.
    pub(crate) fn content(&self) -> &[u8] {
        &self.content
    }

    /// The Data that answers the command with this name.
    pub(crate) fn data(&self, name: &PacketName) -> Data<PacketName> {
        let mut octets = Vec::new();
        DataDraft::new(name.view(), &self.content).write(&Signer::DIGEST, &mut octets);
        management_data(octets)
    }
}
