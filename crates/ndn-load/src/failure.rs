//! Errors of a measurement.

/// Any error. It is printed and ends the program.
pub type Failure = Box<dyn std::error::Error>;
