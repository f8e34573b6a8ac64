//! The ECN field of an IP packet.

/// The two ECN bits of an IP packet (RFC 3168).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Ecn {
    /// 00: not capable.
    #[default]
    NotEct = 0,
    /// 01: capable; the scalable, low-latency kind (RFC 9331).
    Ect1 = 1,
    /// 10: capable, classic.
    Ect0 = 2,
    /// 11: congestion experienced.
    Ce = 3,
}
