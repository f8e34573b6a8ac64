//! The canonical matrix: bulk flows of 1500-byte packets, 30 ms, a drop-tail buffer of one bandwidth-delay product.

use crate::error::Failure;
use narrows_scenario::Scenario;
use narrows_units::{Rate, Span};
use std::fmt::Write;

/// How the names of the links that are measured begin.
pub const BOTTLENECK: &str = "bottleneck";

/// One run of the matrix.
#[derive(Clone, Debug)]
pub struct Cell {
    pub topology: Topology,
    pub controller: &'static str,
    pub flows: u32,
    pub rate: Rate,
    pub duration: Span,
}

/// The shape of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topology {
    /// Hosts at the two ends of the bottleneck.
    OneLink,
    /// Each flow has its own access links of ten times the bottleneck's rate on both sides.
    Dumbbell,
    /// A thousand separate bottlenecks, each with its share of the flows.
    Many,
}

/// Bottlenecks of [`Topology::Many`].
const MANY: u32 = 1_000;

impl Topology {
    pub fn name(self) -> &'static str {
        match self {
            Topology::OneLink => "one-link",
            Topology::Dumbbell => "dumbbell",
            Topology::Many => "many",
        }
    }
}

/// The cells that take long or much memory: a hundred thousand flows, and ten minutes at 10 Gbit/s.
pub fn large() -> Vec<Cell> {
    let cell = |topology, flows, mbps, seconds| Cell {
        topology,
        controller: "cubic",
        flows,
        rate: Rate::from_mbps(mbps),
        duration: Span::from_secs(seconds),
    };
    vec![cell(Topology::Many, 100 * MANY, 100, 2), cell(Topology::OneLink, 1, 10_000, 600)]
}

/// The cells of the plain bench.
pub fn cells() -> Vec<Cell> {
    let loads = [(100, 1, 60), (100, 10, 60), (100, 100, 60), (1000, 10, 20)];
    let mut cells = Vec::new();
    for topology in [Topology::OneLink, Topology::Dumbbell] {
        for controller in ["newreno", "cubic", "bbr"] {
            for (mbps, flows, seconds) in loads {
                cells.push(Cell { topology, controller, flows, rate: Rate::from_mbps(mbps), duration: Span::from_secs(seconds) });
            }
        }
    }
    cells
}

impl Cell {
    /// A name for people: "dumbbell cubic 10 flows 100 Mbit/s".
    pub fn name(&self) -> String {
        format!("{} {} {} flows {}", self.topology.name(), self.controller, self.flows, self.rate)
    }

    /// The scenario.
    pub fn scenario(&self) -> Result<Scenario, Failure> {
        let text = self.to_toml();
        Ok(narrows_scenario::parse(&text, &self.name(), &|path| std::fs::read_to_string(path))?)
    }

    fn to_toml(&self) -> String {
        let mut text = format!("name = \"{}\"\nduration = \"{}\"\n", self.name(), self.duration);
        text += match self.topology {
            Topology::Many => "warmup = \"500 ms\"\n",
            Topology::OneLink | Topology::Dumbbell => "warmup = \"5 s\"\nsample = \"100 ms\"\n",
        };
        let mut link = |name: &str, ends: [&str; 2], rate: Rate, delay: &str, buffer: &str| {
            let [from, to] = ends;
            let _ = write!(
                text,
                "[[link]]\nname = \"{name}\"\nbetween = [\"{from}\", \"{to}\"]\nrate = \"{rate}\"\ndelay = \"{delay}\"\nbuffer = \"{buffer}\"\n"
            );
        };
        let mut flows = String::new();
        let mut flow = |from: &str, to: &str, count: u32| {
            let _ = write!(flows, "[[flow]]\nfrom = \"{from}\"\nto = \"{to}\"\ncontroller = \"{}\"\ncount = {count}\n", self.controller);
        };
        match self.topology {
            Topology::OneLink => {
                link(BOTTLENECK, ["left", "right"], self.rate, "15 ms", "1 bdp");
                flow("left", "right", self.flows);
            }
            Topology::Dumbbell => {
                let access = Rate::from_bps(self.rate.as_bps() * 10);
                link(BOTTLENECK, ["west", "east"], self.rate, "11 ms", "1 bdp");
                for n in 1..=self.flows {
                    let (sender, receiver) = (format!("s{n}"), format!("r{n}"));
                    link(&format!("in{n}"), [&sender, "west"], access, "2 ms", "unlimited");
                    link(&format!("out{n}"), ["east", &receiver], access, "2 ms", "unlimited");
                }
                for n in 1..=self.flows {
                    flow(&format!("s{n}"), &format!("r{n}"), 1);
                }
            }
            Topology::Many => {
                for n in 1..=MANY {
                    let (sender, receiver) = (format!("s{n}"), format!("r{n}"));
                    link(&format!("{BOTTLENECK}-{n}"), [&sender, &receiver], self.rate, "15 ms", "1 bdp");
                    flow(&sender, &receiver, self.flows / MANY);
                }
            }
        }
        text + &flows.replace("count = 1\n", "")
    }
}
