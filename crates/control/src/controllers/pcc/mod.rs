//! PCC in user space: performance-oriented congestion control.
//!
//! Time is divided into monitor intervals, each sent at one rate. When the fate of all its packets
//! is known, an interval's statistics become one number, its [utility](utility::Utility), and a
//! [law](law::RateControl) moves the rate towards higher utility. Sources: Dong et al., NSDI 2015
//! (Allegro) and NSDI 2018 (Vivace); the authors' PCC-Uspace and WebRTC's
//! `modules/congestion_controller/pcc` where the papers are silent.

pub mod allegro;
mod driver;
mod interval;
pub mod kernel;
mod law;
mod lengths;
mod monitor;
pub mod nsdi15;
pub mod nsdi18;
mod plan;
mod regression;
mod slow_start;
mod step;
mod utility;
pub mod vivace;
