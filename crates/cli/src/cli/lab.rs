//! Arguments of measurements of Narrows itself.

use clap::{Args, Subcommand};
use narrows_workbench::request::{self, parse_checked, whole};
use std::path::PathBuf;

#[derive(Args)]
pub struct LabArgs {
    #[command(subcommand)]
    pub command: LabCommand,
}

#[derive(Subcommand)]
pub enum LabCommand {
    /// Measure the speed of the simulator, of the emulator, of the forwarder or of controllers in
    /// the kernel
    Bench(BenchArgs),
    /// Measure the distance between simulator and kernel over a set of generated networks
    Fidelity(request::Fidelity),
    /// Test the checks: do published results about deployed controllers come out?
    SelfCheck(request::SelfCheck),
}

#[derive(Args)]
pub struct BenchArgs {
    /// Repetitions of each row; the median is shown
    #[arg(long, default_value_t = 5, value_parser = whole::<u32>(1..=100))]
    pub runs: u32,
    /// Print rows as JSON
    #[arg(long)]
    pub json: bool,
    /// Measure only rows whose name contains this text, for example "dumbbell cubic"
    #[arg(long, default_value = "")]
    pub only: String,
    /// Controllers instead of newreno, cubic and bbr: names, BPF sources or objects: cubic
    /// ./mine.bpf.o
    #[arg(long, num_args = 1.., value_delimiter = ',', default_values = crate::bench::CONTROLLERS, value_parser = parse_checked)]
    pub controllers: Vec<String>,
    /// Measure large runs instead: 1,000 and 100,000 flows on one link, 100,000 on a thousand
    /// links, and ten minutes at 10 Gbit/s
    #[arg(long, conflicts_with_all = ["against_ns3", "controllers"])]
    pub large: bool,
    /// Measure the emulator of live runs instead: capacity and timing on this host, in about two
    /// minutes (as root, on an idle host)
    #[arg(long, conflicts_with_all = ["large", "against", "against_ns3", "runs", "only", "controllers"])]
    pub live: bool,
    /// Measure CPU time per byte of loadable and built-in kernel controllers instead: one
    /// connection at 200 Mbit/s for --runs slices of 5 s (as root, on an idle host, with ip, tc and
    /// iperf3)
    #[arg(long, conflicts_with_all = ["large", "against", "against_ns3", "live", "only", "controllers"])]
    pub kernel: bool,
    /// Measure whole commands of many short runs instead: sweeps, seeds, a comparison and a matrix,
    /// each with 1200 runs on two threads
    #[arg(long, conflicts_with_all = ["large", "against", "against_ns3", "live", "kernel", "only", "controllers"])]
    pub sweep: bool,
    /// Measure the NDN forwarder without sockets instead: time per packet from octets in to octets
    /// out, with MIRCC's fields and without
    #[arg(long, conflicts_with_all = ["large", "against", "against_ns3", "live", "kernel", "sweep", "only", "controllers"])]
    pub forward: bool,
    /// Run another simulator in turn with this one, --runs times each, and print its time per
    /// packet, the ratio of the medians (ours over its own) and the range of the ratio over the
    /// rounds.
    ///
    /// PROGRAM gets five arguments: flows, rate of the bottleneck in Mbit/s, base round trip in ms,
    /// seconds to simulate, and links in a route (1: all flows share one link; 3: each flow has
    /// access links of ten times the rate on both sides). Buffers of the bottleneck hold one
    /// bandwidth-delay product of 1500-byte packets, flows are bulk. PROGRAM prints one line of
    /// key=value pairs on stdout or stderr. Its value ns_pkt is the CPU time in nanoseconds per
    /// data packet through the bottleneck. PROGRAM has its own controller: the row of every
    /// controller is compared with the same work of PROGRAM. Rows of other topologies are left out.
    #[arg(long, value_name = "PROGRAM", conflicts_with = "against_ns3")]
    pub against: Option<PathBuf>,
    /// Run ns-3 in turn with this one, with the row's controller, for a fifth of the simulated time
    /// (needs libns3-dev and a C++ compiler)
    #[arg(long, conflicts_with = "controllers")]
    pub against_ns3: bool,
}
