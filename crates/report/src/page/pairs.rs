//! The summary of a matrix, controller by controller.

use crate::grid::{Matrix, Measure, Pairs};
use maud::{Markup, html};
use narrows_figure::number::{or_dash, short};
use narrows_measure::harm::STARVED_S;

/// The largest value of a measure among the pairs of a controller: the value, the other controller,
/// and whether the value is beyond the yardstick.
type Worst<'a> = Option<(f64, &'a str, bool)>;

/// Maps a controller and another one to row and column of their pair.
type At = fn(usize, usize) -> (usize, usize);

/// Returns a table with a row for each network and controller: mean share, worst harm done and
/// suffered, and longest starvation.
pub(crate) fn summary(matrix: &Matrix) -> Markup {
    let several = matrix.conditions.len() > 1;
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
    let row = |condition: usize, own: usize| {
        let of = |name: &str| {
            matrix
                .measures
                .iter()
                .find(|own| own.name == name)
                .and_then(|own| Some((own, own.conditions.get(condition)?)))
        };
        let worst = |name: &str, at: At| {
            cell(of(name).and_then(|(measure, pairs)| worst(matrix, (measure, pairs), own, at)))
        };
        html! {
            tr {
                @if several { th.axis scope="row" { (matrix.conditions[condition]) } }
                th.axis scope="row" { (matrix.controllers[own]) }
                td { (or_dash(of("share").and_then(|(_, pairs)| mean_share(pairs, own)))) }
                (worst(harm, |own, other| (other, own)))
                (worst(harm, |own, other| (own, other)))
                (worst("starved", |own, other| (own, other)))
            }
        }
    };
    html! {
        div.wide { table {
            thead { tr {
                @if several { th.axis scope="col" { "Network" } }
                th.axis scope="col" { "Controller" }
                @for (name, unit) in heads { th scope="col" { (name) small { (unit) } } }
            } }
            tbody {
                @for condition in 0..matrix.conditions.len() {
                    @for own in 0..matrix.controllers.len() { (row(condition, own)) }
                }
            }
        } }
        p.hint {
            "A share of 50 % is even. " (meaning)
            " ! marks harm whose whole interval exceeds that of CUBIC to NewReno, and starvation of "
            (STARVED_S) " s or more. Of starvation either flow of the pair may be the victim."
        }
    }
}

fn cell(worst: Worst<'_>) -> Markup {
    html! {
        td {
            @if let Some((value, other, beyond)) = worst {
                (short(value)) @if beyond { "!" }
                small { @if value > 0.0 { "beside " (other) } }
            } @else { "–" }
        }
    }
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
