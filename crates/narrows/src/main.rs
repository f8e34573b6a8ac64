//! The program `narrows`.

use std::process::ExitCode;

fn main() -> ExitCode {
    narrows::main(&[])
}
