//! The figures of a sweep.

use crate::grid::{self, Column, Grid, GridAxis, Matrix, Measure, Pairs};
use narrows_figure::{Axis, Content, Figure, Heat, Ramp, Scale, Series, hyphened};
use narrows_measure::harm::STARVED_S;

/// Lines or dots of different colours that a figure may have.
const MOST: usize = 24;

pub fn figures(grid: &Grid) -> Vec<Figure> {
    if let Some(matrix) = &grid.matrix {
        return pairs(grid, matrix);
    }
    let main = grid::main_metrics(grid);
    let parts = grid.parts();
    let of_parts = parts.iter().flat_map(|name| {
        main.iter()
            .filter(|metric| Column::is_of_flows(metric))
            .map(|metric| Column { metric, of: Some(name.clone()) })
    });
    main.iter()
        .map(|metric| Column::whole(metric))
        .chain(of_parts)
        .map(|column| over_axes(grid, &column))
        .collect()
}

fn caption(grid: &Grid) -> String {
    format!("{}: {}", grid.title, grid::setup(grid))
}

/// Quantities that make a line.
fn numbers(axis: &GridAxis) -> Option<&[f64]> {
    axis.numbers.as_deref().filter(|numbers| numbers.len() > 2)
}

/// A metric over the axis that makes a line, else the longest, with a colour for each combination
/// of the others.
fn over_axes(grid: &Grid, column: &Column) -> Figure {
    let (head, metric, spreads) =
        (column.head(), column.metric, grid.spreads_in(grid.cells(), column));
    let across = grid::varying(grid)
        .max_by_key(|(_, axis)| (numbers(axis).is_some(), axis.labels.len()))
        .map(|(index, _)| index);
    let axis = across.map(|index| &grid.axes[index]);
    let at = |cell: usize| across.map_or(0, |index| grid.places(cell)[index]);
    let values = axis.and_then(numbers);
    let x = |cell: usize| values.map_or(at(cell) as f64, |values| values[at(cell)]);
    let mut series: Vec<Series> = Vec::new();
    for (cell, spread) in spreads.iter().enumerate() {
        let places = grid.places(cell);
        let others = grid::varying(grid).filter(|(index, _)| Some(*index) != across);
        let name = others
            .map(|(index, axis)| axis.labels[places[index]].as_str())
            .collect::<Vec<_>>()
            .join(", ");
        let index = series.iter().position(|own| own.name == name).unwrap_or_else(|| {
            let index = series.len();
            series.push(Series {
                name,
                colour: index,
                joined: values.is_some(),
                ..Series::default()
            });
            index
        });
        series[index].points.push(spread.median.map(|median| (x(cell), median)));
        series[index]
            .ranges
            .extend(spread.interval.map(|interval| (x(cell), interval.low, interval.high)));
    }
    // Categories have a place each, and dots of different colours stand beside each other.
    if values.is_none() {
        let count = series.len();
        for (index, own) in series.iter_mut().enumerate() {
            let aside = (index as f64 - (count - 1) as f64 / 2.0) * 0.6 / count as f64;
            own.points.iter_mut().flatten().for_each(|point| point.0 += aside);
            own.ranges.iter_mut().for_each(|range| range.0 += aside);
        }
    }
    series.truncate(MOST);
    let labels = axis.map_or(vec![String::new()], |axis| axis.labels.clone());
    let scale = match values {
        Some(values) if values.iter().all(|value| *value > 0.0) && ends(values) >= 10.0 => {
            Scale::Log(values.iter().copied().zip(labels).collect())
        }
        Some(_) => Scale::Linear { zero: false },
        None => Scale::Named(labels),
    };
    let unit = axis
        .filter(|_| matches!(scale, Scale::Linear { .. }))
        .map_or("", |axis| axis.unit.as_str());
    let titled = |name: &str, unit: &str| {
        if unit.is_empty() { name.to_owned() } else { format!("{name}, {unit}") }
    };
    Figure {
        name: None,
        title: titled(&head, metric.unit),
        caption: caption(grid),
        x: Axis { title: titled(axis.map_or("", |axis| &axis.name), unit), scale },
        y: Axis { title: titled(&head, metric.unit), scale: Scale::Linear { zero: false } },
        content: Content::Curves { series, rules: Vec::new() },
    }
}

/// How many times the least the largest is.
fn ends(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
        / values.iter().copied().fold(f64::INFINITY, f64::min)
}

/// Returns each measure of a matrix on each network: the networks of the first measure, then those
/// of the next.
pub(crate) fn pairs(grid: &Grid, matrix: &Matrix) -> Vec<Figure> {
    let several = matrix.conditions.len() > 1;
    let one = |measure: &Measure, condition: usize, network: &str| {
        let unit =
            if measure.unit.is_empty() { String::new() } else { format!(", {}", measure.unit) };
        // The networks of a command line are numbered, since their names are long.
        let name = several.then(|| format!("{}-{}", hyphened(&measure.title), condition + 1));
        let on = if several { format!(", {network}") } else { String::new() };
        Figure {
            name,
            title: format!("{}{unit}: row beside column{on}", measure.title),
            caption: if several {
                format!("{}. {}", grid.title, measure.summary)
            } else {
                format!("{}, {network}. {}", grid.title, measure.summary)
            },
            x: Axis { title: "beside".to_owned(), scale: Scale::Named(matrix.controllers.clone()) },
            y: Axis { title: String::new(), scale: Scale::Named(matrix.controllers.clone()) },
            content: Content::Heat(heat(matrix, measure, &measure.conditions[condition])),
        }
    };
    let networks = || matrix.conditions.iter().enumerate();
    matrix
        .measures
        .iter()
        .flat_map(|measure| networks().map(move |(condition, name)| one(measure, condition, name)))
        .collect()
}

/// The cells of a measure: a large share is good for the row, a large harm is bad for it.
fn heat(matrix: &Matrix, measure: &Measure, pairs: &Pairs) -> Heat {
    let all = 0..matrix.controllers.len();
    let cell = |row: usize, column: usize| {
        Some((pairs.median[row][column]?, measure.text(pairs, row, column)))
    };
    let of_all = || all.clone().map(|row| all.clone().map(move |column| (row, column)));
    let cells = of_all().map(|row| row.map(|(row, column)| cell(row, column)).collect());
    let texts = of_all().map(|row| {
        row.map(|(row, column)| measure.explanation(matrix, pairs, row, column)).collect()
    });
    let most = pairs.median.iter().flatten().flatten().copied().fold(f64::MIN_POSITIVE, f64::max);
    let (range, ramp) = match measure.name.as_str() {
        "share" => ((100.0, 0.0), Ramp::Fair),
        "goodput" => ((0.0, most), Ramp::Rising),
        "starved" => ((0.0, most.max(2.0 * STARVED_S)), Ramp::Rising),
        _ => ((0.0, 1.0), Ramp::Fair),
    };
    Heat { cells: cells.collect(), texts: texts.collect(), range, ramp }
}
