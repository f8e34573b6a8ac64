//! The growth of Linux's receive window, as far as acknowledgements depend on it.

use crate::Transport;
use narrows_units::{Bytes, Span, Time};

/// The receive window of Linux while it grows: until it has reached its limit, the receiver
/// acknowledges each segment (`tcp_grow_window` sets `icsk_ack.quick`). The limit follows the data
/// of the round trip before (`tcp_rcv_space_adjust`).
///
/// The application reads at once. The window never limits the sender: `receive_window` does.
///
/// Every packet touches what comes first.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Autotuning {
    /// The latest round trip that the receiver has measured (`rcv_rtt_est`).
    rtt: Option<Span>,
    /// The number in an acknowledgement whose answer gives the next round trip, and when it left.
    awaited: Option<(u64, Time)>,
    /// The window up to which the receiver is ready to advertise (`rcv_ssthresh`), in bytes.
    window: u64,
    /// The window that its buffer is made for (`window_clamp`), in bytes.
    limit: u64,
    started: bool,
    /// The first segment of the round trip that is measured, and its arrival (`rcvq_space.seq`,
    /// `time`).
    round: (u64, Time),
    /// The largest limit, in bytes.
    most: u64,
    mss: u64,
    /// Growth with each segment: two of them (`tcp_grow_window`), in bytes.
    step: u64,
    /// Data of a round trip for which the limit was made (`rcvq_space.space`), in bytes.
    space: u64,
}

/// The middle value of `tcp_rmem`: the receive buffer of a new connection.
const FIRST_BUFFER: u64 = 131_072;
/// The last value of `tcp_rmem` by default since Linux 6.16; before it was 6 MB.
const LARGEST_BUFFER: u64 = 33_554_432;
/// The share of a buffer that is payload of full Ethernet frames, in 1/256 (`scaling_ratio`, as
/// `tcp_measure_rcv_mss` finds it for frames from a TUN device).
const SCALING_RATIO: u64 = 158;
/// Segments of which the first measured round trip is expected to consist (`TCP_INIT_CWND`).
const FIRST_SPACE: u64 = 10;
/// Bytes of the timestamp option, by which the advertised segment (`advmss`) is longer than `mss`.
const TIMESTAMPS: u64 = 12;

impl Autotuning {
    /// The window at the start of a connection.
    pub(crate) fn new(transport: &Transport) -> Autotuning {
        let mss = transport.mss.get();
        let advertised = mss + if transport.timestamps { TIMESTAMPS } else { 0 };
        let most = transport.receive_window.map_or(u64::MAX, Bytes::get);
        // `tcp_select_initial_window`: half of the buffer, in whole segments.
        let first = FIRST_BUFFER / 2;
        let window = (first - first % mss).max(mss).min(most);
        Autotuning {
            window,
            limit: payload(FIRST_BUFFER).max(window).min(most),
            most: payload(LARGEST_BUFFER).min(most),
            mss,
            step: 2 * advertised,
            space: FIRST_SPACE * advertised,
            round: (0, Time::ZERO),
            rtt: None,
            awaited: None,
            started: false,
        }
    }

    /// Data arrives whose sender had seen acknowledgements up to `acked` when it left. True if the
    /// window grows.
    #[inline]
    pub(crate) fn grows(&mut self, now: Time, acked: u64) -> bool {
        if let Some((number, left)) = self.awaited
            && acked >= number
        {
            self.rtt = Some(now.since(left));
            self.awaited = None;
        }
        let grows = self.window < self.limit;
        if grows {
            self.window = (self.window + self.step).min(self.limit);
        }
        grows
    }

    /// The application has read everything below segment `next`.
    #[inline]
    pub(crate) fn on_read(&mut self, now: Time, next: u64) {
        if !self.started {
            (self.started, self.round) = (true, (0, now));
        }
        if self.rtt.is_some_and(|rtt| now.since(self.round.1) >= rtt) {
            self.measure(next);
            self.round = (next, now);
        }
    }

    /// A round trip is over (`tcp_rcv_space_adjust`, `tcp_rcvbuf_grow`).
    #[inline(never)]
    fn measure(&mut self, next: u64) {
        let copied = (next - self.round.0) * self.mss;
        if copied > self.space {
            // Twice the data of the round trip that is over, and twice its growth over the one
            // before.
            let wanted = 2 * copied;
            let growth = (u128::from(wanted) * u128::from(copied - self.space)
                / u128::from(self.space)) as u64;
            self.limit = wanted.saturating_add(2 * growth).min(self.most).max(self.limit);
            self.space = copied;
        }
    }

    /// Data has arrived out of order, up to `span` segments above what is missing
    /// (`tcp_rcvbuf_grow`).
    #[inline]
    pub(crate) fn on_gap(&mut self, span: u64) {
        self.limit = (2 * self.space + span * self.mss).min(self.most).max(self.limit);
    }

    /// An acknowledgement of all below `next` leaves.
    #[inline]
    pub(crate) fn on_ack(&mut self, now: Time, next: u64) {
        if self.awaited.is_none() {
            self.awaited = Some((next, now));
        }
    }
}

/// The payload that a buffer of so many bytes holds (`tcp_win_from_space`).
fn payload(buffer: u64) -> u64 {
    buffer * SCALING_RATIO / 256
}
