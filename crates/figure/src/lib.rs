//! Figures: one model, laid out once, and drawn as SVG, PNG and PDF.
//!
//! A [`Figure`] says what is shown: curves, cells, tracks of dots, trade-offs. Its layout for a
//! [`Style`] is a list of shapes. Each format draws the same shapes, so the formats cannot differ in
//! anything but their fonts: SVG files leave the font to the reader, PNG and PDF files have the
//! outlines of a font that the program carries.

mod label;
mod layout;
mod model;
pub mod number;
pub mod palette;
mod pdf;
mod png;
mod scale;
mod shape;
mod style;
mod svg;
mod text;

pub use model::{
    Axis, Content, Dot, Figure, Heat, Rule, Scale, Series, Track, Tracks, TradePanel, Trades,
    hyphened, magnitudes,
};
pub use style::Style;
