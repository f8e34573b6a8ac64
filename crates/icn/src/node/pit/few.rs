//! Lists that mostly have one element.

/// A list whose first element is kept in place.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Few<T> {
    /// The others are looked at only if there are some: they are far from the beginning.
    several: bool,
    first: Option<T>,
    /// Empty while there is no first one.
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

    /// The first element for which `chosen` is true.
    pub(crate) fn find_mut(&mut self, chosen: impl Fn(&T) -> bool) -> Option<&mut T> {
        match &mut self.first {
            Some(first) if chosen(first) => Some(first),
            _ if self.several => self.more.iter_mut().find(|value| chosen(value)),
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

    /// Removes the first element for which `chosen` is true.
    pub(crate) fn remove(&mut self, chosen: impl Fn(&T) -> bool) -> Option<T> {
        if self.first.as_ref().is_some_and(&chosen) {
            let next = (self.several && !self.more.is_empty()).then(|| self.more.remove(0));
            return std::mem::replace(&mut self.first, next);
        }
        let at = if self.several { self.more.iter().position(chosen)? } else { return None };
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
