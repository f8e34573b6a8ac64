//! The dead nonce list: Interests that this node has forwarded lately, and whose PIT entries are
//! gone.

use hashbrown::HashTable;
use narrows_units::{Span, Time};

/// Remembers an Interest for 3 to 6 s, so that one that loops is known after its PIT entry has
/// ended (NFD Developer's Guide, section 3.5; NFD remembers it for 6 s).
#[derive(Clone, Debug, Default)]
pub(crate) struct DeadNonces {
    /// Keys are hashes already.
    present: HashTable<u64>,
    before: HashTable<u64>,
    /// When `present` began.
    since: Option<Time>,
}

/// Data that stays fresh for as long answers a looping Interest from caches.
pub(crate) const REMEMBERED: Span = Span::from_secs(6);
/// A key is kept for the rest of its generation and the whole next one.
const GENERATION: Span = Span::from_secs(3);
/// Most keys of a generation. A full one becomes the one before at once.
const MOST: usize = 1 << 20;

impl DeadNonces {
    /// Adds an Interest by the hash of its name and its nonce.
    pub(crate) fn insert(&mut self, now: Time, name: u64, nonce: u32) {
        self.turn(now);
        let key = key(name, nonce);
        if self.present.find(key, |known| *known == key).is_none() {
            self.present.insert_unique(key, key, |key| *key);
        }
    }

    /// True if it was added lately.
    pub(crate) fn contains(&mut self, now: Time, name: u64, nonce: u32) -> bool {
        self.turn(now);
        let key = key(name, nonce);
        [&self.present, &self.before]
            .iter()
            .any(|keys| keys.find(key, |known| *known == key).is_some())
    }

    fn turn(&mut self, now: Time) {
        let since = *self.since.get_or_insert(now);
        let generations = now.since(since).as_nanos() / GENERATION.as_nanos();
        if generations == 0 && self.present.len() < MOST {
            return;
        }
        self.since = Some(now);
        std::mem::swap(&mut self.present, &mut self.before);
        self.present.clear();
        if generations > 1 {
            self.before.clear();
        }
    }
}

/// Mixes both so that Interests for one name get keys far apart.
fn key(name: u64, nonce: u32) -> u64 {
    (name ^ u64::from(nonce).wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .wrapping_mul(0xff51_afd7_ed55_8ccd)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s(s: u64) -> Time {
        Time::ZERO + Span::from_secs(s)
    }

    #[test]
    fn an_interest_is_known_for_a_generation_and_not_after_two() {
        let mut dead = DeadNonces::default();
        dead.insert(s(5), 1, 7);
        dead.insert(s(7), 1, 8);
        assert!(dead.contains(s(8), 1, 7) && dead.contains(s(8), 1, 8));
        assert!(!dead.contains(s(8), 1, 9) && !dead.contains(s(8), 2, 7));
        assert!(dead.contains(s(10), 1, 8), "3 s after it came");
        assert!(!dead.contains(s(12), 1, 7) && !dead.contains(s(12), 1, 8));
    }

    #[test]
    fn a_long_silence_forgets_both_generations() {
        let mut dead = DeadNonces::default();
        dead.insert(s(1), 1, 7);
        assert!(!dead.contains(s(20), 1, 7));
    }

    #[test]
    fn it_stays_bounded() {
        let mut dead = DeadNonces::default();
        for nonce in 0..3 * MOST as u32 {
            dead.insert(s(1), 1, nonce);
        }
        assert!(dead.present.len() <= MOST && dead.before.len() <= MOST);
        assert!(dead.contains(s(1), 1, 3 * MOST as u32 - 1));
    }
}
