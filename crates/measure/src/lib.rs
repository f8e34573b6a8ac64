//! Records of a run that a world keeps, and the metrics computed from them. No drawing, no I/O.
//!
//! A world fills a [`Record`]: counters and histograms that are exact or streamed, and time series
//! sampled at a fixed interval. Everything downstream (metrics, tables, plots, files) is computed
//! from records alone.

mod acks;
pub mod bootstrap;
mod builder;
mod distance;
mod emulation;
mod follower;
mod groups;
pub mod harm;
mod histogram;
mod icn;
pub mod metrics;
mod part;
mod record;
mod route;
pub mod sequential;
pub mod statistics;
mod transfers;

pub use acks::AckSample;
pub use builder::RecordBuilder;
pub use distance::{Distance, Gap, Quantity, distances};
pub use emulation::{Emulation, Limit, Replayed};
pub use follower::Follower;
pub use groups::{Group, group_of};
pub use histogram::Histogram;
pub use icn::{
    ConsumerCounters, ConsumerRecord, ConsumerSample, IcnRecord, InterestCounters, RatesRecord,
    RatesSample, SubflowRecord, SubflowSample,
};
pub use part::{Sample, standing};
pub use record::{
    Change, Changed, FlowCounters, FlowRecord, FlowSample, LinkCounters, LinkNature, LinkRecord,
    LinkSample, Record,
};
pub use transfers::{Ratios, SizeBin, Transfer, Transfers};
