//! The figures of a fidelity check: simulator against kernel, quantity by quantity.

use crate::fidelity::KeptFidelity;
use narrows_figure::number::plain;
use narrows_figure::{Axis, Content, Figure, Scale, Series, hyphened, magnitudes};
use narrows_measure::Quantity;

/// The largest value over the least from which on an axis is logarithmic, as on the page.
const WIDE: f64 = 20.0;

/// Returns the figures of a fidelity check: both worlds against each other, one for each quantity.
pub fn figures(kept: &KeptFidelity) -> Vec<Figure> {
    Quantity::ALL.into_iter().filter_map(|quantity| of(kept, quantity)).collect()
}

fn of(kept: &KeptFidelity, quantity: Quantity) -> Option<Figure> {
    let both = kept.both(quantity.name());
    let values = || both.iter().flat_map(|(kernel, simulator)| [*kernel, *simulator]);
    let (least, most) = (values().reduce(f64::min)?, values().reduce(f64::max)?);
    let axis = |world: &str| {
        let log = least > 0.0 && most / least > WIDE;
        let scale = if log { magnitudes(values(), plain) } else { Scale::Linear { zero: false } };
        let unit = if quantity.unit().is_empty() { "index" } else { quantity.unit() };
        Axis { title: format!("{} in the {world}, {unit}", quantity.name()), scale }
    };
    let series =
        |name: &str, (colour, dash): (usize, usize), joined: bool, points: Vec<(f64, f64)>| {
            let points = points.into_iter().map(Some).collect();
            Series {
                name: name.to_owned(),
                colour,
                dash,
                points,
                joined,
                crosses: vec![],
                ranges: vec![],
            }
        };
    let counted = both.len();
    Some(Figure {
        name: Some(hyphened(quantity.name())),
        title: format!("Simulator against kernel: {}", quantity.name()),
        caption: format!(
            "{}: {counted} networks that count. On the dashed line both are equal.",
            kept.title
        ),
        x: axis("kernel"),
        y: axis("simulator"),
        content: Content::Curves {
            series: vec![
                series("equal", (6, 1), true, vec![(least, least), (most, most)]),
                series("a network", (0, 0), false, both),
            ],
            rules: Vec::new(),
        },
    })
}
