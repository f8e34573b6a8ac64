//! Discovery of the latest version of an object.

use super::fetch_error::FetchError;
use super::trust::Trust;
use crate::client::{Client, ClientError};
use crate::wall::wall_seconds;
use narrows_ndn::tlv::Element;
use narrows_ndn::{Data, InterestDraft, Name, NameRef, number};
use narrows_units::Span;

/// Time to wait for one answer, and number of attempts for each name.
const PATIENCE: Span = Span::from_millis(1000);
const TRIES: usize = 3;

/// Finds the versioned name of an object: the name itself if it has a version, else the name in its
/// metadata, else the name of its first segment.
pub(super) fn discover(
    client: &mut Client,
    trust: &Trust,
    name: &Name,
) -> Result<Name, FetchError> {
    let view = name.as_ref();
    if is_version(&view) {
        return Ok(name.clone());
    }
    let metadata = name.clone().keyword(b"metadata");
    for asked in [metadata.as_ref(), view] {
        for _ in 0..TRIES {
            let mut octets = Vec::new();
            let nonce = Some(client.nonce());
            let lifetime_ms = Some(PATIENCE.as_micros() / 1000);
            InterestDraft {
                nonce,
                can_be_prefix: true,
                must_be_fresh: true,
                lifetime_ms,
                ..InterestDraft::new(asked)
            }
            .write(&mut octets);
            match client.ask(&octets, PATIENCE) {
                Ok(answer) => {
                    let data = Data::decode(&answer)
                        .map_err(|error| FetchError::Wrong(asked.to_string(), error.to_string()))?;
                    trust
                        .check(&data, wall_seconds())
                        .map_err(|error| FetchError::Distrusted(data.name.to_string(), error))?;
                    if let Some(found) = versioned(&data, asked == metadata.as_ref()) {
                        return Ok(found);
                    }
                    break;
                }
                Err(ClientError::Silent(..)) => {}
                Err(ClientError::Refused(..)) => break,
                Err(error) => return Err(error.into()),
            }
        }
    }
    Err(FetchError::Wrong(
        view.to_string(),
        "no producer answers: it is not registered, or no route leads to it".to_owned(),
    ))
}

/// The versioned name that Data announces: the content of metadata, or else the name of the Data
/// without its segment.
fn versioned(data: &Data<'_>, is_metadata: bool) -> Option<Name> {
    let named = if is_metadata {
        NameRef::decode(&Element::first(data.content?, 0).ok()?).ok()?
    } else {
        data.name.without_last(1)
    };
    is_version(&named).then(|| named.into())
}

fn is_version(name: &NameRef<'_>) -> bool {
    name.last().is_some_and(|last| last.nni_of(number::VERSION).is_some())
}
