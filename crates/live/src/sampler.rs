//! Samples of programs' connections.

use crate::clock::Clock;
use crate::diagnosis::{Connection, Diagnosis};
use crate::hosts::{Host, number_of};
use crate::sockets::FIRST_PORT;
use crate::tcp_info::INFINITE_SSTHRESH;
use narrows_measure::FlowSample;
use narrows_units::{Rate, Span, Time};
use std::collections::BTreeMap;
use std::io;
use std::net::IpAddr;
use std::thread;
use std::time::Duration;

/// How soon it notices that it should stop.
const NAP: Duration = Duration::from_millis(20);

/// What the kernel told of the connections of one flow of programs.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// At each interval.
    pub samples: Vec<FlowSample>,
    /// Segments sent again.
    pub retransmitted: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// The kernel's name of the controller of the connection that sent most; `None` if there was none.
    pub controller: Option<String>,
}

/// Asks the hosts' kernels about the connections of programs.
pub struct Sampler<'a> {
    /// By the place of the host.
    desks: Vec<Diagnosis>,
    /// The places of the hosts of each flow of programs.
    ends: &'a [(usize, usize)],
    /// Ports from the first on that the scenario's own flows have.
    own: usize,
    told: Vec<Told>,
    /// The flow of each connection and the latest that was told of it, by its ends.
    latest: BTreeMap<[(IpAddr, u16); 2], (usize, Connection)>,
}

impl<'a> Sampler<'a> {
    /// One for the flows behind the first `own`.
    pub fn new(hosts: &[Host], ends: &'a [(usize, usize)], own: usize) -> io::Result<Sampler<'a>> {
        let desks = hosts.iter().map(|host| host.namespace.enter(Diagnosis::open)).collect::<io::Result<_>>()?;
        let ends = &ends[own..];
        Ok(Sampler { desks, ends, own, told: vec![Told::default(); ends.len()], latest: BTreeMap::new() })
    }

    /// Takes a sample at each interval while it is to go on.
    pub fn run(&mut self, clock: Clock, interval: Span, go_on: &dyn Fn() -> bool) -> io::Result<()> {
        let mut at = Time::ZERO + interval;
        while go_on() {
            let now = clock.now();
            if now >= at {
                self.sample(at)?;
                at += interval;
            } else {
                thread::sleep(Duration::from_nanos(at.since(now).as_nanos()).min(NAP));
            }
        }
        self.sample(at)
    }

    fn sample(&mut self, at: Time) -> io::Result<()> {
        let mut samples = vec![FlowSample { at, ..FlowSample::default() }; self.ends.len()];
        for place in 0..self.desks.len() {
            for connection in self.desks[place].connections()? {
                if let Some(flow) = self.flow(place, &connection) {
                    add(&connection, &mut samples[flow]);
                    self.latest.insert([connection.from, connection.to], (flow, connection));
                }
            }
        }
        for (told, sample) in self.told.iter_mut().zip(samples) {
            told.samples.push(sample);
        }
        Ok(())
    }

    /// The flow in whose direction a host's connection sends; none for those of the scenario and those that stay on the host.
    fn flow(&self, place: usize, connection: &Connection) -> Option<usize> {
        let own = usize::from(FIRST_PORT)..usize::from(FIRST_PORT) + self.own;
        if own.contains(&usize::from(connection.from.1)) || own.contains(&usize::from(connection.to.1)) || connection.to.0.is_loopback() {
            return None;
        }
        let to = usize::from(number_of(connection.to.0.to_canonical())?);
        self.ends.iter().position(|ends| *ends == (place, to))
    }

    /// What was told.
    pub fn finish(mut self) -> Vec<Told> {
        let mut most = vec![0; self.told.len()];
        for (flow, Connection { info, controller, .. }) in self.latest.into_values() {
            let told = &mut self.told[flow];
            told.retransmitted += u64::from(info.total_retrans);
            told.timeouts += u64::from(info.total_rto);
            if told.controller.is_none() || info.bytes_sent > most[flow] {
                (told.controller, most[flow]) = (Some(controller), info.bytes_sent);
            }
        }
        self.told
    }
}

/// Adds what is told of one connection to the sample of its flow.
fn add(connection: &Connection, sample: &mut FlowSample) {
    let info = &connection.info;
    sample.connections += 1;
    sample.cwnd += f64::from(info.snd_cwnd);
    sample.in_flight += (info.unacked + info.retrans).saturating_sub(info.sacked + info.lost);
    if info.snd_ssthresh < INFINITE_SSTHRESH {
        *sample.ssthresh.get_or_insert(0.0) += f64::from(info.snd_ssthresh);
    }
    if info.pacing_rate != u64::MAX && info.pacing_rate > 0 {
        let before = sample.pacing.map_or(0, Rate::as_bps);
        sample.pacing = Some(Rate::from_bps(before.saturating_add(info.pacing_rate.saturating_mul(8))));
    }
}
