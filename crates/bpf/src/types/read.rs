//! `.BTF` to [`Types`]. The numbers of kinds and the layout of each are those of
//! include/uapi/linux/btf.h.

use super::header::Header;
use super::{Member, Placed, Strings, Type, TypeKind, Types, Value};
use crate::bytes::Bytes;
use crate::problem::Problem;

impl Types {
    /// The types in the bytes of a section, whose name is for errors.
    ///
    /// # Errors
    ///
    /// If the bytes are not whole, or a type names a kind, a string or another type that does not
    /// exist.
    pub fn read(place: &str, bytes: &[u8]) -> Result<Types, Problem> {
        let Header { parts: mut header, body, .. } = Header::read(place, bytes)?;
        let types_at = header.u32()?;
        let types_length = header.u32()?;
        let strings_at = header.u32()?;
        let strings_length = header.u32()?;
        let strings = Strings::new(body.part(strings_at, strings_length)?.rest());
        let mut rest = body.part(types_at, types_length)?;
        let mut types = Types { types: Vec::new(), strings };
        while !rest.is_empty() {
            let one = types.one(&mut rest)?;
            types.types.push(one);
        }
        types.check(&rest)?;
        Ok(types)
    }

    fn one(&self, rest: &mut Bytes) -> Result<Type, Problem> {
        let name = rest.u32()?;
        let info = rest.u32()?;
        let third = rest.u32()?;
        self.checked(name, rest)?;
        let count = info & 0xffff;
        let flag = info >> 31 == 1;
        let kind = match info >> 24 & 0x1f {
            1 => {
                let how = rest.u32()?;
                TypeKind::Integer { size: third, signed: how >> 24 & 1 == 1, at: (how >> 16) as u8 }
            }
            2 => TypeKind::Pointer(third),
            3 => {
                let element = rest.u32()?;
                rest.u32()?;
                TypeKind::Array { element, count: rest.u32()? }
            }
            kind @ (4 | 5) => TypeKind::Composite {
                union: kind == 5,
                size: third,
                members: self.parts(count, flag, rest)?,
            },
            6 => {
                let value = |rest: &mut Bytes| {
                    let name = self.named(rest)?;
                    let value = rest.u32()?;
                    // Whether they can be negative, older compilers do not say: libbpf takes all
                    // for signed.
                    Ok(Value { name, value: value as i32 as u64 })
                };
                TypeKind::Enumeration {
                    size: third,
                    signed: flag,
                    values: several(count, rest, value)?,
                }
            }
            7 => TypeKind::Forward { union: flag },
            8 => TypeKind::Typedef(third),
            9 | 10 | 11 | 18 => TypeKind::Modifier(third),
            12 => TypeKind::Function(third),
            13 => {
                let parameter = |rest: &mut Bytes| self.named(rest).and_then(|_| rest.u32());
                TypeKind::Prototype { result: third, parameters: several(count, rest, parameter)? }
            }
            14 => TypeKind::Variable { kind: third, global: rest.u32()? != 0 },
            15 => {
                let placed = |rest: &mut Bytes| {
                    Ok(Placed { variable: rest.u32()?, offset: rest.u32()?, size: rest.u32()? })
                };
                TypeKind::Section(several(count, rest, placed)?)
            }
            16 => TypeKind::Float { size: third },
            17 => rest.u32().map(|_| TypeKind::Tag)?,
            19 => {
                let value = |rest: &mut Bytes| {
                    let name = self.named(rest)?;
                    let low = rest.u32()?;
                    let high = rest.u32()?;
                    Ok(Value { name, value: (high as u64) << 32 | low as u64 })
                };
                TypeKind::Enumeration {
                    size: third,
                    signed: flag,
                    values: several(count, rest, value)?,
                }
            }
            other => {
                let number = self.types.len() + 1;
                let reason = format!(
                    "type {number} is of kind {other}, which is unknown here (known are 1 to 19)"
                );
                return Err(rest.damaged(reason));
            }
        };
        Ok(Type { name, kind })
    }

    fn parts(
        &self,
        count: u32,
        bitfields: bool,
        rest: &mut Bytes,
    ) -> Result<Box<[Member]>, Problem> {
        several(count, rest, |rest| {
            let name = self.named(rest)?;
            let kind = rest.u32()?;
            let at = rest.u32()?;
            let (at, bits) = if bitfields { (at & 0xff_ffff, at >> 24) } else { (at, 0) };
            Ok(Member { name, kind, at, bits })
        })
    }

    /// The next number, which is a name's.
    fn named(&self, rest: &mut Bytes) -> Result<u32, Problem> {
        let name = rest.u32()?;
        self.checked(name, rest)?;
        Ok(name)
    }

    fn checked(&self, name: u32, rest: &Bytes) -> Result<(), Problem> {
        match self.strings.name(name) {
            Some(_) => Ok(()),
            None => Err(rest
                .damaged(format!("no name of at most 511 bytes stands at {name} of its strings"))),
        }
    }

    /// That each type that is named exists.
    fn check(&self, place: &Bytes) -> Result<(), Problem> {
        for (number, one) in self.all() {
            let missing = |id: u32| (id as usize > self.types.len()).then_some(id);
            let missing = match &one.kind {
                TypeKind::Void
                | TypeKind::Integer { .. }
                | TypeKind::Enumeration { .. }
                | TypeKind::Forward { .. }
                | TypeKind::Float { .. }
                | TypeKind::Tag => None,
                TypeKind::Pointer(kind)
                | TypeKind::Typedef(kind)
                | TypeKind::Modifier(kind)
                | TypeKind::Function(kind) => missing(*kind),
                TypeKind::Array { element: kind, .. } | TypeKind::Variable { kind, .. } => {
                    missing(*kind)
                }
                TypeKind::Composite { members, .. } => {
                    members.iter().find_map(|member| missing(member.kind))
                }
                TypeKind::Prototype { result, parameters } => {
                    parameters.iter().chain([result]).find_map(|kind| missing(*kind))
                }
                TypeKind::Section(placed) => {
                    placed.iter().find_map(|placed| missing(placed.variable))
                }
            };
            if let Some(missing) = missing {
                let reason = format!(
                    "type {number}, {} \"{}\", names type {missing} of {}",
                    one.kind.word(),
                    self.name(one),
                    self.types.len()
                );
                return Err(place.damaged(reason));
            }
        }
        Ok(())
    }
}

/// So many of what `one` reads. Nothing is reserved: the count may be a lie.
fn several<T>(
    count: u32,
    rest: &mut Bytes,
    one: impl Fn(&mut Bytes) -> Result<T, Problem>,
) -> Result<Box<[T]>, Problem> {
    (0..count).map(|_| one(rest)).collect()
}
