//! Arguments of the command line: addresses and names.

use crate::cli::At;
use narrows_forward::Place;
use narrows_ndn::Name;
use narrows_workbench::Failure;

/// Returns the address of the forwarder: the argument, or else the user's default.
pub(super) fn place(at: &At) -> Result<Place, Failure> {
    let place = match &at.at {
        Some(text) => Place::parse(text),
        None => Place::of_user(),
    };
    place.map_err(|error| other(&error))
}

pub(super) fn name(text: &str) -> Result<Name, Failure> {
    let name: Name = text.parse().map_err(|error| other(&error))?;
    if name.as_ref().is_empty() {
        Err(Failure::Other("the name is empty: write /example/video".to_owned()))
    } else {
        Ok(name)
    }
}

pub(super) fn other(error: &dyn std::fmt::Display) -> Failure {
    Failure::Other(error.to_string())
}
