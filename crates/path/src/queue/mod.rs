//! Queue disciplines of hosts' and operators' queues.

pub(crate) mod backlog;
pub(crate) mod buffer;
pub(crate) mod classes;
pub(crate) mod codel;
pub(crate) mod discipline;
pub(crate) mod dualpi2;
pub(crate) mod fifo;
pub(crate) mod fq_codel;
pub(crate) mod pie;
pub(crate) mod policer;
pub(crate) mod priority;
pub(crate) mod red;
pub(crate) mod step;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod ticks;
