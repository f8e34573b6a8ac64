//! The program `narrows` with one more controller, `mine`:
//!
//! ```sh
//! cargo run --release -- compare mine cubic
//! ```

mod mine;

use std::process::ExitCode;

fn main() -> ExitCode {
    narrows::main(&[&mine::ENTRY])
}
