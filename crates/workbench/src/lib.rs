//! The workbench: requests, such as comparisons, sweeps and checks, and how they are carried out.
//!
//! A program makes a [`Request`] from the words of a command line or from named values, and
//! [carries it out](carry_out) for a [`Host`]. The host receives the output, the progress and the
//! directory of the result, and can stop the request. The result is a directory.

mod api;
mod attack;
mod bpf_log;
mod campaign;
mod captures;
mod carry_out;
mod check;
mod compare;
mod conflicts;
mod contenders;
mod controller_files;
mod deploy;
mod error;
pub mod experiments;
mod fidelity;
mod fit;
mod host;
pub mod http;
pub mod icn;
mod inputs;
pub mod interruption;
mod live;
pub mod locale;
mod matrix;
mod merge;
pub mod meter;
mod node;
mod notes;
mod outcome;
mod output;
pub mod overlays;
mod pairs;
pub mod policies;
mod program;
mod quote;
mod reproduce;
pub mod request;
mod routers;
mod run;
mod run_store;
mod runner;
mod saved;
mod scorecard;
mod shard;
pub mod stored;
mod stored_controllers;
mod sweep;
pub mod text;
mod watch;
mod work;

pub use api::{HostController, Plan, build, carry_out, plan};
pub use controller_files::session;
pub use error::{Failure, Refused};
pub use fidelity::{CELLS, CONTROLLERS};
pub use host::{Console, Host, Progressed};
pub use node::node;
pub use outcome::Outcome;
pub use output::{grid_text, tell};
pub use program::{is_in, is_of, version};
pub use quote::quote;
pub use reproduce::papers;
pub use request::Request;
pub use runner::failure as of_simulation;
