//! The flows of a scenario as kernel sockets: applications write to them, and learn when the
//! receiver has read the data.

mod act;
mod ask;
mod datagrams;
mod event_loop;
mod events;
mod flow;
mod open;
mod sample;
mod serve;
mod state;
mod stream;

pub use flow::Outcome;
pub use open::set;
pub use state::Sockets;
