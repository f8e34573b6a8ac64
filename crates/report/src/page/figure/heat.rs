//! Values of rows and columns as coloured cells.

use super::axis::{Placed, placed};
use super::model::Figure;
use super::svg::{Drawn, INK, SOFT, WIDE, font, head};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Pixels of a row, and of labels and heads.
const ROW: u32 = 44;
const AROUND: u32 = 150;
const LOW: [u8; 3] = [0xee, 0xf4, 0xfa];
const HIGH: [u8; 3] = [0x6b, 0xae, 0xd6];

/// Draws a figure of cells: the larger a value, the darker its cell.
pub(super) fn draw(text: &mut String, figure: &Figure, cells: &[Vec<Option<(f64, String)>>]) -> Drawn {
    let tall = AROUND + ROW * cells.len() as u32;
    let root = SVGBackend::with_string(text, (WIDE, tall)).into_drawing_area();
    let area = head(&root, figure)?;
    let (x, y) = (placed(&figure.x.scale, &[]), placed(&figure.y.scale, &[]));
    let longest = y.ticks.iter().map(|(_, name)| name.chars().count()).max().unwrap_or(0) as u32;
    let mut chart = ChartBuilder::on(&area)
        .margin_right(24)
        .x_label_area_size(48)
        .y_label_area_size(40 + 7 * longest.min(40))
        // Rows go down.
        .build_cartesian_2d(x.clone(), Placed { from: y.to, to: y.from, ..y.clone() })?;
    chart
        .configure_mesh()
        .disable_mesh()
        .axis_style(TRANSPARENT)
        .x_labels(x.ticks.len())
        .y_labels(y.ticks.len())
        .label_style(font(12.0, INK))
        .axis_desc_style(font(13.0, SOFT))
        .x_desc(figure.x.title.clone())
        .y_desc(figure.y.title.clone())
        .draw()?;
    let all = || cells.iter().flatten().flatten().map(|(value, _)| *value);
    let (least, most) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
    for (row, column, value, said) in cells.iter().enumerate().flat_map(|(row, cells)| {
        cells.iter().enumerate().filter_map(move |(column, cell)| cell.as_ref().map(|(value, said)| (row, column, *value, said)))
    }) {
        let share = if most > least { (value - least) / (most - least) } else { 0.0 };
        let mixed = |part: usize| (f64::from(LOW[part]) + (f64::from(HIGH[part]) - f64::from(LOW[part])) * share).round() as u8;
        let (across, down) = (column as f64, row as f64);
        let corners = [(across - 0.49, down - 0.47), (across + 0.49, down + 0.47)];
        chart.draw_series([Rectangle::new(corners, RGBColor(mixed(0), mixed(1), mixed(2)).filled())])?;
        let middle = font(12.0, INK).pos(Pos::new(HPos::Center, VPos::Center));
        chart.draw_series([Text::new(said.clone(), (across, down), middle)])?;
    }
    drop(chart);
    root.present()?;
    Ok(())
}
