//! The contents of guests' datagrams that are on their way.

/// Contents by number. A packet has only the number: it stays as small as other packets.
#[derive(Debug, Default)]
pub(crate) struct Datagrams {
    kept: Vec<Box<[u8]>>,
    free: Vec<u32>,
}

impl Datagrams {
    /// Keeps a content until it is taken. Returns its number.
    pub(super) fn keep(&mut self, content: Box<[u8]>) -> u32 {
        match self.free.pop() {
            Some(number) => {
                self.kept[number as usize] = content;
                number
            }
            None => {
                self.kept.push(content);
                (self.kept.len() - 1) as u32
            }
        }
    }

    /// Takes a content out. Its number may be given to another one.
    pub(crate) fn take(&mut self, number: u64) -> Box<[u8]> {
        self.free.push(number as u32);
        std::mem::take(&mut self.kept[number as usize])
    }
}
