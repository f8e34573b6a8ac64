//! What a figure shows.

/// A figure of a result.
#[derive(Debug)]
pub struct Figure {
    /// Another than its title gives, where titles repeat.
    pub(super) name: Option<String>,
    pub(super) title: String,
    /// What was measured.
    pub(super) caption: String,
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) content: Content,
}

#[derive(Debug)]
pub(super) enum Content {
    Curves { series: Vec<Series>, rules: Vec<Rule> },
    Heat(Heat),
    Tracks(Tracks),
}

/// Dots on horizontal tracks, each with a scale of its own that begins at zero.
#[derive(Debug)]
pub(super) struct Tracks {
    /// What the dots of every track stand for, from above.
    pub names: Vec<String>,
    pub rows: Vec<Track>,
}

#[derive(Debug)]
pub(super) struct Track {
    pub label: String,
    /// The value at its right end, and its text.
    pub end: (f64, String),
    /// A dot for each name; none where a value is not defined.
    pub dots: Vec<Option<Dot>>,
}

#[derive(Debug)]
pub(super) struct Dot {
    pub at: f64,
    /// The interval around it.
    pub range: Option<(f64, f64)>,
    /// The value that it is held against, as a stroke across the track.
    pub against: Option<f64>,
}

/// Coloured cells.
#[derive(Debug)]
pub(super) struct Heat {
    /// A row for each name of the vertical axis: values with their texts.
    pub cells: Vec<Vec<Option<(f64, String)>>>,
    /// The values that have the first colour and the last.
    pub range: (f64, f64),
    pub colours: [[u8; 3]; 3],
}

#[derive(Debug)]
pub(super) struct Axis {
    pub title: String,
    pub scale: Scale,
}

#[derive(Debug)]
pub(super) enum Scale {
    /// From zero on, or around the values.
    Linear { zero: bool },
    /// Around the values, the largest first.
    Backwards,
    /// Between these values, with a label at each.
    Log(Vec<(f64, String)>),
    /// Categories, at 0, 1 and so on.
    Named(Vec<String>),
}

/// What is drawn in one colour.
#[derive(Debug)]
pub(super) struct Series {
    /// Empty for what the legend leaves out.
    pub name: String,
    pub colour: usize,
    /// Its place among those of one colour.
    pub dash: usize,
    pub points: Vec<Option<(f64, f64)>>,
    /// A line joins the points; else each has a marker.
    pub joined: bool,
    /// Where packets were lost.
    pub crosses: Vec<(f64, f64)>,
    /// Where a value lies between: place, lower and upper end.
    pub ranges: Vec<(f64, f64, f64)>,
}

/// A dashed line across a figure.
#[derive(Debug)]
pub(super) struct Rule {
    pub vertical: bool,
    pub at: f64,
    pub text: String,
}

impl Figure {
    /// What it shows: "Congestion window, segments".
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Its name on a command line: "congestion-window".
    pub fn name(&self) -> String {
        let from_title = || hyphened(self.title.split([',', ':']).next().unwrap_or_default());
        self.name.clone().unwrap_or_else(from_title)
    }
}

/// A text as a word of a command line.
pub(super) fn hyphened(text: &str) -> String {
    let lower = text.to_lowercase();
    lower
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join("-")
}
