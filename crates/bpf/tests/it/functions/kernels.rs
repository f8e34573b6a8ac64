//! The kernel's functions of its own controllers, worked by hand from net/ipv4/tcp_dctcp.c,
//! tcp_cubic.c and tcp_bbr.c. Their decisions over whole connections are compared with our
//! controllers in tests of the simulator.

use super::Caller;
use crate::assembled::SOCKET;
use narrows_bpf::address;
use narrows_bpf::socket::{Field, fields as f};

const SAMPLE: u64 = address::of(address::SAMPLE, 0);

fn with(name: &str, fields: &[(Field, u64)]) -> Caller {
    let mut caller = Caller::of_kernel(name);
    set(&mut caller, fields);
    caller
}

fn set(caller: &mut Caller, fields: &[(Field, u64)]) {
    for (field, value) in fields {
        field.set(caller.machine.socket_mut(), *value);
    }
}

/// A word of 32 bits of the private area.
fn word(caller: &Caller, index: usize) -> u32 {
    let at = f::PRIVATE.offset() + 4 * index;
    u32::from_le_bytes(*caller.machine.socket()[at..].first_chunk().expect("four bytes"))
}

fn set_word(caller: &mut Caller, index: usize, value: u32) {
    let at = f::PRIVATE.offset() + 4 * index;
    caller.machine.socket_mut()[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

/// Words of `struct dctcp`: 0 and 1 what was delivered and marked, 3 α, 4 the end of the window, 6
/// the window at the latest loss.
#[test]
fn dctcp_goes_a_sixteenth_of_the_way_to_the_share_that_was_marked() {
    let begun = [(f::ECN_FLAGS, 1), (f::NEXT, 5000), (f::DELIVERED, 100), (f::DELIVERED_CE, 7)];
    let mut init = with("dctcp_init", &begun);
    init.call(&[SOCKET]);
    assert_eq!([0, 1, 3, 4, 6].map(|index| word(&init, index)), [100, 7, 1024, 5000, 0]);
    let alpha = |alpha: u32, una: u64, delivered: u64, marked: u64| {
        let mut update = with(
            "dctcp_update_alpha",
            &[(f::UNA, una), (f::NEXT, 9000), (f::DELIVERED, delivered), (f::DELIVERED_CE, marked)],
        );
        for (index, value) in [(0, 100), (1, 7), (3, alpha), (4, 5000)] {
            set_word(&mut update, index, value);
        }
        update.call(&[SOCKET, 0]);
        [3, 4].map(|index| word(&update, index))
    };
    assert_eq!(alpha(1024, 4999, 140, 17), [1024, 5000], "the window of data has not ended");
    // 1024 - 64 + 10·64/40.
    assert_eq!(alpha(1024, 5000, 140, 17), [976, 9000]);
    assert_eq!(alpha(1024, 5000, 140, 7), [960, 9000]);
    assert_eq!(alpha(1024, 5000, 140, 47), [1024, 9000], "at most 1");
    assert_eq!(alpha(15, 5000, 140, 7), [0, 9000], "below 16/1024 all goes");
}

#[test]
fn dctcp_takes_half_of_alpha_for_marks_and_half_of_the_window_for_losses() {
    for (window, alpha, left) in [(100, 1024, 50), (100, 512, 75), (101, 1, 101), (3, 1024, 2)] {
        let mut threshold = with("dctcp_ssthresh", &[(f::CWND, window)]);
        set_word(&mut threshold, 3, alpha);
        assert_eq!((threshold.call(&[SOCKET]), word(&threshold, 6)), (left, window as u32));
    }
    let state = |state: u64, before: u64| {
        let mut caller =
            with("dctcp_state", &[(f::CWND, 41), (f::SSTHRESH, 99), (f::CA_STATE, before)]);
        caller.call(&[SOCKET, state]);
        f::SSTHRESH.get(caller.machine.socket())
    };
    assert_eq!([state(3, 0), state(3, 3), state(4, 0)], [20, 99, 99]);
    let mut event = with("dctcp_cwnd_event", &[(f::CWND, 3), (f::SSTHRESH, 99)]);
    event.call(&[SOCKET, 3]);
    assert_eq!((f::SSTHRESH.get(event.machine.socket()), word(&event, 6)), (2, 3));
    // A receiver: the first mark asks for an acknowledgement at once, and for its echo.
    event.call(&[SOCKET, 5]);
    let socket = event.machine.socket();
    assert_eq!((f::ACK_PENDING.get(socket), f::ECN_FLAGS.get(socket), word(&event, 5)), (16, 4, 1));
    let mut undo = with("dctcp_cwnd_undo", &[(f::CWND, 20)]);
    set_word(&mut undo, 6, 41);
    assert_eq!(undo.call(&[SOCKET]), 41);
}

/// Words of `struct bictcp`: 1 the last maximum, 6 the least round trip, 7 the beginning of the
/// epoch, 11 when the round began, 12 its end.
#[test]
fn cubic_keeps_717_1024_of_the_window_and_forgets_at_a_timeout() {
    let mut threshold = with("cubictcp_recalc_ssthresh", &[(f::CWND, 100)]);
    set_word(&mut threshold, 7, 5);
    assert_eq!((threshold.call(&[SOCKET]), word(&threshold, 1), word(&threshold, 7)), (70, 100, 0));
    // Below the last maximum: (1024 + 717) / 2048 of the window is the new one.
    set(&mut threshold, &[(f::CWND, 70)]);
    assert_eq!((threshold.call(&[SOCKET]), word(&threshold, 1)), (49, 59));
    let mut state = with("cubictcp_state", &[(f::NEXT, 777), (f::MSTAMP, 123_456)]);
    set_word(&mut state, 1, 100);
    state.call(&[SOCKET, 3]);
    assert_eq!(word(&state, 1), 100);
    state.call(&[SOCKET, 4]);
    assert_eq!([1, 11, 12].map(|index| word(&state, index)), [0, 123_456, 777]);
}

/// The first round trip counts at once; in the first second of an epoch none does. The host is up
/// for 1000 s at 250 ticks per second.
#[test]
fn cubic_measures_the_least_round_trip_but_for_the_first_second_of_an_epoch() {
    let tick = 700 * 250;
    for (epoch, least) in [(0, 30_000), (tick - 249, 0), (tick - 250, 30_000)] {
        let mut caller = with("cubictcp_acked", &[(f::CWND, 10), (f::SSTHRESH, 5)]);
        set_word(&mut caller, 7, epoch);
        f::ACK_RTT.set(caller.machine.sample_mut(), 30_000);
        caller.call(&[SOCKET, SAMPLE]);
        assert_eq!(word(&caller, 6), least, "{epoch}");
    }
}

/// Word 0 of `struct bbr` is the least round trip, word 19 the gains.
#[test]
fn bbr_begins_at_2885_1000_of_the_first_window_per_round_trip() {
    let begun = [
        (f::CWND, 10),
        (f::SRTT, 8 * 40_000),
        (f::RTT_MIN[0][1], 40_000),
        (f::MSS_CACHE, 1448),
        (f::MAX_PACING_RATE, u64::MAX),
        (f::DELIVERED, 1),
    ];
    let mut init = with("bbr_init", &begun);
    init.call(&[SOCKET]);
    let socket = init.machine.socket();
    // 10 segments per 40 ms, 739/256 of that, less 1 %.
    assert_eq!(
        [f::PACING_RATE, f::PACING_STATUS, f::SSTHRESH].map(|field| field.get(socket)),
        [1_034_467, 1, 0x7fff_ffff]
    );
    assert_eq!((word(&init, 0), word(&init, 19) >> 26 & 1), (40_000, 1));
    for (rate, segments) in [(149_999, 1), (150_000, 2)] {
        assert_eq!(with("bbr_min_tso_segs", &[(f::PACING_RATE, rate)]).call(&[SOCKET]), segments);
    }
    assert_eq!(with("bbr_sndbuf_expand", &[]).call(&[SOCKET]), 3);
}
