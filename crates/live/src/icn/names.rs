//! Names of contents on the wire: a prefix and a number, padded with zeros so that Interests have
//! the size of the scenario.

use super::asked::Asked;
use super::sizes;
use crate::error::LiveError;
use narrows_ndn::Name;
use narrows_scenario::{Icn, NodeId, PrefixId};
use narrows_traffic::ContentId;
use std::collections::BTreeMap;

/// The names of the contents of a run. Padding fits the farthest consumer of each content, whose
/// Interests have the longest path labels.
pub struct ContentNames {
    prefixes: Vec<Name>,
    /// Number of each requested content, with its digits.
    numbers: BTreeMap<ContentId, (usize, usize)>,
}

impl ContentNames {
    /// Makes the names of a run.
    ///
    /// # Errors
    ///
    /// A prefix is not an NDN name, or Interests are too small.
    pub fn new(icn: &Icn, asked: &Asked) -> Result<ContentNames, LiveError> {
        let prefixes = icn.prefixes.iter().map(|prefix| {
            let problem = |error| {
                LiveError::refused(
                    ["prefix", &prefix.name],
                    format!("it is no name of NDN: {error}"),
                    "write \"/film\"",
                )
            };
            prefix.name.parse::<Name>().map_err(|error| problem(error.to_string()))
        });
        let prefixes = prefixes.collect::<Result<Vec<_>, _>>()?;
        let mut ways: BTreeMap<(NodeId, PrefixId), usize> = BTreeMap::new();
        let mut hops: BTreeMap<ContentId, usize> = BTreeMap::new();
        let consumers = icn
            .consumers
            .iter()
            .enumerate()
            .map(|(place, consumer)| (consumer.at, asked.contents.of_consumer(place)));
        let requests = asked
            .requests
            .iter()
            .map(|request| (icn.requests[request.process].at[request.node], request.content));
        for (at, content) in consumers.chain(requests) {
            let way = *ways
                .entry((at, content.prefix))
                .or_insert_with(|| icn.way(at, content.prefix).len());
            let most = hops.entry(content).or_default();
            *most = way.max(*most);
        }
        let contents = asked.owners(icn).len();
        let mut digits: BTreeMap<(PrefixId, usize), usize> = BTreeMap::new();
        let mut numbers = BTreeMap::new();
        for (content, hops) in hops {
            let key = (content.prefix, hops);
            let digits = match digits.get(&key) {
                Some(digits) => *digits,
                None => {
                    let name = &prefixes[content.prefix.0];
                    let made =
                        sizes::digits(name, contents, hops, icn.interest).map_err(|needed| {
                            let of = &icn.prefixes[content.prefix.0].name;
                            let problem = format!(
                                "Interests for {of} need {needed}, headers of IP and UDP included"
                            );
                            LiveError::refused(
                                ["icn", "interest"],
                                problem,
                                format!("give {needed} or more, or simulate it with narrows run"),
                            )
                        })?;
                    digits.insert(key, made);
                    made
                }
            };
            numbers.insert(content, (asked.number(content), digits));
        }
        Ok(ContentNames { prefixes, numbers })
    }

    /// Returns the name of a requested content, without segments.
    pub fn of(&self, content: ContentId) -> Name {
        let (number, digits) = self.numbers[&content];
        sizes::content(&self.prefixes[content.prefix.0], number, digits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consumers_at_different_distances_share_a_content() {
        let text = "duration = \"5 s\"\n[icn]\n[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = \"4 Mbit/s\"\n\
            [[link]]\nname = \"m\"\nbetween = [\"b\", \"c\"]\nrate = \"4 Mbit/s\"\n[[link]]\nname = \"n\"\nbetween = [\"c\", \"d\"]\nrate = \"4 Mbit/s\"\n\
            [[prefix]]\nname = \"/p\"\nat = \"d\"\n\
            [[consumer]]\nat = \"a\"\nprefix = \"/p\"\ncontent = \"x\"\n[[consumer]]\nat = \"c\"\nprefix = \"/p\"\ncontent = \"x\"\n\
            [[consumer]]\nat = \"c\"\nprefix = \"/p\"\n";
        let scenario =
            narrows_scenario::parse(text, "test.toml", &|path| std::fs::read_to_string(path))
                .unwrap_or_else(|error| panic!("{}", error.short()));
        let icn = scenario.icn.as_ref().expect("it is one");
        let asked = Asked::during(&scenario, icn).expect("it runs live");
        let names = ContentNames::new(icn, &asked).expect("they fit");
        let name = |place| names.of(asked.contents.of_consumer(place)).as_ref().to_string();
        assert_eq!(name(0), name(1));
        // One link away, Interests have a shorter path label, and a longer name fills the rest.
        assert!(name(2).len() > name(0).len(), "{} {}", name(2), name(0));
    }
}
