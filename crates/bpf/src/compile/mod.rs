//! Sources to objects, by clang. Programs find our [`vmlinux.h`](crate::socket::header) and
//! libbpf's headers, unless they bring their own. Of a source that has but the function of a core
//! (`NAME_decide` of `core.h`) a controller is made.

mod clang;
mod core;
mod error;
mod headers;
mod said;
mod system;

pub use clang::{Clang, Compiled};
pub(crate) use core::wrap;
pub use error::CompileError;
