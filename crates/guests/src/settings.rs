//! Settings of a guest that scenarios choose: all others are the stack's defaults.

use narrows_control::Setup;
use narrows_params::{Param, Params};

/// A fixed MTU.
pub(crate) static MTU: Param<Option<f64>> = Param::number_or(
    "mtu",
    "probed",
    (1200.0, 1472.0),
    "B",
    "UDP payload of a full datagram; \"probed\" begins with 1200 B and probes up to 1452 B, as the stacks do by default",
);

/// The receive window. Both stacks have 1.25 MB by default: 100 ms of 100 Mbit/s.
pub(crate) static WINDOW: Param<f64> = Param::number(
    "window",
    64.0,
    (0.01, 1024.0),
    "MB",
    "flow control window of the receiver, and the least of the sender's buffer; the stacks' own is 1.25, which limits a flow to 50 Mbit/s at 200 ms",
);

/// Packets for each acknowledgement.
pub(crate) static ACK_EVERY: Param<u32> = Param::whole(
    "ack_every",
    2,
    (1, 100),
    "packets",
    "ack-eliciting packets for each acknowledgement; anything but 2 is asked for by QUIC's ACK frequency extension",
);

/// For controllers that need each packet acknowledged by itself.
pub(crate) static ACK_EACH: Param<u32> = Param::whole(
    "ack_every",
    1,
    (1, 100),
    "packets",
    "ack-eliciting packets for each acknowledgement, asked for by QUIC's ACK frequency extension; with more than 1 the controller is misled",
);

/// The order in which the receiving application reads.
pub(crate) static ORDERED: Param<bool> = Param::flag(
    "ordered",
    false,
    "the application reads in order, as most do; noq 1.4.0 and quinn 0.11.19 then lose a connection with more than 1024 gaps, which slow start may leave if window is above their own 1.25 MB",
);

/// The sender's buffer that both stacks have by default.
const SEND_BUFFER: u64 = 10_000_000;

/// The settings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) seed: u64,
    /// A fixed UDP payload; `None` for a probed one.
    pub(crate) mtu: Option<u16>,
    /// Bytes that the receiver takes before the application has read.
    pub(crate) receive_window: u64,
    /// Bytes that the sender keeps until they are acknowledged.
    pub(crate) send_window: u64,
    /// The threshold that is asked for by ACK frequency: packets that need no acknowledgement yet.
    pub(crate) ack_threshold: Option<u32>,
    /// The application reads in order.
    pub(crate) ordered: bool,
}

impl Settings {
    pub(crate) fn new(setup: &Setup, params: &Params) -> Settings {
        let receive_window = (params.get(&WINDOW) * 1e6) as u64;
        let each = params.optional(&ACK_EACH);
        let ack_every = each.unwrap_or_else(|| params.get(&ACK_EVERY));
        Settings {
            seed: setup.seed,
            mtu: params.get(&MTU).map(|mtu| mtu as u16),
            receive_window,
            send_window: receive_window.max(SEND_BUFFER),
            ordered: params.get(&ORDERED),
            ack_threshold: (ack_every != ACK_EVERY_DEFAULT).then(|| ack_every - 1),
        }
    }
}

/// The default of both stacks, for which they need no extension (RFC 9000 section 13.2.2).
const ACK_EVERY_DEFAULT: u32 = 2;
