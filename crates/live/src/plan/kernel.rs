//! Features of a kernel that scenarios may need.

use super::controllers::{missing, twin_of};
use narrows_control::{Controllers, EntryRef};
use narrows_params::Catalogue;
use std::collections::BTreeMap;

/// A kernel, with the features that scenarios may need.
pub struct Kernel {
    /// Names of its controllers.
    pub controllers: Vec<String>,
    /// Switches among the module parameters of its cubic, by the registry's names: true if on.
    pub cubic: BTreeMap<&'static str, bool>,
    /// True if the longest retransmission timeout can be set (`tcp_rto_max_ms`, Linux 6.15).
    pub max_rto: bool,
    /// True if it has IPv6.
    pub v6: bool,
    /// True if it can negotiate accurate ECN.
    pub accurate: bool,
}

/// Switches among cubic's parameters: names in the registry and in the kernel's module.
pub const CUBIC_SWITCHES: [(&str, &str); 3] = [
    ("fast_convergence", "fast_convergence"),
    ("hystart", "hystart"),
    ("friendliness", "tcp_friendliness"),
];

impl Kernel {
    /// Lists, for people, the registry names of the controllers that the kernel has or can load.
    pub fn offers(&self) -> String {
        let there = |entry: &&EntryRef| {
            missing(entry, &self.controllers).is_none() || twin_of(entry).is_some()
        };
        let all = Controllers::all();
        all.iter().filter(there).map(EntryRef::name).collect::<Vec<_>>().join(", ")
    }

    /// Returns the value of a parameter in the kernel's controller; `None` if there is no such
    /// parameter.
    pub fn default_of(&self, entry: &EntryRef, name: &str) -> Option<String> {
        match (entry.name(), name) {
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
