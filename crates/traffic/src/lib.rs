//! The behaviour of applications: when they write, open connections and ask, how large it is, and
//! how long its transfer took.
//!
//! An [`Application`] stands for one flow of a scenario. It knows no clock and no socket. A world
//! holds it, and a [`Ledger`] beside each of its connections:
//!
//! - When [`Application::due`] has come, the world calls [`Application::act`] until that answers
//!   `None`, and carries out each [`Action`]. An application that is woken late catches up: what it
//!   does belongs to the time at which it was due, so every world sees the same draws, sizes and
//!   starts.
//! - Of each [`Message`] that it writes, the world says where in its stream that ends
//!   ([`Application::expect`]), and later how far the stream has been delivered
//!   ([`Application::delivered`]). Positions are in whatever the world counts: segments, or bytes.
//!   Of datagrams it tells the fate of each ([`Application::datagram`]).
//! - The rest is for single workloads: [`Application::answer`] when a request has arrived,
//!   [`Application::finish`] when all that was ever to come is acknowledged.
//! - At the end [`Application::into_transfers`] gives what was measured.
//!
//! In information-centric scenarios [`Requests`] stand for what is asked for at random, and
//! [`Contents`] say which flow a content counts for.

mod action;
mod application;
mod bursts;
mod contents;
mod draw;
mod ideal;
mod ledger;
mod measured;
mod pauses;
mod requests;

pub use action::{Action, Message};
pub use application::Application;
pub use contents::{ContentId, Contents};
pub use ledger::Ledger;
pub use measured::LISTED;
pub use requests::{Request, Requests};
