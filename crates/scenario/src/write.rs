//! Writes a checked scenario as text.

use crate::check::default_burst_rate;
use crate::implied;
use crate::{
    Arrivals, Change, Draw, Flow, Frames, Link, LinkId, On, OnOff, Requests, Scenario, Sizes, What,
    Workload,
};
use narrows_control::Saved;
use narrows_path::{
    Delivery, EcnField, Jitter, JitterDist, Limit, LinkChange, LossModel, RateSource, Reorder,
};
use narrows_transport::{Transport, Tso};
use narrows_units::Span;
use std::fmt::Write;

impl Scenario {
    /// Writes the scenario as TOML without relying on defaults, except for transport settings that
    /// a controller implies: every link in one direction, every flow with its route. Reading the
    /// text gives an equal scenario if the trace files are in place.
    pub fn to_toml(&self) -> String {
        let mut out = Document(String::new());
        out.text("name", &self.name);
        out.plain("seed", self.seed);
        out.text("duration", self.duration);
        out.text("warmup", self.warmup);
        out.text("sample", self.interval);
        out.plain("send_overhead", self.send_overhead);
        for node in &self.nodes {
            out.heading("[[node]]");
            out.text("name", &node.name);
        }
        for link in &self.links {
            self.write_link(&mut out, link);
        }
        for flow in self.flows.iter() {
            self.write_flow(&mut out, flow);
        }
        if let Some(icn) = &self.icn {
            self.write_icn(&mut out, icn);
        }
        for (index, change) in self.changes.iter().enumerate() {
            self.write_change(&mut out, change, &self.changes[index + 1..]);
        }
        if !self.expect.is_empty() {
            out.heading("[expect]");
        }
        for band in &self.expect {
            let ends = [("min", band.min), ("max", band.max)];
            let ends: Vec<String> = ends
                .iter()
                .filter_map(|(key, end)| end.map(|end| format!("{key} = {end:?}")))
                .collect();
            out.plain(&quoted(&band.metric), format_args!("{{ {} }}", ends.join(", ")));
        }
        out.0
    }

    fn write_link(&self, out: &mut Document, link: &Link) {
        out.heading("[[link]]");
        out.text("name", &link.name);
        out.text("from", &self.nodes[link.from.0].name);
        out.text("to", &self.nodes[link.to.0].name);
        match (&link.config.rate, &link.trace_file) {
            (RateSource::Constant(rate), _) => out.text("rate", rate),
            (RateSource::Trace { .. }, Some(file)) => out.text("trace", file),
            (RateSource::Trace { .. }, None) | (RateSource::Unlimited, _) => {
                out.text("rate", "unlimited")
            }
        }
        out.text("delay", link.config.delay);
        let Delivery { jitter, reorder, aggregate, burst_rate, ecn } = link.config.delivery;
        write_jitter(out, jitter);
        if reorder != Reorder::default() {
            write_reorder(out, reorder);
        }
        if !aggregate.is_zero() {
            out.text("aggregate", aggregate);
        }
        match burst_rate {
            None => out.text("burst_rate", "unlimited"),
            Some(rate) if rate != default_burst_rate(&link.config.rate) => {
                out.text("burst_rate", rate)
            }
            Some(_) => {}
        }
        if ecn != EcnField::Keep {
            out.text("ecn", ecn.name());
        }
        if link.config.loss != LossModel::None {
            write_loss(out, link.config.loss);
        }
        write_limit(out, link.config.limit);
        out.text("queue", link.config.queue.as_ref().map_or("fifo", |queue| queue.text()));
    }

    /// Writes a change. An outage is written at its beginning; `later` has its end.
    fn write_change(&self, out: &mut Document, change: &Change, later: &[Change]) {
        if let What::Link(_, LinkChange::Up) = change.what {
            return;
        }
        out.heading("[[change]]");
        out.text("at", change.at);
        let at = change.at;
        let (link, change) = match &change.what {
            What::Link(link, change) => (link, change),
            What::Route { flow, route, back } => {
                out.text("flow", &self.flows[flow.0].name);
                out.plain("route", self.names(route));
                if self.flows[flow.0].controller.is_some() {
                    out.plain("back", self.names(back));
                }
                return;
            }
        };
        out.text("link", &self.links[link.0].name);
        match change {
            LinkChange::Rate(rate) => out.text("rate", rate),
            LinkChange::Delay(delay) => out.text("delay", delay),
            LinkChange::Jitter(jitter) => write_jitter(out, *jitter),
            LinkChange::Reorder(reorder) => write_reorder(out, *reorder),
            LinkChange::Aggregate(aggregate) => out.text("aggregate", aggregate),
            LinkChange::Ecn(ecn) => out.text("ecn", ecn.name()),
            LinkChange::Loss(model) => write_loss(out, *model),
            LinkChange::Limit(limit) => write_limit(out, *limit),
            LinkChange::Down => {
                let up = later.iter().find(|later| later.what == What::Link(*link, LinkChange::Up));
                out.text("down_for", up.map_or(self.duration, |up| up.at.since(at)));
            }
            LinkChange::Up => {}
        }
    }

    fn write_flow(&self, out: &mut Document, flow: &Flow) {
        out.heading("[[flow]]");
        out.text("name", &flow.name);
        out.text("from", &self.nodes[flow.from.0].name);
        out.text("to", &self.nodes[flow.to.0].name);
        if let Some(controller) = &flow.controller {
            out.text("controller", controller.text());
        }
        out.text("start", flow.start);
        if let Some(stop) = flow.stop {
            out.text("stop", stop);
        }
        if !flow.pauses.is_empty() {
            let pauses: Vec<String> = flow
                .pauses
                .iter()
                .map(|pause| format!("[\"{}\", \"{}\"]", pause.from, pause.to))
                .collect();
            out.plain("pauses", format_args!("[{}]", pauses.join(", ")));
        }
        if let Some(Saved { rtt, window, age }) = flow.saved {
            let window = window.whole();
            out.plain(
                "saved",
                format_args!("{{ rtt = \"{rtt}\", window = {window}, age = \"{age}\" }}"),
            );
        }
        out.plain("route", self.names(&flow.route));
        if flow.controller.is_some() {
            out.plain("back", self.names(&flow.back));
        }
        write_workload(out, &flow.workload);
        if flow.stream != flow.name {
            out.text("stream", &flow.stream);
        }
        let implied = implied::transport(flow.controller.as_ref());
        if *flow.transport != implied {
            out.heading("[flow.transport]");
            write_transport(out, &flow.transport, &implied);
        }
    }

    fn names(&self, links: &[LinkId]) -> String {
        let names: Vec<String> = links.iter().map(|id| quoted(&self.links[id.0].name)).collect();
        format!("[{}]", names.join(", "))
    }
}

fn write_jitter(out: &mut Document, jitter: Jitter) {
    let reorders = jitter.reorders;
    match jitter.spread {
        JitterDist::None if !reorders => out.text("jitter", Span::ZERO),
        JitterDist::Uniform(most) if !reorders => out.text("jitter", most),
        JitterDist::None => out.plain("jitter", "{ uniform = \"0 s\", reorders = true }"),
        JitterDist::Uniform(most) => {
            out.plain("jitter", format_args!("{{ uniform = \"{most}\", reorders = {reorders} }}"))
        }
        JitterDist::Normal(deviation) => out
            .plain("jitter", format_args!("{{ normal = \"{deviation}\", reorders = {reorders} }}")),
        JitterDist::Wifi(average) => {
            out.plain("jitter", format_args!("{{ wifi = \"{average}\", reorders = {reorders} }}"))
        }
    }
}

fn write_reorder(out: &mut Document, Reorder { share, delay }: Reorder) {
    // A share of 1 is written in percent, because the reader refuses the number 1.
    let share = if share < 1.0 { format!("{share:?}") } else { "\"100 %\"".to_owned() };
    out.plain("reorder", format_args!("{{ share = {share}, delay = \"{delay}\" }}"));
}

fn write_loss(out: &mut Document, model: LossModel) {
    match model {
        LossModel::None => out.text("loss", "0 %"),
        LossModel::Independent(probability) => out.plain("loss", format_args!("{{ probability = {probability:?} }}")),
        LossModel::Periodic(every) => out.plain("loss", format_args!("{{ every = {every} }}")),
        LossModel::GilbertElliott { to_bad, to_good, loss_good, loss_bad } => out.plain(
            "loss",
            format_args!("{{ to_bad = {to_bad:?}, to_good = {to_good:?}, loss_good = {loss_good:?}, loss_bad = {loss_bad:?} }}"),
        ),
        LossModel::GilbertElliottInTime { good_for, bad_for, loss_good, loss_bad } => out.plain(
            "loss",
            format_args!("{{ good_for = \"{good_for}\", bad_for = \"{bad_for}\", loss_good = {loss_good:?}, loss_bad = {loss_bad:?} }}"),
        ),
    }
}

fn write_limit(out: &mut Document, limit: Limit) {
    match limit {
        Limit::None => out.text("buffer", "unlimited"),
        Limit::Bytes(bytes) => out.text("buffer", bytes),
        Limit::Packets(packets) => out.text("buffer", format_args!("{packets} packets")),
    }
}

fn write_workload(out: &mut Document, workload: &Workload) {
    let fields = match workload {
        Workload::Bulk => return out.text("workload", "bulk"),
        Workload::Size(size) => format!("size = \"{size}\""),
        Workload::Constant(rate) => format!("rate = \"{rate}\""),
        Workload::OnOff(OnOff { on, off, draw, rate, reopens }) => {
            let on = match on {
                On::Time(time) => time.to_string(),
                On::Size(size) => size.to_string(),
            };
            let rate = rate.map_or(String::new(), |rate| format!(", rate = \"{rate}\""));
            let connections = if *reopens { ", connections = \"new\"" } else { "" };
            format!("on = \"{on}\", off = \"{off}\", draw = \"{}\"{rate}{connections}", word(*draw))
        }
        Workload::Frames(frames) => {
            let Frames { rate, follows, interval, key_every, key_factor, deadline, then } = frames;
            let follows = follows.map_or(String::new(), |(least, most)| {
                format!(", min_rate = \"{least}\", max_rate = \"{most}\"")
            });
            let key = if *key_every == 0 {
                String::new()
            } else {
                format!(", key_every = {key_every}, key_factor = {key_factor:?}")
            };
            let then = then.map_or(String::new(), |(until, size)| {
                format!(", until = \"{until}\", then = \"{size}\"")
            });
            format!(
                "rate = \"{rate}\", frame = \"{interval}\"{follows}{key}, deadline = \"{deadline}\"{then}"
            )
        }
        Workload::Arrivals(Arrivals { per_second, sizes, reconnects }) => {
            let reconnect = if *reconnects { ", reconnect = \"saved\"" } else { "" };
            format!("arrivals = \"{per_second}/s\", sizes = {}{reconnect}", written_sizes(sizes))
        }
        Workload::Requests(Requests { request, response, think, draw }) => {
            format!(
                "request = \"{request}\", response = {}, think = \"{think}\", draw = \"{}\"",
                written_sizes(response),
                word(*draw)
            )
        }
    };
    out.plain("workload", format_args!("{{ {fields} }}"));
}

fn word(draw: Draw) -> &'static str {
    match draw {
        Draw::Fixed => "fixed",
        Draw::Exponential => "exponential",
    }
}

fn written_sizes(sizes: &Sizes) -> String {
    match sizes {
        Sizes::Fixed(size) => quoted(&size.to_string()),
        Sizes::Published(published) => quoted(published.name),
        Sizes::Points(points) => {
            let points: Vec<String> = points
                .iter()
                .map(|(size, share)| format!("[\"{} B\", {share:?}]", *size as u64))
                .collect();
            format!("[{}]", points.join(", "))
        }
    }
}

/// Leaves out settings that the controller implies, so that a replacement controller gets its own.
fn write_transport(out: &mut Document, transport: &Transport, implied: &Transport) {
    out.text("mss", transport.mss);
    out.text("headers", transport.headers);
    out.plain("handshake", transport.handshake);
    out.plain("initial_window", transport.initial_window);
    out.text("min_rto", transport.min_rto);
    out.text("initial_rto", transport.initial_rto);
    out.text("max_rto", transport.max_rto);
    if transport.acks != implied.acks {
        out.text("acks", transport.acks);
    }
    if (transport.acks, transport.ack_every) != (implied.acks, implied.ack_every) {
        out.plain("ack_every", transport.ack_every);
    }
    out.text("ack_delay", transport.ack_delay);
    out.plain("quick_acks", transport.quick_acks);
    out.plain("receive_autotuning", transport.receive_autotuning);
    match transport.receive_window {
        Some(window) => out.text("receive_window", window),
        None => out.text("receive_window", "unlimited"),
    }
    out.text("gro", transport.gro);
    match transport.tso {
        Tso::Off => out.text("tso", "off"),
        Tso::Auto => out.text("tso", "auto"),
        Tso::Fixed(size) => out.text("tso", size),
    }
    if transport.unpaced_start != implied.unpaced_start {
        out.plain("unpaced_start", transport.unpaced_start);
    }
    out.plain("sack", transport.sack);
    out.plain("timestamps", transport.timestamps);
    out.text("rto", transport.rto);
    out.text("rtt_samples", transport.rtt_samples);
    out.text("tick", transport.tick);
    if transport.loss_detection != implied.loss_detection {
        out.text("loss_detection", transport.loss_detection);
    }
    out.plain("dupthresh", transport.dupthresh);
    out.text("recovery", transport.recovery);
    out.plain("tail_loss_probe", transport.tail_loss_probe);
    out.plain("frto", transport.frto);
    out.plain("undo", transport.undo);
    if transport.ack_pieces != implied.ack_pieces {
        out.plain("ack_pieces", transport.ack_pieces);
    }
    if transport.ack_ahead != implied.ack_ahead {
        out.plain("ack_ahead", transport.ack_ahead);
    }
}

/// A TOML text under construction.
pub(crate) struct Document(pub String);

impl Document {
    pub fn heading(&mut self, heading: &str) {
        self.0.push('\n');
        self.0.push_str(heading);
        self.0.push('\n');
    }

    pub fn plain(&mut self, key: &str, value: impl std::fmt::Display) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.0, "{key} = {value}");
    }

    pub fn text(&mut self, key: &str, value: impl std::fmt::Display) {
        self.plain(key, quoted(&value.to_string()));
    }
}

/// Formats a text as a basic string of TOML (v1.0.0, "String").
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
