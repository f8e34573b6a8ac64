//! Maps that no kernel would create, or that do not work here.

use crate::functions::map_fits;
use crate::problem::Problem;
use crate::program::{MapSpec, Program};

pub(super) fn problems(program: &Program) -> Vec<Problem> {
    let wrong = |map: &MapSpec| {
        let said = map_fits(map).err()?;
        let (reason, remedy) =
            said.split_once(": ").unwrap_or((said, "take a map of another kind"));
        Some(Problem::new(format!(".maps, map {}", map.name), format!("it {reason}"), remedy))
    };
    // One of no kind could not be read, which is said already.
    program.maps.iter().filter(|map| map.kind != 0).filter_map(wrong).collect()
}
