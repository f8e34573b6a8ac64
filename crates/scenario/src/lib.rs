//! Scenarios: checked and typed descriptions of a network and its traffic, which every world can
//! run.
//!
//! A scenario is a TOML file. Quantities are strings with their unit, so that nobody has to know
//! whether a number means bits or bytes:
//!
//! ```
//! let text = r#"
//! duration = "60 s"
//!
//! [[link]]
//! name = "bottleneck"
//! between = ["left", "right"]
//! rate = "100 Mbit/s"
//! delay = "15 ms"
//! buffer = "750 kB"
//!
//! [[flow]]
//! from = "left"
//! to = "right"
//! controller = "newreno"
//! "#;
//! let scenario =
//!     narrows_scenario::parse(text, "one-link.toml", &|path| std::fs::read_to_string(path))?;
//! assert_eq!(scenario.links[1].name, "bottleneck.back");
//! # Ok::<(), narrows_scenario::ScenarioError>(())
//! ```
//!
//! [`schema`] describes every key. An invalid file gives a [`ScenarioError`], which shows the line
//! and the remedy.

mod bottleneck;
mod check;
mod comparison;
mod controllers;
mod difference;
mod document;
mod draft;
mod error;
mod excerpt;
mod files;
mod graph;
mod icn;
mod implied;
mod model;
mod named_traffic;
mod network;
mod network_tables;
mod node;
mod overrides;
pub mod paper;
mod paths;
mod raw;
mod read;
mod recorded;
mod routers;
mod schema;
mod sizes;
mod sweep;
mod syntax;
mod text;
mod unsupported;
mod whole;
mod write;
pub mod written;

pub use comparison::Comparison;
pub use controllers::load_controller;
pub use difference::{Difference, differences};
pub use document::{from_toml, to_toml, with_value};
pub use draft::{Draft, Keys};
pub use error::{ErrorStyle, ScenarioError};
pub use excerpt::visible;
pub use files::{ReadFile, read_named};
pub use icn::{Catalogue, Consumer, Face, Icn, Ideal, Prefix, PrefixId, RequestProcess};
pub use model::{
    Arrivals, Draw, Expectation, Flow, Frames, Link, On, OnOff, Pause, Requests, Scenario, Workload,
};
pub use named_traffic::{NamedTraffic, TRAFFIC};
pub use narrows_network::{Change, FlowId, LinkId, What};
pub use network_tables::{ENDS, NetworkTables};
pub use node::{Node, NodeId};
pub use overrides::{NamedWorkload, Overrides};
pub use paths::{PATHS, PathProfile};
pub use read::{load, load_with, parse, parse_with};
pub use schema::schema;
pub use sizes::{PUBLISHED, Published, Sizes};
pub use sweep::{Axis, AxisValue, Changes, Sweep, moved};
pub use text::parse_share;
pub use write::quoted;
