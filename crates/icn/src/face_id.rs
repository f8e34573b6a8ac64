//! The number of a face.

/// Identifies a face of a node. Faces are numbered from 0 in the order in which they are added. The
/// number of a removed face is used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FaceId(pub u32);

impl FaceId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}
