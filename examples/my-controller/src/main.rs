//! The program `narrows` with two more controllers, `mine`, which hears of each acknowledgement, and `paced`, which is asked once per round trip:
//!
//! ```sh
//! cargo run --release -- compare mine paced cubic
//! ```

mod mine;
mod paced;

use std::process::ExitCode;

fn main() -> ExitCode {
    narrows::main(&[&mine::ENTRY, &paced::ENTRY])
}
