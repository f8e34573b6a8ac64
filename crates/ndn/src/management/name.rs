//! Names of commands and datasets.

use super::parameters::ControlParameters;
use crate::interest::{Interest, SignatureForm};
use crate::name::{Name, NameRef};
use crate::number;
use crate::tlv::DecodeError;

/// Scope of a management Interest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// `/localhost`: the Interest stays on the host.
    Localhost,
    /// `/localhop`: the Interest crosses one hop.
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

/// The name of a command: `/localhost/nfd/<module>/<verb>/<parameters>` and a tail that depends on
/// the form of its signature. Or the name of a dataset, which has the same form without parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ManagementName<'a> {
    /// `/localhost` or `/localhop`.
    pub scope: Scope,
    /// Module, such as `faces`.
    pub module: &'a [u8],
    /// Verb of a command, such as `create`, or name of a dataset, such as `list`.
    pub verb: &'a [u8],
    /// Components after the verb.
    pub rest: NameRef<'a>,
}

/// Form of a command's signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandForm {
    /// As in version 0.3: the name ends with a digest of the parameters, and the signature follows
    /// the parameters.
    SignatureStatus,
    /// As in version 0.2: the name ends with a timestamp, random octets and the signature.
    SignedInName,
    /// Unsigned.
    Unsigned,
}

impl<'a> ManagementName<'a> {
    /// Parses `name`. `None` if it is not a management name.
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

    /// Parameters of the command: the component after the verb. `None` if the verb is the last
    /// component.
    ///
    /// # Errors
    /// The component does not contain ControlParameters.
    pub fn parameters(&self) -> Option<Result<ControlParameters<'a>, DecodeError>> {
        let component = self
            .rest
            .component(0)
            .filter(|component| u32::from(component.number) == number::GENERIC)?;
        Some(ControlParameters::decode(component.value))
    }

    /// Makes the name of a command, up to its parameters. To send the command, add parameters to
    /// the Interest and sign it ([`crate::InterestDraft::write_signed`]).
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
    /// Form of a command's signature. An unsigned command with a digest of parameters counts as
    /// unsigned.
    ///
    /// # Errors
    /// InterestSignatureInfo is malformed.
    pub fn of(interest: &Interest) -> Result<CommandForm, DecodeError> {
        Ok(match interest.signature()?.map(|signature| signature.form) {
            Some(SignatureForm::Elements) => CommandForm::SignatureStatus,
            Some(SignatureForm::Components) => CommandForm::SignedInName,
            None => CommandForm::Unsigned,
        })
    }
}
