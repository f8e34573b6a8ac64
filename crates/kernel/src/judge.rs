//! Runs the kernel's verifier on an object of any origin.

use crate::error::KernelError;
use crate::fitness::fit;
use crate::loaded_file::open;
use crate::log::listening;
use narrows_bpf::ForKernel;

/// Loads the callbacks of an object to run the kernel's verifier, and unloads them. Nothing is
/// registered. Returns the names of the accepted programs. Programs that are not callbacks of the
/// table, and other tables, are not loaded, as in a real load.
///
/// # Errors
///
/// The host is unfit, or the kernel refuses, with the verifier's [log](KernelError::log). Objects
/// with maps to be pinned are refused, too.
pub fn judge(program: &ForKernel) -> Result<Vec<String>, KernelError> {
    fit()?;
    let judged = listening(&program.name, || {
        let object = open(program, &mut Vec::new())?.load()?;
        let accepted = object.progs().filter(|program| program.autoload());
        Ok(accepted.map(|program| program.name().to_string_lossy().into_owned()).collect())
    });
    judged.map_err(|error| error.with_faults(program))
}
