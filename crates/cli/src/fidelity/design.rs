//! The cells: space-filling sets of networks and traffic, generated and not chosen.

use narrows_scenario::{Scenario, ScenarioError};
use narrows_units::{Bytes, Rate, Span};

/// The limit of a cell's flows beside the network's rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Nothing: bulk data, an acknowledgement arrives when the network has carried it.
    Bulk { lossy: bool },
    /// The application: a transfer of so many bytes, silence of [`SILENCE`], and again.
    Transfers { bytes: u64 },
    /// Acknowledgements, which come in bursts, one per interval.
    Bunched { interval: Span },
}

/// A network with its traffic.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Its place among all cells, from 1.
    pub number: u32,
    pub rate: Rate,
    pub rtt: Span,
    /// In bandwidth-delay products; never less than [`LEAST_BUFFER`].
    pub buffer: f64,
    pub kind: Kind,
    pub flows: u32,
    pub controller: String,
}

/// How many cells each set has, in the order of their numbers; and how many of them, the first, a
/// quick run has.
const SETS: [(Set, u32, u32); 3] =
    [(Set::Bulk, 48, 12), (Set::Transfers, 12, 4), (Set::Bunched, 12, 4)];
/// All cells.
pub const CELLS: u32 = SETS[0].1 + SETS[1].1 + SETS[2].1;

/// A set of cells of one kind.
#[derive(Clone, Copy, Debug)]
enum Set {
    Bulk,
    Transfers,
    Bunched,
}
/// Least buffer in packets: the first window of a connection (RFC 6928).
const LEAST_BUFFER: f64 = 10.0;
const PACKET_BITS: f64 = 1500.0 * 8.0;
/// Flows start one after another with this between them.
const STAGGER: Span = Span::from_millis(100);

const RATES_MBPS: (f64, f64) = (1.0, 200.0);
const RTTS_MS: (f64, f64) = (5.0, 200.0);
const BUFFERS_BDP: (f64, f64) = (0.25, 4.0);
/// The share of data packets lost before the queue in lossy cells.
const LOSS: f64 = 0.01;
/// Sizes of transfers in bandwidth-delay products of an idle path.
const TRANSFERS_BDP: (f64, f64) = (0.25, 8.0);
/// Silence between transfers: longer than every first retransmission timeout here (200 ms more than
/// the round trip), so that the rule for restarts after idleness applies.
const SILENCE: Span = Span::from_millis(500);
/// Intervals at which acknowledgements come, in ms: up to those of Wi-Fi and cable modems.
const INTERVALS_MS: (f64, f64) = (2.0, 20.0);
/// The rate within a burst, at least: 5.3 us an acknowledgement, about as fast as a host takes them
/// from an emulated link. BBR's estimates of the rate depend on it.
const BURST_RATE: Rate = Rate::from_mbps(100);
const FLOWS: [u32; 3] = [1, 2, 8];
/// The controllers of the set unless others are named: those that every kernel has.
pub const CONTROLLERS: [&str; 3] = ["newreno", "cubic", "bbr"];

/// Points have this many bits: 64 places along each axis.
const BITS: usize = 6;

/// Degree, coefficients and initial direction numbers of the primitive polynomials of the axes
/// after the first (Joe and Kuo, Constructing Sobol sequences with better two-dimensional
/// projections, SIAM J. Sci. Comput. 30, 2008).
const POLYNOMIALS: [(usize, u32, [u32; 4]); 5] = [
    (1, 0, [1, 0, 0, 0]),
    (2, 1, [1, 3, 0, 0]),
    (3, 1, [1, 3, 1, 0]),
    (3, 2, [1, 1, 1, 0]),
    (4, 1, [1, 1, 3, 3]),
];

/// All cells of these controllers, or the first of each set for a quick run. A cell's place in its
/// set gives its point of the sequence.
pub fn cells(quick: bool, controllers: &[String]) -> Vec<Cell> {
    let mut cells = Vec::new();
    let mut before = 0;
    for (set, all, first) in SETS {
        cells.extend(
            (0..if quick { first } else { all })
                .map(|index| cell(set, before + index + 1, index, controllers)),
        );
        before += all;
    }
    cells
}

fn cell(set: Set, number: u32, index: u32, controllers: &[String]) -> Cell {
    let [rate, rtt, buffer, kind, flows, controller] =
        std::array::from_fn(|axis| coordinate(axis, index));
    let rate = Rate::from_kbps(three_digits(between(RATES_MBPS, rate) * 1e3) as u64);
    let rtt = Span::from_micros((between(RTTS_MS, rtt) * 10.0).round() as u64 * 100);
    let kind = match set {
        Set::Bulk => Kind::Bulk { lossy: kind >= 0.5 },
        Set::Transfers => {
            let product = rate.as_bps() as f64 * rtt.as_secs_f64() / 8.0;
            Kind::Transfers {
                bytes: three_digits(
                    (product * between(TRANSFERS_BDP, kind)).max(LEAST_BUFFER * 1500.0),
                ) as u64,
            }
        }
        Set::Bunched => Kind::Bunched {
            interval: Span::from_micros((between(INTERVALS_MS, kind) * 10.0).round() as u64 * 100),
        },
    };
    Cell {
        number,
        rate,
        rtt,
        buffer: (between(BUFFERS_BDP, buffer) * 100.0).round() / 100.0,
        kind,
        flows: pick(FLOWS, flows),
        controller: controllers[(controller * controllers.len() as f64) as usize].clone(),
    }
}

/// Equal steps of `u` are equal ratios.
fn between((low, high): (f64, f64), u: f64) -> f64 {
    low * (high / low).powf(u)
}

/// Rounded to three significant digits.
fn three_digits(value: f64) -> f64 {
    let unit = 10f64.powf(value.log10().floor() - 2.0);
    (value / unit).round() * unit
}

fn pick<T: Copy, const N: usize>(of: [T; N], u: f64) -> T {
    of[(u * N as f64) as usize]
}

/// A coordinate of a point of Sobol's sequence in the order of Antonov and Saleev, in the middle of
/// its place.
fn coordinate(axis: usize, index: u32) -> f64 {
    let directions = directions(axis);
    let gray = index ^ (index >> 1);
    let bits =
        (0..BITS).filter(|bit| gray >> bit & 1 == 1).fold(0, |bits, bit| bits ^ directions[bit]);
    (f64::from(bits) + 0.5) / f64::from(1u32 << BITS)
}

fn directions(axis: usize) -> [u32; BITS] {
    let mut directions = std::array::from_fn(|bit| 1 << (BITS - 1 - bit));
    let Some((degree, coefficients, initial)) = axis.checked_sub(1).map(|axis| POLYNOMIALS[axis])
    else {
        return directions;
    };
    for bit in 0..BITS {
        directions[bit] = if bit < degree {
            initial[bit] << (BITS - 1 - bit)
        } else {
            let first = directions[bit - degree] ^ (directions[bit - degree] >> degree);
            let taps = (1..degree).filter(|tap| coefficients >> (degree - 1 - tap) & 1 == 1);
            taps.fold(first, |direction, tap| direction ^ directions[bit - tap])
        };
    }
    directions
}

impl Cell {
    /// A description in one line.
    pub fn describe(&self) -> String {
        let kind = match self.kind {
            Kind::Bulk { lossy: false } => String::new(),
            Kind::Bulk { lossy: true } => format!(", {} % loss", LOSS * 100.0),
            Kind::Transfers { bytes } => format!(", transfers of {}", Bytes::new(bytes)),
            Kind::Bunched { interval } => format!(", acks each {interval}"),
        };
        format!(
            "{} {}, {}, {}, {} bdp{kind}",
            self.flows, self.controller, self.rate, self.rtt, self.buffer
        )
    }

    /// The cell as a scenario. Each flow has a link of its own before the bottleneck, where its
    /// losses happen: so the k-th packet of a flow is lost in every world, however the flows share
    /// the bottleneck. Hosts send at once, as a kernel's do within some microseconds.
    pub fn scenario(&self, duration: Span, seed: u64) -> Result<Scenario, ScenarioError> {
        narrows_scenario::parse(
            &self.toml(duration, seed),
            "cell.toml",
            &narrows_scenario::read_named,
        )
    }

    fn toml(&self, duration: Span, seed: u64) -> String {
        let packets =
            self.rate.as_bps() as f64 * self.rtt.as_secs_f64() * self.buffer / PACKET_BITS;
        let buffer = if packets < LEAST_BUFFER {
            format!("{LEAST_BUFFER} packets")
        } else {
            format!("{} bdp", self.buffer)
        };
        let mut toml = format!(
            "name = \"Cell {}: {}\"\nseed = {seed}\nduration = \"{duration}\"\nwarmup = \"{}\"\nsend_overhead = false\n\n\
             [[link]]\nname = \"bottleneck\"\nbetween = [\"router\", \"receiver\"]\nrate = \"{}\"\ndelay = \"{}\"\nbuffer = \"{buffer}\"\n",
            self.number,
            self.describe(),
            duration / 6,
            self.rate,
            self.rtt / 2,
        );
        if let Kind::Bunched { interval } = self.kind {
            let burst_rate = self.rate.max(BURST_RATE);
            toml += &format!(
                "back = {{ aggregate = \"{interval}\", burst_rate = \"{burst_rate}\" }}\n"
            );
        }
        let loss = if self.kind == (Kind::Bulk { lossy: true }) { LOSS } else { 0.0 };
        let workload = match self.kind {
            Kind::Transfers { bytes } => {
                format!("workload = {{ on = \"{bytes} B\", off = \"{SILENCE}\" }}\n")
            }
            _ => String::new(),
        };
        for flow in 1..=self.flows {
            toml += &format!(
                "\n[[link]]\nname = \"access {flow}\"\nbetween = [\"sender {flow}\", \"router\"]\nloss = \"{} %\"\n\n\
                 [[flow]]\nname = \"{} {flow}\"\nfrom = \"sender {flow}\"\nto = \"receiver\"\ncontroller = \"{}\"\nstart = \"{}\"\n{workload}",
                loss * 100.0,
                self.controller,
                self.controller,
                STAGGER * u64::from(flow - 1),
            );
        }
        toml
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usual() -> Vec<Cell> {
        cells(false, &CONTROLLERS.map(str::to_owned))
    }

    #[test]
    fn every_axis_is_filled_evenly() {
        let all = usual();
        let bulk = &all[..48];
        let count = |which: &dyn Fn(&Cell) -> bool| bulk.iter().filter(|cell| which(cell)).count();
        for controller in CONTROLLERS {
            for lossy in [false, true] {
                assert_eq!(
                    count(
                        &|cell| cell.controller == controller && cell.kind == Kind::Bulk { lossy }
                    ),
                    8,
                    "{controller}, {lossy}"
                );
            }
        }
        // Twelve in each quarter of each range.
        for quarter in 0..4 {
            let edges = |(low, high): (f64, f64)| {
                [0.25 * f64::from(quarter), 0.25 * f64::from(quarter + 1)]
                    .map(|u| between((low, high), u))
            };
            let within = |range, value: f64| edges(range)[0] <= value && value < edges(range)[1];
            assert_eq!(count(&|cell| within(RATES_MBPS, cell.rate.as_bps() as f64 / 1e6)), 12);
            assert_eq!(count(&|cell| within(RTTS_MS, cell.rtt.as_millis_f64())), 12);
            assert_eq!(count(&|cell| within(BUFFERS_BDP, cell.buffer)), 12);
        }
    }

    #[test]
    fn the_first_cells_are_those_of_the_sequence() {
        // 1/128 and 1/2 + 1/128 of each axis, the middle of the first and of the 33rd of 64 places.
        let all = usual();
        assert_eq!(all[0].describe(), "1 newreno, 1.04 Mbit/s, 5.1 ms, 0.26 bdp");
        assert_eq!(all[1].describe(), "2 cubic, 14.7 Mbit/s, 32.5 ms, 1.02 bdp, 1 % loss");
        // 14.7 Mbit/s for 32.5 ms are 59,719 B. 1/2 + 1/128 of the way from a quarter to 8 of them are 1.453.
        assert_eq!(all[49].kind, Kind::Transfers { bytes: 86_800 });
        assert_eq!(all[61].describe(), "2 cubic, 14.7 Mbit/s, 32.5 ms, 1.02 bdp, acks each 6.4 ms");
    }

    #[test]
    fn numbers_are_places_and_a_quick_run_has_the_first_of_each_set() {
        let all = usual();
        assert!(all.iter().map(|cell| cell.number).eq(1..=CELLS));
        let quick = cells(true, &CONTROLLERS.map(str::to_owned));
        assert!(quick.iter().map(|cell| cell.number).eq((1..=12).chain(49..=52).chain(61..=64)));
        assert!(quick.iter().all(|cell| *cell == all[cell.number as usize - 1]));
    }

    #[test]
    fn every_cell_is_a_scenario() {
        for cell in usual() {
            let scenario = cell.scenario(Span::from_secs(30), 7).unwrap();
            assert_eq!(
                (scenario.seed, scenario.flows.len()),
                (7, cell.flows as usize),
                "{}",
                cell.describe()
            );
        }
    }
}
