//! Interests (NDN Packet Format 0.3, "Interest Packet").

mod borrowed;
mod digest;
mod draft;
mod hint;
mod hop_limit;
mod signed;

pub use borrowed::{DEFAULT_LIFETIME, Interest};
pub use digest::{ParametersError, ParametersStatus};
pub use draft::InterestDraft;
pub use hint::Names;
pub use hop_limit::HopLimit;
pub use signed::{InterestSignature, SignatureForm, SigningFields};
