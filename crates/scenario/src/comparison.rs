//! The scenario of a comparison: flows of one controller over one bottleneck, described by a few
//! numbers.

use crate::write::{Document, quoted};
use narrows_units::{Depth, Rate, Span};

/// One bottleneck between two hosts, and flows of one controller that share it. The default is a
/// common first test: 100 Mbit/s, 30 ms, a buffer of two bandwidth-delay products, one flow, a
/// minute.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Named path that replaces the bottleneck described by the fields below.
    pub path: Option<String>,
    /// Rate of the bottleneck, in both directions; a trace replaces it.
    pub rate: Rate,
    /// Rate of the sending host's network card, a link before the bottleneck; `None` for a host
    /// that hands its packets to the bottleneck at once.
    pub host_rate: Option<Rate>,
    /// Propagation delay of the round trip, half in each direction.
    pub rtt: Span,
    /// Buffer of the bottleneck, in both directions; `None` for no limit.
    pub buffer: Option<Depth>,
    /// Probability that a data packet is lost before the bottleneck's queue.
    pub loss: f64,
    /// Number of flows.
    pub flows: u32,
    /// Time between the starts of one flow and the next.
    pub stagger: Span,
    /// File of recorded capacity in the direction of data.
    pub trace: Option<String>,
    /// File of recorded capacity in the direction of acknowledgements; `None` for the rate.
    pub trace_back: Option<String>,
    /// Length of the run.
    pub duration: Span,
    /// End of the warm-up, after which statistics begin; `None` for a sixth of the duration.
    pub warmup: Option<Span>,
}

impl Default for Comparison {
    fn default() -> Comparison {
        Comparison {
            path: None,
            rate: Rate::from_mbps(100),
            host_rate: None,
            rtt: Span::from_millis(30),
            buffer: Some(Depth::MilliBdp(2_000)),
            loss: 0.0,
            flows: 1,
            stagger: Span::ZERO,
            trace: None,
            trace_back: None,
            duration: Span::from_secs(60),
            warmup: None,
        }
    }
}

impl Comparison {
    /// Writes the scenario in which `controller`, a name with its parameters, drives all flows.
    pub fn to_toml(&self, controller: &str, seed: u64) -> String {
        let mut out = Document(String::new());
        out.text("name", controller);
        out.plain("seed", seed);
        out.text("duration", self.duration);
        out.text("warmup", self.warmup.unwrap_or(self.duration / 6));
        match &self.path {
            Some(path) => out.0.insert_str(0, &format!("path = {}\n", quoted(path))),
            None => self.write_link(&mut out),
        }
        let (from, to) =
            if self.path.is_some() { ("sender", "receiver") } else { ("left", "right") };
        out.heading("[[flow]]");
        out.plain("from", quoted(from));
        out.plain("to", quoted(to));
        out.text("controller", controller);
        out.plain("count", self.flows);
        out.text("stagger", self.stagger);
        out.0
    }

    fn write_link(&self, out: &mut Document) {
        out.heading("[[link]]");
        out.text("name", "bottleneck");
        let near = if self.host_rate.is_some() { "edge" } else { "left" };
        out.plain("between", format_args!("[\"{near}\", \"right\"]"));
        self.write_rate(out, &self.trace);
        out.text("delay", self.rtt / 2);
        if self.loss != 0.0 {
            out.plain("loss", format_args!("{{ probability = {:?} }}", self.loss));
        }
        match self.buffer {
            Some(buffer) => out.text("buffer", buffer),
            None => out.text("buffer", "unlimited"),
        }
        let (there, back) = (self.rtt / 2, self.rtt - self.rtt / 2);
        if self.trace != self.trace_back || there != back {
            out.heading("[link.back]");
            self.write_rate(out, &self.trace_back);
            out.text("delay", back);
        }
        if let Some(rate) = self.host_rate {
            out.heading("[[link]]");
            out.text("name", "host");
            out.plain("between", "[\"left\", \"edge\"]");
            out.text("rate", rate);
        }
    }

    fn write_rate(&self, out: &mut Document, trace: &Option<String>) {
        match trace {
            Some(file) => out.text("trace", file),
            None => out.text("rate", self.rate),
        }
    }
}
