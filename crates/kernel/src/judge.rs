//! What the kernel's verifier says of an object, whoever wrote it.

use crate::error::KernelError;
use crate::fitness::fit;
use crate::loaded_file::NOWHERE;
use crate::log::listening;
use libbpf_rs::{ObjectBuilder, ProgramType};

/// Gives the callbacks of an object to the kernel's verifier, and takes them back: nothing is registered, and nothing is left. The names of the programs that it
/// accepted. `name` is the controller's, for messages.
///
/// # Errors
///
/// The host is unfit, or the kernel refuses: with the verifier's [log](KernelError::log). Objects whose maps are to be pinned are refused, too.
pub fn judge(name: &str, object: &[u8]) -> Result<Vec<String>, KernelError> {
    fit()?;
    listening(name, || {
        let mut open = ObjectBuilder::default().name("narrows")?.pin_root_path(NOWHERE)?.open_memory(object)?;
        for mut program in open.progs_mut().filter(|program| program.prog_type() != ProgramType::StructOps) {
            program.set_autoload(false);
        }
        let object = open.load()?;
        let accepted = object.progs().filter(|program| program.autoload());
        Ok(accepted.map(|program| program.name().to_string_lossy().into_owned()).collect())
    })
}
