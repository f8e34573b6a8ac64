//! Names of commands and datasets.

use super::parameters::ControlParameters;
use crate::interest::{Interest, SignatureForm};
use crate::name::{Name, NameRef};
use crate::number;
use crate::tlv::DecodeError;

/// How far a management Interest may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// `/localhost`: not off the host.
    Localhost,
    /// `/localhop`: one hop.
    Localhop,
}

impl Scope {
    fn word(self) -> &'static [u8] {
        match self {
            Scope::Localhost => b"localhost",
            Scope::Localhop => b"localhop",
        }
    }
}

/// The name of a command, `/localhost/nfd/<module>/<verb>/<parameters>` and a tail that depends on
/// how it is signed; or of a dataset, of the same form without parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ManagementName<'a> {
    /// `/localhost` or `/localhop`.
    pub scope: Scope,
    /// The module, such as `faces`.
    pub module: &'a [u8],
    /// The verb of a command, such as `create`, or the name of a dataset, such as `list`.
    pub verb: &'a [u8],
    /// The components behind the verb.
    pub rest: NameRef<'a>,
}

/// How a command is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandForm {
    /// As version 0.3 has it: the name ends in a digest of parameters, and the signature stands
    /// behind it.
    Signed,
    /// As version 0.2 has it: the name ends in a timestamp, random octets and the signature.
    SignedInName,
    /// Not at all.
    Unsigned,
}

impl<'a> ManagementName<'a> {
    /// The parts of `name`; `None` if it is no name of management.
    pub fn parse(name: &NameRef<'a>) -> Option<ManagementName<'a>> {
        let mut components = name.components();
        let mut generic = || {
            components
                .next()
                .filter(|component| u32::from(component.number) == number::GENERIC)
                .map(|component| component.value)
        };
        let first = generic()?;
        let scope =
            [Scope::Localhost, Scope::Localhop].into_iter().find(|scope| scope.word() == first)?;
        if generic()? != b"nfd" {
            return None;
        }
        Some(ManagementName { scope, module: generic()?, verb: generic()?, rest: name.suffix(4) })
    }

    /// The command's parameters: the component behind the verb; `None` if the verb is last.
    ///
    /// # Errors
    /// The component does not hold ControlParameters.
    pub fn parameters(&self) -> Option<Result<ControlParameters<'a>, DecodeError>> {
        let component = self
            .rest
            .component(0)
            .filter(|component| u32::from(component.number) == number::GENERIC)?;
        Some(ControlParameters::decode(component.value))
    }

    /// The name of a command, up to its parameters; to send it, add parameters and sign it
    /// ([`crate::InterestDraft::write_signed`]).
    pub fn command(scope: Scope, module: &str, verb: &str, parameters: &ControlParameters) -> Name {
        let mut octets = Vec::new();
        parameters.write(&mut octets);
        Name::new()
            .generic(scope.word())
            .generic(b"nfd")
            .generic(module.as_bytes())
            .generic(verb.as_bytes())
            .generic(&octets)
    }
}

impl CommandForm {
    /// How a command is signed. An unsigned one with a digest of parameters counts as unsigned.
    ///
    /// # Errors
    /// InterestSignatureInfo is malformed.
    pub fn of(interest: &Interest) -> Result<CommandForm, DecodeError> {
        Ok(match interest.signature()?.map(|signature| signature.form) {
            Some(SignatureForm::Elements) => CommandForm::Signed,
            Some(SignatureForm::Components) => CommandForm::SignedInName,
            None => CommandForm::Unsigned,
        })
    }
}
