//! Contents of a run, and the random requests for them.

use crate::error::LiveError;
use narrows_scenario::{Icn, PrefixId, Scenario};
use narrows_traffic::{ContentId, Contents, Request, Requests};
use narrows_units::Time;

/// Most requests of a run, our choice: nodes receive all requests before the run begins.
const MOST_REQUESTS: usize = 100_000;

/// The contents and requests of a run, equal to those in simulation.
pub struct Asked {
    /// All contents.
    pub contents: Contents,
    /// Requests in time order.
    pub requests: Vec<Request>,
}

impl Asked {
    /// Draws the contents and requests of a scenario until its end.
    ///
    /// # Errors
    ///
    /// There are more requests than `MOST_REQUESTS`.
    pub fn during(scenario: &Scenario, icn: &Icn) -> Result<Asked, LiveError> {
        let mut contents = Contents::new(icn);
        let mut coming = Requests::new(scenario.seed, icn, &mut contents);
        let (mut requests, end) = (Vec::new(), Time::ZERO + scenario.duration);
        while coming.due() < end
            && let Some(request) = coming.next(&mut contents)
        {
            if requests.len() == MOST_REQUESTS {
                let most = icn
                    .requests
                    .iter()
                    .min_by_key(|process| process.every)
                    .map_or("", |process| &process.name);
                let problem =
                    format!("a live run has at most {MOST_REQUESTS} requests, and there are more");
                let remedy =
                    "make every longer, or the duration shorter, or simulate it with narrows run";
                return Err(LiveError::refused(["request", most, "every"], problem, remedy));
            }
            requests.push(request);
        }
        Ok(Asked { contents, requests })
    }

    /// Returns the requests of a flow in time order.
    pub fn of_flow(&self, flow: usize) -> impl Iterator<Item = &Request> {
        self.requests.iter().filter(move |request| request.flow == flow)
    }

    /// Returns the number of a content among the contents of all prefixes, which its name contains.
    pub fn number(&self, content: ContentId) -> usize {
        let before =
            (0..content.prefix.0).map(|prefix| self.contents.owners(PrefixId(prefix)).len());
        before.sum::<usize>() + content.number as usize
    }

    /// Returns the flow to which the packets of each content belong, by the content's number.
    pub fn owners(&self, icn: &Icn) -> Vec<u32> {
        (0..icn.prefixes.len())
            .flat_map(|prefix| self.contents.owners(PrefixId(prefix)))
            .copied()
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NETWORK: &str = "duration = \"20 s\"\nseed = 4\n[icn]\n\
        [[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = \"4 Mbit/s\"\n[[link]]\nname = \"m\"\nbetween = [\"b\", \"c\"]\nrate = \"4 Mbit/s\"\n\
        [[prefix]]\nname = \"/one\"\nat = \"c\"\n[[prefix]]\nname = \"/two\"\nat = \"c\"\n";

    fn during(text: &str) -> (Scenario, Result<Asked, LiveError>) {
        let scenario = narrows_scenario::parse(&format!("{NETWORK}{text}"), "test.toml", &|path| {
            std::fs::read_to_string(path)
        })
        .unwrap_or_else(|error| panic!("{}", error.short()));
        let asked = Asked::during(&scenario, scenario.icn.as_ref().expect("it is one"));
        (scenario, asked)
    }

    #[test]
    fn packets_of_all_contents_find_their_flow() {
        let (scenario, asked) = during(
            "[[consumer]]\nname = \"film\"\nat = \"a\"\nprefix = \"/two\"\ncontent = \"x\"\n\
             [[consumer]]\nname = \"again\"\nat = \"b\"\nprefix = \"/two\"\ncontent = \"x\"\n\
             [[request]]\nname = \"shop\"\nat = [\"a\", \"b\"]\nprefix = [\"/one\", \"/two\"]\nevery = \"100 ms\"\nsegments = 2\n\
             [[request]]\nname = \"news\"\nat = \"b\"\nprefix = \"/one\"\nevery = \"100 ms\"\nsegments = 2\ncatalogue = 3\n",
        );
        let (asked, icn) =
            (asked.expect("it runs live"), scenario.icn.as_ref().expect("it is one"));
        let owners = asked.owners(icn);
        assert_eq!(
            owners[asked.number(asked.contents.of_consumer(1))],
            0,
            "the content is the first consumer's"
        );
        let mut numbers: Vec<usize> = Vec::new();
        for request in &asked.requests {
            assert_eq!(owners[asked.number(request.content)], request.flow as u32, "{request:?}");
            numbers.push(asked.number(request.content));
        }
        // Contents that are requested once, requested contents of the catalogue, and the consumers'
        // contents have different numbers.
        numbers.sort_unstable();
        numbers.dedup();
        let catalogue = asked
            .of_flow(4)
            .map(|request| request.content.number)
            .collect::<std::collections::BTreeSet<_>>();
        assert_eq!(
            numbers.len(),
            asked.of_flow(2).count() + asked.of_flow(3).count() + catalogue.len()
        );
        assert!(catalogue.len() == 3 && asked.of_flow(4).count() > 100, "{catalogue:?}");
    }

    #[test]
    fn more_requests_than_nodes_are_told_of_are_refused() {
        let every = |every: &str| {
            during(&format!("[[request]]\nname = \"shop\"\nat = \"a\"\nprefix = \"/one\"\nevery = \"{every}\"\nsegments = 1\n")).1
        };
        let refused = every("50 us").err().expect("some 400,000 requests").to_string();
        assert!(
            refused.starts_with("request \"shop\", every: a live run has at most 100000 requests"),
            "{refused}"
        );
        assert!(
            every("1 ms").is_ok_and(|asked| (19_000..21_000).contains(&asked.requests.len())),
            "some 20,000 requests"
        );
    }
}
