//! The extension module `narrows._narrows`: commands, result directories and tables for the Python
//! package `narrows`, which has the documented interface.

mod command;
mod controller;
mod environment;
mod exchange;
mod networks;
mod results;
mod scenario;
mod table;

use narrows::workbench::Refused;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyKeyboardInterrupt};
use pyo3::prelude::*;

create_exception!(
    narrows,
    Error,
    PyException,
    "A command was not carried out: the text names the place, the reason and a remedy."
);

/// Converts a refusal to a Python exception. A stopped command gives KeyboardInterrupt.
fn raised(refused: Refused) -> PyErr {
    match refused {
        Refused::Stopped { text } => PyKeyboardInterrupt::new_err(trimmed(&text)),
        Refused::Failed { text } => Error::new_err(trimmed(&text)),
    }
}

fn trimmed(text: &str) -> String {
    text.strip_prefix("error: ").unwrap_or(text).trim_end().to_owned()
}

#[pymodule]
mod _narrows {
    #[pymodule_export]
    use super::Error;
    #[pymodule_export]
    use super::command::{build, carry_out, is_in, plan, program, version};
    #[pymodule_export]
    use super::environment::{Environments, Policy, network, preset};
    #[pymodule_export]
    use super::exchange::{Ack, Expired, PacingRate, Stats, Window};
    #[pymodule_export]
    use super::results::{Directory, Drawing, write};
    #[pymodule_export]
    use super::scenario::{scenario_check, scenario_data, scenario_set, scenario_toml};
    #[pymodule_export]
    use super::table::Table;
}
