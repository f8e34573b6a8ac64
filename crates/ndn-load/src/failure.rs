//! Why a measurement cannot go on.

/// Any error: it is printed, and ends the program.
pub type Failure = Box<dyn std::error::Error>;
