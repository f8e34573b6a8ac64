//! NFD's management protocol: commands, their answers, and datasets (NFD's wiki, pages
//! "ControlCommand", "StatusDataset", "FaceMgmt", "FibMgmt", "RibMgmt", "StrategyChoice", "CsMgmt",
//! "ForwarderStatus", "NotificationStream").
//!
//! Fields are written in the order of ndn-cxx, read in any order, and skipped if they are unknown.
//! Numbers of TYPEs mean different things in different messages, so they stand with the messages
//! here and not in [`crate::number`].

mod codes;
mod dataset;
mod faces;
mod field;
mod name;
mod parameters;
mod record;
mod response;
mod status;
mod tables;

pub use codes::{FaceEventKind, FacePersistency, FaceScope, LinkType, face_flags, route_flags};
pub use dataset::{Entry, entries};
pub use faces::{ChannelStatus, FaceEvent, FaceQueryFilter, FaceStatus};
pub use field::StrategyName;
pub use name::{CommandForm, ManagementName, Scope};
pub use parameters::ControlParameters;
pub use response::ControlResponse;
pub use status::{CsInfo, GeneralStatus, TableStatus};
pub use tables::{FibEntry, NextHopRecord, RibEntry, Route, StrategyChoice};
