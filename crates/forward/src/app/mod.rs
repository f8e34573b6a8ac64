//! Applications: a producer of files, a consumer that follows rates, and pings.

mod content;
pub(crate) mod fetch;
pub(crate) mod object;
pub(crate) mod ping;
