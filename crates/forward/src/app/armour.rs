//! Certificate files: raw octets, base64 as ndnsec writes it, or PEM as ndnd writes it.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

/// A certificate file that holds no packet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is neither a packet nor base64 of one: {0}")]
pub struct CertificateFileError(String);

/// Decodes a certificate file to the octets of its packet. In text files, PEM lines (`-----BEGIN
/// NDN CERT-----`) and PEM headers (`Name: /example`) are skipped.
pub(super) fn octets_of(file: &[u8]) -> Result<Vec<u8>, CertificateFileError> {
    /// First octet of a Data packet. No base64 text begins with it.
    const DATA: u8 = 6;
    if file.first() == Some(&DATA) {
        return Ok(file.to_vec());
    }
    let text =
        std::str::from_utf8(file).map_err(|error| CertificateFileError(error.to_string()))?;
    let encoded: String = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.starts_with("-----") && !line.contains(':'))
        .collect();
    if encoded.is_empty() {
        return Err(CertificateFileError("it is empty".to_owned()));
    }
    BASE64_STANDARD.decode(encoded).map_err(|error| CertificateFileError(error.to_string()))
}

/// Encodes a certificate as the text of a file: base64 in lines of 64 characters.
pub fn encode_certificate_file(certificate: &[u8]) -> String {
    const LINE: usize = 64;
    let encoded = BASE64_STANDARD.encode(certificate);
    encoded
        .as_bytes()
        .chunks(LINE)
        .flat_map(|line| [std::str::from_utf8(line).unwrap_or_default(), "\n"])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_of_other_programs_are_read() {
        let packet: Vec<u8> = [6, 200].into_iter().chain(0..198).collect();
        let text = encode_certificate_file(&packet);
        assert!(text.lines().all(|line| line.len() <= 64) && text.ends_with('\n'));
        let pem = format!(
            "-----BEGIN NDN CERT-----\nName: /a/KEY/1/NA/v=1\nSigType: Ed25519\n\n{text}-----END NDN CERT-----\n"
        );
        for file in [&packet[..], text.as_bytes(), pem.as_bytes()] {
            assert_eq!(octets_of(file).as_ref(), Ok(&packet));
        }
        assert!(
            octets_of(b"").is_err()
                && octets_of(b"no packet!").is_err()
                && octets_of(&[0xff, 0xfe]).is_err()
        );
    }
}
