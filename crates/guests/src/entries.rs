//! The stacks' controllers as entries of the registry.

use narrows_control::Entry;

/// The controllers of all stacks that the program has, in the order in which lists show them.
pub fn entries() -> Vec<&'static Entry> {
    let mut all: Vec<&'static Entry> = Vec::new();
    #[cfg(feature = "noq")]
    all.extend(crate::noq::ENTRIES);
    #[cfg(feature = "quinn")]
    all.extend(crate::quinn::ENTRIES);
    all
}
