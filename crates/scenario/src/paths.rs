//! Named path profiles: common kinds of networks, each with its source.
//!
//! A profile is a complete scenario that can be printed, run and edited. A scenario with `path =
//! "leo"` gets the links of the profile and their changes, between the nodes "sender" and
//! "receiver".

use crate::error::{Checked, Problem};
use crate::text::At;
use narrows_params::suggest;
use toml_edit::{DocumentMut, Item};

/// A named path.
#[derive(Clone, Copy, Debug)]
pub struct PathProfile {
    /// Name in scenarios and on the command line.
    pub name: &'static str,
    /// Complete scenario: a heading of comments, the links between "sender" and "receiver", one
    /// flow.
    pub text: &'static str,
}

macro_rules! paths {
    ($($name:literal),*) => {
        /// All named paths, in the order of lists.
        pub const PATHS: &[PathProfile] =
            &[$(PathProfile { name: $name, text: include_str!(concat!("../../../scenarios/paths/", $name, ".toml")) }),*];
    };
}

paths!(
    "broadband",
    "fibre",
    "dsl",
    "wifi",
    "lte",
    "leo",
    "geo-satellite",
    "transoceanic",
    "datacenter",
    "dial-up"
);

impl PathProfile {
    /// Returns the path of this name.
    pub fn named(name: &str) -> Option<&'static PathProfile> {
        PATHS.iter().find(|path| path.name == name)
    }

    /// Returns the description, one line.
    pub fn summary(&self) -> &'static str {
        self.text.lines().next().unwrap_or_default().trim_start_matches("# ")
    }

    /// Returns the sources of the numbers, with those that are this project's choice.
    pub fn source(&self) -> String {
        let heading = self.text.lines().take_while(|line| line.starts_with('#')).skip(1);
        let words: Vec<&str> = heading
            .map(|line| line.trim_start_matches('#').trim())
            .filter(|line| !line.is_empty())
            .collect();
        words.join(" ").trim_start_matches("Source: ").to_owned()
    }

    /// Returns the network part of the text: from the first link to the first flow.
    fn network(&self) -> &'static str {
        let start = self.text.find("[[link]]").unwrap_or_default();
        let end = self.text.find("[[flow]]").unwrap_or(self.text.len());
        &self.text[start..end]
    }
}

/// Returns the names of a path's links; empty for an unknown path.
pub(crate) fn links(name: &str) -> Vec<String> {
    let document =
        PathProfile::named(name).and_then(|profile| profile.network().parse::<DocumentMut>().ok());
    let names = |document: &DocumentMut| {
        let links = document.get("link").and_then(Item::as_array_of_tables);
        links
            .into_iter()
            .flatten()
            .filter_map(|link| link.get("name").and_then(Item::as_str))
            .map(str::to_owned)
            .collect()
    };
    document.as_ref().map_or_else(Vec::new, names)
}

/// Appends the network of the named path to `text`.
pub(crate) fn append(text: &str, path: &At<String>) -> Checked<String> {
    let Some(profile) = PathProfile::named(&path.value) else {
        let names = PATHS.iter().map(|path| path.name);
        return Err(Problem::at(
            &path.span,
            format!("there is no path \"{}\"", path.value),
            suggest(&path.value, "paths", names),
        ));
    };
    Ok(format!("{text}\n# The path {}.\n\n{}", profile.name, profile.network()))
}
