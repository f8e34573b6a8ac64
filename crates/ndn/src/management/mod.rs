//! NFD's management protocol: commands, their answers, and datasets (NFD's wiki, pages
//! "ControlCommand", "StatusDataset", "FaceMgmt", "FibMgmt", "RibMgmt", "StrategyChoice", "CsMgmt",
//! "ForwarderStatus", "NotificationStream").
//!
//! Fields are written in the order of ndn-cxx and read in any order. Unknown fields are skipped.
//! TYPE numbers have different meanings in different messages, so they are defined with the
//! messages here and not in [`crate::number`].
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
