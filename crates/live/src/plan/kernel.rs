//! The features of a kernel that scenarios can ask for.

use super::controllers::{missing, twin_of};
use narrows_control::{Controllers, Entry};
use narrows_params::{Catalogue, Registered};
use std::collections::BTreeMap;

/// A kernel, as far as scenarios can ask for its features.
pub struct Kernel {
    /// The names of its controllers.
    pub controllers: Vec<String>,
    /// The module parameters of its cubic that are switches, by the registry's names: true where they are on.
    pub cubic: BTreeMap<&'static str, bool>,
    /// Whether the longest retransmission timeout can be set (`tcp_rto_max_ms`, Linux 6.15).
    pub max_rto: bool,
    /// Whether it has IPv6.
    pub v6: bool,
    /// Whether it negotiates accurate ECN when asked.
    pub accurate: bool,
}

/// Switches among cubic's parameters: the registry's names, and those of the kernel's module.
pub const CUBIC_SWITCHES: [(&str, &str); 3] = [
    ("fast_convergence", "fast_convergence"),
    ("hystart", "hystart"),
    ("friendliness", "tcp_friendliness"),
];

impl Kernel {
    /// The registry's names of the controllers that it has or that can be loaded into it, as a list for people.
    pub fn offers(&self) -> String {
        let there = |entry: &&Entry| {
            missing(entry, &self.controllers).is_none() || twin_of(entry).is_some()
        };
        Controllers::all()
            .into_iter()
            .filter(there)
            .map(|entry| entry.name)
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// The value that a parameter has in the kernel's own controller; `None` if there is no such parameter.
    pub fn default_of(&self, entry: &Entry, name: &str) -> Option<String> {
        match (entry.name, name) {
            (_, "profile") => Some("linux".to_owned()),
            ("cubic", name) if self.cubic.contains_key(name) => Some(self.cubic[name].to_string()),
            _ => entry
                .params()
                .iter()
                .find(|param| param.name == name)
                .map(|param| param.default_text()),
        }
    }
}
