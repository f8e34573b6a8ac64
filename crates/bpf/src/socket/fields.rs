//! The members of the socket and of the samples by which the simulator, the kernel's functions and
//! tests read and fill them.

use super::Field;

macro_rules! fields {
    ($($name:ident = $path:literal;)*) => {
        $(
            #[doc = concat!("`", $path, "`")]
            pub const $name: Field = Field::of($path);
        )*
    };
}

fields! {
    UNA = "tcp_sock.snd_una";
    NEXT = "tcp_sock.snd_nxt";
    WRITE_SEQ = "tcp_sock.write_seq";
    SND_SML = "tcp_sock.snd_sml";
    SND_WND = "tcp_sock.snd_wnd";
    RCV_NXT = "tcp_sock.rcv_nxt";
    PRR_DELIVERED = "tcp_sock.prr_delivered";
    PRR_OUT = "tcp_sock.prr_out";
    HIGH_SEQ = "tcp_sock.high_seq";
    UNDO_MARKER = "tcp_sock.undo_marker";
    PACKETS_OUT = "tcp_sock.packets_out";
    SACKED_OUT = "tcp_sock.sacked_out";
    LOST_OUT = "tcp_sock.lost_out";
    RETRANS_OUT = "tcp_sock.retrans_out";
    REORDERING = "tcp_sock.reordering";
    CWND = "tcp_sock.snd_cwnd";
    SSTHRESH = "tcp_sock.snd_ssthresh";
    CWND_CNT = "tcp_sock.snd_cwnd_cnt";
    CWND_STAMP = "tcp_sock.snd_cwnd_stamp";
    CWND_CLAMP = "tcp_sock.snd_cwnd_clamp";
    CWND_USED = "tcp_sock.snd_cwnd_used";
    PRIOR_CWND = "tcp_sock.prior_cwnd";
    PRIOR_SSTHRESH = "tcp_sock.prior_ssthresh";
    MAX_PACKETS_OUT = "tcp_sock.max_packets_out";
    CWND_USAGE_SEQ = "tcp_sock.cwnd_usage_seq";
    CWND_LIMITED = "tcp_sock.is_cwnd_limited";
    DELIVERED = "tcp_sock.delivered";
    DELIVERED_CE = "tcp_sock.delivered_ce";
    LOST = "tcp_sock.lost";
    SEGS_OUT = "tcp_sock.segs_out";
    DATA_SEGS_OUT = "tcp_sock.data_segs_out";
    TOTAL_RETRANS = "tcp_sock.total_retrans";
    BYTES_SENT = "tcp_sock.bytes_sent";
    BYTES_ACKED = "tcp_sock.bytes_acked";
    BYTES_RETRANS = "tcp_sock.bytes_retrans";
    DELIVERED_ECT1 = "tcp_sock.delivered_ecn_bytes[0]";
    DELIVERED_ECT0 = "tcp_sock.delivered_ecn_bytes[1]";
    DELIVERED_CE_BYTES = "tcp_sock.delivered_ecn_bytes[2]";
    MSTAMP = "tcp_sock.tcp_mstamp";
    CLOCK_CACHE = "tcp_sock.tcp_clock_cache";
    WSTAMP_NS = "tcp_sock.tcp_wstamp_ns";
    FIRST_TX_MSTAMP = "tcp_sock.first_tx_mstamp";
    DELIVERED_MSTAMP = "tcp_sock.delivered_mstamp";
    RATE_DELIVERED = "tcp_sock.rate_delivered";
    RATE_INTERVAL = "tcp_sock.rate_interval_us";
    RATE_APP_LIMITED = "tcp_sock.rate_app_limited";
    APP_LIMITED = "tcp_sock.app_limited";
    LSNDTIME = "tcp_sock.lsndtime";
    SRTT = "tcp_sock.srtt_us";
    MDEV = "tcp_sock.mdev_us";
    MDEV_MAX = "tcp_sock.mdev_max_us";
    RTTVAR = "tcp_sock.rttvar_us";
    RTT_SEQ = "tcp_sock.rtt_seq";
    NOTSENT_LOWAT = "tcp_sock.notsent_lowat";
    RACK_MSTAMP = "tcp_sock.rack.mstamp";
    RACK_RTT = "tcp_sock.rack.rtt_us";
    RACK_END_SEQ = "tcp_sock.rack.end_seq";
    MSS_CACHE = "tcp_sock.mss_cache";
    ADVMSS = "tcp_sock.advmss";
    ECN_FLAGS = "tcp_sock.ecn_flags";
    CA_STATE = "tcp_sock.inet_conn.icsk_ca_state";
    CA_INITIALIZED = "tcp_sock.inet_conn.icsk_ca_initialized";
    RTO = "tcp_sock.inet_conn.icsk_rto";
    RTO_MIN = "tcp_sock.inet_conn.icsk_rto_min";
    RETRANSMITS = "tcp_sock.inet_conn.icsk_retransmits";
    BACKOFF = "tcp_sock.inet_conn.icsk_backoff";
    ACK_PENDING = "tcp_sock.inet_conn.icsk_ack.pending";
    PACING_RATE = "tcp_sock.inet_conn.icsk_inet.sk.sk_pacing_rate";
    MAX_PACING_RATE = "tcp_sock.inet_conn.icsk_inet.sk.sk_max_pacing_rate";
    PACING_STATUS = "tcp_sock.inet_conn.icsk_inet.sk.sk_pacing_status";
    PACING_SHIFT = "tcp_sock.inet_conn.icsk_inet.sk.sk_pacing_shift";
    SNDBUF = "tcp_sock.inet_conn.icsk_inet.sk.sk_sndbuf";
    GSO_MAX_SEGS = "tcp_sock.inet_conn.icsk_inet.sk.sk_gso_max_segs";
    GSO_MAX_SIZE = "tcp_sock.inet_conn.icsk_inet.sk.sk_gso_max_size";
    DADDR = "tcp_sock.inet_conn.icsk_inet.sk.__sk_common.skc_daddr";
    RCV_SADDR = "tcp_sock.inet_conn.icsk_inet.sk.__sk_common.skc_rcv_saddr";
    DPORT = "tcp_sock.inet_conn.icsk_inet.sk.__sk_common.skc_dport";
    NUM = "tcp_sock.inet_conn.icsk_inet.sk.__sk_common.skc_num";
    FAMILY = "tcp_sock.inet_conn.icsk_inet.sk.__sk_common.skc_family";
    SOCKET_STATE = "tcp_sock.inet_conn.icsk_inet.sk.__sk_common.skc_state";

    ACK_PACKETS = "ack_sample.pkts_acked";
    ACK_RTT = "ack_sample.rtt_us";
    ACK_IN_FLIGHT = "ack_sample.in_flight";

    RATE_PRIOR_MSTAMP = "rate_sample.prior_mstamp";
    RATE_PRIOR_DELIVERED = "rate_sample.prior_delivered";
    RATE_PRIOR_DELIVERED_CE = "rate_sample.prior_delivered_ce";
    RATE_DELIVERED_NOW = "rate_sample.delivered";
    RATE_DELIVERED_CE = "rate_sample.delivered_ce";
    RATE_INTERVAL_US = "rate_sample.interval_us";
    RATE_SEND_INTERVAL = "rate_sample.snd_interval_us";
    RATE_ACK_INTERVAL = "rate_sample.rcv_interval_us";
    RATE_RTT = "rate_sample.rtt_us";
    RATE_LOSSES = "rate_sample.losses";
    RATE_ACKED_SACKED = "rate_sample.acked_sacked";
    RATE_PRIOR_IN_FLIGHT = "rate_sample.prior_in_flight";
    RATE_LAST_END_SEQ = "rate_sample.last_end_seq";
    RATE_IS_APP_LIMITED = "rate_sample.is_app_limited";
    RATE_IS_RETRANS = "rate_sample.is_retrans";
    RATE_IS_ACK_DELAYED = "rate_sample.is_ack_delayed";
}

/// The first eight bytes of the area that is the controller's own, `icsk_ca_priv`, which has
/// thirteen times as many.
pub const PRIVATE: Field = Field::of("tcp_sock.inet_conn.icsk_ca_priv[0]");

/// The three least round trips of `struct minmax`, each a tick and a value.
pub const RTT_MIN: [[Field; 2]; 3] = [
    [Field::of("tcp_sock.rtt_min.s[0].t"), Field::of("tcp_sock.rtt_min.s[0].v")],
    [Field::of("tcp_sock.rtt_min.s[1].t"), Field::of("tcp_sock.rtt_min.s[1].v")],
    [Field::of("tcp_sock.rtt_min.s[2].t"), Field::of("tcp_sock.rtt_min.s[2].v")],
];
