//! Samples the connections of programs.

use crate::clock::Clock;
use crate::host::{Connection, Host, INFINITE_SSTHRESH, SockDiag, TcpInfo};
use crate::plan::{UNLIMITED_PACING, flow_of, host_of};
use crate::tap::Tap;
use narrows_control::Controllers;
use narrows_measure::FlowSample;
use narrows_params::{Catalogue, Need};
use narrows_units::{Rate, Span, Time};
use std::collections::BTreeMap;
use std::io;
use std::net::IpAddr;
use std::thread;
use std::time::Duration;

/// Longest time until a stop is noticed.
const MAX_WAIT: Duration = Duration::from_millis(20);

/// The kernel's counts for the connections of a flow of programs.
#[derive(Clone, Debug, Default)]
pub struct FlowConnections {
    /// Samples, one for each interval.
    pub samples: Vec<FlowSample>,
    /// Retransmissions and timeouts.
    pub total: Repeats,
    /// Retransmissions and timeouts until the end of the warm-up.
    pub at_warmup: Repeats,
    /// Kernel name of the controller of the connection that sent most; `None` without connections.
    pub controller: Option<String>,
}

/// Counts of retransmissions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Repeats {
    /// Retransmitted segments.
    pub retransmitted: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
}

/// Queries the hosts' kernels about the connections of programs.
pub struct Sampler<'a> {
    /// Query socket of each host.
    diagnoses: Vec<SockDiag>,
    /// Hosts of each flow of programs.
    ends: &'a [(usize, usize)],
    /// Number of the scenario's flows, which are recognised by their ports.
    own: usize,
    flows: Vec<FlowConnections>,
    /// Latest counts of each connection, by its endpoints.
    latest: BTreeMap<[(IpAddr, u16); 2], Latest>,
}

/// The latest counts of a connection.
struct Latest {
    flow: usize,
    connection: Connection,
    /// Retransmitted SYNs, each after a timeout.
    syns: u32,
}

impl<'a> Sampler<'a> {
    /// Makes a sampler for the flows after the first `own`.
    pub fn new(hosts: &[Host], ends: &'a [(usize, usize)], own: usize) -> io::Result<Sampler<'a>> {
        let diagnoses = hosts
            .iter()
            .map(|host| host.namespace.enter(SockDiag::open))
            .collect::<io::Result<_>>()?;
        let ends = &ends[own..];
        Ok(Sampler {
            diagnoses,
            ends,
            own,
            flows: vec![FlowConnections::default(); ends.len()],
            latest: BTreeMap::new(),
        })
    }

    /// Takes a sample at each interval as long as `go_on` returns true. The warm-up ends with the
    /// first sample from `warmup` on.
    pub fn run(
        &mut self,
        clock: Clock,
        (interval, warmup): (Span, Span),
        tap: &Tap,
        go_on: &dyn Fn() -> bool,
    ) -> io::Result<()> {
        let mut at = Time::ZERO + interval;
        let mut warmup = if warmup == Span::ZERO { Time::NEVER } else { Time::ZERO + warmup };
        while go_on() {
            let now = clock.now();
            if now >= at {
                self.sample(at)?;
                if at >= warmup {
                    warmup = Time::NEVER;
                    let repeats = self.repeats();
                    self.flows
                        .iter_mut()
                        .zip(repeats)
                        .for_each(|(flow, repeats)| flow.at_warmup = repeats);
                }
                let latest = |flow: &FlowConnections| flow.samples.last().copied();
                tap.sockets(at, self.own, self.flows.iter().filter_map(latest));
                at += interval;
            } else {
                thread::sleep(Duration::from_nanos(at.since(now).as_nanos()).min(MAX_WAIT));
            }
        }
        self.sample(at)
    }

    fn sample(&mut self, at: Time) -> io::Result<()> {
        let mut samples = vec![FlowSample { at, ..FlowSample::default() }; self.ends.len()];
        for place in 0..self.diagnoses.len() {
            for connection in self.diagnoses[place].connections()? {
                if let Some(flow) = self.flow(place, &connection) {
                    add(&connection, &mut samples[flow]);
                    let ends = [connection.from, connection.to];
                    let syns = self
                        .latest
                        .get(&ends)
                        .map_or_else(|| syns_again(&connection.info), |latest| latest.syns);
                    self.latest.insert(ends, Latest { flow, connection, syns });
                }
            }
        }
        for (flow, sample) in self.flows.iter_mut().zip(samples) {
            flow.samples.push(sample);
        }
        Ok(())
    }

    /// Returns the flow in whose direction a host's connection sends; `None` for the scenario's
    /// flows and for connections within a host.
    fn flow(&self, place: usize, connection: &Connection) -> Option<usize> {
        let own = |(_, port): (IpAddr, u16)| flow_of(port, self.own).is_some();
        if own(connection.from) || own(connection.to) || connection.to.0.is_loopback() {
            return None;
        }
        let to = usize::from(host_of(connection.to.0.to_canonical())?);
        self.ends.iter().position(|ends| *ends == (place, to))
    }

    /// Returns the counts of each flow.
    pub fn finish(mut self) -> Vec<FlowConnections> {
        let repeats = self.repeats();
        self.flows.iter_mut().zip(repeats).for_each(|(flow, repeats)| flow.total = repeats);
        let mut most = vec![0; self.flows.len()];
        for Latest { flow, connection: Connection { info, controller, .. }, .. } in
            self.latest.into_values()
        {
            let counts = &mut self.flows[flow];
            if counts.controller.is_none() || info.bytes_sent > most[flow] {
                (counts.controller, most[flow]) = (Some(controller), info.bytes_sent);
            }
        }
        self.flows
    }

    /// Returns the retransmissions and timeouts of each flow so far.
    fn repeats(&self) -> Vec<Repeats> {
        let mut of_flows = vec![Repeats::default(); self.flows.len()];
        for Latest { flow, connection: Connection { info, .. }, syns } in self.latest.values() {
            of_flows[*flow].retransmitted += u64::from(info.total_retrans.saturating_sub(*syns));
            of_flows[*flow].timeouts += u64::from(info.total_rto).saturating_sub(u64::from(*syns));
        }
        of_flows
    }
}

/// Adds a connection to the sample of its flow.
fn add(connection: &Connection, sample: &mut FlowSample) {
    let info = &connection.info;
    sample.connections += 1;
    sample.cwnd += f64::from(info.snd_cwnd);
    sample.in_flight += (info.unacked + info.retrans).saturating_sub(info.sacked + info.lost);
    if info.snd_ssthresh < INFINITE_SSTHRESH {
        *sample.ssthresh.get_or_insert(0.0) += f64::from(info.snd_ssthresh);
    }
    if let Some(rate) = pacing(connection) {
        sample.pacing = Some(Rate::from_bps(
            sample.pacing.map_or(0, Rate::as_bps).saturating_add(rate.as_bps()),
        ));
    }
}

/// Returns the number of retransmitted SYNs of a connection that is seen for the first time: the
/// retransmitted segments that its retransmitted bytes do not account for (`tcp_retransmit_skb`).
fn syns_again(info: &TcpInfo) -> u32 {
    let data = info.bytes_retrans.div_ceil(u64::from(info.snd_mss.max(1)));
    u64::from(info.total_retrans).saturating_sub(data) as u32
}

/// Returns the rate at which a connection paces, with headers. `None` if it does not pace: neither
/// its controller requests it, nor has its program set a limit. The kernel computes a rate for
/// every connection, of payload only (`tcp_update_pacing_rate`).
fn pacing(connection: &Connection) -> Option<Rate> {
    let info = &connection.info;
    let named = |kernel: &str| connection.controller.split('.').next() == Some(kernel);
    let paces = Controllers::all()
        .iter()
        .any(|entry| entry.needs().contains(&Need::Pacing) && entry.kernel().is_some_and(named))
        || info.max_pacing_rate != u64::MAX;
    let known = (1..UNLIMITED_PACING).contains(&info.pacing_rate) && info.snd_mss > 0;
    let ip = if connection.to.0.to_canonical().is_ipv4() { 20 } else { 40 };
    let stamps = if info.options & TIMESTAMPS != 0 { 12 } else { 0 };
    let with_headers = 1.0 + f64::from(ip + 20 + stamps) / f64::from(info.snd_mss.max(1));
    (paces && known)
        .then(|| Rate::from_bps((info.pacing_rate.saturating_mul(8) as f64 * with_headers) as u64))
}

/// `TCPI_OPT_TIMESTAMPS` of include/uapi/linux/tcp.h.
const TIMESTAMPS: u8 = 1;

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a connection with 1448 bytes of payload and 52 bytes of headers in each packet, 1.448
    /// MB of payload per second.
    fn connection(controller: &str, info: TcpInfo) -> Connection {
        let ends = ("10.0.0.1".parse().unwrap(), 40_000);
        let info = TcpInfo { snd_mss: 1448, options: TIMESTAMPS, pacing_rate: 1_448_000, ..info };
        Connection { from: ends, to: ends, info, controller: controller.to_owned() }
    }

    #[test]
    fn a_pacing_rate_is_that_of_connections_that_pace_with_their_headers() {
        let unlimited = TcpInfo { max_pacing_rate: u64::MAX, ..TcpInfo::default() };
        let mut sample = FlowSample::default();
        add(&connection("cubic", unlimited), &mut sample);
        assert_eq!(sample.pacing, None);
        add(&connection("bbr", unlimited), &mut sample);
        add(
            &connection("cubic", TcpInfo { max_pacing_rate: 10_000_000, ..unlimited }),
            &mut sample,
        );
        let mbps = sample.pacing.unwrap().as_bps() as f64 / 1e6;
        assert!((mbps - 24.0).abs() < 1e-5, "{mbps}");
    }

    #[test]
    fn repeated_syns_are_told_from_data() {
        let again = |total_retrans, bytes_retrans| {
            syns_again(&TcpInfo {
                total_retrans,
                bytes_retrans,
                snd_mss: 1448,
                ..TcpInfo::default()
            })
        };
        assert_eq!(again(2, 0), 2);
        assert_eq!(again(3, 2 * 1448), 1);
        assert_eq!(again(2, 1448 + 1), 0);
    }
}
