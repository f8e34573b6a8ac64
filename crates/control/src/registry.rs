//! All controllers by name, and how a choice becomes a controller.

use crate::params::{self, Registered};
pub(crate) use crate::params::{Param, ParamError, Params};
use crate::{Controller, bbr, bbr3, cubic, dctcp, fast, hstcp, newreno, pcc, pcc_kernel, prague, rcp, scalable, vcp, xcp};
use narrows_units::{Bytes, Segments};
use std::fmt;

/// Every controller, in the order in which lists show them.
pub const ENTRIES: &[&Entry] = &[
    &newreno::ENTRY,
    &cubic::ENTRY,
    &hstcp::ENTRY,
    &scalable::ENTRY,
    &dctcp::ENTRY,
    &prague::ENTRY,
    &fast::ENTRY,
    &fast::SC2002,
    &fast::KERNEL,
    &bbr::ENTRY,
    &bbr3::ENTRY,
    &pcc::allegro::ENTRY,
    &pcc::vivace::ENTRY,
    &pcc::nsdi18::ENTRY,
    &pcc_kernel::VIVACE,
    &pcc_kernel::ALLEGRO,
    &vcp::ENTRY,
    &vcp::KERNEL,
    &xcp::ENTRY,
    &rcp::ENTRY,
];

/// What a registry line says of a controller.
pub struct Entry {
    /// The name in scenarios and on the command line.
    pub name: &'static str,
    /// The name of the same controller in the Linux kernel, if it has one.
    pub kernel: Option<&'static str>,
    /// One line on what it does.
    pub summary: &'static str,
    /// The documents or code it follows.
    pub source: &'static str,
    /// Signals without which it cannot work, whatever its parameters; [`Choice::needs`] has those of its parameters too.
    pub needs: &'static [Need],
    /// True if its transport acknowledges numbered transmissions, each by itself, unless a scenario says otherwise (PCC in user space).
    pub numbered: bool,
    /// What can be set.
    pub params: &'static [Param],
    /// Makes one for a new connection.
    pub build: fn(&Setup, &Params) -> Result<Built, ParamError>,
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

/// A signal that a world may or may not be able to offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Need {
    /// Delivery rate samples.
    RateSample,
    /// A pacer that enforces the pacing rate.
    Pacing,
    /// Counts of packets per ECN code point.
    EcnCounts,
    /// A tag per transmission, handed back with its fate.
    Tags,
    /// A rate stamped by routers.
    StampedRate,
    /// A load code written by routers.
    LoadCode,
    /// A throughput change written by routers.
    Delta,
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Need::RateSample => "delivery rate samples",
            Need::Pacing => "pacing",
            Need::EcnCounts => "ECN counts per code point",
            Need::Tags => "tags per transmission",
            Need::StampedRate => "a rate stamped by routers",
            Need::LoadCode => "a load code from routers",
            Need::Delta => "throughput feedback from routers",
        })
    }
}

/// What a controller must know of its connection.
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
}

impl Default for Setup {
    /// Ethernet-sized TCP/IPv4 with timestamps and the initial window of RFC 6928.
    fn default() -> Setup {
        Setup { mss: Bytes::new(1448), headers: Bytes::new(52), initial_window: Segments::new(10.0), seed: 1 }
    }
}

/// A controller chosen by name, with its parameters checked: `newreno`, `cubic?profile=rfc9438`.
pub type Choice = params::Choice<Entry>;

impl Registered for Entry {
    const WHAT: &'static str = "controller";
    fn all() -> &'static [&'static Entry] {
        ENTRIES
    }
    fn name(&self) -> &'static str {
        self.name
    }
    fn params(&self) -> &'static [Param] {
        self.params
    }
}

impl Choice {
    /// The signals without which it cannot work with these parameters.
    pub fn needs(&self) -> Vec<Need> {
        self.entry().needs.iter().copied().chain(self.parameters_need()).collect()
    }

    /// A controller for a new connection.
    pub fn build(&self, setup: &Setup) -> Result<Box<dyn Controller>, ParamError> {
        (self.entry().build)(setup, &self.params()).map(Built::into_inner)
    }
}
