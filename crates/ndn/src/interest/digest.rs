//! The digest that binds an Interest's parameters to its name.

use super::borrowed::Interest;
use crate::number;
use sha2::{Digest, Sha256};
use thiserror::Error;

/// Reason why an Interest's parameters and its name do not belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ParametersError {
    /// There are parameters, but no digest of them in the name.
    #[error(
        "the Interest has ApplicationParameters, but its name has no ParametersSha256Digest component"
    )]
    NoDigest,
    /// The name has more than one digest.
    #[error("the Interest's name has more than one ParametersSha256Digest component")]
    ManyDigests,
    /// The name has a digest, but there are no parameters.
    #[error(
        "the Interest's name has a ParametersSha256Digest component, but there are no ApplicationParameters"
    )]
    NoParameters,
    /// The digest in the name differs from the digest of the parameters.
    #[error(
        "the ParametersSha256Digest component is not the digest of the Interest's ApplicationParameters and what follows them"
    )]
    Differs,
}

/// Result of the check of an Interest's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParametersStatus {
    /// The Interest has neither parameters nor a digest.
    Nothing,
    /// The Interest has parameters, and their digest is in the name.
    Parameters,
}

impl Interest<'_> {
    /// Compares the ParametersSha256Digest component of the name with SHA-256 of the parameters and
    /// all that follows them (section "ParametersSha256DigestComponent").
    ///
    /// # Errors
    /// The name and the parameters do not belong together.
    pub fn check_parameters(&self) -> Result<ParametersStatus, ParametersError> {
        let mut digests = self
            .name
            .components()
            .filter(|component| u32::from(component.number) == number::PARAMETERS_DIGEST);
        match (digests.next(), digests.next(), self.parameters) {
            (None, _, None) => Ok(ParametersStatus::Nothing),
            (None, _, Some(_)) => Err(ParametersError::NoDigest),
            (Some(_), Some(_), _) => Err(ParametersError::ManyDigests),
            (Some(_), None, None) => Err(ParametersError::NoParameters),
            (Some(digest), None, Some(_))
                if digest.value == Sha256::digest(self.digested()).as_slice() =>
            {
                Ok(ParametersStatus::Parameters)
            }
            _ => Err(ParametersError::Differs),
        }
    }
}
