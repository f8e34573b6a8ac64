//! The number of a face.

/// One of a node's faces, numbered from 0 in the order in which they were added. The number of a
/// removed face is given again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FaceId(pub u32);

impl FaceId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}
