//! Types that are made here, and not read.

use super::{Member, Strings, Type, TypeId, TypeKind, Types, Value};

/// Types in the making.
pub(crate) struct Writer {
    types: Vec<Type>,
    strings: Vec<u8>,
}

impl Writer {
    pub fn new() -> Writer {
        Writer { types: Vec::new(), strings: vec![0] }
    }

    fn string(&mut self, text: &str) -> u32 {
        if text.is_empty() {
            return 0;
        }
        let at = self.strings.len() as u32;
        self.strings.extend_from_slice(text.as_bytes());
        self.strings.push(0);
        at
    }

    /// Adds a type. Its number.
    pub fn add(&mut self, name: &str, kind: TypeKind) -> TypeId {
        let name = self.string(name);
        self.types.push(Type { name, kind });
        self.types.len() as TypeId
    }

    pub fn member(&mut self, name: &str, kind: TypeId, at: u32, bits: u32) -> Member {
        Member { name: self.string(name), kind, at, bits }
    }

    pub fn value(&mut self, name: &str, value: u64) -> Value {
        Value { name: self.string(name), value }
    }

    pub fn done(self) -> Types {
        Types { types: self.types, strings: Strings::new(&self.strings) }
    }
}
