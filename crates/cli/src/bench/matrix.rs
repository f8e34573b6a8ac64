//! The canonical matrix: bulk flows with 1500-byte packets, a base round trip of 30 ms, and a
//! drop-tail buffer of one bandwidth-delay product.

use narrows_scenario::{Draft, Keys, Scenario};
use narrows_units::{Rate, Span};
use narrows_workbench::Failure;

/// Prefix of the names of the measured links.
pub const BOTTLENECK: &str = "bottleneck";

/// Base round trip of all cells with one link or a dumbbell.
pub const ROUND_TRIP: Span = Span::from_millis(30);

/// Delay of each access link of a dumbbell.
const ACCESS: Span = Span::from_millis(2);

/// Warm-up of cells that last longer. Shorter cells have a warm-up of a quarter of their duration.
const WARMUP: Span = Span::from_secs(5);

/// One run of the matrix.
#[derive(Clone, Debug)]
pub struct Cell {
    pub topology: Topology,
    /// Name of the controller in scenarios.
    pub controller: String,
    pub flows: u32,
    pub rate: Rate,
    pub duration: Span,
}

/// The shape of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topology {
    /// One bottleneck with a host at each end.
    OneLink,
    /// A bottleneck between per-flow access links that have ten times its rate, on both sides.
    Dumbbell,
    /// A thousand separate bottlenecks. Each gets an equal share of the flows.
    Many,
    /// Six links in a row.
    Line,
    /// [`Topology::Line`] as an information-centric network. Its consumers follow MIRCC's rates.
    IcnLine,
    /// An information-centric network of a hundred nodes: a ring of fifty, and at each ring node
    /// one more node with consumers. The consumers request content from the ring node two links
    /// further on. The rate is the sum over all consumers.
    IcnNet,
}

/// Number of bottlenecks in [`Topology::Many`].
const MANY: u32 = 1_000;

/// Number of links in [`Topology::Line`] and [`Topology::IcnLine`].
const HOPS: u32 = 6;

/// Number of ring nodes in [`Topology::IcnNet`].
const RING: u32 = 50;

impl Topology {
    pub fn name(self) -> &'static str {
        match self {
            Topology::OneLink => "one-link",
            Topology::Dumbbell => "dumbbell",
            Topology::Many => "many",
            Topology::Line => "line",
            Topology::IcnLine => "icn-line",
            Topology::IcnNet => "icn-net",
        }
    }
}

/// Returns the cells that take much time or memory: 1000 and 100 000 flows with 1 Mbit/s each on
/// one link, 100 000 flows on 1000 links, and one flow for ten minutes at 10 Gbit/s.
pub fn large() -> Vec<Cell> {
    let cell = |topology, flows, mbps, seconds| Cell {
        topology,
        controller: "cubic".to_owned(),
        flows,
        rate: Rate::from_mbps(mbps),
        duration: Span::from_secs(seconds),
    };
    vec![
        cell(Topology::OneLink, 1_000, 1_000, 20),
        cell(Topology::OneLink, 100_000, 100_000, 2),
        cell(Topology::Many, 100 * MANY, 100, 2),
        cell(Topology::OneLink, 1, 10_000, 600),
    ]
}

/// Returns the cells of the default matrix: one link and a dumbbell with these controllers, and the
/// line and information-centric topologies.
pub fn cells(controllers: &[String]) -> Vec<Cell> {
    let loads = [(100, 1, 60), (100, 10, 60), (100, 100, 60), (1000, 10, 20)];
    let mut cells = Vec::new();
    for topology in [Topology::OneLink, Topology::Dumbbell] {
        for controller in controllers {
            for (mbps, flows, seconds) in loads {
                let (rate, duration) = (Rate::from_mbps(mbps), Span::from_secs(seconds));
                cells.push(Cell {
                    topology,
                    controller: controller.clone(),
                    flows,
                    rate,
                    duration,
                });
            }
        }
    }
    for (topology, controller) in [(Topology::Line, "cubic"), (Topology::IcnLine, "mircc")] {
        for flows in [1, 10] {
            let (rate, duration) = (Rate::from_mbps(100), Span::from_secs(20));
            cells.push(Cell { topology, controller: controller.to_owned(), flows, rate, duration });
        }
    }
    cells.push(Cell {
        topology: Topology::IcnNet,
        controller: "mircc".to_owned(),
        flows: 1000,
        rate: Rate::from_mbps(1000),
        duration: Span::from_secs(10),
    });
    cells
}

impl Cell {
    /// Returns the name that is shown, for example "dumbbell cubic 10 flows 100 Mbit/s".
    pub fn name(&self) -> String {
        format!("{} {} {} flows {}", self.topology.name(), self.controller, self.flows, self.rate)
    }

    /// Returns the scenario of the cell.
    pub fn scenario(&self) -> Result<Scenario, Failure> {
        let text = self.to_toml();
        Ok(narrows_scenario::parse(&text, &self.name(), &narrows_scenario::read_named)?)
    }

    fn to_toml(&self) -> String {
        let short = self.duration <= WARMUP;
        let keys = Keys::new()
            .text("name", self.name())
            .text("duration", self.duration)
            .text("warmup", if short { self.duration / 4 } else { WARMUP })
            .when(!short, |keys| keys.text("sample", "100 ms"));
        let icn = matches!(self.topology, Topology::IcnLine | Topology::IcnNet);
        let draft = Draft::new(keys)
            .table("icn", Keys::new().when(icn, |keys| keys.text("data", "1500 B")));
        let mut links = Vec::new();
        let mut link = |name: &str, ends: [&str; 2], rate: Rate, delay: Span, buffer: &str| {
            let link = Keys::new()
                .text("name", name)
                .texts("between", ends)
                .text("rate", rate)
                .text("delay", delay)
                .text("buffer", buffer);
            links.push(link);
        };
        let mut flows = Draft::default();
        let mut flow = |from: &str, to: &str, count: u32| {
            let counted = Keys::new().when(count != 1, |keys| keys.whole("count", count.into()));
            if icn {
                let prefix = format!("/{from}");
                flows.add("prefix", Keys::new().text("name", &prefix).text("at", from));
                let consumer = Keys::new()
                    .text("name", format!("to-{to}"))
                    .text("at", to)
                    .text("prefix", prefix);
                flows.add("consumer", consumer.and(counted));
                return;
            }
            let own = Keys::new().text("from", from).text("to", to);
            flows.add("flow", own.text("controller", &self.controller).and(counted));
        };
        match self.topology {
            Topology::OneLink => {
                link(BOTTLENECK, ["left", "right"], self.rate, ROUND_TRIP / 2, "1 bdp");
                flow("left", "right", self.flows);
            }
            Topology::Dumbbell => {
                let access = Rate::from_bps(self.rate.as_bps() * 10);
                link(BOTTLENECK, ["west", "east"], self.rate, ROUND_TRIP / 2 - ACCESS * 2, "1 bdp");
                for n in 1..=self.flows {
                    let (sender, receiver) = (format!("s{n}"), format!("r{n}"));
                    link(&format!("in{n}"), [&sender, "west"], access, ACCESS, "unlimited");
                    link(&format!("out{n}"), ["east", &receiver], access, ACCESS, "unlimited");
                }
                for n in 1..=self.flows {
                    flow(&format!("s{n}"), &format!("r{n}"), 1);
                }
            }
            Topology::Line | Topology::IcnLine => {
                for n in 1..=HOPS {
                    let name = if n == HOPS { BOTTLENECK.to_owned() } else { format!("hop-{n}") };
                    link(
                        &name,
                        [&format!("n{}", n - 1), &format!("n{n}")],
                        self.rate,
                        Span::from_micros(2_500),
                        if self.topology == Topology::Line { "1 bdp" } else { "unlimited" },
                    );
                }
                flow("n0", &format!("n{HOPS}"), self.flows);
            }
            Topology::IcnNet => {
                let share = Rate::from_bps(self.rate.as_bps() * 2 / u64::from(RING));
                for n in 0..RING {
                    link(
                        &format!("ring-{n}"),
                        [&format!("r{n}"), &format!("r{}", (n + 1) % RING)],
                        share,
                        Span::from_millis(3),
                        "unlimited",
                    );
                    link(
                        &format!("{BOTTLENECK}-{n}"),
                        [&format!("r{n}"), &format!("l{n}")],
                        share,
                        Span::from_millis(1),
                        "unlimited",
                    );
                }
                for n in 0..RING {
                    flow(&format!("r{}", (n + 2) % RING), &format!("l{n}"), self.flows / RING);
                }
            }
            Topology::Many => {
                for n in 1..=MANY {
                    let (sender, receiver) = (format!("s{n}"), format!("r{n}"));
                    link(
                        &format!("{BOTTLENECK}-{n}"),
                        [&sender, &receiver],
                        self.rate,
                        ROUND_TRIP / 2,
                        "1 bdp",
                    );
                    flow(&sender, &receiver, self.flows / MANY);
                }
            }
        }
        draft.with("link", links).and(flows).to_string()
    }
}
