//! Dot plots of a scorecard, as HTML that needs no script: rows of dots on tracks, with bars for intervals.

use super::style::{self, escape};
use crate::number::short;
use crate::scorecard::{Entry, Estimate, Scorecard, Traffic, heads};

/// A plot for each metric of a traffic, and for the harm to each competitor. A row is a network, alone or beside a competitor, and has a
/// scale of its own from zero to its largest value.
pub(super) fn panels(card: &Scorecard, traffic: &Traffic) -> String {
    let of_traffic: Vec<&Entry> =
        card.entries.iter().filter(|entry| entry.traffic == traffic.name && entry.tested).collect();
    let mut all = String::new();
    for (place, (head, metric)) in heads(&traffic.name).into_iter().enumerate() {
        let unit = if metric.unit.is_empty() { "× ideal" } else { metric.unit };
        let value = |entry: &Entry| {
            entry.metrics.get(place).map(|own| Dot { number: own.estimate.clone(), own: None })
        };
        all += &panel(&format!("{head}, {unit}"), &rows(card, &of_traffic, None, &value));
    }
    for competitor in &card.beside {
        for (place, head) in ["goodput", "round trip p95"].into_iter().enumerate() {
            let value = |entry: &Entry| {
                entry
                    .harm
                    .get(place)
                    .map(|own| Dot { number: own.estimate.clone(), own: own.own.median })
            };
            let title = format!(
                "Harm to the {head} of a download by {competitor}, % (line: by {competitor} itself)"
            );
            all += &panel(&title, &rows(card, &of_traffic, Some(competitor.as_str()), &value));
        }
    }
    format!("<div class=\"panels\">\n{all}</div>\n")
}

fn panel(title: &str, rows: &str) -> String {
    format!(
        "<div class=\"panel\" role=\"img\" aria-label=\"{0}; the table below has the numbers\"><h3>{0}</h3>\n{rows}</div>\n",
        escape(title)
    )
}

/// What a row shows of an entry: the number, and what it is held against.
struct Dot {
    number: Estimate,
    own: Option<f64>,
}

/// The rows: those beside one competitor, in percent, or all.
fn rows(
    card: &Scorecard,
    entries: &[&Entry],
    only: Option<&str>,
    value: &dyn Fn(&Entry) -> Option<Dot>,
) -> String {
    let mut text = String::new();
    for network in &card.networks {
        let places = std::iter::once(None).chain(card.beside.iter().map(|own| Some(own.as_str())));
        for place in places.filter(|place| only.is_none() || *place == only) {
            let own = entries
                .iter()
                .filter(|entry| entry.network == network.name && entry.beside.as_deref() == place);
            let numbers: Vec<Option<Dot>> = own.map(|entry| value(entry)).collect();
            let largest = numbers
                .iter()
                .flatten()
                .filter_map(|dot| dot.number.high.or(dot.number.median))
                .fold(0.0, f64::max);
            // Harm is a share, and shown in percent.
            let (scale, end) = if only.is_some() { (1.0, 100.0) } else { (largest, largest) };
            let label = if only.is_some() {
                String::new()
            } else {
                format!(
                    "<small>{}</small>",
                    escape(
                        &place.map_or_else(|| "alone".to_owned(), |own| format!("beside {own}"))
                    )
                )
            };
            let dots: String = numbers
                .iter()
                .enumerate()
                .filter_map(|(line, number)| Some(dot(line, number.as_ref()?, scale)))
                .collect();
            text += &format!(
                "<div class=\"line\"><span>{}{label}</span><span class=\"track\" style=\"height:{}px\">{dots}</span><span class=\"end\">{}</span></div>\n",
                escape(&network.name),
                LINE * numbers.len().max(1) + 4,
                short(end)
            );
        }
    }
    text
}

/// Pixels from one controller's dot to the next.
const LINE: usize = 11;

fn dot(line: usize, Dot { number, own }: &Dot, scale: f64) -> String {
    let at = |value: f64| if scale > 0.0 { (100.0 * value / scale).clamp(0.0, 100.0) } else { 0.0 };
    let Some(median) = number.median else { return String::new() };
    let (top, colour) = (LINE * line + LINE / 2 + 2, line % style::COLOURS);
    let bar = number.low.zip(number.high).map_or_else(String::new, |(low, high)| {
        format!("<i style=\"left:{:.1}%;width:{:.1}%;top:{top}px;background:var(--case-{colour})\"></i>", at(low), at(high) - at(low))
    });
    let mark =
        own.map_or_else(String::new, |own| format!("<u style=\"left:{:.1}%\"></u>", at(own)));
    mark + &bar + &style::mark(line, &format!("left:{:.1}%;top:{top}px", at(median)))
}
