//! Places of labels that do not overlap.

use crate::shape::{Anchor, Paint, Point, Shape};
use crate::text;

/// Labels that have been placed.
pub(crate) struct Labels {
    size: f64,
    /// Left, top, right and bottom of each label or free area.
    taken: Vec<[f64; 4]>,
}

impl Labels {
    /// Returns an empty set for labels of this text size.
    pub fn new(size: f64) -> Labels {
        Labels { size, taken: Vec::new() }
    }

    /// Keeps an area free of labels: its left, top, right and bottom.
    pub fn keep_free(&mut self, area: [f64; 4]) {
        self.taken.push(area);
    }

    /// Places a text at the first candidate where it overlaps no other label, or else at the first
    /// candidate.
    pub fn place(&mut self, text: &str, candidates: &[(Point, Anchor)]) -> Option<Shape> {
        let free = candidates.iter().find(|own| {
            let [left, top, right, bottom] = self.area(text, own);
            self.taken.iter().all(|taken| {
                right < taken[0] || left > taken[2] || bottom < taken[1] || top > taken[3]
            })
        });
        let chosen = free.or(candidates.first())?;
        self.taken.push(self.area(text, chosen));
        let (at, anchor) = *chosen;
        Some(Shape::Text {
            text: text.to_owned(),
            at,
            size: self.size,
            anchor,
            angle: 0.0,
            bold: false,
            paint: Paint::Soft,
        })
    }

    fn area(&self, text: &str, ([x, y], anchor): &(Point, Anchor)) -> [f64; 4] {
        let width = text::width(text, self.size);
        let left = match anchor {
            Anchor::Start => *x,
            Anchor::Middle => x - width / 2.0,
            Anchor::End => x - width,
        };
        [left, y - 0.6 * self.size, left + width, y + 0.6 * self.size]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_takes_the_first_free_place() {
        let mut labels = Labels::new(12.0);
        let places = [([0.0, 0.0], Anchor::Start), ([0.0, 20.0], Anchor::Start)];
        let at = |shape: Option<Shape>| match shape {
            Some(Shape::Text { at, .. }) => at,
            other => panic!("{other:?}"),
        };
        assert_eq!(at(labels.place("capacity", &places)), [0.0, 0.0]);
        assert_eq!(at(labels.place("empty queue", &places)), [0.0, 20.0]);
        assert_eq!(at(labels.place("full buffer", &places)), [0.0, 0.0]);
        assert_eq!(labels.place("none", &[]), None);
    }
}
