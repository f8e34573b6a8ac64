//! The results of a replay.

use std::collections::BTreeMap;

/// Calls recorded in a kernel, and what became of them here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Calls decided again.
    pub calls: u64,
    /// Connections that they belong to.
    pub connections: u64,
    /// Calls for which there was no room to be recorded.
    pub missed: u64,
    /// Calls decided again that were not equal.
    pub unequal: u64,
    /// Equal calls that were so only one tick later: the tick came between
    /// the record and the program's own look at the clock.
    pub later: u64,
    /// The first that was not equal, in words.
    pub first: Option<String>,
    /// Calls that cannot be compared, by the callback: how many, and why.
    pub left: BTreeMap<String, (u64, String)>,
}

impl Tally {
    /// Remarks beside the counts, in words: calls that were equal one tick later, and
    /// those that cannot be compared. Empty if there is nothing.
    pub fn beside(&self) -> String {
        let one = |(callback, (count, why)): (&String, &(u64, String))| match count {
            0 => format!("{callback} ({why})"),
            1 => format!("1 call of {callback} ({why})"),
            count => format!("{count} calls of {callback} ({why})"),
        };
        let left = self.left.iter().map(one).collect::<Vec<_>>().join(", ");
        let later = (self.later > 0).then(|| format!("{} of them one tick later", self.later));
        let left = (!left.is_empty()).then(|| format!("not comparable: {left}"));
        later.into_iter().chain(left).collect::<Vec<_>>().join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beside_the_counts_is_told() {
        assert_eq!(Tally::default().beside(), "");
        let left = [("init", (0, "unseen")), ("set_state", (1, "maps")), ("ssthresh", (2, "maps"))];
        let left = left.map(|(name, (count, why))| (name.to_owned(), (count, why.to_owned())));
        let tally = Tally { later: 3, left: left.into(), ..Tally::default() };
        assert_eq!(
            tally.beside(),
            "3 of them one tick later; not comparable: init (unseen), 1 call of set_state (maps), 2 calls of ssthresh (maps)"
        );
    }
}
