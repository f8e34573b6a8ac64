//! Goals for the distances between simulator and kernel, and their judgement.

use super::design::FlowLimit;
use narrows_measure::{Distance, Gap, Quantity};
use narrows_report::{FidelityCell, Goal};

/// The subset of cells that a goal concerns.
#[derive(Clone, Copy, PartialEq)]
pub enum Concern {
    LossFree,
    Lossy,
    Transfers,
    Bunched,
}

impl Concern {
    pub fn of(kind: FlowLimit) -> Concern {
        match kind {
            FlowLimit::Bulk { lossy: false } => Concern::LossFree,
            FlowLimit::Bulk { lossy: true } => Concern::Lossy,
            FlowLimit::Transfers { .. } => Concern::Transfers,
            FlowLimit::Bunched { .. } => Concern::Bunched,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Concern::LossFree => "loss-free",
            Concern::Lossy => "lossy",
            Concern::Transfers => "transfers",
            Concern::Bunched => "bunched acks",
        }
    }
}

/// A goal: limit of the gap for a fraction of the cells.
struct Aim {
    concern: Concern,
    quantity: Quantity,
    /// Fraction of the cells that must be within the limit, for example 0.5 for the median.
    share: f64,
    limit: f64,
}

/// The goals. Limits are percentages, and factors for retransmissions. The limits are our choice.
/// Limits for transfers and for bunched acknowledgements equal the limits for bulk data without
/// loss, and were fixed before the first measurement.
const AIMS: [Aim; 13] = [
    Aim { concern: Concern::LossFree, quantity: Quantity::Throughput, share: 0.5, limit: 2.0 },
    Aim { concern: Concern::LossFree, quantity: Quantity::Throughput, share: 0.9, limit: 5.0 },
    Aim { concern: Concern::LossFree, quantity: Quantity::QueueingP50, share: 0.5, limit: 15.0 },
    Aim { concern: Concern::LossFree, quantity: Quantity::QueueingP95, share: 0.5, limit: 15.0 },
    Aim { concern: Concern::LossFree, quantity: Quantity::Retransmitted, share: 0.5, limit: 1.5 },
    Aim { concern: Concern::Lossy, quantity: Quantity::Throughput, share: 0.5, limit: 15.0 },
    Aim { concern: Concern::Transfers, quantity: Quantity::Completion, share: 0.5, limit: 2.0 },
    Aim { concern: Concern::Transfers, quantity: Quantity::Completion, share: 0.9, limit: 5.0 },
    Aim { concern: Concern::Transfers, quantity: Quantity::Retransmitted, share: 0.5, limit: 1.5 },
    Aim { concern: Concern::Bunched, quantity: Quantity::Throughput, share: 0.5, limit: 2.0 },
    Aim { concern: Concern::Bunched, quantity: Quantity::QueueingP50, share: 0.5, limit: 15.0 },
    Aim { concern: Concern::Bunched, quantity: Quantity::QueueingP95, share: 0.5, limit: 15.0 },
    Aim { concern: Concern::Bunched, quantity: Quantity::Retransmitted, share: 0.5, limit: 1.5 },
];

/// Minimum fraction of valid cells. With fewer, the goal is missed, because the invalid cells could
/// be the bad ones.
const COUNTED: f64 = 0.9;

/// Judges the goals over the valid cells. Leaves out goals that concern no cell of the set.
pub fn judge(cells: &[FidelityCell], concern: &dyn Fn(&FidelityCell) -> Concern) -> Vec<Goal> {
    let concerned = |aim: &&Aim| cells.iter().any(|cell| concern(cell) == aim.concern);
    AIMS.iter()
        .filter(concerned)
        .map(|aim| {
            let concerned: Vec<&FidelityCell> =
                cells.iter().filter(|cell| concern(cell) == aim.concern).collect();
            let sound = concerned.iter().filter(|cell| cell.invalid.is_none());
            let gaps: Vec<Gap> = sound.filter_map(|cell| gap(cell, aim.quantity)).collect();
            let enough = gaps.len() as f64 >= COUNTED * concerned.len() as f64;
            let measured = quantile(&gaps, aim.share);
            let which = if aim.share == 0.5 {
                "median".to_owned()
            } else {
                format!("{:.0} % of cells", aim.share * 100.0)
            };
            let shown = |size: f64| {
                if aim.quantity == Quantity::Retransmitted {
                    format!("x{size:.2}")
                } else {
                    format!("{size:.1} %")
                }
            };
            Goal {
                what: format!("{}: {}, {which}", aim.concern.name(), aim.quantity.name()),
                limit: shown(aim.limit),
                measured: measured.map(shown),
                counted: gaps.len(),
                cells: concerned.len(),
                met: enough && measured.is_some_and(|size| size <= aim.limit),
            }
        })
        .collect()
}

/// Returns the worst distance of a cell, in multiples of the expected distance of its quantity.
pub fn badness(cell: &FidelityCell) -> f64 {
    let of = |distance: &Distance| match distance.gap {
        Gap::Percent(_)
            if matches!(distance.quantity, Quantity::Throughput | Quantity::Completion) =>
        {
            distance.gap.size() / 5.0
        }
        Gap::Percent(_) => distance.gap.size() / 15.0,
        Gap::Factor(_) => distance.gap.size().ln() / 1.5f64.ln(),
        Gap::Difference(_) => distance.gap.size() / 0.05,
    };
    cell.distances.iter().map(of).fold(0.0, f64::max)
}

fn gap(cell: &FidelityCell, quantity: Quantity) -> Option<Gap> {
    cell.distances
        .iter()
        .find(|distance| distance.quantity == quantity)
        .map(|distance| distance.gap)
}

/// Returns the gap that this fraction of the gaps does not exceed.
fn quantile(gaps: &[Gap], share: f64) -> Option<f64> {
    let mut sizes: Vec<f64> = gaps.iter().map(|gap| gap.size()).collect();
    sizes.sort_by(f64::total_cmp);
    let place = (sizes.len() as f64 * share).ceil() as usize;
    sizes.get(place.saturating_sub(1)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(number: u32, percent: f64, factor: f64) -> FidelityCell {
        let distance = |quantity, gap| Distance { quantity, reference: 1.0, other: 1.0, gap };
        let distances = vec![
            distance(Quantity::Throughput, Gap::Percent(percent)),
            distance(Quantity::Retransmitted, Gap::Factor(factor)),
        ];
        FidelityCell {
            number,
            label: String::new(),
            scenario_toml: String::new(),
            distances,
            invalid: None,
        }
    }

    #[test]
    fn goals_are_about_shares_of_the_cells_that_count() {
        let mut cells: Vec<FidelityCell> = (1..=10)
            .map(|number| cell(number, if number % 2 == 0 { 1.9 } else { -2.1 }, 0.5))
            .collect();
        let concern =
            |cell: &FidelityCell| if cell.number > 10 { Concern::Lossy } else { Concern::LossFree };
        let measured = |cells: &[FidelityCell]| {
            let goals = judge(cells, &concern);
            goals.iter().map(|goal| (goal.measured.clone(), goal.met)).collect::<Vec<_>>()
        };
        let shown = |text: &str| Some(text.to_owned());
        assert_eq!(measured(&cells)[..2], [(shown("1.9 %"), true), (shown("2.1 %"), true)]);
        assert_eq!(measured(&cells)[4..], [(shown("x2.00"), false)]);
        cells[0].distances[0].gap = Gap::Percent(50.0);
        assert!(measured(&cells)[1].1, "nine of ten are still near");
        cells[2].distances[0].gap = Gap::Percent(-50.0);
        assert!(!measured(&cells)[1].1);
        cells[0].invalid = Some("too slow".to_owned());
        cells[2].distances[0].gap = Gap::Percent(-2.1);
        assert_eq!(measured(&cells)[1], (shown("2.1 %"), true), "what is invalid does not count");
        cells[2].invalid = Some("too slow".to_owned());
        assert_eq!(measured(&cells)[1], (shown("2.1 %"), false), "eight of ten are too few");
        let goal = &judge(&cells, &concern)[1];
        assert_eq!((goal.counted, goal.cells), (8, 10));
        cells.push(cell(11, -15.1, 1.0));
        assert_eq!(measured(&cells)[5], (shown("15.1 %"), false));
        cells[10].invalid = Some("too slow".to_owned());
        assert_eq!(measured(&cells)[5], (None, false), "no cell of the kind is left to meet it");
    }

    #[test]
    fn the_worst_distance_counts() {
        assert_eq!(badness(&cell(1, -10.0, 1.0)), 2.0);
        assert!((badness(&cell(1, 0.0, 1.0 / 2.25)) - 2.0).abs() < 1e-9);
    }
}
