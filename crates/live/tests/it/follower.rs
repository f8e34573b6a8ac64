//! A follower gets the samples of a live run while the run goes on.

use crate::common::turn;
use narrows_live::Extras;
use narrows_measure::{FlowSample, Follower, LinkSample, Record};
use std::time::Instant;

struct Heard {
    begun: Option<(Instant, Record)>,
    flows: Vec<Vec<FlowSample>>,
    links: Vec<Vec<LinkSample>>,
    /// Delay of each sample behind its time, in seconds.
    late: Vec<f64>,
}

impl Follower for Heard {
    fn begun(&mut self, record: Record) {
        self.begun = Some((Instant::now(), record));
    }

    fn sampled(&mut self, flows: &[(usize, FlowSample)], links: &[(usize, LinkSample)]) {
        flows.iter().for_each(|(flow, sample)| self.flows[*flow].push(*sample));
        links.iter().for_each(|(link, sample)| self.links[*link].push(*sample));
        let (begun, _) = self.begun.as_ref().expect("it has begun");
        self.late.push(
            begun.elapsed().as_secs_f64()
                - flows[0].1.at.since(narrows_units::Time::ZERO).as_secs_f64(),
        );
    }
}

#[test]
fn samples_are_heard_as_they_are_taken_and_are_those_of_the_record() {
    if narrows_live::ready().is_err() || !rustix::process::geteuid().is_root() {
        return eprintln!("left out: live runs need root");
    }
    let text = "duration = \"2 s\"\nsample = \"50 ms\"\n[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = \"20 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"1 bdp\"\n\
                [[flow]]\nname = \"one\"\nfrom = \"a\"\nto = \"b\"\ncontroller = \"cubic\"\ncount = 2\n";
    let scenario =
        narrows_scenario::parse(text, "test.toml", &|path| std::fs::read_to_string(path)).unwrap();
    let _turn = turn();
    let mut heard = Heard {
        begun: None,
        flows: vec![Vec::new(); 2],
        links: vec![Vec::new(); 2],
        late: Vec::new(),
    };
    let run = narrows_live::run_with(&scenario, &Extras::default(), &mut |_| true, &mut heard);
    let (record, _) = run.unwrap_or_else(|error| panic!("{error}"));
    // The last samples may be taken after the follower's last call.
    for (flow, samples) in record.flows.iter().zip(&heard.flows) {
        assert!(samples.len() >= 35, "{}", samples.len());
        assert!(
            samples.iter().all(|sample| flow.samples.contains(sample)),
            "{samples:?} are not all of {:?}",
            flow.samples
        );
        assert!(
            samples.iter().any(|sample| sample.cwnd > 0.0 && sample.rtt.is_some())
                && samples.is_sorted_by_key(|sample| sample.at)
        );
    }
    for (link, samples) in record.links.iter().zip(&heard.links) {
        assert!(
            samples.len() >= 35 && samples.iter().all(|sample| link.samples.contains(sample)),
            "{}",
            link.name
        );
    }
    heard.late.sort_by(f64::total_cmp);
    let median = heard.late[heard.late.len() / 2];
    assert!((0.0..0.5).contains(&median), "heard {median} s late");
}
