//! Values of rows and columns as coloured cells.

use super::axis::{Placed, placed};
use super::curves::{Area, Drawn, INK, SOFT, font, head};
use super::model::{Figure, Heat};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Pixels of a row, and of labels and heads.
const ROW: u32 = 44;
const AROUND: u32 = 160;

/// Pixels from top to bottom.
pub(super) fn tall(heat: &Heat) -> u32 {
    AROUND + ROW * heat.cells.len() as u32
}

/// Draws a figure of cells.
pub(super) fn draw<B: DrawingBackend<ErrorType: 'static>>(
    root: &Area<B>,
    figure: &Figure,
    heat: &Heat,
) -> Drawn {
    let cells = &heat.cells;
    let area = head(root, figure)?;
    let (x, y) = (placed(&figure.x.scale, &[]), placed(&figure.y.scale, &[]));
    let longest = y.ticks.iter().map(|(_, name)| name.chars().count()).max().unwrap_or(0) as u32;
    let mut chart = ChartBuilder::on(&area)
        .margin_right(24)
        .margin_bottom(10)
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
    for (row, column, value, said) in cells.iter().enumerate().flat_map(|(row, cells)| {
        cells.iter().enumerate().filter_map(move |(column, cell)| {
            cell.as_ref().map(|(value, said)| (row, column, *value, said))
        })
    }) {
        let mixed = mixed(heat, value);
        let (across, down) = (column as f64, row as f64);
        let corners = [(across - 0.49, down - 0.47), (across + 0.49, down + 0.47)];
        chart.draw_series([Rectangle::new(corners, mixed.filled())])?;
        let middle = font(12.0, readable(mixed)).pos(Pos::new(HPos::Center, VPos::Center));
        chart.draw_series([Text::new(said.clone(), (across, down), middle)])?;
    }
    Ok(())
}

/// The colour of a value.
fn mixed(heat: &Heat, value: f64) -> RGBColor {
    let (from, to) = heat.range;
    let share = ((value - from) / (to - from)).clamp(0.0, 1.0) * 2.0;
    let [low, high] = if share < 1.0 { [0, 1] } else { [1, 2] };
    let part = share - f64::from(u8::from(share >= 1.0));
    let of = |at: usize| {
        let (low, high) = (f64::from(heat.colours[low][at]), f64::from(heat.colours[high][at]));
        (low + (high - low) * part).round() as u8
    };
    RGBColor(of(0), of(1), of(2))
}

/// Ink on light colours, white on dark ones.
fn readable(RGBColor(red, green, blue): RGBColor) -> RGBColor {
    let light = 0.299 * f64::from(red) + 0.587 * f64::from(green) + 0.114 * f64::from(blue);
    if light > 120.0 { INK } else { WHITE }
}
