//! The cells: a space-filling set of networks and traffic, generated and not chosen.

use narrows_scenario::{Scenario, ScenarioError};
use narrows_units::{Rate, Span};

/// A network with its traffic.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Its place in the set, from 1.
    pub number: u32,
    pub rate: Rate,
    pub rtt: Span,
    /// In bandwidth-delay products; never less than [`LEAST_BUFFER`].
    pub buffer: f64,
    /// The share of data packets lost before the queue.
    pub loss: f64,
    pub flows: u32,
    pub controller: String,
}

/// Cells of the full set.
pub const CELLS: u32 = 48;
/// Cells of the quick set: the first of the full one.
pub const QUICK: u32 = 12;
/// What a buffer holds at least, in packets: the first window of a connection (RFC 6928).
const LEAST_BUFFER: f64 = 10.0;
const PACKET_BITS: f64 = 1500.0 * 8.0;
/// Flows start one after another with this between them.
const STAGGER: Span = Span::from_millis(100);

const RATES_MBPS: (f64, f64) = (1.0, 200.0);
const RTTS_MS: (f64, f64) = (5.0, 200.0);
const BUFFERS_BDP: (f64, f64) = (0.25, 4.0);
const LOSSES: [f64; 2] = [0.0, 0.01];
const FLOWS: [u32; 3] = [1, 2, 8];
/// The controllers of the set unless others are named: those that every kernel has.
pub const CONTROLLERS: [&str; 3] = ["newreno", "cubic", "bbr"];

/// Points have this many bits: 64 places along each axis.
const BITS: usize = 6;

/// Degree, coefficients and initial direction numbers of the primitive polynomials of the axes after the first (Joe and Kuo, Constructing
/// Sobol sequences with better two-dimensional projections, SIAM J. Sci. Comput. 30, 2008).
const POLYNOMIALS: [(usize, u32, [u32; 4]); 5] =
    [(1, 0, [1, 0, 0, 0]), (2, 1, [1, 3, 0, 0]), (3, 1, [1, 3, 1, 0]), (3, 2, [1, 1, 1, 0]), (4, 1, [1, 1, 3, 3])];

/// The first `count` cells, of these controllers.
pub fn cells(count: u32, controllers: &[String]) -> impl Iterator<Item = Cell> {
    (0..count).map(move |index| {
        let [rate, rtt, buffer, loss, flows, controller] = std::array::from_fn(|axis| coordinate(axis, index));
        Cell {
            number: index + 1,
            rate: Rate::from_kbps(three_digits(between(RATES_MBPS, rate) * 1e3) as u64),
            rtt: Span::from_micros((between(RTTS_MS, rtt) * 10.0).round() as u64 * 100),
            buffer: (between(BUFFERS_BDP, buffer) * 100.0).round() / 100.0,
            loss: pick(LOSSES, loss),
            flows: pick(FLOWS, flows),
            controller: controllers[(controller * controllers.len() as f64) as usize].clone(),
        }
    })
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

/// A coordinate of a point of Sobol's sequence in the order of Antonov and Saleev, in the middle of its place.
fn coordinate(axis: usize, index: u32) -> f64 {
    let directions = directions(axis);
    let gray = index ^ (index >> 1);
    let bits = (0..BITS).filter(|bit| gray >> bit & 1 == 1).fold(0, |bits, bit| bits ^ directions[bit]);
    (f64::from(bits) + 0.5) / f64::from(1u32 << BITS)
}

fn directions(axis: usize) -> [u32; BITS] {
    let mut directions = std::array::from_fn(|bit| 1 << (BITS - 1 - bit));
    let Some((degree, coefficients, initial)) = axis.checked_sub(1).map(|axis| POLYNOMIALS[axis]) else { return directions };
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
    /// What it is, in a line.
    pub fn describe(&self) -> String {
        let loss = if self.loss > 0.0 { format!(", {} % loss", self.loss * 100.0) } else { String::new() };
        format!("{} {}, {}, {}, {} bdp{loss}", self.flows, self.controller, self.rate, self.rtt, self.buffer)
    }

    /// The cell as a scenario. Each flow has a link of its own before the bottleneck, where its losses happen: so the k-th packet of a flow
    /// is lost in every world, however the flows share the bottleneck. Hosts send at once, as a kernel's do within some microseconds.
    pub fn scenario(&self, duration: Span, seed: u64) -> Result<Scenario, ScenarioError> {
        narrows_scenario::parse(&self.toml(duration, seed), "cell.toml", &narrows_scenario::read_named)
    }

    fn toml(&self, duration: Span, seed: u64) -> String {
        let packets = self.rate.as_bps() as f64 * self.rtt.as_secs_f64() * self.buffer / PACKET_BITS;
        let buffer = if packets < LEAST_BUFFER { format!("{LEAST_BUFFER} packets") } else { format!("{} bdp", self.buffer) };
        let mut toml = format!(
            "name = \"Cell {}: {}\"\nseed = {seed}\nduration = \"{duration}\"\nwarmup = \"{}\"\nsend_overhead = false\n\n\
             [[link]]\nname = \"bottleneck\"\nbetween = [\"router\", \"receiver\"]\nrate = \"{}\"\ndelay = \"{}\"\nbuffer = \"{buffer}\"\n",
            self.number,
            self.describe(),
            duration / 6,
            self.rate,
            self.rtt / 2,
        );
        for flow in 1..=self.flows {
            toml += &format!(
                "\n[[link]]\nname = \"access {flow}\"\nbetween = [\"sender {flow}\", \"router\"]\nloss = \"{} %\"\n\n\
                 [[flow]]\nname = \"{} {flow}\"\nfrom = \"sender {flow}\"\nto = \"receiver\"\ncontroller = \"{}\"\nstart = \"{}\"\n",
                self.loss * 100.0,
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

    fn usual(count: u32) -> Vec<Cell> {
        cells(count, &CONTROLLERS.map(str::to_owned)).collect()
    }

    #[test]
    fn every_axis_is_filled_evenly() {
        let all = usual(CELLS);
        let count = |which: &dyn Fn(&Cell) -> bool| all.iter().filter(|cell| which(cell)).count();
        for controller in CONTROLLERS {
            for loss in LOSSES {
                assert_eq!(count(&|cell| cell.controller == controller && cell.loss == loss), 8, "{controller}, {loss}");
            }
        }
        // Twelve in each quarter of each range.
        for quarter in 0..4 {
            let edges =
                |(low, high): (f64, f64)| [0.25 * f64::from(quarter), 0.25 * f64::from(quarter + 1)].map(|u| between((low, high), u));
            let within = |range, value: f64| edges(range)[0] <= value && value < edges(range)[1];
            assert_eq!(count(&|cell| within(RATES_MBPS, cell.rate.as_bps() as f64 / 1e6)), 12);
            assert_eq!(count(&|cell| within(RTTS_MS, cell.rtt.as_millis_f64())), 12);
            assert_eq!(count(&|cell| within(BUFFERS_BDP, cell.buffer)), 12);
        }
    }

    #[test]
    fn the_first_cells_are_those_of_the_sequence() {
        // 1/128 and 1/2 + 1/128 of each axis, the middle of the first and of the 33rd of 64 places.
        let first = usual(2);
        assert_eq!(first[0].describe(), "1 newreno, 1.04 Mbit/s, 5.1 ms, 0.26 bdp");
        assert_eq!(first[1].describe(), "2 cubic, 14.7 Mbit/s, 32.5 ms, 1.02 bdp, 1 % loss");
    }

    #[test]
    fn every_cell_is_a_scenario() {
        for cell in usual(CELLS) {
            let scenario = cell.scenario(Span::from_secs(30), 7).unwrap();
            assert_eq!((scenario.seed, scenario.flows.len()), (7, cell.flows as usize), "{}", cell.describe());
        }
    }
}
