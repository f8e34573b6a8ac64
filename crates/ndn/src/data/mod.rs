//! Data (NDN Packet Format 0.3, "Data Packet").

mod borrowed;
mod certificate;
mod draft;
mod meta;
mod signed;

pub use borrowed::Data;
pub use certificate::{Certificate, CertificateError};
pub use draft::DataDraft;
pub use meta::{ContentType, MetaInfo};
