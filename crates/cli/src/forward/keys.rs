//! `narrows key`, and the keys and certificates that `serve` and `get` take.

use super::given::{name, other};
use crate::cli::KeyArgs;
use crate::error::Failure;
use crate::outcome::Outcome;
use crate::output;
use narrows_forward::{Identity, Trust, armoured};
use narrows_ndn::Name;
use narrows_ndn::signature::SigningKey;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Makes a key and its certificate.
pub fn key(args: KeyArgs) -> Result<Outcome, Failure> {
    let identity = name(&args.identity)?;
    let (key, file) = match &args.key {
        Some(file) => (SigningKey::from_pkcs8_pem(&text(file)?).map_err(|error| at(file, &error))?, file.clone()),
        None => (new_key()?, args.output.unwrap_or_else(|| default_file(&identity))),
    };
    let now_s = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let made = Identity::certify(&identity, key, now_s, args.days).map_err(|error| at(&file, &error))?;
    let certificate = certificate_of(&file);
    if args.key.is_none() {
        let pem = made.key().to_pkcs8_pem().unwrap_or_default();
        write_new(&file, pem.as_bytes(), OWNER_ONLY)?;
    }
    write_new(&certificate, armoured(made.certificate()).as_bytes(), ALL_READ)?;
    let whose = if args.key.is_none() { format!("{} (keep it secret) and ", file.display()) } else { String::new() };
    output::print(&format!("{}: {whose}{} (give it to consumers)\n", made.key_name().as_ref(), certificate.display()))?;
    Ok(Outcome::Ok)
}

/// The identity of a key's file, with its certificate.
pub(super) fn identity(key: &Path, certificate: Option<&Path>) -> Result<Identity, Failure> {
    let (pem, beside) = (text(key)?, certificate_of(key));
    let certificate = certificate.unwrap_or(&beside);
    let octets = fs::read(certificate).map_err(|error| {
        other(&format!(
            "{} cannot be read: {error}; `narrows key NAME --key {}` makes a certificate, and --cert names one elsewhere",
            certificate.display(),
            key.display()
        ))
    })?;
    Identity::new(&pem, &octets).map_err(|error| other(&format!("{} and {}: {error}", key.display(), certificate.display())))
}

/// The keys of certificates.
pub(super) fn trust(files: &[PathBuf]) -> Result<Trust, Failure> {
    let mut trust = Trust::default();
    for file in files {
        let octets = fs::read(file).map_err(|error| other(&format!("{} cannot be read: {error}", file.display())))?;
        trust.add(&octets).map_err(|error| at(file, &error))?;
    }
    Ok(trust)
}

const OWNER_ONLY: u32 = 0o600;
const ALL_READ: u32 = 0o644;

fn at(file: &Path, error: &dyn std::fmt::Display) -> Failure {
    other(&format!("{}: {error}", file.display()))
}

fn text(file: &Path) -> Result<String, Failure> {
    fs::read_to_string(file).map_err(|error| other(&format!("{} cannot be read: {error}", file.display())))
}

/// An Ed25519 key of the kernel's random octets.
fn new_key() -> Result<SigningKey, Failure> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).map_err(|error| other(&format!("the kernel has no random octets for a key: {error}")))?;
    Ok(SigningKey::ed25519(&seed))
}

/// The last word of the identity, as a file.
fn default_file(identity: &Name) -> PathBuf {
    let last = identity.as_ref().last().map(|last| last.to_string()).unwrap_or_default();
    PathBuf::from(last).with_extension("key")
}

fn certificate_of(key: &Path) -> PathBuf {
    key.with_extension("cert")
}

/// Nothing that is there is overwritten: a key that is lost cannot be made again.
fn write_new(file: &Path, octets: &[u8], mode: u32) -> Result<(), Failure> {
    let written = OpenOptions::new().write(true).create_new(true).mode(mode).open(file).and_then(|mut file| file.write_all(octets));
    written.map_err(|error| other(&format!("{} cannot be written: {error}; choose another file, or remove this one", file.display())))
}
