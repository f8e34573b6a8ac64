//! ECN as controllers have it that take a mark for a loss.

use narrows_params::{Param, Params};
use narrows_wire::Ecn;

/// Whether packets are ECN-capable.
pub const ECN: Param<bool> = Param::flag(
    "ecn",
    false,
    "send ECT(0); treat an echoed mark as a loss without retransmission (RFC 3168)",
);

/// The code point of data packets.
pub fn codepoint(params: &Params) -> Ecn {
    if params.get(&ECN) { Ecn::Ect0 } else { Ecn::NotEct }
}
