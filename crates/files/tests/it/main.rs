//! Tests of reading and writing files.

mod folders;
mod outputs;
mod reading;
