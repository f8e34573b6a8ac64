//! How fast the window moves: faster once it has moved one way for some round trips.

/// Round trips of one direction before the velocity doubles (Copa, section 2.1).
const PATIENCE: u32 = 3;

/// A way for the window to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// It grows.
    Up,
    /// It shrinks.
    Down,
}

/// The velocity v.
#[derive(Clone, Debug)]
pub struct Velocity {
    value: f64,
    direction: Direction,
    /// Round trips that had the direction of the one before.
    same: u32,
    /// The window when the round began.
    began_at: f64,
}

impl Velocity {
    /// One segment in 1/δ per round trip, from a window of `cwnd` segments.
    pub fn new(cwnd: f64) -> Velocity {
        Velocity { value: 1.0, direction: Direction::Up, same: 0, began_at: cwnd }
    }

    /// v, of a window of `cwnd` segments and 1/δ: at most what would double the window in a round
    /// trip (`update_amt` in the authors' `markoviancc.cc`).
    pub fn at(&self, cwnd: f64, inverse_delta: f64) -> f64 {
        self.value.min(cwnd / inverse_delta).max(1.0)
    }

    /// A round trip is over, at a window of `cwnd` segments: the segments acknowledged now were
    /// sent at the window that it had when the round began.
    pub fn end_round(&mut self, cwnd: f64) {
        let direction = if cwnd > self.began_at { Direction::Up } else { Direction::Down };
        // A window that did not move has no direction (ours; it is not used).
        if direction == self.direction && cwnd != self.began_at {
            self.same += 1;
            if self.same >= PATIENCE {
                self.value *= 2.0;
            }
        } else {
            (self.value, self.same) = (1.0, 0);
        }
        (self.direction, self.began_at) = (direction, cwnd);
    }

    /// The window of `cwnd` segments is about to move in `direction`. True if it had gathered speed
    /// the other way: it begins anew, and so does the round (`changeDirection` of mvfst).
    pub fn turns(&mut self, direction: Direction, cwnd: f64) -> bool {
        let turns = self.direction != direction && self.value > 1.0;
        if turns {
            *self = Velocity { direction, ..Velocity::new(cwnd) };
        }
        turns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_doubles_after_three_round_trips_of_one_direction() {
        let mut velocity = Velocity::new(100.0);
        let mut after = |cwnd| {
            velocity.end_round(cwnd);
            velocity.at(cwnd, 2.0)
        };
        assert_eq!([98.0, 96.0, 94.0, 92.0, 88.0].map(&mut after), [1.0, 1.0, 1.0, 2.0, 4.0]);
        assert_eq!([80.0, 82.0].map(&mut after), [8.0, 1.0]);
        assert_eq!(
            [84.0, 84.0, 86.0].map(&mut after),
            [1.0; 3],
            "a window that stands still ends it"
        );
    }

    #[test]
    fn it_moves_at_most_a_window_per_round_trip_and_not_at_speed_after_a_turn() {
        let mut velocity =
            Velocity { value: 64.0, direction: Direction::Down, ..Velocity::new(40.0) };
        assert_eq!((velocity.at(40.0, 2.0), velocity.at(1.5, 2.0)), (20.0, 1.0));
        assert!(!velocity.turns(Direction::Down, 40.0));
        assert_eq!(velocity.at(400.0, 2.0), 64.0);
        assert!(velocity.turns(Direction::Up, 40.0));
        assert_eq!(velocity.at(400.0, 2.0), 1.0);
        assert!(!velocity.turns(Direction::Down, 40.0));
    }
}
