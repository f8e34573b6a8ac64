//! Applications: a producer of files, a consumer that follows rates, and pings.

pub(crate) mod asker;
pub(crate) mod content;
pub(crate) mod fetch;
pub(crate) mod filler;
pub(crate) mod object;
pub(crate) mod ping;
