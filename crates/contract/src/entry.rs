//! The registry line of a controller, and the setup that one is made with.

use crate::{Controller, Guest, Saved};
use narrows_params::{Need, ParamError, Params, Spec};
use narrows_units::{Bytes, Segments};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

/// The registry line of a controller that is part of a program. For lines made at run time, see
/// [`OwnedEntry`](crate::OwnedEntry).
pub struct Entry {
    /// The name in scenarios and on the command line.
    pub name: &'static str,
    /// The name of the same controller in the Linux kernel, if it has one.
    pub kernel: Option<&'static str>,
    /// One line on what it does.
    pub summary: &'static str,
    /// The documents or code it follows.
    pub source: &'static str,
    /// The observation on which it bases its rate.
    pub basis: Basis,
    /// Signals without which it cannot work, whatever its parameters. Those of its parameters are
    /// in [`Choice::needs`](narrows_params::Choice::needs) too.
    pub needs: &'static [Need],
    /// True if its transport acknowledges numbered transmissions, each by itself, unless a scenario
    /// says otherwise (PCC in user space).
    pub numbered: bool,
    /// Its parameters.
    pub params: &'static [Spec],
    /// Makes one for a new connection.
    pub build: Build,
}

/// How an entry makes a controller from a connection's setup and the values of its parameters. It
/// refuses parameters that do not fit together.
#[derive(Clone)]
pub enum Build {
    /// A function, for a controller that is written in Rust.
    Function(fn(&Setup, &Params) -> Result<Built, ParamError>),
    /// A closure over data that all connections share, such as the program or the weights of a
    /// file.
    Shared(Arc<Maker>),
    /// Both ends of a transport of another implementation, which has the controller inside: a QUIC
    /// stack with a controller of its own or with one of ours.
    Guest(GuestMaker),
}

/// A closure that makes controllers.
pub type Maker =
    dyn Fn(&Setup, &Params) -> Result<Built, ParamError> + Send + Sync + UnwindSafe + RefUnwindSafe;

/// Makes both ends of a connection of another implementation.
pub type GuestMaker = fn(&Setup, &Params) -> Result<Box<dyn Guest>, ParamError>;

impl Build {
    /// Makes a controller for a new connection.
    ///
    /// # Errors
    ///
    /// Parameters that do not fit together. A controller that exists only within its own transport.
    pub fn make(&self, setup: &Setup, params: &Params) -> Result<Built, ParamError> {
        match self {
            Build::Function(make) => make(setup, params),
            Build::Shared(make) => make(setup, params),
            Build::Guest(_) => Err(ParamError::Refused {
                entry: params.entry().to_owned(),
                reason: "it works only in its own transport; choose it for a flow of narrows run, \
                         compare, sweep, matrix, check or attack"
                    .to_owned(),
            }),
        }
    }
}

/// The observation on which a controller bases its rate. Tests of all controllers select by it the
/// rules that apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Losses and marks, between which the window grows.
    Loss,
    /// The delivery rate and the least round trip, which model the path.
    Model,
    /// The queueing delay within the round trip.
    Delay,
    /// The utility of rates tried one after another.
    Utility,
    /// The load or the rate that routers write into packets.
    Routers,
}

/// A controller on the heap.
pub struct Built(Box<dyn Controller>);

impl Built {
    /// Boxes a controller.
    pub fn new(controller: impl Controller + 'static) -> Built {
        Built(Box::new(controller))
    }

    /// The controller.
    pub fn into_inner(self) -> Box<dyn Controller> {
        self.0
    }
}

/// The setup of a connection that a controller must know.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// Largest payload of a segment.
    pub mss: Bytes,
    /// Bytes of headers down to IP on each data segment; pacing counts them.
    pub headers: Bytes,
    /// Window before the first acknowledgement.
    pub initial_window: Segments,
    /// Seed of the controller's own draws, different for every flow.
    pub seed: u64,
    /// State of the path that an earlier connection saved, for a controller that resumes.
    pub saved: Option<Saved>,
}

impl Default for Setup {
    /// Ethernet-sized TCP/IPv4 with timestamps and the initial window of RFC 6928.
    fn default() -> Setup {
        Setup {
            mss: Bytes::new(1448),
            headers: Bytes::new(52),
            initial_window: Segments::new(10.0),
            seed: 1,
            saved: None,
        }
    }
}
