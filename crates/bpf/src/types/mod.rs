//! Types in BTF, the format of Documentation/bpf/btf.rst: those of an object, those of a kernel,
//! and those of our own socket.

mod extension;
mod header;
mod members;
mod read;
mod resolve;
mod strings;
mod write;

pub(crate) use extension::{Extension, LineInfo, Relocation};
pub use members::Member as StructMember;
pub(crate) use strings::Strings;
pub(crate) use write::Writer;

/// The number of a type; 0 is `void`.
pub type TypeId = u32;

/// The types of an object, of a kernel, or of our socket.
#[derive(Clone, Debug, Default)]
pub struct Types {
    /// From 1 on.
    types: Vec<Type>,
    strings: Strings,
}

/// One type.
#[derive(Clone, Debug)]
pub(crate) struct Type {
    name: u32,
    pub kind: TypeKind,
}

/// The kind of a type, with its members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TypeKind {
    Void,
    /// `at`: the bit in which its value begins; 0 of all but the bitfields of old objects.
    Integer {
        size: u32,
        signed: bool,
        at: u8,
    },
    Pointer(TypeId),
    Array {
        element: TypeId,
        count: u32,
    },
    Composite {
        union: bool,
        size: u32,
        members: Box<[Member]>,
    },
    Enumeration {
        size: u32,
        /// As the compiler says; those before 2022 do not.
        signed: bool,
        values: Box<[Value]>,
    },
    Forward {
        union: bool,
    },
    Typedef(TypeId),
    /// `const`, `volatile`, `restrict`, or a tag of a type.
    Modifier(TypeId),
    Function(TypeId),
    Prototype {
        result: TypeId,
        parameters: Box<[TypeId]>,
    },
    Variable {
        kind: TypeId,
        /// Not `static`.
        global: bool,
    },
    Section(Box<[Placed]>),
    Float {
        size: u32,
    },
    /// A tag of a declaration.
    Tag,
}

/// A member of a structure or union.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    name: u32,
    pub kind: TypeId,
    /// Bits from the beginning.
    pub at: u32,
    /// Bits of a bitfield, else 0.
    pub bits: u32,
}

/// A constant of an enumeration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    name: u32,
    /// Of 32 bits sign-extended.
    pub value: u64,
}

/// A variable or function in a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    pub variable: TypeId,
    /// Of its first byte. Compilers leave 0 for what is not `static`: the symbol knows it.
    pub offset: u32,
    pub size: u32,
}

const VOID: Type = Type { name: 0, kind: TypeKind::Void };

impl Types {
    /// The type of a number; `None` if no type has it.
    pub(crate) fn get(&self, id: TypeId) -> Option<&Type> {
        match id {
            0 => Some(&VOID),
            _ => self.types.get(id as usize - 1),
        }
    }

    /// All, with their numbers.
    pub(crate) fn all(&self) -> impl Iterator<Item = (TypeId, &Type)> {
        (1..).zip(&self.types)
    }

    pub(crate) fn strings(&self) -> &Strings {
        &self.strings
    }

    /// The name of a type; empty if it has none.
    pub(crate) fn name(&self, of: &Type) -> &str {
        self.string(of.name)
    }

    pub(crate) fn member_name(&self, of: &Member) -> &str {
        self.string(of.name)
    }

    pub(crate) fn value_name(&self, of: &Value) -> &str {
        self.string(of.name)
    }

    /// All names were checked when the types were read.
    fn string(&self, offset: u32) -> &str {
        self.strings.name(offset).unwrap_or_default()
    }
}

impl TypeKind {
    /// `struct`, `enum` and so on, for messages.
    pub fn word(&self) -> &'static str {
        match self {
            TypeKind::Void => "void",
            TypeKind::Integer { .. } => "integer",
            TypeKind::Pointer(_) => "pointer",
            TypeKind::Array { .. } => "array",
            TypeKind::Composite { union: false, .. } | TypeKind::Forward { union: false } => {
                "struct"
            }
            TypeKind::Composite { union: true, .. } | TypeKind::Forward { union: true } => "union",
            TypeKind::Enumeration { .. } => "enum",
            TypeKind::Typedef(_) => "typedef",
            TypeKind::Modifier(_) => "qualified type",
            TypeKind::Function(_) => "function",
            TypeKind::Prototype { .. } => "prototype",
            TypeKind::Variable { .. } => "variable",
            TypeKind::Section(_) => "section",
            TypeKind::Float { .. } => "float",
            TypeKind::Tag => "tag",
        }
    }
}
