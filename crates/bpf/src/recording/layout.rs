//! The content of a record, and its place.

use crate::program::Program;
use crate::socket::{AREA_WORDS, Place, of_ack_sample, of_rate_sample, of_socket};
use crate::types::TypeKind;

/// The most bytes of global variables that are recorded with each call (ours).
const MOST_GLOBALS: usize = 1024;

/// A global variable.
#[derive(Clone, Debug)]
pub(super) struct Global {
    pub name: String,
    /// In a record.
    pub at: usize,
    pub size: usize,
    /// In the program.
    pub region: usize,
    pub offset: usize,
}

/// The content of the records of a program.
#[derive(Debug)]
pub(super) struct Layout {
    /// Of the socket.
    pub places: Vec<Place>,
    pub ack: Vec<Place>,
    pub rate: Vec<Place>,
    pub globals: Vec<Global>,
    /// Octets of all globals, a multiple of 8.
    pub globals_size: usize,
}

impl Layout {
    /// Places for arguments; the first, of the socket, is not used.
    pub const ARGUMENTS: usize = 5;

    /// That of a program.
    ///
    /// # Errors
    ///
    /// Its global variables cannot be recorded: why, and the remedy.
    pub fn of(program: &Program) -> Result<Layout, String> {
        let written =
            program.variables.iter().filter(|variable| program.regions[variable.region].writable);
        let mut globals = Vec::new();
        let mut at = 0;
        for variable in written {
            globals.push(Global {
                name: variable.name.clone(),
                at,
                size: variable.size,
                region: variable.region,
                offset: variable.offset,
            });
            at += variable.size;
        }
        if let Some(name) = beside_integers(program) {
            return Err(format!(
                "its global variable {name} is no integer, and only integers are recorded with each call; keep it in the private area of the connection, or make it const"
            ));
        }
        if at > MOST_GLOBALS {
            return Err(format!(
                "it has {at} bytes of global variables, and at most {MOST_GLOBALS} are recorded with each call; make fewer of them"
            ));
        }
        let globals_size = at.next_multiple_of(8);
        Ok(Layout {
            places: of_socket(),
            ack: of_ack_sample(),
            rate: of_rate_sample(),
            globals,
            globals_size,
        })
    }

    /// Integers of the larger of the two samples.
    pub fn samples(&self) -> usize {
        self.ack.len().max(self.rate.len())
    }

    /// The parts that programs may write, the private area left out.
    pub fn writable(&self) -> impl Iterator<Item = &Place> {
        self.places.iter().filter(|place| place.writable)
    }

    /// Bytes of a record.
    pub fn size(&self) -> usize {
        let words = 3
            + Layout::ARGUMENTS
            + self.places.len()
            + AREA_WORDS
            + self.samples()
            + self.writable().count()
            + AREA_WORDS
            + 1;
        8 * words + self.globals_size
    }
}

/// A variable in a section that is written, which is not among the integers.
fn beside_integers(program: &Program) -> Option<String> {
    let types = &program.types;
    let sections = types.all().filter_map(|(_, one)| match &one.kind {
        TypeKind::Section(placed)
            if program
                .regions
                .iter()
                .any(|region| region.writable && region.name == types.name(one)) =>
        {
            Some(placed)
        }
        _ => None,
    });
    let names = sections
        .flat_map(|placed| placed.iter())
        .filter_map(|placed| types.get(placed.variable))
        .map(|variable| types.name(variable));
    names
        .into_iter()
        .find(|name| !program.variables.iter().any(|variable| variable.name == *name))
        .map(str::to_owned)
}
