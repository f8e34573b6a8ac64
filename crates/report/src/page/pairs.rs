//! The summary of a matrix, controller by controller.

use super::style::escape;
use crate::grid::{Matrix, Measure, Pairs};
use narrows_figure::number::{or_dash, short};
use narrows_measure::harm::STARVED_S;

/// The largest value of a measure among the pairs of a controller: the value, the other controller,
/// and whether the value is beyond the yardstick.
type Worst<'a> = Option<(f64, &'a str, bool)>;

/// Maps a controller and another one to row and column of their pair.
type At = fn(usize, usize) -> (usize, usize);

/// Returns a table with a row for each network and controller: mean share, worst harm done and
/// suffered, and longest starvation.
pub(crate) fn summary(matrix: &Matrix) -> String {
    let several = matrix.conditions.len() > 1;
    let head =
        |name: &str, unit: &str| format!("<th scope=\"col\">{name}<small>{unit}</small></th>");
    let network = if several { "<th scope=\"col\" class=\"axis\">Network</th>" } else { "" };
    // Traffic of transfers is judged by completion times: all its data arrives sooner or later, so
    // goodput shows little harm.
    let defined = |pairs: &Pairs| pairs.median.iter().flatten().any(Option::is_some);
    let of_transfers = |measure: &Measure| {
        measure.name == "harm_completion" && measure.conditions.iter().all(defined)
    };
    let (harm, to, meaning) = match matrix.measures.iter().any(of_transfers) {
        true => (
            "harm_completion",
            "to completion times",
            "Harm is the part of the 95th percentile of completion times that a flow does not have alone.",
        ),
        false => (
            "harm_throughput",
            "to goodput",
            "Harm is the part of its goodput alone that a flow loses: about 0.5 is a fair share of the link.",
        ),
    };
    let heads = [
        ("Share beside others", "mean of them, %"),
        ("Most harm done", to),
        ("Most harm suffered", to),
        ("Longest starvation", "s"),
    ];
    let heads: String = heads.iter().map(|(name, unit)| head(name, unit)).collect();
    let mut rows = String::new();
    for (condition, name) in matrix.conditions.iter().enumerate() {
        let of = |name: &str| {
            matrix
                .measures
                .iter()
                .find(|own| own.name == name)
                .and_then(|own| Some((own, own.conditions.get(condition)?)))
        };
        for (own, controller) in matrix.controllers.iter().enumerate() {
            let network = if several {
                format!("<th scope=\"row\" class=\"axis\">{}</th>", escape(name))
            } else {
                String::new()
            };
            let worst = |name: &str, at: At| {
                cell(of(name).and_then(|(measure, pairs)| worst(matrix, (measure, pairs), own, at)))
            };
            let cells = [
                format!(
                    "<td>{}</td>",
                    or_dash(of("share").and_then(|(_, pairs)| mean_share(pairs, own)))
                ),
                worst(harm, |own, other| (other, own)),
                worst(harm, |own, other| (own, other)),
                worst("starved", |own, other| (own, other)),
            ];
            rows += &format!(
                "<tr>{network}<th scope=\"row\" class=\"axis\">{}</th>{}</tr>\n",
                escape(controller),
                cells.concat()
            );
        }
    }
    format!(
        "<div class=\"wide\"><table><thead><tr>{network}<th scope=\"col\" class=\"axis\">Controller</th>{heads}</tr></thead><tbody>\n{rows}</tbody></table></div>\n\
         <p class=\"hint\">A share of 50 % is even. {meaning} \
         ! marks harm whose whole interval exceeds that of CUBIC to NewReno, and starvation of {STARVED_S} s or more. Of starvation either flow of the pair may be the victim.</p>\n"
    )
}

fn cell(worst: Worst<'_>) -> String {
    let Some((value, other, beyond)) = worst else { return "<td>–</td>".to_owned() };
    let mark = if beyond { "!" } else { "" };
    let beside = if value > 0.0 { format!("beside {}", escape(other)) } else { String::new() };
    format!("<td>{}{mark}<small>{beside}</small></td>", short(value))
}

/// Returns the mean of a controller's shares next to each other controller.
fn mean_share(pairs: &Pairs, own: usize) -> Option<f64> {
    let shares = pairs.median[own]
        .iter()
        .enumerate()
        .filter(|(other, _)| *other != own)
        .filter_map(|(_, share)| *share);
    let (count, sum) = shares.fold((0, 0.0), |(count, sum), share| (count + 1, sum + share));
    (count > 0).then(|| sum / f64::from(count))
}

/// Returns the largest value among the pairs of a controller with other controllers.
fn worst<'a>(
    matrix: &'a Matrix,
    (measure, pairs): (&Measure, &Pairs),
    own: usize,
    at: At,
) -> Worst<'a> {
    let others = (0..matrix.controllers.len()).filter(|other| *other != own);
    let values = others.filter_map(|other| {
        let (row, column) = at(own, other);
        Some((
            pairs.median[row][column]?,
            matrix.controllers[other].as_str(),
            measure.beyond(pairs, row, column),
        ))
    });
    values.max_by(|a, b| a.0.total_cmp(&b.0))
}
