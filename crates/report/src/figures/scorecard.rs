//! The figures of a scorecard: each number of its page.

use crate::page::style::capital;
use crate::scorecard::{Entry, Estimate, Scorecard, Traffic, heads};
use narrows_figure::number::short;
use narrows_figure::{Axis, Content, Dot, Figure, Scale, Track, Tracks, hyphened};

pub fn figures(card: &Scorecard) -> Vec<Figure> {
    card.traffic.iter().flat_map(|traffic| of_traffic(card, traffic)).collect()
}

/// Returns the figures of a traffic.
pub(crate) fn of_traffic(card: &Scorecard, traffic: &Traffic) -> Vec<Figure> {
    let mut all = Vec::new();
    for (place, (head, metric)) in heads(&traffic.name).into_iter().enumerate() {
        let unit = if metric.unit.is_empty() { "× ideal" } else { metric.unit };
        let value = |entry: &Entry| dot(&entry.metrics.get(place)?.estimate, None);
        let title = format!("{} traffic: {head}, {unit}", capital(&traffic.name));
        let said = "Each row runs from 0 to the number at its right end.";
        all.push(figure(
            card,
            (hyphened(&format!("{} {head}", traffic.name)), title, said),
            tracks(card, traffic, None, &value),
        ));
    }
    for competitor in &card.beside {
        for (place, whose) in ["goodput", "round trip p95"].into_iter().enumerate() {
            let value = |entry: &Entry| {
                let harm = entry.harm.get(place)?;
                dot(&harm.estimate, harm.own.median)
            };
            let title = format!(
                "{} traffic: harm to the {whose} of a download by {competitor}, 0 to 1",
                capital(&traffic.name)
            );
            let said =
                format!("The stroke is the harm that the same traffic by {competitor} does.");
            let name = hyphened(&format!("{} harm to {whose} of {competitor}", traffic.name));
            all.push(figure(
                card,
                (name, title, &said),
                tracks(card, traffic, Some(competitor), &value),
            ));
        }
    }
    all
}

fn figure(card: &Scorecard, (name, title, said): (String, String, &str), tracks: Tracks) -> Figure {
    let spread = match card.seeds.len() {
        1 => "One seed.".to_owned(),
        seeds => format!("Medians over {seeds} seeds with 95 % intervals."),
    };
    let none = || Axis { title: String::new(), scale: Scale::Linear { zero: true } };
    let caption = format!("{}. {spread} {said}", card.title);
    Figure {
        name: Some(name),
        title,
        caption,
        x: none(),
        y: none(),
        content: Content::Tracks(tracks),
    }
}

fn dot(estimate: &Estimate, against: Option<f64>) -> Option<Dot> {
    Some(Dot { at: estimate.median?, range: estimate.low.zip(estimate.high), against })
}

/// A row for each network, alone and beside each competitor, or beside only one on a scale from 0
/// to 1.
fn tracks(
    card: &Scorecard,
    traffic: &Traffic,
    only: Option<&String>,
    value: &dyn Fn(&Entry) -> Option<Dot>,
) -> Tracks {
    let places = || {
        std::iter::once(None)
            .chain(card.beside.iter().map(Some))
            .filter(|place| only.is_none() || *place == only)
    };
    let row = |network: &str, place: Option<&String>| {
        let of = |controller: &String| {
            let mut own = card.entries.iter().filter(|entry| {
                entry.tested && entry.traffic == traffic.name && entry.network == network
            });
            own.find(|entry| entry.beside.as_ref() == place && entry.controller == *controller)
                .and_then(value)
        };
        let dots: Vec<Option<Dot>> = card.controllers.iter().map(of).collect();
        let largest = dots
            .iter()
            .flatten()
            .map(|dot| dot.range.map_or(dot.at, |(_, high)| high.max(dot.at)))
            .fold(0.0, f64::max);
        let end = if only.is_some() { 1.0 } else { largest };
        let label = place.map_or_else(
            || format!("{network}, alone"),
            |place| format!("{network}, beside {place}"),
        );
        Track { label, end: (end, short(end)), dots }
    };
    let rows = card
        .networks
        .iter()
        .flat_map(|network| places().map(|place| row(&network.name, place)))
        .collect();
    Tracks { names: card.controllers.clone(), rows }
}
