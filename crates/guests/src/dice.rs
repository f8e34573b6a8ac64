//! Whether generators that a stack's controller makes can be seeded.

use narrows_params::ParamError;

/// The lines that another workspace needs: the patch of this workspace does not reach it.
const REMEDY: &str = "add to the workspace's Cargo.toml:\n\n\
    [patch.crates-io]\n\
    rand_pcg = { git = \"the address of the repository of Narrows\" }\n\n\
    and run `cargo update -p rand_pcg`";

/// Refuses a controller whose generators are seeded by the operating system: no run of it could be
/// repeated. `make` makes one.
pub(crate) fn check(entry: &str, make: impl FnOnce()) -> Result<(), ParamError> {
    if takes_seed(make) {
        return Ok(());
    }
    let reason = format!(
        "its controller draws from a generator that the operating system seeds, so no run could be \
         repeated; {REMEDY}"
    );
    Err(ParamError::Refused { entry: entry.to_owned(), reason })
}

/// True if generators made by `make` take their seed from the flow.
pub(crate) fn takes_seed(make: impl FnOnce()) -> bool {
    let before = narrows_dice::taken();
    narrows_dice::seeded(0, make);
    narrows_dice::taken() > before
}
