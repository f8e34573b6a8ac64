//! The kernel's functions of TCP against values worked by hand from net/ipv4/tcp_cong.c, and
//! against our own window.

use super::Caller;
use crate::assembled::SOCKET;
use narrows_bpf::socket::Field;
use narrows_bpf::socket::fields::{
    CWND as WINDOW, CWND_CLAMP as CLAMP, CWND_CNT as COUNT, CWND_LIMITED as LIMITED,
    MAX_PACKETS_OUT as MOST_OUT, PRIOR_CWND as PRIOR, SSTHRESH as THRESHOLD,
};
use narrows_units::Random;

fn with(name: &str, fields: &[(Field, u64)]) -> Caller {
    let mut caller = Caller::of_kernel(name);
    CLAMP.set(caller.machine.socket_mut(), u32::MAX as u64);
    for (field, value) in fields {
        field.set(caller.machine.socket_mut(), *value);
    }
    caller
}

fn get(caller: &Caller, field: Field) -> u64 {
    field.get(caller.machine.socket())
}

#[test]
fn slow_start_grows_to_the_threshold_and_answers_the_rest() {
    let mut caller = with("tcp_slow_start", &[(WINDOW, 10), (THRESHOLD, 14)]);
    assert_eq!((caller.call(&[SOCKET, 3]), get(&caller, WINDOW)), (0, 13));
    assert_eq!((caller.call(&[SOCKET, 3]), get(&caller, WINDOW)), (2, 14));
    // The clamp holds the window, and the rest is as without it.
    let mut caller = with("tcp_slow_start", &[(WINDOW, 10), (THRESHOLD, 100), (CLAMP, 12)]);
    assert_eq!((caller.call(&[SOCKET, 5]), get(&caller, WINDOW)), (0, 12));
}

#[test]
fn additive_increase_counts_acknowledged_segments() {
    let mut caller = with("tcp_cong_avoid_ai", &[(WINDOW, 10)]);
    caller.call(&[SOCKET, 10, 4]);
    assert_eq!((get(&caller, WINDOW), get(&caller, COUNT)), (10, 4));
    caller.call(&[SOCKET, 10, 6]);
    assert_eq!((get(&caller, WINDOW), get(&caller, COUNT)), (11, 0));
    caller.call(&[SOCKET, 10, 25]);
    assert_eq!((get(&caller, WINDOW), get(&caller, COUNT)), (13, 5));
    // Credit of a larger width gives one segment.
    caller.call(&[SOCKET, 3, 1]);
    assert_eq!((get(&caller, WINDOW), get(&caller, COUNT)), (14, 1));
    let mut caller = with("tcp_cong_avoid_ai", &[(WINDOW, 10), (CLAMP, 11)]);
    caller.call(&[SOCKET, 1, 5]);
    assert_eq!(get(&caller, WINDOW), 11);
}

#[test]
fn reno_halves_and_comes_back() {
    for (window, half) in [(10, 5), (11, 5), (3, 2), (1, 2)] {
        assert_eq!(with("tcp_reno_ssthresh", &[(WINDOW, window)]).call(&[SOCKET]), half);
    }
    for (window, prior, back) in [(5, 10, 10), (12, 10, 12)] {
        assert_eq!(
            with("tcp_reno_undo_cwnd", &[(WINDOW, window), (PRIOR, prior)]).call(&[SOCKET]),
            back
        );
    }
}

#[test]
fn reno_grows_only_where_the_window_is_the_limit() {
    let grown = |fields: &[(Field, u64)]| {
        let mut caller = with("tcp_reno_cong_avoid", fields);
        caller.call(&[SOCKET, 0, 4]);
        (get(&caller, WINDOW), get(&caller, COUNT))
    };
    assert_eq!(grown(&[(WINDOW, 10), (THRESHOLD, 12)]), (10, 0));
    // In slow start also if more than half of it was used.
    assert_eq!(grown(&[(WINDOW, 10), (THRESHOLD, 30), (MOST_OUT, 5)]), (10, 0));
    assert_eq!(grown(&[(WINDOW, 10), (THRESHOLD, 30), (MOST_OUT, 6)]), (14, 0));
    assert_eq!(grown(&[(WINDOW, 10), (THRESHOLD, 30), (LIMITED, 1)]), (14, 0));
    assert_eq!(grown(&[(WINDOW, 10), (THRESHOLD, 12), (LIMITED, 1)]), (12, 2));
    assert_eq!(grown(&[(WINDOW, 10), (THRESHOLD, 10), (LIMITED, 1)]), (10, 4));
    assert_eq!(grown(&[(WINDOW, 10), (THRESHOLD, 10), (MOST_OUT, 6)]), (10, 0));
}

/// Additive increase against the rule told in words: a window of `w` needs `w` acknowledged
/// segments for one more.
#[test]
fn credit_is_never_lost_while_the_width_stays() {
    let mut random = Random::stream(1, "increase");
    for _ in 0..200 {
        let width = 1 + random.below(50);
        let mut caller = with("tcp_cong_avoid_ai", &[(WINDOW, 1000)]);
        let mut acknowledged = 0;
        for _ in 0..20 {
            let acked = random.below(70);
            acknowledged += acked;
            caller.call(&[SOCKET, width, acked]);
            assert_eq!(
                (get(&caller, WINDOW), get(&caller, COUNT)),
                (1000 + acknowledged / width, acknowledged % width)
            );
        }
    }
}
