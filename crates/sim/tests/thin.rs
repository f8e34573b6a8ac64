use narrows_control::registry::Choice;
use narrows_flow::Transport;
use narrows_path::{LinkConfig, Limit, RateSource};
use narrows_scenario::*;
use narrows_units::*;
#[test]
fn one() {
    let link = |name: &str, a, b| Link { name: name.into(), from: NodeId(a), to: NodeId(b), trace_file: None, config: LinkConfig { rate: RateSource::Constant(Rate::from_mbps(100)), delay: Span::from_millis(15), limit: Limit::Bytes(Bytes::new(375_000)), ..LinkConfig::default() } };
    let n: usize = std::env::var("N").ok().and_then(|n| n.parse().ok()).unwrap_or(10);
    let c = std::env::var("C").unwrap_or("newreno".into());
    let scenario = Scenario { name: "x".into(), seed: 1, duration: Span::from_secs(60), warmup: Span::from_secs(5), interval: Span::from_millis(100), send_overhead: true,
        nodes: vec![], links: vec![link("f", 0, 1), link("b", 1, 0)], expect: vec![],
        flows: (0..n).map(|i| Flow { name: format!("f{i}"), from: NodeId(0), to: NodeId(1), route: vec![LinkId(0)], back: vec![LinkId(1)], controller: Some(c.parse::<Choice>().unwrap()), transport: Transport::default(), workload: Workload::Bulk, start: Time::ZERO, stop: None }).collect() };
    let t = std::time::Instant::now();
    let r = narrows_sim::run(&scenario).unwrap();
    let el = t.elapsed();
    let l = &r.links[0];
    println!("util {:.4} events {} hops {} ns/pkt {:.1}", l.steady.departed_bytes.get() as f64 / l.capacity.unwrap().get() as f64, r.events, r.hops, el.as_nanos() as f64 / l.total.delivered as f64);
    for f in r.flows.iter().take(4) { println!("{:?} rtt {:?} {:?}", f.total, f.rtt.quantile(0.5), f.rtt.max()); }
    println!("{:?} q {:?}", l.total, l.queueing.quantile(0.5));
    for s in r.flows[0].samples.iter().take(40) { print!("{:.0}/{} ", s.cwnd, s.in_flight); }
}
