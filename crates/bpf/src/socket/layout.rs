//! Where the members of structures lie, by the rules of C on a machine of 64 bits, computed while
//! we are compiled.

/// An integer of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Integer {
    /// As the header names it.
    pub name: &'static str,
    /// Bytes.
    pub size: u32,
    /// Whether it can be negative.
    pub signed: bool,
}

/// The type of a member.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MemberType {
    Integer(Integer),
    /// Of as many elements.
    Array(&'static MemberType, u32),
    Structure(&'static Structure),
    /// To a function: its result, and its parameters in C.
    Function(&'static str, &'static str),
}

/// A member of a structure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub name: &'static str,
    pub kind: MemberType,
    /// Bits, if it is a bitfield; else 0.
    pub bits: u32,
    /// Whether programs may write it.
    pub writable: bool,
    /// Whether it is kept only for programs that name it.
    pub detail: bool,
}

/// `struct name { members }`; without a name if it is declared where it is used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Structure {
    pub name: &'static str,
    pub members: &'static [Member],
}

/// A place in a structure, in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    /// From its beginning.
    pub at: u32,
    /// Width.
    pub bits: u32,
}

impl MemberType {
    /// Bytes.
    pub const fn size(&self) -> u32 {
        match self {
            MemberType::Integer(integer) => integer.size,
            MemberType::Array(element, count) => element.size() * *count,
            MemberType::Structure(structure) => structure.size(),
            MemberType::Function(..) => 8,
        }
    }

    /// Bytes of whose multiple its address is.
    const fn alignment(&self) -> u32 {
        match self {
            MemberType::Integer(integer) => integer.size,
            MemberType::Array(element, _) => element.alignment(),
            MemberType::Structure(structure) => structure.alignment(),
            MemberType::Function(..) => 8,
        }
    }
}

impl Structure {
    /// Where the member of this index lies.
    pub const fn extent(&self, index: usize) -> Extent {
        let mut end = 0;
        let mut each = 0;
        loop {
            let member = &self.members[each];
            let unit = 8 * member.kind.alignment();
            let bits = if member.bits > 0 { member.bits } else { 8 * member.kind.size() };
            let fits = member.bits > 0 && end % unit + bits <= unit;
            let at = if fits { end } else { u32::div_ceil(end, unit) * unit };
            if each == index {
                return Extent { at, bits };
            }
            end = at + bits;
            each += 1;
        }
    }

    /// Bytes.
    pub const fn size(&self) -> u32 {
        let last = self.extent(self.members.len() - 1);
        u32::div_ceil(last.at + last.bits, 8 * self.alignment()) * self.alignment()
    }

    const fn alignment(&self) -> u32 {
        let mut most = 1;
        let mut index = 0;
        while index < self.members.len() {
            let one = self.members[index].kind.alignment();
            most = if one > most { one } else { most };
            index += 1;
        }
        most
    }
}
