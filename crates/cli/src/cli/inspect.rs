//! Arguments of `narrows inspect`.

use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub struct InspectArgs {
    /// A BPF source (.bpf.c), which clang compiles, an object (.bpf.o), or a learned policy
    /// (.policy.json)
    pub file: String,
    /// Let the verifier of this host's kernel judge it, as root; nothing is registered
    #[arg(long)]
    pub kernel: bool,
    /// Write the verifier's complete log to this file if the kernel rejects the program
    #[arg(long, value_name = "FILE", requires = "kernel")]
    pub log: Option<PathBuf>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}
