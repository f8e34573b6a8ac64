//! α: the number of packets that a FAST flow keeps in the queue.

/// α, in packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Alpha {
    /// A constant number of packets.
    Fixed(f64),
    /// By the measured rate: the index of a line of [`TABLE`].
    Table(usize),
}

/// α for a range of rates, in bit/s. The ranges overlap, so that α does not oscillate while the
/// rate is near the end of a range.
struct Line {
    packets: f64,
    /// Above this rate the next line holds.
    up: f64,
    /// Below this rate the line before holds.
    down: f64,
}

/// The table of the authors' prototype.
const TABLE: [Line; 3] = [
    Line { packets: 8.0, up: 12e6, down: 0.0 },
    Line { packets: 20.0, up: 120e6, down: 10e6 },
    Line { packets: 200.0, up: f64::INFINITY, down: 100e6 },
];

impl Alpha {
    /// A constant number of packets; the table for `None`.
    pub fn new(packets: Option<f64>) -> Alpha {
        packets.map_or(Alpha::Table(0), Alpha::Fixed)
    }

    /// The value now, in packets.
    pub fn packets(self) -> f64 {
        match self {
            Alpha::Fixed(packets) => packets,
            Alpha::Table(line) => TABLE[line].packets,
        }
    }

    /// Moves to the line of the rate of the latest round trip, in bit/s.
    pub fn measured(&mut self, rate: f64) {
        if let Alpha::Table(line) = self {
            while rate > TABLE[*line].up {
                *line += 1;
            }
            while rate < TABLE[*line].down {
                *line -= 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_moves_up_at_12_and_120_and_down_at_10_and_100() {
        let mut alpha = Alpha::new(None);
        let at = |mbps: &f64| {
            alpha.measured(mbps * 1e6);
            alpha.packets()
        };
        let rates =
            [1.0, 11.9, 12.1, 10.1, 9.9, 119.0, 121.0, 100.1, 99.0, 10.0, 5.0, 1_000.0, 1.0];
        let expected = [8.0, 8.0, 20.0, 20.0, 8.0, 20.0, 200.0, 200.0, 20.0, 20.0, 8.0, 200.0, 8.0];
        assert_eq!(rates.iter().map(at).collect::<Vec<f64>>(), expected);
        let mut fixed = Alpha::new(Some(50.0));
        fixed.measured(1e9);
        assert_eq!(fixed.packets(), 50.0);
    }
}
