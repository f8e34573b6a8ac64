//! `narrows ndn key`, and the keys and certificates for `serve` and `get`.

use super::given::{name, other};
use crate::cli::KeyArgs;
use crate::terminal;
use narrows_files::{Limit, Output, read, read_text};
use narrows_forward::{Identity, Trust, encode_certificate_file};
use narrows_ndn::Name;
use narrows_ndn::signature::SigningKey;
use narrows_workbench::Failure;
use narrows_workbench::Outcome;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Creates a key and its certificate, or a new certificate for an existing key.
pub fn key(args: KeyArgs) -> Result<Outcome, Failure> {
    let identity = name(&args.identity)?;
    let file = args.key.clone().or(args.output).unwrap_or_else(|| default_file(&identity));
    let certificate = certificate_of(&file);
    // Reuse the key if only the certificate is missing: an earlier run was interrupted between the
    // two files.
    let kept = args.key.is_some() || file.is_file() && certificate.symlink_metadata().is_err();
    let key = if kept {
        SigningKey::from_pkcs8_pem(&text(&file)?).map_err(|error| no_key(&file, &error))?
    } else {
        new_key()?
    };
    let now_s = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let made = Identity::certify(&identity, key, now_s, args.days)
        .map_err(|error| no_key(&file, &error))?;
    // Write both files to the disk before either gets its name. If one of them cannot be written,
    // neither appears.
    let pem = made.key().to_pkcs8_pem().unwrap_or_default();
    let secret = if kept { None } else { Some(written(&file, pem.as_bytes(), OWNER_ONLY)?) };
    let shared =
        written(&certificate, encode_certificate_file(made.certificate()).as_bytes(), ALL_READ)?;
    let secret = secret
        .map(|secret| secret.finish().map_err(|error| unwritable(&file, &error)))
        .transpose()?;
    shared.finish().map_err(|error| unwritable(&certificate, &error))?;
    let whose = match (secret, &args.key) {
        (Some(()), _) => format!("{} (keep it secret) and ", file.display()),
        (None, None) => format!("the key that was in {}, and ", file.display()),
        (None, Some(_)) => String::new(),
    };
    terminal::print(&format!(
        "{}: {whose}{} (give it to consumers)\n",
        made.key_name().as_ref(),
        certificate.display()
    ))?;
    Ok(Outcome::Ok)
}

/// Reads the identity from a key file and its certificate.
pub(super) fn identity(key: &Path, certificate: Option<&Path>) -> Result<Identity, Failure> {
    let (pem, beside) = (text(key)?, certificate_of(key));
    let certificate = certificate.unwrap_or(&beside);
    let octets = read(certificate, Limit::KEY).map_err(|error| {
        other(&format!(
            "{} cannot be read: {error}; `narrows ndn key NAME --key {}` makes a certificate, and --cert names one elsewhere",
            certificate.display(),
            key.display()
        ))
    })?;
    Identity::new(&pem, &octets).map_err(|error| {
        let (key, certificate) = (key.display(), certificate.display());
        other(&format!("{key} and {certificate}: {error}; give a key and its certificate as `narrows ndn key` makes them"))
    })
}

/// Reads the trusted keys from certificates.
pub(super) fn trust(files: &[PathBuf]) -> Result<Trust, Failure> {
    let mut trust = Trust::default();
    for file in files {
        let remedy = "give a certificate, as `narrows ndn key` and ndnsec make them";
        let octets = read(file, Limit::KEY).map_err(|error| {
            other(&format!("{} cannot be read: {error}; {remedy}", file.display()))
        })?;
        trust
            .add(&octets)
            .map_err(|error| other(&format!("{}: {error}; {remedy}", file.display())))?;
    }
    Ok(trust)
}

const OWNER_ONLY: u32 = 0o600;
const ALL_READ: u32 = 0o644;

fn no_key(file: &Path, error: &dyn std::fmt::Display) -> Failure {
    other(&format!(
        "{}: {error}; give a private key in PKCS#8 and PEM, or choose another file",
        file.display()
    ))
}

fn text(file: &Path) -> Result<String, Failure> {
    let remedy = "give a private key in PKCS#8 and PEM, as `narrows ndn key` makes one";
    read_text(file, Limit::KEY)
        .map_err(|error| other(&format!("{} cannot be read: {error}; {remedy}", file.display())))
}

/// Creates an Ed25519 key from random octets of the kernel.
fn new_key() -> Result<SigningKey, Failure> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed)
        .map_err(|error| other(&format!("the kernel has no random octets for a key: {error}")))?;
    Ok(SigningKey::ed25519(&seed))
}

/// Returns the default file name of a key: the last component of the identity.
fn default_file(identity: &Name) -> PathBuf {
    let last = identity.as_ref().last().map(|last| last.to_string()).unwrap_or_default();
    PathBuf::from(last).with_extension("key")
}

fn certificate_of(key: &Path) -> PathBuf {
    key.with_extension("cert")
}

/// Writes a file that does not have its name yet. Never overwrites an existing file, because a lost
/// key cannot be recovered.
fn written(file: &Path, octets: &[u8], mode: u32) -> Result<Output, Failure> {
    let write = || {
        let mut output = Output::create_private(file, mode)?;
        output.write_all(octets)?;
        output.flush()?;
        Ok(output)
    };
    write().map_err(|error| unwritable(file, &error))
}

fn unwritable(file: &Path, error: &io::Error) -> Failure {
    other(&format!(
        "{} cannot be written: {error}; choose another file, or remove this one",
        file.display()
    ))
}
