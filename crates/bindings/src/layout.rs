//! Sizes and offsets of structures, as in C and `repr(C)`.

use crate::parse::{Header, Scalar, Struct, Type};

/// Sizes and offsets of a structure's members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Size of the structure in bytes.
    pub size: usize,
    /// Alignment of the structure in bytes.
    pub align: usize,
    /// Offset of each member in bytes.
    pub offsets: Vec<usize>,
}

impl Layout {
    /// Returns the layout of a structure in `header`.
    ///
    /// # Errors
    ///
    /// A member has the type of a structure that the header does not declare.
    pub fn of(one: &Struct, header: &Header) -> Result<Layout, String> {
        let mut layout = Layout { size: 0, align: 1, offsets: Vec::new() };
        for member in &one.members {
            let (size, align) = match &member.kind {
                Type::Scalar(scalar) => (scalar.size(), scalar.size()),
                Type::Struct(name) => {
                    let inner = header.structs.iter().find(|inner| inner.name == *name);
                    let inner = inner.ok_or_else(|| {
                        format!(
                            "struct {name} of {}.{} is declared in another header",
                            one.name, member.name
                        )
                    })?;
                    let inner = Layout::of(inner, header)?;
                    (inner.size, inner.align)
                }
            };
            let offset = layout.size.next_multiple_of(align);
            layout.offsets.push(offset);
            layout.size = offset + size * member.array.unwrap_or(1);
            layout.align = layout.align.max(align);
        }
        layout.size = layout.size.next_multiple_of(layout.align);
        Ok(layout)
    }
}

impl Scalar {
    /// Returns the size in bytes, which is also the alignment.
    pub fn size(self) -> usize {
        match self {
            Scalar::U16 => 2,
            Scalar::U32 | Scalar::S32 => 4,
            Scalar::U64 | Scalar::S64 => 8,
        }
    }
}
