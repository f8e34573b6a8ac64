//! A connection's beginning: what the socket has before anything is sent, and the calls up to
//! `init`.

use super::{Around, ECN_OK, NEEDS_ECN, NO_RATE, NO_THRESHOLD};
use crate::socket::fields as f;
use narrows_control::{Open, Role};
use narrows_units::Span;

/// `TCP_SYN_SENT` and `TCP_ESTABLISHED`.
const SYN_SENT: u64 = 2;
const ESTABLISHED: u64 = 1;
/// `AF_INET`.
const INET: u64 = 2;
/// `sysctl_tcp_reordering`.
const REORDERING: u64 = 3;
/// The retransmission timeout before a round trip is known, and the least one.
const FIRST_RTO: Span = Span::from_secs(1);
const LEAST_RTO: Span = Span::from_millis(200);
/// `FLAG_SYN_ACKED` of the acknowledgement that ends a handshake.
const SYN_ACKED: u64 = 0x10;
/// `CA_ACK_WIN_UPDATE`: an acknowledgement in order.
const IN_ORDER: u64 = 2;

impl Around {
    /// The socket of a new connection. Addresses and ports differ from flow to flow, so that maps
    /// keyed by them do.
    pub(super) fn fill(&mut self, seed: u64) {
        let rto =
            [self.outside.ticks_of(FIRST_RTO), self.outside.ticks_of(LEAST_RTO)].map(u64::from);
        let host = 0x0a00_0001 | (seed as u32 & 0x00ff_fffe);
        let first = self.sequence(0);
        let least = u32::MAX as u64;
        for (field, value) in [
            (f::UNA, first),
            (f::NEXT, first),
            (f::WRITE_SEQ, first),
            (f::SND_SML, first),
            (f::SND_WND, i32::MAX as u64),
            (f::REORDERING, REORDERING),
            (f::CWND, self.initial_window),
            (f::SSTHRESH, NO_THRESHOLD),
            (f::CWND_CLAMP, u32::MAX as u64),
            (f::APP_LIMITED, u32::MAX as u64),
            (f::NOTSENT_LOWAT, u32::MAX as u64),
            (f::MSS_CACHE, self.mss),
            (f::ADVMSS, self.mss),
            (f::MDEV, FIRST_RTO.as_micros()),
            (f::RTO, rto[0]),
            (f::RTO_MIN, rto[1]),
            (f::MAX_PACING_RATE, NO_RATE),
            (f::PACING_RATE, NO_RATE),
            (f::PACING_SHIFT, 10),
            (f::SNDBUF, i32::MAX as u64),
            (f::GSO_MAX_SEGS, 64),
            (f::GSO_MAX_SIZE, 65536),
            (f::DADDR, u64::from(host.swap_bytes())),
            (f::RCV_SADDR, u64::from(0x0a00_0001_u32.swap_bytes())),
            (f::DPORT, u64::from(5001_u16.swap_bytes())),
            (f::NUM, 32768 + seed % 28232),
            (f::FAMILY, INET),
            (f::SOCKET_STATE, SYN_SENT),
            (f::RTT_MIN[0][1], least),
            (f::RTT_MIN[1][1], least),
            (f::RTT_MIN[2][1], least),
        ] {
            self.set(field, value);
        }
    }

    /// The handshake is over. The opener's acknowledgement of its SYN reaches the program before
    /// `init` does, on a private area of zeros; measurements/kernel-truth.md.
    pub(super) fn open(&mut self, open: &Open) {
        if self.begun {
            return;
        }
        self.at(open.now);
        self.measure_round_trip(open.rtt);
        self.set(f::DELIVERED, 1);
        let micros = self.outside.micros(open.now);
        self.set(f::DELIVERED_MSTAMP, micros);
        self.set(f::FIRST_TX_MSTAMP, micros);
        if open.role == Role::Active {
            self.fill_ack_sample(1, Some(open.rtt), 0);
            self.tell_of_acknowledged();
        }
        self.call(self.callbacks.in_ack_event, [IN_ORDER]);
        if open.role == Role::Active && self.controls() {
            self.fill_no_rate_sample();
            let una = self.get(f::UNA);
            self.control(una, SYN_ACKED);
        }
        self.begin();
    }

    /// `tcp_init_congestion_control`. A world without handshakes comes here with its first segment.
    pub(super) fn begin(&mut self) {
        self.begun = true;
        self.set(f::SOCKET_STATE, ESTABLISHED);
        self.set(f::CWND, self.initial_window);
        self.set(f::PRIOR_SSTHRESH, 0);
        if self.machine.code().program().flags & NEEDS_ECN != 0 {
            self.set(f::ECN_FLAGS, ECN_OK);
        }
        if self.get(f::DELIVERED) == 0 {
            self.set(f::DELIVERED, 1);
        }
        self.call(self.callbacks.init, []);
        self.set(f::CA_INITIALIZED, 1);
        self.update_pacing();
        self.ask_for_bursts();
    }
}
