//! NDNLPv2: the hop-by-hop header around an Interest or a Data (NFD's wiki, page "NDNLPv2").

mod fragment;
mod header;
mod label;
mod nack;
mod overwrite;
mod packet;
mod reassemble;

pub use fragment::{Fragmenter, Fragments, TooLarge};
pub use header::{Header, Mircc, NO_CACHE, PitToken};
pub use label::{LabelFlags, PathLabel};
pub use nack::NackReason;
pub use overwrite::{OverwriteError, overwrite};
pub use packet::LpPacket;
pub use reassemble::{Reassembler, ReassemblyCounters, ReassemblyError};
