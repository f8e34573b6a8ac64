//! Closed loops: flows that follow the rate.

use super::*;

/// A law with traffic of `elastic` flows at its rate, as it was some ticks ago, and `fixed` Mbit/s
/// beside them. Data that the link does not carry waits.
struct Loop {
    law: AnyRateLaw,
    elastic: f64,
    fixed: f64,
    /// Rates told, the latest last.
    told: Vec<f64>,
    /// Ticks until flows follow.
    delay: usize,
    queue: f64,
}

impl Loop {
    fn new(text: &str, elastic: f64, fixed: f64, delay: usize) -> Loop {
        Loop { law: made(text), elastic, fixed, told: vec![10.0; delay + 1], delay, queue: 0.0 }
    }

    fn tick(&mut self) -> f64 {
        let arrivals = self.elastic * self.told[self.told.len() - 1 - self.delay] + self.fixed;
        self.queue = f64::max(0.0, self.queue + (arrivals - 10.0));
        let rate = tick(&mut self.law, arrivals, self.queue);
        self.told.push(rate);
        rate
    }

    fn run(&mut self, ticks: usize) -> f64 {
        (0..ticks).map(|_| self.tick()).last().expect("a tick")
    }

    /// The largest part by which the rates of the last ticks differ from `rate`.
    fn swing(&self, ticks: usize, rate: f64) -> f64 {
        self.told[self.told.len() - ticks..]
            .iter()
            .map(|told| (told / rate - 1.0).abs())
            .fold(0.0, f64::max)
    }
}

/// The four links of the authors' slide on what the rate means, there with eta = 1.
#[test]
fn published_links() {
    let settled = |eta: f64, elastic, fixed| {
        let mut link = Loop::new(&format!("mircc-single?eta={eta}"), elastic, fixed, 1);
        let rate = link.run(1000);
        assert!(link.swing(100, rate) < 1e-6, "it has settled");
        (rate, state(&link.law, "flows"))
    };
    let near = |(rate, flows): (f64, f64), expected: (f64, f64)| {
        assert!(
            (rate / expected.0 - 1.0).abs() < 1e-3 && (flows / expected.1 - 1.0).abs() < 1e-3,
            "{rate}, {flows} not {expected:?}"
        );
    };
    near(settled(1.0, 4.0, 0.0), (2.5, 4.0));
    near(settled(1.0, 0.0, 0.0), (10.0, 1.0));
    near(settled(1.0, 1.0, 3.0), (7.0, 10.0 / 7.0));
    near(settled(1.0, 0.0, 0.01), (10.0, 1.0));
    // eta C/4, and eta C - 3; N is C/R.
    near(settled(0.95, 4.0, 0.0), (2.375, 10.0 / 2.375));
    near(settled(0.95, 1.0, 3.0), (6.5, 10.0 / 6.5));
}

/// As the defaults have it, g = 0.5 · 0.95 = 0.475: below 0.618, above 0.445.
#[test]
fn two_ticks_of_delay_settle_and_three_do_not() {
    for (delay, settles) in [(0, true), (1, true), (2, true), (3, false)] {
        let mut link = Loop::new("mircc-single", 1.0, 0.0, delay);
        link.run(2000);
        let swing = link.swing(200, 9.5);
        assert!(if settles { swing < 1e-6 } else { swing > 0.01 }, "{delay} ticks: {swing}");
    }
}

/// Near the fixed point x(n+1) = x(n) - g x(n-D) with g = alpha eta, which is stable for g < 2
/// sin(pi/(2(2D+1))): 1, 0.618, 0.445, 0.347 ...
#[test]
fn the_loop_is_stable_up_to_the_bound() {
    let bound = |delay: f64| 2.0 * libm::sin(std::f64::consts::PI / (2.0 * (2.0 * delay + 1.0)));
    assert!(
        (bound(1.0) - 1.0).abs() < 1e-12
            && (bound(2.0) - 0.618).abs() < 1e-3
            && (bound(3.0) - 0.445).abs() < 1e-3
    );
    let mut both = [0, 0];
    for eta in [0.6, 0.8, 0.95] {
        for delay in 1..=6 {
            for part in [0.9, 1.1] {
                let alpha = part * bound(delay as f64) / eta;
                if alpha > 1.0 {
                    continue;
                }
                let mut link =
                    Loop::new(&format!("mircc-single?alpha={alpha}&eta={eta}"), 1.0, 0.0, 0);
                let rate = link.run(300);
                // Flows send a little more for one interval, and from then on follow late.
                link.delay = delay;
                *link.told.last_mut().expect("a rate") *= 1.0 + 1e-6;
                link.run(100);
                let early = link.swing(50, rate);
                link.run(100);
                let growth = link.swing(50, rate) / early;
                assert!(
                    if part < 1.0 { growth < 0.5 } else { growth > 2.0 },
                    "alpha {alpha}, eta {eta}, {delay} ticks: {growth}"
                );
                both[usize::from(part > 1.0)] += 1;
            }
        }
    }
    assert!(both.iter().all(|cases| *cases > 10), "{both:?}");
}

/// A busy host ticks late: after one to four intervals, as its processors please. One flow follows
/// a round trip later. The coefficient of variation of R is at most 0.2.
#[test]
fn ticks_that_come_late_leave_rates_steady() {
    const ROUND_TRIP: usize = 100;
    let mut lateness = narrows_units::Random::stream(1, "ticks");
    let mut law = made("mircc");
    // Mbit/s and megabits, millisecond by millisecond.
    let mut asked = vec![law.rates().primary.as_mbps(); ROUND_TRIP];
    let mut waiting = 0.0;
    let mut arrived = 0.0;
    let mut began = 0;
    let mut due = ROUND_TRIP;
    let mut settled = Vec::new();
    for ms in 0..100_000 {
        let bits = asked[asked.len() - ROUND_TRIP] / 1e3;
        arrived += bits;
        waiting = f64::max(0.0, waiting + bits - 10.0 / 1e3);
        if ms == due {
            let dt = Span::from_millis((ms - began) as u64);
            let rtt = Span::from_millis(ROUND_TRIP as u64);
            law.tick(&Observed {
                dt,
                arrivals: [arrived * 1e6, 0.0],
                queue: waiting * 1e6,
                rtt: Some(rtt),
                packet: Bytes::new(1000),
            });
            (began, due, arrived) =
                (ms, ms + ROUND_TRIP + lateness.below(3 * ROUND_TRIP as u64) as usize, 0.0);
        }
        asked.push(law.rates().primary.as_mbps());
        if ms > 10_000 {
            settled.push(law.rates().primary.as_mbps());
        }
    }
    let mean = settled.iter().sum::<f64>() / settled.len() as f64;
    let variance = settled.iter().map(|rate| (rate - mean) * (rate - mean)).sum::<f64>()
        / settled.len() as f64;
    assert!(
        (9.0..=10.0).contains(&mean) && variance.sqrt() / mean <= 0.2,
        "{mean} Mbit/s, {} of it",
        variance.sqrt() / mean
    );
}
