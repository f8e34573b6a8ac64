//! Rust's side of C headers, for build scripts: the structures and enumerations that C code and
//! Rust code share are declared once, in C.
//!
//! The headers are in a small dialect: members are integers of the names in [`Scalar`], structures
//! declared before, and arrays of both. A declaration outside of it is an error. The layout is
//! checked by the compilers of both languages: [`rust`] and [`checks`] assert the same sizes and
//! offsets.

mod emit;
mod layout;
mod parse;
mod tokens;

pub use emit::{checks, rust, type_name};
pub use layout::Layout;
pub use parse::{Enum, Header, Member, Scalar, Struct, Type};
