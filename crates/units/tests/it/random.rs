//! Random draws: reproducible, independent by name, with the right moments.

use narrows_units::{Random, Span};

const DRAWS: usize = 200_000;

fn draws(mut draw: impl FnMut() -> f64) -> Vec<f64> {
    (0..DRAWS).map(|_| draw()).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn variance(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / values.len() as f64
}

#[test]
fn a_stream_is_fixed_by_seed_and_name() {
    let first = |seed: u64, name: &str| {
        let mut random = Random::stream(seed, name);
        [random.bits(), random.bits()]
    };
    assert_eq!(first(1, "link a loss"), first(1, "link a loss"));
    assert_ne!(first(1, "link a loss"), first(2, "link a loss"));
    assert_ne!(first(1, "link a loss"), first(1, "link b loss"));
    assert_ne!(first(1, ""), first(1, "a"));
    // From an independent FNV-1a, SplitMix64 and xoshiro256++. A change here changes every run. As
    // computed by an independent FNV-1a, SplitMix64 and xoshiro256++. Another value here would
    // change every run.
    assert_eq!(first(1, "a"), [2_706_789_788_554_605_349, 12_894_643_165_419_798_175]);
}

#[test]
fn streams_of_different_names_or_seeds_are_uncorrelated() {
    for (seed, name) in [(1, "flow 2"), (2, "flow 1"), (1, "flow 1 ")] {
        let mut a = Random::stream(1, "flow 1");
        let mut b = Random::stream(seed, name);
        let product = draws(|| (a.uniform() - 0.5) * (b.uniform() - 0.5));
        // The product has mean 0 and standard deviation 1/12; five standard errors.
        assert!(mean(&product).abs() < 5.0 / 12.0 / (DRAWS as f64).sqrt(), "seed {seed}, {name}");
    }
}

#[test]
fn uniform_moments() {
    let mut random = Random::stream(1, "uniform");
    let values = draws(|| random.uniform());
    assert!(values.iter().all(|value| (0.0..1.0).contains(value)));
    assert!((mean(&values) - 0.5).abs() < 0.003, "{}", mean(&values));
    assert!((variance(&values) - 1.0 / 12.0).abs() < 0.001, "{}", variance(&values));
}

#[test]
fn exponential_moments() {
    let mut random = Random::stream(1, "exponential");
    let values = draws(|| random.exponential(3.0));
    assert!(values.iter().all(|value| value.is_finite() && *value >= 0.0));
    assert!((mean(&values) - 3.0).abs() < 0.04, "{}", mean(&values));
    assert!((variance(&values) - 9.0).abs() < 0.3, "{}", variance(&values));
}

#[test]
fn chances() {
    let mut random = Random::stream(1, "chance");
    assert!((0..1_000).all(|_| !random.chance(0.0) && random.chance(1.0)));
    let share = mean(&draws(|| f64::from(u8::from(random.chance(0.01)))));
    assert!((share - 0.01).abs() < 0.0012, "{share}");
}

#[test]
fn whole_numbers_are_uniform_below_the_limit() {
    let mut random = Random::stream(1, "below");
    let mut counts = [0u32; 7];
    for _ in 0..70_000 {
        counts[random.below(7) as usize] += 1;
    }
    assert!(counts.iter().all(|count| (9_500..10_500).contains(count)), "{counts:?}");
    assert_eq!(random.below(0), 0);
    assert_eq!(random.below(1), 0);
    assert!((0..1_000).all(|_| random.span_below(Span::from_micros(120)) < Span::from_micros(120)));
    assert_eq!(random.span_below(Span::ZERO), Span::ZERO);
}
