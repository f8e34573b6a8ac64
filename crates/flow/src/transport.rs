//! How an endpoint behaves, apart from its controller.

use narrows_units::{Bytes, Span};

/// The settings of a transport endpoint. The default is the preset `linux`: what Linux 6.x does on an Ethernet path with default system settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Transport {
    /// Payload of a full segment. 1448 B: 1500 B less IPv4 and TCP headers with the timestamp option.
    pub mss: Bytes,
    /// Headers of a data packet, from IP on: 20 + 20 + 12 B. An acknowledgement is as large, plus its SACK option.
    pub headers: Bytes,
    /// Window before the first acknowledgement, in segments (RFC 6928).
    pub initial_window: u32,
    /// Least retransmission timeout. 200 ms in Linux (`TCP_RTO_MIN`), 1 s in RFC 6298.
    pub min_rto: Span,
    /// Retransmission timeout before the first round trip is known (RFC 6298 section 2.1).
    pub initial_rto: Span,
    /// Longest retransmission timeout after back-off (`TCP_RTO_MAX`).
    pub max_rto: Span,
    /// Full segments after which an acknowledgement must be sent (RFC 5681 section 4.2). 1 acknowledges each packet.
    pub ack_every: u32,
    /// How long a single segment may wait for its acknowledgement (`TCP_DELACK_MIN`).
    pub ack_delay: Span,
    /// Segments at the start of a connection that are acknowledged one by one (`TCP_MAX_QUICKACKS`).
    pub quick_acks: u32,
    /// What the receiver can hold, in bytes of payload; `None` for no limit.
    pub receive_window: Option<Bytes>,
    /// Spreads a reduction over the acknowledgements of recovery by proportional rate reduction (RFC 6937); off, the window is lowered at once.
    pub prr: bool,
    /// Tail loss probes (RFC 8985 section 7).
    pub tail_loss_probe: bool,
}

impl Default for Transport {
    fn default() -> Transport {
        Transport {
            mss: Bytes::new(1448),
            headers: Bytes::new(52),
            initial_window: 10,
            min_rto: Span::from_millis(200),
            initial_rto: Span::from_secs(1),
            max_rto: Span::from_secs(120),
            ack_every: 2,
            ack_delay: Span::from_millis(40),
            quick_acks: 16,
            receive_window: None,
            prr: true,
            tail_loss_probe: true,
        }
    }
}
