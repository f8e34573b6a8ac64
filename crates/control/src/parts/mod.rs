//! Parts that several controllers are made of.

pub mod aimd;
pub mod base;
pub mod departed;
pub mod ecn;
pub mod growth;
pub mod intervals;
pub mod linux;
pub mod marks;
pub mod memory;
pub mod micros;
pub mod mutated;
pub mod prior;
pub mod restart;
pub mod round;
pub mod start;
pub mod ticks;
pub mod window;
pub mod windowed;
