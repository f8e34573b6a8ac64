//! The table of the socket: layouts worked by hand, what may be written, and names.

use crate::objects::linked;
use narrows_bpf::socket::{self, Field};
use narrows_bpf::{Code, Settings};
use std::sync::Arc;

const CWND: Field = Field::of("tcp_sock.snd_cwnd");
const STATE: Field = Field::of("tcp_sock.inet_conn.icsk_ca_state");
const INITIALIZED: Field = Field::of("tcp_sock.inet_conn.icsk_ca_initialized");
const PENDING: Field = Field::of("tcp_sock.inet_conn.icsk_ack.pending");
const PRIVATE: Field = Field::of("tcp_sock.inet_conn.icsk_ca_priv[0]");
const RATE: Field = Field::of("tcp_sock.inet_conn.icsk_inet.sk.sk_pacing_rate");
const UNDO: Field = Field::of("tcp_sock.undo_retrans");

/// struct sock_common: two of four bytes, three of two, one of one: 15, aligned to 16; then
/// sk_sndbuf at 16, and sk_pacing_rate at 24.
#[test]
fn members_lie_where_c_puts_them() {
    assert_eq!(Field::of("tcp_sock.inet_conn.icsk_inet.sk.__sk_common.skc_num").offset(), 10);
    assert_eq!(Field::of("tcp_sock.inet_conn.icsk_inet.sk.sk_sndbuf").offset(), 16);
    assert_eq!(RATE.offset(), 24);
    // 40 sk_pacing_status, 44 sk_wmem_queued, 48 sk_gso_max_size, 52 sk_gso_max_segs, 54
    // sk_pacing_shift; 56 the two bitfields, 57 to 59 three bytes, 60 icsk_ack.
    assert_eq!((STATE.offset(), INITIALIZED.offset(), PENDING.offset()), (56, 56, 60));
    assert_eq!(PRIVATE.offset(), 64);
    // Fields behind it cannot be written.
    assert_eq!(Field::of("tcp_sock.inet_conn.icsk_rto").offset(), 64 + 13 * 8);
    assert!(!socket::may_store(64 + 13 * 8, 1) && CWND.offset() >= 64 + 13 * 8 + 64);
    assert_eq!(Field::of("ack_sample.in_flight").offset(), 8);
    assert_eq!(socket::ACK_SAMPLE_SIZE, 12);
    // As in Linux 6.18: three bool at 64, and 5 bytes that align.
    assert_eq!(
        (Field::of("rate_sample.is_ack_delayed").offset(), socket::RATE_SAMPLE_SIZE),
        (66, 72)
    );
}

#[test]
fn values_are_read_as_written_and_bits_beside_them_stay() {
    let mut socket = vec![0xff; socket::SIZE];
    STATE.set(&mut socket, 0x63);
    assert_eq!(STATE.get(&socket), 3);
    assert_eq!(INITIALIZED.get(&socket), 1);
    assert_eq!(socket[56], 0b1110_0011);
    INITIALIZED.set(&mut socket, 0);
    assert_eq!((STATE.get(&socket), socket[56]), (3, 0b1100_0011));
    CWND.set(&mut socket, 0x1_0000_000a);
    assert_eq!(CWND.get(&socket), 10);
    RATE.set(&mut socket, u64::MAX - 1);
    assert_eq!(RATE.get(&socket), u64::MAX - 1);
    UNDO.set(&mut socket, -2_i64 as u64);
    assert_eq!(UNDO.get(&socket) as i64, -2);
}

/// Ten members, from their first byte and not beyond their last; the private area from any byte of
/// it.
#[test]
fn a_program_may_write_what_the_kernel_lets_it_write() {
    assert_eq!(
        socket::writable(),
        [
            "sock.sk_pacing_rate",
            "sock.sk_pacing_status",
            "inet_connection_sock.icsk_ack.pending",
            "inet_connection_sock.icsk_ca_priv",
            "tcp_sock.snd_cwnd",
            "tcp_sock.snd_ssthresh",
            "tcp_sock.snd_cwnd_cnt",
            "tcp_sock.snd_cwnd_stamp",
            "tcp_sock.app_limited",
            "tcp_sock.ecn_flags",
        ]
    );
    assert!(socket::may_store(CWND.offset(), 4));
    assert!(socket::may_store(CWND.offset(), 2));
    assert!(!socket::may_store(CWND.offset(), 8));
    assert!(!socket::may_store(CWND.offset() + 1, 1));
    assert!(socket::may_store(PRIVATE.offset() + 103, 1));
    assert!(!socket::may_store(PRIVATE.offset() + 103, 2));
    assert!(!socket::may_store(STATE.offset(), 1));
    assert!(!socket::may_store(socket::SIZE, 1));
    assert!(!socket::may_store(usize::MAX, 1));
}

#[test]
fn a_byte_of_the_socket_has_the_name_that_programs_use() {
    assert_eq!(socket::socket_field(CWND.offset() + 3).as_deref(), Some("tcp_sock.snd_cwnd"));
    assert_eq!(socket::socket_field(RATE.offset()).as_deref(), Some("sock.sk_pacing_rate"));
    assert_eq!(
        socket::socket_field(STATE.offset()).as_deref(),
        Some("inet_connection_sock.icsk_ca_state")
    );
    assert_eq!(
        socket::socket_field(PENDING.offset()).as_deref(),
        Some("inet_connection_sock.icsk_ack.pending")
    );
    assert_eq!(
        socket::socket_field(Field::of("tcp_sock.rtt_min.s[2].v").offset()).as_deref(),
        Some("tcp_sock.rtt_min.s[2].v")
    );
    assert_eq!(socket::socket_field(15), None);
    assert_eq!(socket::socket_field(socket::SIZE), None);
    assert_eq!(socket::rate_sample_field(24).as_deref(), Some("rate_sample.interval_us"));
    assert_eq!(socket::ack_sample_field(4).as_deref(), Some("ack_sample.rtt_us"));
}

/// Members that take time to keep are kept for programs that name them, a part of them, or the
/// whole.
#[test]
fn details_are_kept_for_those_who_name_them() {
    for named in [
        "tcp_sock.mdev_us",
        "tcp_sock.rtt_min.s[1].v",
        "tcp_sock.rtt_min",
        "tcp_sock.rack.mstamp",
        "tcp_sock.inet_conn.icsk_rto",
    ] {
        assert!(socket::is_detail(named), "{named}");
    }
    for named in [
        "inet_connection_sock.icsk_rto",
        "tcp_sock",
        "inet_connection_sock",
        "tcp_sock.inet_conn",
        "tcp_sock.rack",
    ] {
        assert!(socket::is_detail(named), "{named}");
    }
    for named in [
        "tcp_sock.snd_cwnd",
        "tcp_sock.inet_conn.icsk_ca_priv[3]",
        "sock.sk_pacing_rate",
        "sock",
        "rate_sample.delivered",
        "tcp_sock.gone",
    ] {
        assert!(!socket::is_detail(named), "{named}");
    }
    let looks = |object: &str| {
        Code::new(Arc::new(linked(object, &Settings::default())))
            .expect("runs here")
            .looks_at_details()
    };
    assert_eq!(["cubic", "reno"].map(looks), [false; 2]);
    assert!(looks("kinds"), "it reads tcp_sock.rtt_min.s[1].v");
    // As compiled without relocations against our header: its place is known, it is not named.
    let raw = |field: &str| {
        let mut program = linked("reno", &Settings::default());
        let load = program
            .code
            .iter()
            .position(|instruction| instruction.code == 0x61)
            .expect("a load of 32 bits");
        program.mentions.retain(|mention| mention.instruction != load);
        program.code[load].off = Field::of(field).offset() as i16;
        Code::new(Arc::new(program)).expect("runs here").looks_at_details()
    };
    assert_eq!(
        ["tcp_sock.mdev_us", "tcp_sock.inet_conn.icsk_rto", "tcp_sock.snd_una"].map(raw),
        [true, true, false]
    );
}
