use super::*;
use Class::{Primary, Secondary};

const SIZE: Bytes = Bytes::new(100);

fn us(us: u64) -> Time {
    Time::ZERO + Span::from_micros(us)
}

fn shaper(limit: usize) -> Shaper<u32> {
    Shaper::new(ShaperConfig { limit, ..ShaperConfig::default() })
}

/// One Interest has left, so that others wait: 100 B at 8 Mbit/s take 100 us.
fn busy(limit: usize) -> Shaper<u32> {
    let mut shaper = shaper(limit);
    assert_eq!(shaper.offer(us(0), 0, Primary, SIZE), Offer::Leaves(0));
    shaper.sent(SIZE, 8e6);
    shaper
}

#[test]
fn interests_leave_one_gap_apart_in_their_order() {
    let mut shaper = busy(10);
    assert_eq!(shaper.due(), None);
    for item in 1..4 {
        assert_eq!(shaper.offer(us(10), item, Secondary, SIZE), Offer::Waits);
    }
    for (item, at) in [(1, 100), (2, 200), (3, 300)] {
        assert_eq!(shaper.due(), Some(us(at)));
        assert_eq!(shaper.take(us(at - 1)), None);
        assert_eq!(shaper.take(us(at)), Some(item));
        shaper.sent(SIZE, 8e6);
    }
    assert_eq!((shaper.due(), shaper.packets(), shaper.bytes()), (None, 0, Bytes::ZERO));
    assert_eq!(
        shaper.offer(us(399), 4, Primary, SIZE),
        Offer::Waits,
        "the gap after the last one counts"
    );
    assert_eq!(shaper.take(us(400)), Some(4));
}

#[test]
fn an_idle_time_is_not_saved_up() {
    let mut shaper = busy(10);
    assert_eq!(shaper.offer(us(1_000_000), 1, Primary, SIZE), Offer::Leaves(1));
    shaper.sent(SIZE, 8e6);
    assert_eq!(shaper.offer(us(1_000_000), 2, Primary, SIZE), Offer::Waits);
    assert_eq!(shaper.due(), Some(us(1_000_100)));
}

#[test]
fn a_late_clock_does_not_change_the_mean_rate() {
    let mut shaper = busy(10);
    for item in 1..4 {
        shaper.offer(us(0), item, Primary, SIZE);
    }
    let mut taken = Vec::new();
    while let Some(item) = shaper.take(us(250)) {
        taken.push(item);
        shaper.sent(SIZE, 8e6);
    }
    assert_eq!((taken, shaper.due()), (vec![1, 2], Some(us(300))));
}

#[test]
fn a_full_queue_refuses_secondary_interests_and_lets_primary_ones_push_out_the_youngest_of_them() {
    let mut shaper = busy(3);
    for (item, class) in [(1, Secondary), (2, Secondary), (3, Primary)] {
        assert_eq!(shaper.offer(us(0), item, class, SIZE), Offer::Waits);
    }
    assert_eq!(shaper.offer(us(0), 4, Secondary, SIZE), Offer::Refused(4));
    assert_eq!(shaper.offer(us(0), 5, Primary, SIZE), Offer::Evicts(2));
    assert_eq!(shaper.offer(us(0), 6, Primary, SIZE), Offer::Evicts(1));
    assert_eq!(shaper.offer(us(0), 7, Primary, SIZE), Offer::Refused(7), "only primary ones wait");
    assert_eq!((shaper.packets(), shaper.bytes()), (3, Bytes::new(300)));
    let order: Vec<u32> = std::iter::from_fn(|| shaper.take(Time::NEVER)).collect();
    assert_eq!(order, [3, 5, 6]);
}

#[test]
fn a_link_that_is_down_holds_everything_until_it_is_up() {
    let mut shaper = shaper(10);
    shaper.offer(us(0), 0, Primary, SIZE);
    shaper.sent(SIZE, 0.0);
    shaper.offer(us(0), 1, Primary, SIZE);
    assert_eq!((shaper.due(), shaper.take(us(u64::MAX >> 11))), (Some(Time::NEVER), None));
    shaper.on_capacity_change(us(500), SIZE, 8e6);
    assert_eq!(shaper.due(), Some(us(600)));
}
