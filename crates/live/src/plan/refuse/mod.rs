//! What a scenario asks that the kernel cannot give is refused, by name, before anything starts.

use crate::capability::{available_in, lacks, negotiates_accurate};
use crate::error::LiveError;
use crate::hosts::kernel_has_v6;
use crate::loans::{Loan, borrow, twin_of};
use crate::namespace::Namespace;
use crate::sockets::{DATAGRAM_HEADERS, FIRST_PORT};
use crate::terms::{Plan, RouteTerms, Terms};
use narrows_control::TWINS;
use narrows_control::{Choice, ENTRIES, Entry, Setup};
use narrows_params::Need;
use narrows_params::Registered;
use narrows_scenario::{Flow, Scenario};
use narrows_transport::{Transport, Tso};
use narrows_units::{Bytes, Span};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs;

#[cfg(test)]
mod tests;

/// What this kernel has, as far as scenarios can ask for it.
pub struct Kernel {
    /// Its controllers.
    pub controllers: Vec<String>,
    /// Whether cubic's module parameters are as if nobody had changed them, by the registry's name of each.
    pub cubic: BTreeMap<&'static str, bool>,
    /// Whether the longest retransmission timeout can be set (`tcp_rto_max_ms`, Linux 6.15).
    pub max_rto: bool,
    /// Whether it has IPv6.
    pub v6: bool,
    /// Whether it negotiates accurate ECN when asked.
    pub accurate: bool,
}

/// The signals that the kernel's controllers have without routers.
const OFFERS: &[Need] = &[Need::RateSample, Need::Pacing, Need::EcnCounts, Need::Tags];
/// Ports from which the kernel takes those that nobody asked for (`ip_local_port_range`).
const FIRST_EPHEMERAL: u16 = 32_768;
/// Smallest and greatest `TCP_MAXSEG` (`TCP_MIN_MSS`, `MAX_TCP_WINDOW`).
const MAX_SEGMENT: (u64, u64) = (88, 32_767);
/// Smallest MTU of IPv6 (RFC 8200 section 5), which every host has.
const LEAST_MTU: u64 = 1280;
/// What a receiver can offer before windows are scaled (RFC 7323 section 2.2).
const UNSCALED_WINDOW: u64 = 65_535;
/// Addresses of each host: one for each class of routes.
const MOST_CLASSES: usize = 100;
/// Hosts whose addresses are different.
const MOST_HOSTS: usize = 65_000;

impl Kernel {
    /// The one that runs, as a new namespace sees it.
    pub fn running() -> Result<Kernel, LiveError> {
        let found = Namespace::new().and_then(|namespace| Ok((available_in(&namespace)?, namespace.enter(negotiates_accurate)?)));
        let (controllers, accurate) = found.map_err(LiveError::system("a network namespace cannot be made", "see `narrows doctor`"))?;
        let parameters = [("fast_convergence", "fast_convergence"), ("hystart", "hystart"), ("friendliness", "tcp_friendliness")];
        let on = |name: &str| fs::read_to_string(format!("/sys/module/tcp_cubic/parameters/{name}")).is_ok_and(|value| value.trim() != "0");
        Ok(Kernel {
            controllers,
            cubic: parameters.into_iter().map(|(own, kernel)| (own, on(kernel))).collect(),
            max_rto: fs::exists("/proc/sys/net/ipv4/tcp_rto_max_ms").unwrap_or(false),
            v6: kernel_has_v6(),
            accurate,
        })
    }

    /// The scenario's controllers that it has or can be given, as people write them.
    fn offers(&self) -> String {
        let there = |entry: &&&Entry| lacks(entry, &self.controllers).is_none() || twin_of(entry).is_some();
        ENTRIES.iter().filter(there).map(|entry| entry.name).collect::<Vec<_>>().join(", ")
    }

    /// What its own controller has of a parameter.
    fn default_of(&self, entry: &Entry, name: &str) -> Option<String> {
        match (entry.name, name) {
            (_, "profile") => Some("linux".to_owned()),
            ("cubic", name) if self.cubic.contains_key(name) => Some(self.cubic[name].to_string()),
            _ => entry.params().iter().find(|param| param.name == name).map(|param| param.default_text()),
        }
    }
}

/// Refuses what no kernel has any part of.
///
/// # Errors
///
/// The scenario is information-centric.
pub fn has_flows(scenario: &Scenario) -> Result<(), LiveError> {
    if scenario.icn.is_none() {
        return Ok(());
    }
    let problem = "an information-centric network has nodes that forward Interests and Data, and the kernel has none";
    Err(LiveError::refused(["icn"], problem, "simulate it with narrows run"))
}

/// What must be told to the kernel to run a scenario. `ends` are the places of each flow's hosts, of which there are so many.
///
/// # Errors
///
/// The first thing that this kernel cannot do, and what it could.
pub fn plan(scenario: &Scenario, ends: &[(usize, usize)], hosts: usize, kernel: &Kernel) -> Result<Plan, LiveError> {
    let most_flows = usize::from(FIRST_EPHEMERAL - FIRST_PORT);
    if scenario.flows.len() > most_flows {
        let problem = format!("{} flows need as many ports, and there are {most_flows}", scenario.flows.len());
        return Err(LiveError::refused(["flow"], problem, "run fewer flows live, or simulate them all with narrows run"));
    }
    if hosts > MOST_HOSTS {
        return Err(LiveError::refused(["flow"], format!("{hosts} hosts are more than {MOST_HOSTS}"), "run a smaller network live"));
    }
    let greatest = scenario.flows.iter().map(|flow| (flow.transport.mss + flow.transport.headers).get()).max().unwrap_or(0);
    let mtu = greatest.max(LEAST_MTU) as u32;
    let mut plan = Plan { mtu, ..Plan::plain(hosts, mtu) };
    // Who wants each setting of a host, and how.
    let mut wanted: Vec<BTreeMap<&'static str, (String, &str)>> = vec![BTreeMap::new(); hosts];
    for (flow, ends) in scenario.flows.iter().zip(ends) {
        let asked = Asked { flow, kernel };
        let terms = asked.terms(&mut plan)?;
        plan.flows.push(terms);
        asked.hears(scenario)?;
        for (key, setting, value, usual, places) in asked.settings(*ends)? {
            for place in places {
                match wanted[place].get(setting) {
                    Some((other, first)) if *other != value => {
                        let problem = format!(
                            "this and flow \"{first}\" ask different things of one host, whose kernel has one setting for all ({setting})"
                        );
                        return Err(asked.refused(key, problem, "let them agree, or end at different nodes"));
                    }
                    _ => _ = wanted[place].insert(setting, (value.clone(), &flow.name)),
                }
                if value != usual {
                    plan.settings[place].insert(setting, value.clone());
                }
            }
        }
    }
    Ok(plan)
}

/// The scenario's key, the setting of the kernel, what it must be, what it usually is, and the hosts where it holds.
type Setting = (&'static str, &'static str, String, &'static str, Vec<usize>);

/// What one flow asks.
struct Asked<'a> {
    flow: &'a Flow,
    kernel: &'a Kernel,
}

impl Asked<'_> {
    fn refused(&self, key: &str, problem: impl Into<String>, remedy: impl Into<String>) -> LiveError {
        let keys = key.split('.').map(str::to_owned);
        LiveError::refused(["flow".to_owned(), self.flow.name.clone()].into_iter().chain(keys), problem, remedy)
    }

    fn terms(&self, plan: &mut Plan) -> Result<Terms, LiveError> {
        let Some(choice) = &self.flow.controller else {
            return self.datagrams();
        };
        let (controller, ecn, paced) = self.controller(choice, &mut plan.loans)?;
        self.fixed()?;
        let transport = &self.flow.transport;
        let v6 = self.family()?;
        let options = if transport.timestamps { 12 } else { 0 };
        let segment = transport.mss.get() + options;
        let max_segment = (transport.mss + transport.headers < Bytes::new(plan.mtu.into())).then_some(segment as u32);
        if max_segment.is_some() && !(MAX_SEGMENT.0..=MAX_SEGMENT.1).contains(&segment) {
            let problem = format!("TCP cannot be told to send segments of {} beside larger ones", transport.mss);
            let range = format!("give an mss from {} to {} B", MAX_SEGMENT.0 - options, MAX_SEGMENT.1 - options);
            return Err(self.refused("transport.mss", problem, range));
        }
        let linux = Transport::default();
        let route = RouteTerms {
            ecn,
            initial_window: (transport.initial_window != linux.initial_window).then_some(transport.initial_window),
            min_rto: (transport.min_rto != linux.min_rto).then_some(transport.min_rto),
            dupthresh: (transport.dupthresh != linux.dupthresh).then_some(transport.dupthresh),
            ack_each: transport.ack_every == 1,
        };
        let class = plan.classes.iter().position(|class| *class == route).unwrap_or(plan.classes.len());
        if class == MOST_CLASSES {
            let problem = format!("there are more than {MOST_CLASSES} ways in which the flows differ");
            return Err(self.refused("transport", problem, "let more flows have the same settings"));
        }
        if class == plan.classes.len() {
            plan.classes.push(route);
        }
        Ok(Terms { controller: Some(controller), paced, v6, max_segment, receive_window: transport.receive_window, class })
    }

    /// Refuses a controller whose routers are missing on its route, or speak otherwise.
    fn hears(&self, scenario: &Scenario) -> Result<(), LiveError> {
        let Some(choice) = &self.flow.controller else { return Ok(()) };
        let built = choice.build(&Setup::default()).map_err(|error| self.refused("controller", error.to_string(), "leave it out"))?;
        match scenario.misheard(self.flow, choice, built.decision().ecn, OFFERS) {
            Some((problem, remedy)) => Err(self.refused("controller", problem, remedy)),
            None => Ok(()),
        }
    }

    /// Of a flow without a controller: nothing is asked, but its headers must hold those of IPv4 and UDP.
    fn datagrams(&self) -> Result<Terms, LiveError> {
        let headers = self.flow.transport.headers;
        if headers < DATAGRAM_HEADERS {
            let problem = format!("no datagram has headers of {headers}");
            let remedy = format!("give {DATAGRAM_HEADERS} for IPv4 and UDP, or more");
            return Err(self.refused("transport.headers", problem, remedy));
        }
        Ok(Terms { controller: None, paced: false, v6: false, max_segment: None, receive_window: None, class: 0 })
    }

    /// The kernel's name of the controller that does what is asked; with it ECN and pacing, which can be asked of every one.
    fn controller(&self, choice: &Choice, loans: &mut Vec<Loan>) -> Result<(String, bool, bool), LiveError> {
        let entry = choice.entry();
        let own = entry.kernel.filter(|_| lacks(entry, &self.kernel.controllers).is_none());
        match (own, twin_of(entry)) {
            (Some(name), twin) if twin.is_none_or(|twin| twin.kernel != name) => {
                let (ecn, paced) = self.asks(choice, |name| self.kernel.default_of(entry, name))?;
                Ok((name.to_owned(), ecn, paced))
            }
            (_, Some(twin)) => {
                let form = twin.form();
                let (ecn, paced) = self.asks(choice, |name| form.sets(name).then(|| form.params().text(name)))?;
                let borrowed = borrow(loans, twin, choice, &self.kernel.controllers);
                Ok((borrowed.map_err(|error| self.refused("controller", error.to_string(), "simulate it with narrows run"))?, ecn, paced))
            }
            _ => {
                let (problem, mut remedy) = lacks(entry, &self.kernel.controllers).unwrap_or_default();
                if let Some(twin) = TWINS.iter().find(|twin| twin.kernel == entry.name) {
                    remedy = format!("write {}, which the kernel is given for the run, or simulate it with narrows run", twin.choice);
                }
                let offers = self.kernel.offers();
                Err(self.refused("controller", format!("{}: {problem}; it has {offers}", entry.name), remedy))
            }
        }
    }

    /// Whether ECN and pacing are asked. `fixed` tells what the kernel's controller has of a parameter, if that cannot be chosen.
    fn asks(&self, choice: &Choice, fixed: impl Fn(&str) -> Option<String>) -> Result<(bool, bool), LiveError> {
        let entry = choice.entry();
        let params = choice.params();
        let (mut ecn, mut paced) = (false, false);
        for param in entry.params() {
            let value = params.text(param.name);
            match (entry.name, param.name) {
                (_, "ecn") => {
                    ecn = params.flag("ecn");
                    continue;
                }
                ("newreno", "pacing") => {
                    paced = params.flag("pacing");
                    continue;
                }
                _ => {}
            }
            if let Some(kernel) = fixed(param.name).filter(|kernel| *kernel != value) {
                let problem = format!("{}={value} of {} is not what the kernel's controller does", param.name, entry.name);
                return Err(self.refused(
                    "controller",
                    problem,
                    format!("write {}?{}={kernel}, or simulate it with narrows run", entry.name, param.name),
                ));
            }
        }
        Ok((ecn, paced))
    }

    /// Which version of IP has headers of this size.
    fn family(&self) -> Result<bool, LiveError> {
        let Transport { headers, timestamps, .. } = self.flow.transport;
        let (v4, v6) = if timestamps { (52, 72) } else { (40, 60) };
        match headers.get() {
            size if size == v4 => Ok(false),
            size if size == v6 && self.kernel.v6 => Ok(true),
            size if size == v6 => Err(self.refused(
                "transport.headers",
                format!("headers of {headers} are those of IPv6, which this kernel does not have"),
                format!("give {v4} B for IPv4, or start the kernel without ipv6.disable=1"),
            )),
            _ => {
                let stamps = if timestamps { "with" } else { "without" };
                let problem = format!("no packet of TCP {stamps} time stamps has headers of {headers}");
                Err(self.refused(
                    "transport.headers",
                    problem,
                    format!("give {v4} B for IPv4 or {v6} B for IPv6, and the mss that goes with it"),
                ))
            }
        }
    }

    /// Refuses what the kernel does its own way.
    fn fixed(&self) -> Result<(), LiveError> {
        let (asked, linux) = (&self.flow.transport, Transport::default());
        self.same("acks", asked.acks, linux.acks)?;
        self.same("handshake", asked.handshake, linux.handshake)?;
        self.same("initial_rto", asked.initial_rto, linux.initial_rto)?;
        self.same("rto", asked.rto, linux.rto)?;
        self.same("rtt_samples", asked.rtt_samples, linux.rtt_samples)?;
        self.same("tick", asked.tick, linux.tick)?;
        self.same("loss_detection", asked.loss_detection, linux.loss_detection)?;
        self.same("recovery", asked.recovery, linux.recovery)?;
        self.same("undo", asked.undo, linux.undo)?;
        self.same("gro", asked.gro, linux.gro)?;
        if asked.ack_every != 1 {
            self.same("ack_every", asked.ack_every, linux.ack_every)?;
            self.same("ack_delay", asked.ack_delay, linux.ack_delay)?;
            self.same("quick_acks", asked.quick_acks, linux.quick_acks)?;
        }
        if let Tso::Fixed(size) = asked.tso {
            let problem = format!("the kernel sizes what it hands over at once by the rate (tcp_tso_autosize), not always {size}");
            return Err(self.refused("transport.tso", problem, "give \"auto\", or leave tso out"));
        }
        let first = asked.mss.get() * u64::from(asked.initial_window);
        if first > UNSCALED_WINDOW && asked.initial_window != linux.initial_window {
            let problem = format!("a first window of {first} B is more than a receiver can offer when it accepts ({UNSCALED_WINDOW} B)");
            let most = (UNSCALED_WINDOW / asked.mss.get()).max(1);
            return Err(self.refused("transport.initial_window", problem, format!("give at most {most}")));
        }
        if asked.min_rto != linux.min_rto && asked.min_rto.as_nanos() % Span::from_millis(1).as_nanos() != 0 {
            return Err(self.refused(
                "transport.min_rto",
                format!("the kernel counts it in whole milliseconds, not {}", asked.min_rto),
                "give whole milliseconds",
            ));
        }
        if let Some(window) = asked.receive_window
            && window.get() > 1 << 30
        {
            return Err(self.refused(
                "transport.receive_window",
                format!("TCP has no window of {window}"),
                "give at most 1 GiB, or \"unlimited\"",
            ));
        }
        let longest = Span::from_secs(1)..=linux.max_rto;
        if asked.max_rto != linux.max_rto && !(self.kernel.max_rto && longest.contains(&asked.max_rto)) {
            let remedy = if self.kernel.max_rto { "give from \"1 s\" to \"120 s\"" } else { "leave it out, or take Linux 6.15 or later" };
            return Err(self.refused("transport.max_rto", format!("this kernel has {}, not {}", linux.max_rto, asked.max_rto), remedy));
        }
        Ok(())
    }

    fn same<T: PartialEq + Display>(&self, key: &str, asked: T, linux: T) -> Result<(), LiveError> {
        if asked == linux {
            return Ok(());
        }
        let problem = format!("the kernel's TCP has {key} = {linux}, not {asked}");
        Err(self.refused(&format!("transport.{key}"), problem, format!("leave {key} out, or simulate it with narrows run")))
    }

    /// What it asks of the hosts at its ends.
    fn settings(&self, (from, to): (usize, usize)) -> Result<Vec<Setting>, LiveError> {
        let Some(choice) = &self.flow.controller else { return Ok(Vec::new()) };
        let asked = &self.flow.transport;
        let switch = |on: bool, value: &'static str| if on { value.to_owned() } else { "0".to_owned() };
        let both = || vec![from, to];
        let (buffer, moderate) = match asked.receive_window {
            // Room for the window and what the kernel keeps beside it; it may not grow further.
            Some(window) => (format!("4096 {0} {0}", (4 * window.get()).max(1 << 16)), "0"),
            None => (crate::hosts::RECEIVE_BUFFERS.to_owned(), "1"),
        };
        // Where it is not negotiated, controllers that need it go over to it by themselves.
        let counts = choice.needs().contains(&Need::EcnCounts) && twin_of(choice.entry()).is_some();
        let accurate = ("controller", "ipv4/tcp_ecn", if counts { "3" } else { "2" }.to_owned(), "2", both());
        let mut settings = vec![
            ("transport.sack", "ipv4/tcp_sack", switch(asked.sack, "1"), "1", both()),
            ("transport.timestamps", "ipv4/tcp_timestamps", switch(asked.timestamps, "1"), "1", both()),
            ("transport.tail_loss_probe", "ipv4/tcp_early_retrans", switch(asked.tail_loss_probe, "3"), "3", both()),
            ("transport.frto", "ipv4/tcp_frto", switch(asked.frto, "2"), "2", both()),
            ("transport.max_rto", "ipv4/tcp_rto_max_ms", (asked.max_rto.as_micros() / 1000).to_string(), "120000", both()),
            ("transport.receive_window", "ipv4/tcp_rmem", buffer, crate::hosts::RECEIVE_BUFFERS, vec![to]),
            ("transport.receive_window", "ipv4/tcp_moderate_rcvbuf", moderate.to_owned(), "1", vec![to]),
        ];
        settings.extend(self.kernel.accurate.then_some(accurate));
        Ok(settings)
    }
}
