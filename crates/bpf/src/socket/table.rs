//! The table: the members of the kernel's structures that a simulated connection has, under the
//! kernel's names, with the kernel's types and nesting. The order within a structure is ours,
//! without gaps. Programs may write the fields that `bpf_tcp_ca_btf_struct_access` of
//! net/ipv4/bpf_tcp_ca.c lets them write.

use super::layout::{Integer, Member, MemberType, Structure};

const fn integer(name: &'static str, size: u32, signed: bool) -> Integer {
    Integer { name, size, signed }
}

const U8: Integer = integer("u8", 1, false);
const U16: Integer = integer("u16", 2, false);
const U32: Integer = integer("u32", 4, false);
const U64: Integer = integer("u64", 8, false);
const S32: Integer = integer("s32", 4, true);
const INT: Integer = integer("int", 4, true);
const UNSIGNED: Integer = integer("unsigned int", 4, false);
const LONG: Integer = integer("long", 8, true);
const UNSIGNED_LONG: Integer = integer("unsigned long", 8, false);
const UNSIGNED_SHORT: Integer = integer("unsigned short", 2, false);
const UNSIGNED_CHAR: Integer = integer("unsigned char", 1, false);
const CHAR: Integer = integer("char", 1, true);
const BE16: Integer = integer("__be16", 2, false);
const BE32: Integer = integer("__be32", 4, false);
const BOOL: Integer = integer("bool", 1, false);

const fn one(kind: Integer, name: &'static str) -> Member {
    Member { name, kind: MemberType::Integer(kind), bits: 0, writable: false, detail: false }
}

const fn writable(kind: Integer, name: &'static str) -> Member {
    Member { writable: true, ..one(kind, name) }
}

/// A member that is kept up to date only for programs that read it, because few do and it takes
/// time. Every such member stands behind `icsk_ca_priv`: a program's loads from that area have
/// small offsets, and would look like loads of members before it.
const fn detail(member: Member) -> Member {
    Member { detail: true, ..member }
}

const fn bits(name: &'static str, bits: u32) -> Member {
    Member { bits, ..one(U8, name) }
}

/// Unused bits before a bitfield. A bitfield must have the place within its byte that it has in
/// Linux 6.18: if a program reads it without `BPF_CORE_READ_BITFIELD`, the relocation corrects the
/// byte and not the place of the bits.
const fn gap(width: u32) -> Member {
    bits("", width)
}

const fn array(element: &'static MemberType, name: &'static str, count: u32) -> Member {
    Member {
        name,
        kind: MemberType::Array(element, count),
        bits: 0,
        writable: false,
        detail: false,
    }
}

const fn structure(kind: &'static Structure, name: &'static str) -> Member {
    Member { name, kind: MemberType::Structure(kind), bits: 0, writable: false, detail: false }
}

const fn function(result: &'static str, name: &'static str, parameters: &'static str) -> Member {
    Member {
        name,
        kind: MemberType::Function(result, parameters),
        bits: 0,
        writable: false,
        detail: false,
    }
}

/// include/net/sock.h.
const SOCK_COMMON: Structure = Structure {
    name: "sock_common",
    members: &[
        one(BE32, "skc_daddr"),
        one(BE32, "skc_rcv_saddr"),
        one(BE16, "skc_dport"),
        one(U16, "skc_num"),
        one(UNSIGNED_SHORT, "skc_family"),
        one(UNSIGNED_CHAR, "skc_state"),
    ],
};

/// include/net/sock.h.
const SOCK: Structure = Structure {
    name: "sock",
    members: &[
        structure(&SOCK_COMMON, "__sk_common"),
        one(INT, "sk_sndbuf"),
        one(U32, "sk_priority"),
        writable(UNSIGNED_LONG, "sk_pacing_rate"),
        one(UNSIGNED_LONG, "sk_max_pacing_rate"),
        writable(U32, "sk_pacing_status"),
        one(INT, "sk_wmem_queued"),
        one(UNSIGNED, "sk_gso_max_size"),
        one(U16, "sk_gso_max_segs"),
        one(U8, "sk_pacing_shift"),
    ],
};

/// include/net/inet_sock.h.
const INET_SOCK: Structure = Structure { name: "inet_sock", members: &[structure(&SOCK, "sk")] };

/// `icsk_ack` of `struct inet_connection_sock`.
const ACKNOWLEDGING: Structure = Structure {
    name: "",
    members: &[writable(U8, "pending"), one(U8, "quick"), one(U8, "pingpong")],
};

/// include/net/inet_connection_sock.h.
const INET_CONNECTION_SOCK: Structure = Structure {
    name: "inet_connection_sock",
    members: &[
        structure(&INET_SOCK, "icsk_inet"),
        bits("icsk_ca_state", 5),
        bits("icsk_ca_initialized", 1),
        one(U8, "icsk_retransmits"),
        one(U8, "icsk_backoff"),
        one(U8, "icsk_pending"),
        structure(&ACKNOWLEDGING, "icsk_ack"),
        Member { writable: true, ..array(&MemberType::Integer(U64), "icsk_ca_priv", 13) },
        detail(one(U32, "icsk_rto")),
        one(U32, "icsk_rto_min"),
    ],
};

/// include/linux/win_minmax.h.
const MINMAX_SAMPLE: Structure =
    Structure { name: "minmax_sample", members: &[one(U32, "t"), one(U32, "v")] };

/// include/linux/win_minmax.h.
const MINMAX: Structure =
    Structure { name: "minmax", members: &[array(&MemberType::Structure(&MINMAX_SAMPLE), "s", 3)] };

/// `rack` of `struct tcp_sock`.
const TCP_RACK: Structure = Structure {
    name: "tcp_rack",
    members: &[one(U64, "mstamp"), one(U32, "rtt_us"), one(U32, "end_seq")],
};

/// include/linux/tcp.h.
pub(crate) const TCP_SOCK: Structure = Structure {
    name: "tcp_sock",
    members: &[
        structure(&INET_CONNECTION_SOCK, "inet_conn"),
        // Fields that programs may not write stand behind the area of the controller, so that a
        // write beyond its end is noticed. Sequence numbers.
        one(U32, "snd_una"),
        one(U32, "snd_nxt"),
        one(U32, "write_seq"),
        one(U32, "snd_sml"),
        one(U32, "rcv_nxt"),
        one(U32, "snd_wnd"),
        // Reductions.
        one(U32, "prr_delivered"),
        one(U32, "prr_out"),
        one(U32, "high_seq"),
        one(U32, "undo_marker"),
        one(INT, "undo_retrans"),
        one(U32, "tlp_high_seq"),
        // Segments outstanding.
        one(U32, "packets_out"),
        one(U32, "sacked_out"),
        one(U32, "lost_out"),
        one(U32, "retrans_out"),
        one(U32, "reordering"),
        one(U32, "reord_seen"),
        // The window.
        writable(U32, "snd_cwnd"),
        writable(U32, "snd_ssthresh"),
        writable(U32, "snd_cwnd_cnt"),
        writable(U32, "snd_cwnd_stamp"),
        one(U32, "snd_cwnd_clamp"),
        one(U32, "snd_cwnd_used"),
        one(U32, "prior_cwnd"),
        one(U32, "prior_ssthresh"),
        one(U32, "max_packets_out"),
        one(U32, "cwnd_usage_seq"),
        // Totals.
        one(U32, "delivered"),
        one(U32, "delivered_ce"),
        one(U32, "lost"),
        detail(one(U32, "segs_out")),
        one(U32, "data_segs_out"),
        one(U32, "total_retrans"),
        detail(one(U64, "bytes_sent")),
        detail(one(U64, "bytes_acked")),
        one(U64, "bytes_retrans"),
        array(&MemberType::Integer(U32), "received_ecn_bytes", 3),
        detail(array(&MemberType::Integer(U32), "delivered_ecn_bytes", 3)),
        // Clocks and rate samples.
        one(U64, "tcp_mstamp"),
        one(U64, "tcp_clock_cache"),
        detail(one(U64, "tcp_wstamp_ns")),
        detail(one(U64, "first_tx_mstamp")),
        detail(one(U64, "delivered_mstamp")),
        detail(one(U32, "rate_delivered")),
        detail(one(U32, "rate_interval_us")),
        writable(U32, "app_limited"),
        one(U32, "lsndtime"),
        // Round trips.
        one(U32, "srtt_us"),
        detail(one(U32, "mdev_us")),
        detail(one(U32, "mdev_max_us")),
        detail(one(U32, "rttvar_us")),
        detail(one(U32, "rtt_seq")),
        detail(structure(&MINMAX, "rtt_min")),
        one(U32, "notsent_lowat"),
        detail(structure(&TCP_RACK, "rack")),
        one(U32, "mss_cache"),
        one(U16, "advmss"),
        writable(U8, "ecn_flags"),
        gap(3),
        bits("is_cwnd_limited", 1),
        gap(4),
        gap(4),
        detail(bits("rate_app_limited", 1)),
        gap(3),
        gap(4),
        bits("saw_accecn_opt", 2),
    ],
};

/// include/net/tcp.h.
pub(crate) const ACK_SAMPLE: Structure = Structure {
    name: "ack_sample",
    members: &[one(U32, "pkts_acked"), one(S32, "rtt_us"), one(U32, "in_flight")],
};

/// include/net/tcp.h.
pub(crate) const RATE_SAMPLE: Structure = Structure {
    name: "rate_sample",
    members: &[
        one(U64, "prior_mstamp"),
        one(U32, "prior_delivered"),
        one(U32, "prior_delivered_ce"),
        one(S32, "delivered"),
        one(S32, "delivered_ce"),
        one(LONG, "interval_us"),
        one(U32, "snd_interval_us"),
        one(U32, "rcv_interval_us"),
        one(LONG, "rtt_us"),
        one(INT, "losses"),
        one(U32, "acked_sacked"),
        one(U32, "prior_in_flight"),
        one(U32, "last_end_seq"),
        one(BOOL, "is_app_limited"),
        one(BOOL, "is_retrans"),
        one(BOOL, "is_ack_delayed"),
    ],
};

/// include/net/tcp.h. `cwnd_event_tx_start` is of Linux 7.1.
pub(crate) const TCP_CONGESTION_OPS: Structure = Structure {
    name: "tcp_congestion_ops",
    members: &[
        function("u32", "ssthresh", "struct sock *sk"),
        function("void", "cong_avoid", "struct sock *sk, u32 ack, u32 acked"),
        function("void", "set_state", "struct sock *sk, u8 new_state"),
        function("void", "cwnd_event", "struct sock *sk, enum tcp_ca_event ev"),
        function("void", "cwnd_event_tx_start", "struct sock *sk"),
        function("void", "in_ack_event", "struct sock *sk, u32 flags"),
        function("void", "pkts_acked", "struct sock *sk, const struct ack_sample *sample"),
        function("u32", "min_tso_segs", "struct sock *sk"),
        function(
            "void",
            "cong_control",
            "struct sock *sk, u32 ack, int flag, const struct rate_sample *rs",
        ),
        function("u32", "undo_cwnd", "struct sock *sk"),
        function("u32", "sndbuf_expand", "struct sock *sk"),
        function(
            "size_t",
            "get_info",
            "struct sock *sk, u32 ext, int *attr, union tcp_cc_info *info",
        ),
        array(&MemberType::Integer(CHAR), "name", 16),
        one(U32, "key"),
        one(U32, "flags"),
        function("void", "init", "struct sock *sk"),
        function("void", "release", "struct sock *sk"),
    ],
};

/// Each after those that it consists of.
pub(crate) const STRUCTURES: [&Structure; 11] = [
    &SOCK_COMMON,
    &SOCK,
    &INET_SOCK,
    &INET_CONNECTION_SOCK,
    &MINMAX_SAMPLE,
    &MINMAX,
    &TCP_RACK,
    &TCP_SOCK,
    &ACK_SAMPLE,
    &RATE_SAMPLE,
    &TCP_CONGESTION_OPS,
];

/// A constant of an enumeration.
type Constant = (&'static str, u32);

/// Enumerations of the kernel by name; those without are only for the header. Nothing that the
/// kernel has as a macro: programs that need it define it.
pub(crate) const ENUMERATIONS: [(&str, &[Constant]); 12] = [
    (
        "tcp_ca_state",
        &[
            ("TCP_CA_Open", 0),
            ("TCP_CA_Disorder", 1),
            ("TCP_CA_CWR", 2),
            ("TCP_CA_Recovery", 3),
            ("TCP_CA_Loss", 4),
        ],
    ),
    (
        "tcp_ca_event",
        &[
            ("CA_EVENT_TX_START", 0),
            ("CA_EVENT_CWND_RESTART", 1),
            ("CA_EVENT_COMPLETE_CWR", 2),
            ("CA_EVENT_LOSS", 3),
            ("CA_EVENT_ECN_NO_CE", 4),
            ("CA_EVENT_ECN_IS_CE", 5),
        ],
    ),
    (
        "tcp_ca_ack_event_flags",
        &[("CA_ACK_SLOWPATH", 1), ("CA_ACK_WIN_UPDATE", 2), ("CA_ACK_ECE", 4)],
    ),
    ("sk_pacing", &[("SK_PACING_NONE", 0), ("SK_PACING_NEEDED", 1), ("SK_PACING_FQ", 2)]),
    (
        "inet_csk_ack_state_t",
        &[
            ("ICSK_ACK_SCHED", 1),
            ("ICSK_ACK_TIMER", 2),
            ("ICSK_ACK_PUSHED", 4),
            ("ICSK_ACK_PUSHED2", 8),
            ("ICSK_ACK_NOW", 16),
            ("ICSK_ACK_NOMEM", 32),
        ],
    ),
    (
        "bpf_map_type",
        &[
            ("BPF_MAP_TYPE_UNSPEC", 0),
            ("BPF_MAP_TYPE_HASH", 1),
            ("BPF_MAP_TYPE_ARRAY", 2),
            ("BPF_MAP_TYPE_PROG_ARRAY", 3),
            ("BPF_MAP_TYPE_PERF_EVENT_ARRAY", 4),
            ("BPF_MAP_TYPE_PERCPU_HASH", 5),
            ("BPF_MAP_TYPE_PERCPU_ARRAY", 6),
            ("BPF_MAP_TYPE_LRU_HASH", 9),
            ("BPF_MAP_TYPE_LRU_PERCPU_HASH", 10),
            ("BPF_MAP_TYPE_LPM_TRIE", 11),
            ("BPF_MAP_TYPE_ARRAY_OF_MAPS", 12),
            ("BPF_MAP_TYPE_HASH_OF_MAPS", 13),
            ("BPF_MAP_TYPE_QUEUE", 22),
            ("BPF_MAP_TYPE_STACK", 23),
            ("BPF_MAP_TYPE_SK_STORAGE", 24),
            ("BPF_MAP_TYPE_STRUCT_OPS", 26),
            ("BPF_MAP_TYPE_RINGBUF", 27),
        ],
    ),
    ("", &[("BPF_ANY", 0), ("BPF_NOEXIST", 1), ("BPF_EXIST", 2), ("BPF_F_LOCK", 4)]),
    ("", &[("BPF_F_NO_PREALLOC", 1), ("BPF_F_NO_COMMON_LRU", 2), ("BPF_F_MMAPABLE", 1 << 10)]),
    ("", &[("BPF_LOCAL_STORAGE_GET_F_CREATE", 1), ("BPF_SK_STORAGE_GET_F_CREATE", 1)]),
    ("", &[("BPF_RB_NO_WAKEUP", 1), ("BPF_RB_FORCE_WAKEUP", 2)]),
    (
        "",
        &[
            ("BPF_RB_AVAIL_DATA", 0),
            ("BPF_RB_RING_SIZE", 1),
            ("BPF_RB_CONS_POS", 2),
            ("BPF_RB_PROD_POS", 3),
        ],
    ),
    (
        "",
        &[
            ("TCP_ESTABLISHED", 1),
            ("TCP_SYN_SENT", 2),
            ("TCP_SYN_RECV", 3),
            ("TCP_FIN_WAIT1", 4),
            ("TCP_FIN_WAIT2", 5),
            ("TCP_TIME_WAIT", 6),
            ("TCP_CLOSE", 7),
            ("TCP_CLOSE_WAIT", 8),
            ("TCP_LAST_ACK", 9),
            ("TCP_LISTEN", 10),
            ("TCP_CLOSING", 11),
            ("TCP_NEW_SYN_RECV", 12),
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::socket::field::Field;

    /// As BTF of Linux 6.18 has them: `is_cwnd_limited` at bit 11707 of `struct tcp_sock`,
    /// `rate_app_limited` at 13132, `saw_accecn_opt` at 15348; `icsk_ca_state` at 9984 of `struct
    /// inet_connection_sock`, `icsk_ca_initialized` at 9989.
    #[test]
    fn bitfields_have_the_bits_of_the_kernel() {
        for (path, bit) in [
            ("tcp_sock.is_cwnd_limited", 11707),
            ("tcp_sock.rate_app_limited", 13132),
            ("tcp_sock.saw_accecn_opt", 15348),
            ("tcp_sock.inet_conn.icsk_ca_state", 9984),
            ("tcp_sock.inet_conn.icsk_ca_initialized", 9989),
        ] {
            assert_eq!(Field::of(path).bit(), bit % 8, "{path}");
        }
        assert!(TCP_SOCK.members.iter().any(|member| member.name.is_empty()));
    }
}
