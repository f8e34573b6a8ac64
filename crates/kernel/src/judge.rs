//! What the kernel's verifier says of an object, whoever wrote it.

use crate::error::KernelError;
use crate::fitness::fit;
use crate::loaded_file::open;
use crate::log::listening;
use narrows_bpf::ForKernel;

/// Gives the callbacks of an object to the kernel's verifier, and takes them back: nothing is registered, and nothing is left. The names of the programs that it
/// accepted. Programs that are no callbacks of the table, and other tables, stay out of the kernel,
/// as they do where the controller is loaded.
///
/// # Errors
///
/// The host is unfit, or the kernel refuses: with the verifier's [log](KernelError::log). Objects whose maps are to be pinned are refused, too.
pub fn judge(program: &ForKernel) -> Result<Vec<String>, KernelError> {
    fit()?;
    let judged = listening(&program.name, || {
        let object = open(program, &mut Vec::new())?.load()?;
        let accepted = object.progs().filter(|program| program.autoload());
        Ok(accepted.map(|program| program.name().to_string_lossy().into_owned()).collect())
    });
    judged.map_err(|error| error.with_faults(program))
}
