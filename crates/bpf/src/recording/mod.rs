//! Records each call of a BPF controller in a real kernel, with its inputs and its results. Replays
//! the calls on the machine that simulates the controller, and compares the results.
//!
//! The source is compiled twice. The second object has C code in front that records each callback:
//! before the user's function the socket, arguments, sample, ticks, private area and global
//! variables; after it everything that the function may write, and its answer. The kernel runs the
//! object that records. [`Replay`] runs the other one.

mod comparable;
mod header;
mod layout;
mod replay;
mod tally;

pub use header::{MISSED, RING};
pub use replay::Replay;
pub use tally::Tally;

use crate::compile::{Clang, wrap};
use crate::files;
use crate::for_kernel::{ForKernel, linked, table, values};
use crate::program::{Instruction, Program};
use layout::Layout;
use narrows_control::{Choice, kept_object};
use narrows_files::leftovers::TemporaryFolder;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// A controller from a source, prepared to be recorded.
pub struct Recording {
    /// The program that the kernel runs.
    pub program: ForKernel,
    /// Replays the recorded calls and compares the results.
    pub replay: Replay,
}

/// The number of the helper that reserves room in a ring buffer (`bpf_ringbuf_reserve`).
const RESERVE: i32 = 131;

impl Recording {
    /// A recording of a controller from a file, on a kernel with `hz` ticks per second.
    ///
    /// # Errors
    ///
    /// It cannot be recorded: why, and the remedy.
    pub fn of(choice: &Choice, hz: u32) -> Result<Recording, String> {
        let path = choice.entry().source();
        let Some(file) = kept_object(choice.entry().name()) else {
            return Err(format!("{}: it does not come from a file", choice.entry().name()));
        };
        let Some(source) = &file.source else {
            return Err(format!(
                "{path}: calls are recorded by compiling the source again, and this is an object: give the source (.bpf.c), or leave out --replay and compare results only (--beside-sim)"
            ));
        };
        if fs::read(path).ok().as_ref() != Some(&source.text) {
            return Err(format!(
                "{path}: the file has changed since it was read; run the command again"
            ));
        }
        let values = values(choice)?;
        let ops = table(choice);
        let code = files::code(path, &file.object, hz, ops.as_deref())?;
        let program = code.program();
        let layout = Layout::of(program).map_err(|reason| {
            format!("{path}: its calls cannot be recorded: {reason}; or leave out --replay")
        })?;
        let object = compiled(Path::new(path), &source.text, program, &layout)?;
        let instrumented = linked(path, &object, ops.as_deref())?;
        let unrecorded = unrecorded(&instrumented);
        let replay = Replay::new(
            Arc::clone(&code),
            layout,
            hz,
            &ForKernel::of(program, &file.object, &values),
            &unrecorded,
        );
        Ok(Recording { program: ForKernel::of(&instrumented, &object, &values), replay })
    }
}

/// The object that records, of a source with this text.
fn compiled(
    path: &Path,
    text: &[u8],
    program: &Program,
    layout: &Layout,
) -> Result<Vec<u8>, String> {
    let unwritable = |error: std::io::Error| {
        format!(
            "{}: a directory for it cannot be written: {error}; see that there is room in TMPDIR",
            path.display()
        )
    };
    let place = TemporaryFolder::new().map_err(unwritable)?;
    let whole = fs::canonicalize(path).map_err(unwritable)?;
    fs::create_dir(place.path().join("bpf")).map_err(unwritable)?;
    fs::write(place.path().join("bpf/bpf_tracing.h"), header::header(program, layout))
        .map_err(unwritable)?;
    let source = place.path().join("recorded.bpf.c");
    // A controller that is one C function: the generated code that makes a controller of it is
    // recorded with it.
    let own =
        wrap(place.path(), &whole, text).map_err(unwritable)?.unwrap_or_else(|| whole.clone());
    fs::write(&source, header::wrapped(&own, layout)).map_err(unwritable)?;
    let clang = Clang::find(path).map_err(|error| error.to_string())?;
    let beside = whole.parent().unwrap_or(Path::new("/")).to_owned();
    let compiled = clang.compile(&source, &[beside]).map_err(|error| {
        format!(
            "{}: it cannot be compiled so that it records its calls; leave out --replay, or look at what the compiler says: {error}",
            path.display()
        )
    })?;
    Ok(compiled.object)
}

/// Callbacks that are not recorded, because they are not declared with `BPF_PROG`: they do not call
/// `bpf_ringbuf_reserve`.
fn unrecorded(program: &Program) -> Vec<String> {
    let records = |function: &str| {
        let own = program.functions.iter().find(|one| one.name == function);
        let code = own.map_or(&[][..], |own| &program.code[own.start..own.start + own.length]);
        code.iter().any(|one| (one.code, one.src, one.imm) == (Instruction::CALL, 0, RESERVE))
    };
    header::functions(program)
        .filter(|(_, function)| !records(function))
        .map(|(callback, _)| callback.to_owned())
        .collect()
}
