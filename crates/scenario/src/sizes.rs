//! Sizes of transfers: fixed, a published distribution, or points of a distribution.

use narrows_units::{Bytes, Random};

/// A distribution of transfer sizes.
#[derive(Clone, Debug, PartialEq)]
pub enum Sizes {
    /// One size for all transfers.
    Fixed(Bytes),
    /// A published distribution, an entry of [`PUBLISHED`].
    Published(&'static Published),
    /// Points of the distribution function: sizes in bytes, rising, each with the share of
    /// transfers that are at most this large, linear between the points. The first share is that
    /// many transfers of exactly the first size; the last share is 1.
    Points(Vec<(f64, f64)>),
}

/// A published distribution of sizes.
#[derive(Debug)]
pub struct Published {
    /// Name in scenarios.
    pub name: &'static str,
    /// Measured traffic.
    pub summary: &'static str,
    /// Publication.
    pub source: &'static str,
    shape: Shape,
}

impl PartialEq for Published {
    fn eq(&self, other: &Published) -> bool {
        self.name == other.name
    }
}

#[derive(Debug)]
enum Shape {
    /// Points as in [`Sizes::Points`], with sizes in packets of 1460 bytes, as they were published.
    Packets(&'static [(f64, f64)]),
    /// Generalised Pareto distribution with location 0.
    Pareto { scale: f64, shape: f64 },
    /// Log-normal distribution, truncated to `least` and `most`.
    LogNormal { mean: f64, deviation: f64, least: f64, most: f64 },
}

const PACKET: f64 = 1460.0;

/// All published distributions.
pub const PUBLISHED: &[Published] = &[
    Published {
        name: "web-search",
        summary: "flows of a cluster that answers web searches; mean 1.67 MB",
        source: "Alizadeh et al., Data Center TCP, SIGCOMM 2010, figure 4; its points as in pFabric's simulations, SIGCOMM 2013, figure 4",
        shape: Shape::Packets(&[
            (6.0, 0.15),
            (13.0, 0.2),
            (19.0, 0.3),
            (33.0, 0.4),
            (53.0, 0.53),
            (133.0, 0.6),
            (667.0, 0.7),
            (1333.0, 0.8),
            (3333.0, 0.9),
            (6667.0, 0.97),
            (20000.0, 1.0),
        ]),
    },
    Published {
        name: "data-mining",
        summary: "flows of a cluster that mines data; half are one packet, mean 7.47 MB",
        source: "Greenberg et al., VL2, SIGCOMM 2009, figure 2; its points as in pFabric's simulations, SIGCOMM 2013, figure 4",
        shape: Shape::Packets(&[
            (1.0, 0.5),
            (2.0, 0.6),
            (3.0, 0.7),
            (7.0, 0.8),
            (267.0, 0.9),
            (2107.0, 0.95),
            (66667.0, 0.99),
            (666667.0, 1.0),
        ]),
    },
    Published {
        name: "cache",
        summary: "values in a memory cache of a social network (pool ETC); mean 329 B",
        source: "Atikoglu et al., Workload Analysis of a Large-Scale Key-Value Store, SIGMETRICS 2012, section 5: generalised Pareto, scale 214.476, \
                 shape 0.348238",
        shape: Shape::Pareto { scale: 214.476, shape: 0.348238 },
    },
    Published {
        name: "web",
        summary: "main objects of web pages; mean 10.8 kB, from 100 B to 2 MB",
        source: "3GPP2 C.R1002-0, HTTP traffic model; IEEE 802.16m Evaluation Methodology, section 10.1: truncated lognormal, mu 8.35, sigma 1.37",
        shape: Shape::LogNormal { mean: 8.35, deviation: 1.37, least: 100.0, most: 2e6 },
    },
];

impl Sizes {
    /// Draws a size, at least 1 byte.
    pub fn draw(&self, random: &mut Random) -> Bytes {
        if let Sizes::Fixed(size) = self {
            return *size;
        }
        Bytes::new((self.quantile(random.uniform()) + 0.5) as u64).max(Bytes::new(1))
    }

    /// Returns the size in bytes that a share `u` (0 to below 1) of transfers does not exceed.
    pub fn quantile(&self, u: f64) -> f64 {
        match self {
            Sizes::Fixed(size) => size.get() as f64,
            Sizes::Points(points) => between(points, u),
            Sizes::Published(Published { shape, .. }) => match shape {
                Shape::Packets(points) => PACKET * between(points, u),
                Shape::Pareto { scale, shape } => {
                    scale / shape * (libm::pow(1.0 - u, -shape) - 1.0)
                }
                Shape::LogNormal { mean, deviation, least, most } => {
                    let share = |size: &f64| normal((libm::log(*size) - mean) / deviation);
                    let (low, high) = (share(least), share(most));
                    libm::exp(mean + deviation * normal_quantile(low + u * (high - low)))
                }
            },
        }
    }

    /// Returns the mean size in bytes.
    pub fn mean(&self) -> f64 {
        match self {
            Sizes::Fixed(size) => size.get() as f64,
            Sizes::Points(points) => mean_of(points),
            Sizes::Published(Published { shape, .. }) => match shape {
                Shape::Packets(points) => PACKET * mean_of(points),
                Shape::Pareto { scale, shape } => scale / (1.0 - shape),
                Shape::LogNormal { mean, deviation, least, most } => {
                    let share = |size: &f64, shift: f64| {
                        normal((libm::log(*size) - mean) / deviation - shift)
                    };
                    let part = |shift| share(most, shift) - share(least, shift);
                    libm::exp(mean + deviation * deviation / 2.0) * part(*deviation) / part(0.0)
                }
            },
        }
    }
}

/// Inverts a distribution given by points, linear between them.
fn between(points: &[(f64, f64)], u: f64) -> f64 {
    let place = points.partition_point(|(_, share)| *share <= u).min(points.len() - 1);
    let (size, share) = points[place];
    match place.checked_sub(1).map(|before| points[before]) {
        Some((from, below)) => from + (size - from) * (u - below) / (share - below),
        None => size,
    }
}

fn mean_of(points: &[(f64, f64)]) -> f64 {
    let first = points[0].0 * points[0].1;
    points
        .windows(2)
        .fold(first, |sum, pair| sum + (pair[0].0 + pair[1].0) / 2.0 * (pair[1].1 - pair[0].1))
}

/// The distribution function of the standard normal distribution.
fn normal(z: f64) -> f64 {
    0.5 * libm::erfc(-z / std::f64::consts::SQRT_2)
}

/// Inverts the standard normal distribution: a rational approximation (Abramowitz and Stegun,
/// 26.2.23), refined by Newton's method.
fn normal_quantile(share: f64) -> f64 {
    let tail = share.min(1.0 - share).max(1e-300);
    let t = libm::sqrt(-2.0 * libm::log(tail));
    let start = t
        - (2.515517 + t * (0.802853 + t * 0.010328))
            / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    let mut z = -start;
    for _ in 0..3 {
        let density = libm::exp(-z * z / 2.0) / libm::sqrt(2.0 * std::f64::consts::PI);
        z -= (normal(z) - tail) / density;
    }
    if share < 0.5 { z } else { -z }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn published(name: &str) -> Sizes {
        Sizes::Published(PUBLISHED.iter().find(|one| one.name == name).unwrap())
    }

    /// Returns the mean of evenly spaced quantiles.
    fn sampled_mean(sizes: &Sizes, of: u32) -> f64 {
        (0..of).map(|i| sizes.quantile((i as f64 + 0.5) / of as f64)).sum::<f64>() / of as f64
    }

    #[test]
    fn means_are_the_published_ones() {
        // 1.6 MB and 7.4 MB are the values that later papers quote. The value sizes of the cache
        // have a closed form for the mean. The web model states 10710 B, 1.2 % less than its
        // rounded parameters give.
        for (name, mean, off) in [
            ("web-search", 1.6e6, 0.05),
            ("data-mining", 7.4e6, 0.02),
            ("cache", 329.0, 0.001),
            ("web", 10_710.0, 0.015),
        ] {
            let sizes = published(name);
            assert!((sizes.mean() / mean - 1.0).abs() < off, "{name}: {}", sizes.mean());
            let sampled = sampled_mean(&sizes, 200_000);
            assert!((sampled / sizes.mean() - 1.0).abs() < 0.01, "{name}: {sampled}");
        }
    }

    #[test]
    fn quantiles_go_through_the_points() {
        let search = published("web-search");
        assert_eq!(search.quantile(0.0), 6.0 * 1460.0);
        assert_eq!(search.quantile(0.1499), 6.0 * 1460.0);
        assert!((search.quantile(0.53) - 53.0 * 1460.0).abs() < 1e-6);
        assert!((search.quantile(0.565) - 93.0 * 1460.0).abs() < 1e-6);
        let own = Sizes::Points(vec![(100.0, 0.0), (300.0, 1.0)]);
        assert_eq!((own.quantile(0.25), own.mean()), (150.0, 200.0));
    }

    #[test]
    fn the_inverse_of_the_normal_distribution() {
        for (share, z) in [
            (0.5, 0.0),
            (0.975, 1.959963984540054),
            (0.001, -3.090232306167813),
            (0.9999999, 5.199337582192817),
        ] {
            assert!(
                (normal_quantile(share) - z).abs() < 1e-7,
                "{share}: {}",
                normal_quantile(share)
            );
        }
    }
}
