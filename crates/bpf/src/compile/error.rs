//! Why a source could not be compiled.

use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// The problem and its remedy.
#[derive(Debug, Error)]
pub enum CompileError {
    /// There is no clang.
    #[error(
        "{}: clang compiles sources, and no clang is in PATH: install clang 12 or later (on Debian: apt install clang), or compile it elsewhere with `clang -target bpf -g -O2 -c` and give the object (.o)", source_file.display()
    )]
    NoClang {
        /// The source.
        source_file: PathBuf,
    },
    /// There are no headers of libbpf.
    #[error(
        "{}: sources are compiled with libbpf's headers, and this narrows was built without them: install them (on Debian: apt install libbpf-dev), or build narrows with `make build`, which needs clang, make, pkg-config and the headers of libelf and zlib", source_file.display()
    )]
    NoHeaders {
        /// The source.
        source_file: PathBuf,
    },
    /// The compiler found fault with it.
    #[error("{}: {program} does not compile it:\n{said}", source_file.display())]
    Refused {
        /// The source.
        source_file: PathBuf,
        /// The compiler.
        program: String,
        /// Its first errors, and remedies.
        said: String,
    },
    /// It includes `core.h` and has no function of a core, and no table of callbacks either.
    #[error(
        "{}: it includes core.h and has no function {name}_decide, which is what makes a controller of such a source ({name} is the controller's name): name the function so, `void {name}_decide(const struct {name}_constants *, struct {name}_state *, const struct core_input *, struct core_output *)`", source_file.display()
    )]
    NoFunction {
        /// The source.
        source_file: PathBuf,
        /// The name that its structures have before `_constants` or `_state`, or `NAME`.
        name: String,
    },
    /// A file could not be read or written.
    #[error("{} cannot be {what}: {source}: see that it exists, and that you may do so", path.display())]
    File {
        /// Which file or directory.
        path: PathBuf,
        /// The attempt: `read`, `written`, `run`.
        what: &'static str,
        /// The system's reason.
        source: io::Error,
    },
}
