//! PathLabel (RFC 9531): the hops that an Interest is to take, or that Data has taken.

use crate::number;
use crate::tlv::{Buffer, DecodeError, Element, Fault, Order, Reader, put_element, put_nested};
use narrows_wire::Labels;

/// PathLabelFlags: how a forwarder handles a path label (RFC 9531, section 3.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LabelFlags {
    /// 0: forwarders record the path.
    #[default]
    Discovery,
    /// 1: the path is followed where routes for it exist. Elsewhere the routes decide.
    Fallback,
    /// 2: the path is followed, or the Interest is refused.
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

/// A path label: flags, and the label of each hop. An Interest in discovery may count hops without
/// labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct PathLabel {
    /// How a forwarder handles the label.
    pub flags: LabelFlags,
    /// PathLabelHopCount and PathLabelBitmap.
    pub labels: Labels,
}

impl PathLabel {
    /// A label without hops.
    pub fn new(flags: LabelFlags) -> PathLabel {
        PathLabel { flags, labels: Labels::default() }
    }

    /// Decodes a PathLabel. Hops beyond the end of a short or empty bitmap have no labels.
    pub(super) fn decode(outer: &Element) -> Result<PathLabel, DecodeError> {
        let mut flags = LabelFlags::default();
        let mut hops = 0;
        let mut bitmap = None;
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
                    flags = LabelFlags::from_code(code)
                        .ok_or_else(|| element.fail(Fault::WrongValue))?;
                }
                2 => [hops] = element.octets()?,
                _ => bitmap = Some(element),
            }
        }
        let octets = bitmap.as_ref().map_or(&[][..], |element| element.value);
        let labels = Labels::from_bitmap(hops, octets)
            .ok_or_else(|| bitmap.unwrap_or(*outer).fail(Fault::WrongLength))?;
        Ok(PathLabel { flags, labels })
    }

    /// Appends a PathLabel.
    pub(super) fn write(&self, out: &mut (impl Buffer + ?Sized)) {
        put_nested(out, number::mircc::PATH_LABEL, |out| {
            put_element(out, number::mircc::LABEL_FLAGS, &[self.flags.code()]);
            put_element(out, number::mircc::LABEL_HOP_COUNT, &[self.labels.hops()]);
            put_element(out, number::mircc::LABEL_BITMAP, self.labels.bitmap());
        });
    }
}
