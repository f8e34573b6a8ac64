//! The figures of a fidelity check: simulator against kernel, quantity by quantity.

use crate::fidelity::KeptFidelity;
use narrows_figure::number::plain;
use narrows_figure::{Axis, Content, Figure, Scale, Series, hyphened, magnitudes};
use narrows_measure::Quantity;

/// The largest value over the least from which on an axis is logarithmic.
const WIDE: f64 = 20.0;

/// Returns the figures of a fidelity check: both worlds against each other, one for each quantity.
pub fn figures(kept: &KeptFidelity) -> Vec<Figure> {
    let of = |quantity: Quantity| {
        let both = kept.both(quantity.name());
        let caption = format!(
            "{}: {} networks that count. On the dashed line both are equal.",
            kept.title,
            both.len()
        );
        Some(Figure { caption, ..of_quantity(quantity, both, Vec::new())? })
    };
    Quantity::ALL.into_iter().filter_map(of).collect()
}

/// Returns a quantity of networks in kernel and simulator, without a caption; `None` without
/// networks. `texts` explains each network, or is empty.
pub(crate) fn of_quantity(
    quantity: Quantity,
    both: Vec<(f64, f64)>,
    texts: Vec<String>,
) -> Option<Figure> {
    let values = || both.iter().flat_map(|(kernel, simulator)| [*kernel, *simulator]);
    let (least, most) = (values().reduce(f64::min)?, values().reduce(f64::max)?);
    let axis = |world: &str| {
        let log = least > 0.0 && most / least > WIDE;
        let scale = if log { magnitudes(values(), plain) } else { Scale::Linear { zero: false } };
        let unit = if quantity.unit().is_empty() { "index" } else { quantity.unit() };
        Axis { title: format!("{} in the {world}, {unit}", quantity.name()), scale }
    };
    let (x, y) = (axis("kernel"), axis("simulator"));
    let equal = Series {
        name: "equal".to_owned(),
        colour: 6,
        dash: 1,
        points: [least, most].map(|end| Some((end, end))).into(),
        joined: true,
        ..Series::default()
    };
    let networks = Series {
        name: "a network".to_owned(),
        points: both.into_iter().map(Some).collect(),
        texts,
        ..Series::default()
    };
    Some(Figure {
        name: Some(hyphened(quantity.name())),
        title: format!("Simulator against kernel: {}", quantity.name()),
        caption: String::new(),
        x,
        y,
        content: Content::Curves { series: vec![equal, networks], rules: Vec::new() },
    })
}
