//! Sources to objects, by clang. Programs find our [`vmlinux.h`](crate::socket::header) and libbpf's headers, unless they bring their own.

mod clang;
mod error;
mod headers;

pub use clang::{Clang, Compiled};
pub use error::CompileError;
