//! How a face is made.

use super::shaper::ShaperConfig;
use narrows_path::LawChoice;
use narrows_units::Rate;

/// The configuration of a face.
#[derive(Clone, Debug)]
pub struct FaceConfig {
    /// Capacity of the link towards the node, which carries the Data that this node's Interests
    /// fetch. `None`: unknown or unlimited; the face then has no rate law.
    pub capacity_in: Option<Rate>,
    /// Capacity of the link away from the node, which carries this node's Interests and the Data
    /// that answers the neighbour's. `None`: unknown or unlimited.
    pub capacity_out: Option<Rate>,
    /// The capacity towards the node is only a guess, which the face corrects by what the path
    /// carries.
    pub measured: bool,
    /// Its path label, 1 to 4095, unique among the faces of the node.
    pub label: u16,
    /// The law that computes the rates stamped into Data that arrives here; `None` stamps none.
    pub law: Option<LawChoice>,
    /// The Interest shaper; `None` sends Interests at once.
    pub shaper: Option<ShaperConfig>,
    /// The neighbour understands rates, classes and paths. Otherwise the node strips them from
    /// packets to and from it.
    pub rates: bool,
    /// An application of this node is on the other side: the paths of its Data begin here.
    pub application: bool,
    /// The neighbour is on this host: names under `/localhost` may come from it and go to it.
    pub local: bool,
    /// Which Interests that fail the neighbour is told of by a Nack; others are dropped, and its
    /// Interest times out.
    pub nacks: Nacking,
    /// Paces Interests of a neighbour that does not understand rates; `None` offers them to the
    /// shaper at once.
    pub proxy: Option<ProxyConfig>,
    /// Primary Interests of the neighbour are refused that ask for more than 1.25 times the rate in
    /// its Data, as a mean over a second. For a neighbour that is one consumer: several behind it
    /// have a rate each.
    pub police: bool,
}

/// The configuration of a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProxyConfig {
    /// Most Interests that wait, at least 1: 1000. Those that would wait for more than half of
    /// their lifetime are not taken either.
    pub limit: usize,
}

impl Default for ProxyConfig {
    fn default() -> ProxyConfig {
        ProxyConfig { limit: 1000 }
    }
}

/// The Nacks that a neighbour is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nacking {
    /// Nothing.
    Never,
    /// Interests that lead nowhere or loop, and not those refused because of congestion:
    /// applications that set their own pace repeat these at once, or give up.
    ExceptCongestion,
    /// All that fail.
    Always,
}

/// The extensions that the neighbour on a face understands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbour {
    /// Rates, classes and paths.
    pub rates: bool,
    /// The Nacks that it is sent.
    pub nacks: Nacking,
}

impl FaceConfig {
    /// The face of an application of this node: without a link, and told everything.
    pub const APPLICATION: FaceConfig = FaceConfig {
        capacity_in: None,
        capacity_out: None,
        measured: false,
        label: 0,
        law: None,
        shaper: None,
        rates: true,
        application: true,
        local: true,
        nacks: Nacking::Always,
        proxy: None,
        police: false,
    };
}
