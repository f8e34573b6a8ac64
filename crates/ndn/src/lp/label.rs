//! Path labels (RFC 9531): a stack of next hops, 12 bits each.

use crate::number;
use crate::tlv::{Buffer, DecodeError, Element, Fault, Order, Reader, put_element, put_nested};

/// A face of a forwarder in a path label: 1 to 4095.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(u16);

impl Label {
    /// The label of this number; `None` for 0, which is no label, and above 4095.
    pub fn new(number: u16) -> Option<Label> {
        matches!(number, 1..=0xFFF).then_some(Label(number))
    }

    /// The number.
    pub fn get(self) -> u16 {
        self.0
    }
}

/// PathLabelFlags: how a forwarder treats a path label (RFC 9531, section 3.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LabelFlags {
    /// 0: forwarders write down the path.
    #[default]
    Discovery,
    /// 1: the path is followed where the routes have it; where not, the routes decide.
    Fallback,
    /// 2: the path is followed, or the Interest refused.
    Strict,
}

impl LabelFlags {
    fn code(self) -> u8 {
        match self {
            LabelFlags::Discovery => 0,
            LabelFlags::Fallback => 1,
            LabelFlags::Strict => 2,
        }
    }

    fn from_code(code: u8) -> Option<LabelFlags> {
        match code {
            0 => Some(LabelFlags::Discovery),
            1 => Some(LabelFlags::Fallback),
            2 => Some(LabelFlags::Strict),
            _ => None,
        }
    }
}

/// A path label: flags, hop count, and one slot of 12 bits for each hop. Slot 0 is the hop next to the responder, and the most significant bit comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct PathLabel {
    flags: LabelFlags,
    hops: u8,
    bitmap: Bitmap,
}

/// Up to 64 octets, of which 63 hold 42 slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bitmap([u8; 64]);

impl Default for Bitmap {
    fn default() -> Bitmap {
        Bitmap([0; 64])
    }
}

impl PathLabel {
    /// The hops that fit.
    pub const MAX_HOPS: usize = 42;

    /// A label without hops.
    pub fn new(flags: LabelFlags) -> PathLabel {
        PathLabel { flags, ..PathLabel::default() }
    }

    /// The flags.
    pub fn flags(&self) -> LabelFlags {
        self.flags
    }

    /// The same hops with other flags.
    #[must_use]
    pub fn with_flags(self, flags: LabelFlags) -> PathLabel {
        PathLabel { flags, ..self }
    }

    /// PathLabelHopCount. An Interest in discovery counts hops without writing any.
    pub fn hops(&self) -> u8 {
        self.hops
    }

    /// Counts one more hop without writing it, as forwarders do with an Interest in discovery. The count stops at 255.
    pub fn count_hop(&mut self) {
        self.hops = self.hops.saturating_add(1);
    }

    /// The label in `slot`; `None` if there is none.
    pub fn slot(&self, slot: usize) -> Option<Label> {
        if slot >= usize::from(self.hops).min(Self::MAX_HOPS) {
            return None;
        }
        let at = slot * 12 / 8;
        let pair = u16::from_be_bytes([self.bitmap.0[at], self.bitmap.0[at + 1]]);
        Label::new(if slot.is_multiple_of(2) { pair >> 4 } else { pair & 0xFFF })
    }

    /// The label of the topmost hop, which is the next one on the way up.
    pub fn top(&self) -> Option<Label> {
        self.slot(usize::from(self.hops).checked_sub(1)?)
    }

    /// Adds a hop on top: the face that Data came in on. False, and nothing changes, if none fits.
    pub fn push(&mut self, label: Label) -> bool {
        let slot = usize::from(self.hops);
        if slot >= Self::MAX_HOPS {
            return false;
        }
        self.set(slot, label.0);
        self.hops += 1;
        true
    }

    /// Takes the topmost hop off; `None` if there is none, or if it is no label.
    pub fn pop(&mut self) -> Option<Label> {
        let top = self.top();
        self.hops = self.hops.saturating_sub(1);
        if usize::from(self.hops) < Self::MAX_HOPS {
            self.set(usize::from(self.hops), 0);
        }
        top
    }

    fn set(&mut self, slot: usize, label: u16) {
        let at = slot * 12 / 8;
        let [first, second] = label.to_be_bytes();
        let octets = &mut self.bitmap.0[at..at + 2];
        if slot.is_multiple_of(2) {
            octets[0] = first << 4 | second >> 4;
            octets[1] = octets[1] & 0x0F | second << 4;
        } else {
            octets[0] = octets[0] & 0xF0 | first;
            octets[1] = second;
        }
    }

    /// The octets of the slots that the hop count names.
    fn bitmap(&self) -> &[u8] {
        &self.bitmap.0[..(usize::from(self.hops).min(Self::MAX_HOPS) * 12).div_ceil(8)]
    }

    /// The label that `outer` is. A bitmap that is shorter than its hops, or empty, has no labels in the rest.
    pub(super) fn decode(outer: &Element) -> Result<PathLabel, DecodeError> {
        let mut label = PathLabel::default();
        let mut order = Order::default();
        for element in Reader::within(outer) {
            let element = element?;
            let place = match element.number {
                number::mircc::LABEL_FLAGS => 1,
                number::mircc::LABEL_HOP_COUNT => 2,
                number::mircc::LABEL_BITMAP => 3,
                _ => 0,
            };
            if !order.admits(place, &element)? {
                continue;
            }
            match place {
                1 => {
                    let [code] = element.octets()?;
                    label.flags = LabelFlags::from_code(code).ok_or_else(|| element.fail(Fault::WrongValue))?;
                }
                2 => [label.hops] = element.octets()?,
                _ => {
                    let room = label.bitmap.0.get_mut(..element.value.len()).ok_or_else(|| element.fail(Fault::WrongLength))?;
                    room.copy_from_slice(element.value);
                }
            }
        }
        label.clear_unused();
        Ok(label)
    }

    /// Clears what lies behind the last hop, so that labels of the same hops are equal.
    fn clear_unused(&mut self) {
        let hops = usize::from(self.hops).min(Self::MAX_HOPS);
        if hops < Self::MAX_HOPS && !hops.is_multiple_of(2) {
            self.set(hops, 0);
        }
        let used = self.bitmap().len();
        self.bitmap.0[used..].fill(0);
    }

    /// Appends a PathLabel.
    pub(super) fn write(&self, out: &mut (impl Buffer + ?Sized)) {
        put_nested(out, number::mircc::PATH_LABEL, |out| {
            put_element(out, number::mircc::LABEL_FLAGS, &[self.flags.code()]);
            put_element(out, number::mircc::LABEL_HOP_COUNT, &[self.hops]);
            put_element(out, number::mircc::LABEL_BITMAP, self.bitmap());
        });
    }
}
