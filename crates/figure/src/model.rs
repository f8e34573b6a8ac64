//! The model of a figure: its data, without sizes and places.
//!
//! The pages of reports carry figures as JSON, and their script `figure.js` draws them.

use crate::palette::{FAIR, HEAT, Rgb};
use crate::serial;
use serde::Serialize;

/// A figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Name on a command line, if the title is not unique; otherwise the name follows from the
    /// title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Title: "Congestion window, segments".
    pub title: String,
    /// The set-up of the measurement.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub caption: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The data.
    pub content: Content,
}

/// The data of a figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Content {
    /// Lines or dots over both axes.
    Curves {
        /// The series, in the order of the legend.
        series: Vec<Series>,
        /// Limits, drawn dashed.
        rules: Vec<Rule>,
    },
    /// Coloured cells.
    Heat(Heat),
    /// Dots on horizontal tracks.
    Tracks(Tracks),
    /// Panels of dots with ellipses, all with the same axes.
    Trades(Trades),
}

/// Dots on horizontal tracks, each with a scale of its own that begins at zero.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tracks {
    /// The names of the dots of every track, from top to bottom.
    pub names: Vec<String>,
    /// The tracks.
    pub rows: Vec<Track>,
}

/// A track.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Track {
    /// Name of the track, at its left end.
    pub label: String,
    /// Value at the right end of the track, and the text there.
    pub end: (f64, String),
    /// A dot for each name; `None` where a value is undefined.
    pub dots: Vec<Option<Dot>>,
}

/// A value on a track.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Dot {
    /// The value.
    pub at: f64,
    /// Interval of the value.
    pub range: Option<(f64, f64)>,
    /// Value for comparison, drawn as a stroke across the track.
    pub against: Option<f64>,
}

/// Coloured cells.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Heat {
    /// A row for each name of the vertical axis: values with their texts.
    pub cells: Vec<Vec<Option<(f64, String)>>>,
    /// An explanation of each cell, for readers who point at it; empty if the texts suffice.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<Vec<String>>,
    /// The values of the first and of the last colour.
    pub range: (f64, f64),
    /// Colours between which the colours of values are interpolated.
    pub ramp: Ramp,
}

/// Colours of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ramp {
    /// Values that rise from zero.
    Rising,
    /// Values around a fair middle: good, fair, bad.
    Fair,
}

impl Ramp {
    /// Returns the first, the middle and the last colour on white paper.
    pub fn colours(self) -> [Rgb; 3] {
        match self {
            Ramp::Rising => HEAT,
            Ramp::Fair => FAIR,
        }
    }
}

/// Panels that show two numbers of several controllers in each of several cells.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Trades {
    /// The names of the series of every panel.
    pub names: Vec<String>,
    /// The panels.
    pub panels: Vec<TradePanel>,
    /// True if an axis shows percentages, which end at 100: horizontal, vertical.
    pub percent: (bool, bool),
}

/// A panel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TradePanel {
    /// Title of the panel.
    pub title: String,
    /// A line below the title.
    pub subtitle: String,
    /// The points of each series, one for each seed.
    pub series: Vec<Vec<[f64; 2]>>,
}

/// An axis.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Axis {
    /// Title of the axis, with the unit.
    pub title: String,
    /// Scale of the axis.
    pub scale: Scale,
}

/// The scale of an axis.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Linear, from zero or around the values.
    Linear {
        /// True if the axis has to contain zero.
        zero: bool,
    },
    /// Linear around the values, the largest first.
    Backwards,
    /// Logarithmic, with a label at each of these values.
    Log(Vec<(f64, String)>),
    /// Categories, at 0, 1 and so on.
    Named(Vec<String>),
}

/// The points of one colour.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Series {
    /// Name in the legend; empty if the legend leaves the series out.
    pub name: String,
    /// Index of the colour.
    pub colour: usize,
    /// Index of the dashes among the series of one colour.
    #[serde(skip_serializing_if = "serial::is_zero")]
    pub dash: usize,
    /// The points; `None` is a gap.
    #[serde(serialize_with = "serial::points")]
    pub points: Vec<Option<(f64, f64)>>,
    /// True if a line joins the points, false if each has a marker.
    pub joined: bool,
    /// Places of packet losses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub crosses: Vec<(f64, f64)>,
    /// Intervals: place, lower and upper end.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "serial::ranges")]
    pub ranges: Vec<(f64, f64, f64)>,
    /// Middle of several points: pages draw a larger marker with the name beside it. Files show the
    /// points alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub middle: Option<(f64, f64)>,
    /// An explanation of each point and of the middle, for readers who point at it; empty if the
    /// coordinates suffice.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<String>,
    /// A remark on the series for readers who point at it: "1,234 transfers".
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Index of the case of the series, where readers switch cases on and off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub case: Option<usize>,
}

/// A dashed line across a figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rule {
    /// True if the line is vertical.
    pub vertical: bool,
    /// Place of the line on the axis.
    pub at: f64,
    /// Name of the line.
    pub text: String,
}

impl Figure {
    /// Returns the name on a command line: "congestion-window".
    pub fn name(&self) -> String {
        let from_title = || hyphened(self.title.split([',', ':']).next().unwrap_or_default());
        self.name.clone().unwrap_or_else(from_title)
    }

    /// Returns the names in the legend.
    pub fn legend(&self) -> Vec<&str> {
        match &self.content {
            Content::Curves { series, .. } => {
                let names = series.iter().map(|own| own.name.as_str());
                names.filter(|name| !name.is_empty()).collect()
            }
            Content::Tracks(own) => own.names.iter().map(String::as_str).collect(),
            Content::Trades(own) => own.names.iter().map(String::as_str).collect(),
            Content::Heat(_) => Vec::new(),
        }
    }

    /// Keeps the curves with these names, in their colours. Figures of other kinds stay whole.
    pub fn keep(&mut self, names: &[String]) {
        if let Content::Curves { series, .. } = &mut self.content {
            series.retain(|own| names.contains(&own.name));
        }
    }
}

/// Returns a text as a word for a command line.
pub fn hyphened(text: &str) -> String {
    let lower = text.to_lowercase();
    lower
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join("-")
}

/// Returns a logarithmic scale with labels at one, two and five times powers of ten, or at powers
/// of ten alone over more than three of them.
pub fn magnitudes(
    values: impl Iterator<Item = f64> + Clone,
    text: impl Fn(f64) -> String,
) -> Scale {
    let least = values.clone().fold(f64::INFINITY, f64::min);
    let most = values.fold(0.0, f64::max);
    let (from, to) = (libm::log10(least).floor() as i32, libm::log10(most).ceil() as i32);
    let times: &[f64] = if to - from > 3 { &[1.0] } else { &[1.0, 2.0, 5.0] };
    let all = (from..=to)
        .flat_map(|power| times.iter().map(move |times| times * libm::pow(10.0, f64::from(power))));
    Scale::Log(all.map(|value| (value, text(value))).collect())
}
