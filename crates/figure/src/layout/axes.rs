//! The frame of a plot: grid, ticks, labels and titles of two axes.

use super::sheet::Sheet;
use crate::model::{Axis, Scale};
use crate::scale::Placed;
use crate::shape::{Anchor, Paint, Point, Shape};
use crate::text;

/// Most ticks that an axis should have.
const MOST: f64 = 8.0;
/// Angle of labels that do not fit beside each other, in degrees.
const SLANT: f64 = -35.0;

/// The area of a plot with its axes.
pub(super) struct Frame {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
    pub x: Placed,
    pub y: Placed,
}

impl Frame {
    /// Returns the point of a place on both axes.
    pub fn at(&self, x: f64, y: f64) -> Point {
        [
            self.left + self.x.part(x) * (self.right - self.left),
            self.bottom - self.y.part(y) * (self.bottom - self.top),
        ]
    }
}

/// Layout of the labels below an axis.
struct Below {
    slanted: bool,
    /// Height of the labels.
    height: f64,
}

impl Sheet {
    /// Draws the axes of a plot as the next part, with `height` for the area between them. `grid`
    /// adds lines across the area.
    pub(super) fn frame(
        &mut self,
        axes: (&Axis, &Axis),
        values: (&[f64], &[f64]),
        height: f64,
        grid: bool,
    ) -> Frame {
        let (size, margin) = (self.style.font, self.margin());
        let y = axes.1.scale.over(values.1, (height / (2.2 * size)).min(MOST));
        let widest = y.ticks.iter().map(|(_, label)| text::width(label, size)).fold(0.0, f64::max);
        let widest = widest.min(0.35 * self.style.width);
        let title = if axes.1.title.is_empty() { 0.0 } else { 1.6 * size };
        let left = margin + title + widest + self.px(8.0);
        let right = self.style.width - margin - self.px(8.0);
        let x = self.horizontal(&axes.0.scale, values.0, right - left);
        let below = self.below(&x, (right - left) / x.ticks.len().max(1) as f64);
        let frame = Frame { left, top: self.y, right, bottom: self.y + height, x, y };
        self.ticks(&frame, &below, grid);
        let mut foot = frame.bottom + self.px(6.0) + below.height;
        if !axes.0.title.is_empty() {
            foot += 0.9 * size;
            let middle = [(frame.left + frame.right) / 2.0, foot];
            let room = self.style.width - 2.0 * margin;
            self.text(text::fitted(&axes.0.title, size, room), middle, Anchor::Middle, Paint::Ink);
            foot += 0.9 * size;
        }
        if !axes.1.title.is_empty() {
            self.shapes.push(Shape::Text {
                text: text::fitted(&axes.1.title, size, height + foot - frame.bottom),
                at: [margin + 0.6 * size, (frame.top + frame.bottom) / 2.0],
                size,
                anchor: Anchor::Middle,
                angle: -90.0,
                bold: false,
                paint: Paint::Ink,
            });
        }
        self.y = foot + self.px(6.0);
        frame
    }

    /// Returns the horizontal axis, with as many ticks as have room for their labels.
    fn horizontal(&self, scale: &Scale, values: &[f64], width: f64) -> Placed {
        let size = self.style.font;
        let mut most = MOST;
        loop {
            let axis = scale.over(values, most);
            let wide: f64 =
                axis.ticks.iter().map(|(_, label)| text::width(label, size) + size).sum();
            if matches!(scale, Scale::Named(_)) || wide <= width || most <= 2.0 {
                return axis;
            }
            most -= 1.0;
        }
    }

    fn below(&self, axis: &Placed, room: f64) -> Below {
        let size = self.style.font;
        let widest =
            axis.ticks.iter().map(|(_, label)| text::width(label, size)).fold(0.0, f64::max);
        match widest > room {
            false => Below { slanted: false, height: 1.2 * size },
            true => {
                let widest = widest.min(0.3 * self.style.width);
                let rise = widest * libm::sin(-SLANT.to_radians());
                Below { slanted: true, height: rise + size }
            }
        }
    }

    fn ticks(&mut self, frame: &Frame, below: &Below, grid: bool) {
        let size = self.style.font;
        for (at, label) in &frame.x.ticks {
            let [x, _] = frame.at(*at, frame.y.from);
            if grid {
                self.rule([x, frame.top], [x, frame.bottom], Paint::Line);
            }
            let under = frame.bottom + self.px(6.0);
            if below.slanted {
                self.shapes.push(Shape::Text {
                    text: text::fitted(label, size, 0.3 * self.style.width),
                    at: [x + 0.3 * size, under + 0.4 * size],
                    size,
                    anchor: Anchor::End,
                    angle: SLANT,
                    bold: false,
                    paint: Paint::Ink,
                });
            } else {
                self.text(label, [x, under + 0.6 * size], Anchor::Middle, Paint::Ink);
            }
        }
        for (at, label) in &frame.y.ticks {
            let [_, y] = frame.at(frame.x.from, *at);
            if grid {
                self.rule([frame.left, y], [frame.right, y], Paint::Line);
            }
            let label = text::fitted(label, size, 0.35 * self.style.width);
            self.text(label, [frame.left - self.px(7.0), y], Anchor::End, Paint::Ink);
        }
    }
}
