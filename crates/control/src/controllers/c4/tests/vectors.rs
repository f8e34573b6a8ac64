//! Numbers worked by hand from the draft.

use super::*;

fn at_rate(rate: f64) -> Sensitivity {
    Sensitivity::at(rate, Profile::Draft.constants())
}

#[test]
fn thresholds_fall_with_the_rate() {
    let ms = Span::from_millis;
    let constants = Profile::Draft.constants();
    let middle = at_rate(525_000.0);
    near(middle.get(), 0.46);
    near(middle.loss_threshold(), 0.29);
    near(middle.mark_threshold(), 0.144_375);
    near(middle.delay_threshold(ms(100), constants).as_millis_f64(), 16.375);
    let fast = at_rate(10e6);
    near(fast.get(), 1.0);
    near(fast.loss_threshold(), 0.02);
    near(fast.mark_threshold(), 0.093_75);
    near(fast.delay_threshold(ms(100), constants).as_millis_f64(), 6.25);
    assert_eq!(at_rate(49_999.0).get(), 0.0);
    assert_eq!(at_rate(0.0).delay_threshold(ms(200), constants), ms(25), "at most 25 ms");
    near(at_rate(1e6).get(), 0.92);
    near(at_rate(5.5e6).get(), 0.96);
    // picoquic has 963/1024 at 1 MB/s.
    near(Sensitivity::at(1e6, Profile::Picoquic.constants()).get(), 0.940_429_687_5);
}

#[test]
fn losses_in_a_row_move_the_average_by_a_sixteenth() {
    let mut rate = LossRate::default();
    let after: Vec<f64> = (0..6)
        .map(|_| {
            rate.take(true);
            rate.get()
        })
        .collect();
    near(after[0], 0.0625);
    assert!((after[4] - 0.276).abs() < 5e-4 && (after[5] - 0.321).abs() < 5e-4, "{after:?}");
    rate.take(false);
    near(rate.get(), after[5] * 15.0 / 16.0);
}

#[test]
fn eras_move_round_trips_by_an_eighth() {
    let ms = Span::from_millis;
    let era = |least: u64, longest: u64, from: (u64, u64)| {
        let mut rtts = Rtts::default();
        rtts.open(ms(from.0));
        rtts.set_max(ms(from.1));
        for rtt in [least, longest] {
            rtts.sample(ms(rtt));
        }
        rtts.learn();
        (rtts.min().unwrap(), rtts.max().unwrap())
    };
    // m 40, e 48: 41.
    assert_eq!(era(48, 50, (40, 50)).0, ms(41));
    assert_eq!(era(36, 50, (40, 50)).0, ms(36), "a shorter one counts at once");
    // M 50, the era's longest 60, then 44: 60, 58.
    assert_eq!(era(40, 60, (40, 50)).1, ms(60));
    assert_eq!(era(40, 44, (40, 60)).1, ms(58));
    // 400 ms of jitter count as 250.
    assert_eq!(era(40, 440, (40, 50)).1, ms(290));
    // At least 1 ms.
    let mut rtts = Rtts::default();
    rtts.sample(Span::from_micros(30));
    assert_eq!(rtts.max(), Some(ms(1)));
}

#[test]
fn cuts_are_at_most_a_quarter() {
    // M 50, threshold 8, a round trip of 59: an eighth.
    near(Signal::Delay((59.0 - 58.0) / 8.0).cut(Profile::Draft, 1.0), 0.125);
    near(Signal::Delay(2.0).cut(Profile::Draft, 1.0), 0.25);
    near(Signal::Marks(0.1).cut(Profile::Draft, 1.0), 0.1);
    near(Signal::Losses.cut(Profile::Draft, 0.0), 0.25);
    // picoquic: the mean of a quarter and of a quarter of the sensitivity.
    near(Signal::Losses.cut(Profile::Picoquic, 1.0), 0.25);
    near(Signal::Losses.cut(Profile::Picoquic, 0.0), 0.125);
}

#[test]
fn marks_raise_the_share_at_once_from_a_half_on() {
    let report = |ce, ect1| EcnDelta { ce, ect1, ..EcnDelta::default() };
    let mut marks = MarkRate::default();
    for (ecn, alpha) in [
        (report(1, 15), 1.0 / 256.0),
        (report(1, 1), 0.5),
        (report(0, 4), 0.5 * 15.0 / 16.0),
        (report(4, 0), 1.0),
        (report(1, 1), 0.5),
    ] {
        marks.count(ecn);
        marks.average(Profile::Draft);
        near(marks.get(), alpha);
    }
    // picoquic takes half of the packets at once only if that is more.
    marks.count(report(4, 0));
    marks.average(Profile::Picoquic);
    marks.count(report(1, 1));
    marks.average(Profile::Picoquic);
    near(marks.get(), 1.0 - 0.5 / 16.0);
}

#[test]
fn initial_grows_by_an_eighth_for_each_era_without_growth() {
    for (flat_eras, bytes) in [(0, 8000.0), (1, 1000.0), (2, 125.0)] {
        let mut initial = Initial::new(10_000.0);
        initial.flat_eras = flat_eras;
        initial.on_ack(8, 8000);
        assert_eq!(initial.window, 10_000.0 + bytes);
    }
}
