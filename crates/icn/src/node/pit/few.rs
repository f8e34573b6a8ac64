//! A list that stores one element without the heap: most PIT entries have one record.

/// A list that stores its first element inline and the others on the heap.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Few<T> {
    /// False only if `more` is empty; it may stay true after removals. A list of one element is
    /// read without `more`, which may lie in another cache line.
    several: bool,
    first: Option<T>,
    /// The elements after the first. Empty if there is no first one.
    more: Vec<T>,
}

impl<T> Few<T> {
    pub(crate) fn new() -> Few<T> {
        Few { several: false, first: None, more: Vec::new() }
    }

    pub(crate) fn first(&self) -> Option<&T> {
        self.first.as_ref()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.first.iter().chain(if self.several { &self.more[..] } else { &[] })
    }

    /// The first element that matches `predicate`.
    pub(crate) fn find_mut(&mut self, predicate: impl Fn(&T) -> bool) -> Option<&mut T> {
        match &mut self.first {
            Some(first) if predicate(first) => Some(first),
            _ if self.several => self.more.iter_mut().find(|value| predicate(value)),
            _ => None,
        }
    }

    pub(crate) fn push(&mut self, value: T) {
        if self.first.is_none() {
            self.first = Some(value);
        } else {
            self.several = true;
            self.more.push(value);
        }
    }

    /// Removes the first element that matches `predicate`, and returns it. The others keep their
    /// order.
    pub(crate) fn remove(&mut self, predicate: impl Fn(&T) -> bool) -> Option<T> {
        if self.first.as_ref().is_some_and(&predicate) {
            let next = (self.several && !self.more.is_empty()).then(|| self.more.remove(0));
            return std::mem::replace(&mut self.first, next);
        }
        let at = if self.several { self.more.iter().position(predicate)? } else { return None };
        Some(self.more.remove(at))
    }

    pub(crate) fn clear(&mut self) {
        self.first = None;
        if std::mem::take(&mut self.several) {
            self.more.clear();
        }
    }

    /// Takes all elements, in order.
    pub(crate) fn into_iter(self) -> impl Iterator<Item = T> {
        self.first.into_iter().chain(self.more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Against a vector.
        #[test]
        fn it_has_what_a_vector_has(steps in prop::collection::vec((0u8..6, any::<bool>()), 0..40)) {
            let mut few = Few::new();
            let mut all = Vec::new();
            for (value, push) in steps {
                if push {
                    few.push(value);
                    all.push(value);
                } else {
                    let at = all.iter().position(|other| *other == value);
                    prop_assert_eq!(few.remove(|other| *other == value), at.map(|at| all.remove(at)));
                }
                prop_assert!(few.iter().eq(&all) && few.first() == all.first());
            }
            prop_assert!(few.into_iter().eq(all));
        }
    }
}
