//! Numbers out of bytes that nobody has checked.

use crate::problem::Problem;

/// The rest of a section that is still to be read. Little-endian.
#[derive(Clone, Copy)]
pub(crate) struct Bytes<'a> {
    rest: &'a [u8],
    /// Names the section in errors.
    place: &'a str,
}

impl<'a> Bytes<'a> {
    pub fn new(place: &'a str, bytes: &'a [u8]) -> Bytes<'a> {
        Bytes { rest: bytes, place }
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next bytes.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], Problem> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or_else(|| self.ends_early())?;
        self.rest = rest;
        Ok(taken)
    }

    /// A part of what is left, which stays.
    pub fn part(&self, offset: u32, length: u32) -> Result<Bytes<'a>, Problem> {
        let offset = offset as usize;
        let length = length as usize;
        let part = self
            .rest
            .get(offset..)
            .and_then(|rest| rest.get(..length))
            .ok_or_else(|| self.ends_early())?;
        Ok(Bytes { rest: part, place: self.place })
    }

    pub fn u8(&mut self) -> Result<u8, Problem> {
        Ok(self.take(1)?[0])
    }

    pub fn u16(&mut self) -> Result<u16, Problem> {
        Ok(u16::from_le_bytes(self.take(2)?.try_into().expect("two bytes")))
    }

    pub fn u32(&mut self) -> Result<u32, Problem> {
        Ok(u32::from_le_bytes(self.take(4)?.try_into().expect("four bytes")))
    }

    /// All that is left.
    pub fn rest(self) -> &'a [u8] {
        self.rest
    }

    pub fn damaged(&self, reason: impl Into<String>) -> Problem {
        Problem::damaged(self.place, reason)
    }

    fn ends_early(&self) -> Problem {
        self.damaged("it ends within what it announces")
    }
}
