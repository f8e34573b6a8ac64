//! Figures: one model, laid out once, and drawn as SVG, PNG and PDF.
//!
//! A [`Figure`] has the data: curves, cells, tracks of dots, trade-offs. Its layout for a [`Style`]
//! is a list of shapes. All formats draw the same shapes and differ only in their fonts: SVG files
//! leave the font to the viewer, PNG and PDF files contain the outlines of the program's own font.

mod label;
mod layout;
mod model;
pub mod number;
pub mod palette;
mod pdf;
mod png;
mod scale;
mod serial;
mod shape;
mod style;
mod svg;
mod text;

pub use model::{
    Axis, Content, Dot, Figure, Heat, Ramp, Rule, Scale, Series, Track, Tracks, TradePanel, Trades,
    hyphened, magnitudes,
};
pub use style::Style;
