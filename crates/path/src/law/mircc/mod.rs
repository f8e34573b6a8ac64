//! MIRCC: per link, a rate for each flow that splits what the link carries and fills what flows
//! held elsewhere leave.
//!
//! Source: Mahdian, Arianfar, Gibson, Oran, "MIRCC: Multipath-aware ICN Rate-based Congestion
//! Control", ACM ICN 2016, sections 3.1 and 4.2, whose equation numbers are given; the authors'
//! slides for eta, for the rate of an idle link, and for a secondary class that leaves 5 % of the
//! link alone.
//!
//! Where the document is silent: a tick each mean round trip, within bounds, for the loop is stable
//! only while feedback comes within two ticks; no rate below a part of a packet per round trip,
//! from which it could not rise, nor above what its class may fill; averages that follow a rate
//! that is held; beta at its least when nothing arrives, and after an interval of more than four,
//! of a process that was stopped.
//!
//! Deviations:
//! * the secondary class shares eta C less the primary traffic, also in its count of flows;
//!   equations (11) and (13), and slide 14, print eta (C - primary traffic), which fills 99.75 % of
//!   a link. Only the line at 95 % on slide 16 supports ours. `pool=literal` is as printed;
//! * equation (12) prints R(t - T), the primary rate; the count of secondary flows here uses R_s(t
//!   - T);
//! * T is d by default, the longest that section 3.1.2 allows (`kt`).

mod class;
mod dual;
mod link;
mod single;
#[cfg(test)]
mod tests;

pub(crate) use dual::ENTRY as DUAL;
pub use dual::Mircc;
pub(crate) use single::ENTRY as SINGLE;
pub use single::MirccSingle;
