//! `.BTF.ext`: which instruction comes from which line, and which is to be relocated.

use super::Strings;
use super::header::Header;
use crate::bytes::Bytes;
use crate::problem::Problem;

/// The place in the source of an instruction (`struct bpf_line_info`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineInfo {
    /// Bytes from the beginning of the section.
    pub offset: u32,
    pub file: u32,
    pub text: u32,
    pub line: u32,
    pub column: u32,
}

/// A relocation against types (`struct bpf_core_relo`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relocation {
    /// Bytes from the beginning of the section.
    pub offset: u32,
    /// The root of the path.
    pub root: u32,
    /// The path, a string: `0:1:2`.
    pub path: u32,
    /// `BPF_CORE_*`.
    pub kind: u32,
}

/// All of `.BTF.ext`, by the names of sections.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extension {
    pub lines: Vec<(String, Vec<LineInfo>)>,
    pub relocations: Vec<(String, Vec<Relocation>)>,
}

impl Extension {
    /// # Errors
    ///
    /// If the bytes are not whole, or name a string that does not exist.
    pub fn read(place: &str, bytes: &[u8], strings: &Strings) -> Result<Extension, Problem> {
        let Header { length, parts: mut header, body } = Header::read(place, bytes)?;
        header.take(8)?;
        let lines = body.part(header.u32()?, header.u32()?)?;
        // The header of compilers before 2019 has no relocations.
        let relocations =
            if length >= 32 { body.part(header.u32()?, header.u32()?)? } else { body.part(0, 0)? };
        let line = |one: &mut Bytes| {
            let offset = one.u32()?;
            let file = one.u32()?;
            let text = one.u32()?;
            let place = one.u32()?;
            Ok(LineInfo { offset, file, text, line: place >> 10, column: place & 0x3ff })
        };
        let relocation = |one: &mut Bytes| {
            Ok(Relocation {
                offset: one.u32()?,
                root: one.u32()?,
                path: one.u32()?,
                kind: one.u32()?,
            })
        };
        Ok(Extension {
            lines: sections(lines, strings, line)?,
            relocations: sections(relocations, strings, relocation)?,
        })
    }
}

/// The size of a record, then for each section its name, the number of its records, and these.
fn sections<T>(
    mut rest: Bytes,
    strings: &Strings,
    one: impl Fn(&mut Bytes) -> Result<T, Problem>,
) -> Result<Vec<(String, Vec<T>)>, Problem> {
    let mut all = Vec::new();
    if rest.is_empty() {
        return Ok(all);
    }
    let size = rest.u32()?;
    if size < 16 {
        return Err(rest.damaged(format!("its records have {size} bytes; they have at least 16")));
    }
    while !rest.is_empty() {
        let name = rest.u32()?;
        let count = rest.u32()?;
        let name = strings.name(name).ok_or_else(|| {
            rest.damaged(format!("no name of a section stands at {name} of the strings of .BTF"))
        })?;
        let mut records = Vec::new();
        for _ in 0..count {
            // Later versions may make records longer.
            let mut record = rest.part(0, size)?;
            records.push(one(&mut record)?);
            rest.take(size as usize)?;
        }
        all.push((name.to_owned(), records));
    }
    Ok(all)
}
