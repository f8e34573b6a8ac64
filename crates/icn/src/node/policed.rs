//! How Interests pass the police of their face.

use super::Node;
use crate::face_id::FaceId;
use crate::name::Name;
use crate::packet::{Class, Interest};
use narrows_units::Time;

impl<N: Name> Node<N> {
    /// True if an Interest from a policed face is more than the face may ask for, which is counted.
    pub(super) fn exceeds_its_rate(
        &mut self,
        now: Time,
        from: FaceId,
        interest: &Interest<N>,
    ) -> bool {
        let face = self.faces.face_mut(from);
        let Some(police) = &mut face.police else { return false };
        let exceeds = interest.class == Class::Primary && !police.admits(now);
        face.counters.policed += u64::from(exceeds);
        exceeds
    }
}
