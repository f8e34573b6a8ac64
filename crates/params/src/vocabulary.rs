//! Names of parameters and their words that are known only at run time: variables of programs from
//! files, attributes of classes. Each distinct one is kept until the program ends, once: files that
//! are loaded again add nothing.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// Kept values of one type, each once.
struct Kept<T: 'static>(Mutex<BTreeSet<&'static T>>);

impl<T: Ord> Kept<T> {
    const fn new() -> Kept<T> {
        Kept(Mutex::new(BTreeSet::new()))
    }

    fn keep(&self, value: T) -> &'static T {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match all.get(&value) {
            Some(known) => known,
            None => {
                let kept: &'static T = Box::leak(Box::new(value));
                all.insert(kept);
                kept
            }
        }
    }
}

static WORDS: Kept<String> = Kept::new();
static LISTS: Kept<Vec<&'static str>> = Kept::new();

/// The kept form of a word: the name of a parameter, or one of its values.
pub fn word(text: &str) -> &'static str {
    WORDS.keep(text.to_owned())
}

/// The kept form of a list of words.
pub(crate) fn list(words: Vec<&'static str>) -> &'static Vec<&'static str> {
    LISTS.keep(words)
}
