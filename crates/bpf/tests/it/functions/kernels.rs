//! The functions of the kernel's CUBIC, worked by hand from net/ipv4/tcp_cubic.c. Their decisions
//! over whole connections are compared with our controller in tests of the simulator.

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
