//! Texts with numbers in them: `bpf_snprintf`, `bpf_trace_printk`, `bpf_trace_vprintk`
//! (kernel/bpf/helpers.c `bpf_bprintf_prepare`, lib/vsprintf.c).

use super::context::{Call, errno};
use crate::fault::Reason;

/// Most numbers in one text (`MAX_BPRINTF_VARARGS`).
const MOST_VALUES: usize = 12;

/// Longest text of a line (`MAX_BPRINTF_BUF`).
const MOST_TEXT: usize = 1024;

/// A specification of a number.
#[derive(Clone, Copy, Debug, Default)]
struct Width {
    minus: bool,
    plus: bool,
    blank: bool,
    zero: bool,
    least: usize,
}

impl Width {
    fn pad(self, text: &str) -> String {
        let missing = self.least.min(MOST_TEXT).saturating_sub(text.len());
        let fill = |c: &str| c.repeat(missing);
        let sign = text.starts_with(['-', '+', ' ']) as usize;
        match self {
            Width { minus: true, .. } => format!("{text}{}", fill(" ")),
            Width { zero: true, .. } => format!("{}{}{}", &text[..sign], fill("0"), &text[sign..]),
            _ => format!("{}{text}", fill(" ")),
        }
    }

    fn signed(self, value: i64) -> String {
        let sign = if value < 0 {
            "-"
        } else if self.plus {
            "+"
        } else if self.blank {
            " "
        } else {
            ""
        };
        self.pad(&format!("{sign}{}", value.unsigned_abs()))
    }
}

/// The text that a format and values give, or an error as the kernel answers it.
fn format(
    call: &mut Call<'_, '_>,
    format: &[u8],
    values: &[u64],
) -> Result<Result<Vec<u8>, u64>, Reason> {
    let mut text = Vec::new();
    let mut values = values.iter().copied();
    let mut rest = format;
    let is_plain = |c: u8| c.is_ascii() && (c.is_ascii_whitespace() || !c.is_ascii_control());
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        if !is_plain(*first) {
            return Ok(Err(errno::INVALID));
        }
        if *first != b'%' {
            text.push(*first);
            continue;
        }
        if let [b'%', behind @ ..] = rest {
            text.push(b'%');
            rest = behind;
            continue;
        }
        let mut width = Width::default();
        while let [flag @ (b'0' | b'+' | b'-' | b' '), behind @ ..] = rest {
            match flag {
                b'0' => width.zero = true,
                b'+' => width.plus = true,
                b'-' => width.minus = true,
                _ => width.blank = true,
            }
            rest = behind;
        }
        while let [digit @ b'0'..=b'9', behind @ ..] = rest {
            width.least = width.least.saturating_mul(10).saturating_add((digit - b'0') as usize);
            rest = behind;
        }
        let Some(value) = values.next() else { return Ok(Err(errno::INVALID)) };
        match rest {
            [b'p', kind @ (b'i' | b'I'), size @ (b'4' | b'6'), behind @ ..] => {
                rest = behind;
                let bytes = call.read(value, if *size == b'4' { 4 } else { 16 })?;
                text.extend(address(&bytes, *kind == b'I').into_bytes());
            }
            [b'p', behind @ ..] => {
                rest = behind.strip_prefix(b"K").or(behind.strip_prefix(b"x")).unwrap_or(behind);
                if rest.first().is_some_and(u8::is_ascii_alphanumeric) {
                    return Ok(Err(errno::INVALID));
                }
                text.extend(width.pad(&format!("{value:016x}")).into_bytes());
            }
            [b's', behind @ ..] => {
                rest = behind;
                let string = call.text(value, MOST_TEXT)?;
                text.extend(width.pad(&String::from_utf8_lossy(&string)).into_bytes());
            }
            [b'c', behind @ ..] => {
                rest = behind;
                text.extend(width.pad("").bytes().skip(1).chain([value as u8]));
            }
            _ => {
                let (long, behind) = match rest {
                    [b'l', b'l', behind @ ..] | [b'l', behind @ ..] => (true, behind),
                    _ => (false, rest),
                };
                let Some((kind, behind)) = behind.split_first() else {
                    return Ok(Err(errno::INVALID));
                };
                rest = behind;
                let (signed, unsigned) = if long {
                    (value as i64, value)
                } else {
                    (value as i32 as i64, value as u32 as u64)
                };
                let number = match kind {
                    b'd' | b'i' => width.signed(signed),
                    b'u' => width.pad(&unsigned.to_string()),
                    b'x' => width.pad(&format!("{unsigned:x}")),
                    b'X' => width.pad(&format!("{unsigned:X}")),
                    _ => return Ok(Err(errno::INVALID)),
                };
                text.extend(number.into_bytes());
            }
        }
        call.context.charge(text.len())?;
    }
    Ok(Ok(text))
}

/// An Internet address, with the separators or without.
fn address(bytes: &[u8], separated: bool) -> String {
    match bytes.len() {
        4 if separated => bytes.iter().map(u8::to_string).collect::<Vec<_>>().join("."),
        4 => bytes.iter().map(|byte| format!("{byte:03}")).collect::<Vec<_>>().join("."),
        _ => {
            let groups: Vec<_> = bytes
                .chunks(2)
                .map(|pair| pair.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
                .collect();
            groups.join(if separated { ":" } else { "" })
        }
    }
}

/// The values of an array; an error for one that is too long or no array of 64-bit values.
fn array(call: &mut Call<'_, '_>, at: u64, size: usize) -> Result<Result<Vec<u64>, u64>, Reason> {
    if !size.is_multiple_of(8) || size > 8 * MOST_VALUES || size > 0 && at == 0 {
        return Ok(Err(errno::INVALID));
    }
    let bytes = call.read(at, size)?;
    Ok(Ok(bytes
        .chunks_exact(8)
        .map(|value| u64::from_le_bytes(value.try_into().expect("eight bytes")))
        .collect()))
}

/// `bpf_snprintf(text, size, format, values, values_size)`: the bytes of the whole text with its
/// zero.
pub fn into_memory(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    let [to, _, fmt, values, _] = *call.arguments;
    let size = call.short(1) as usize;
    let values_size = call.short(4) as usize;
    let values = match array(call, values, values_size)? {
        Ok(values) => values,
        Err(error) => return Ok(error),
    };
    let fmt = call.text(fmt, MOST_TEXT)?;
    let text = match format(call, &fmt, &values)? {
        Ok(text) => text,
        Err(error) => return Ok(error),
    };
    if size > 0 {
        let mut fitting = text[..text.len().min(size - 1)].to_vec();
        fitting.push(0);
        call.write(to, &fitting)?;
    }
    Ok(text.len() as u64 + 1)
}

fn print_line(
    call: &mut Call<'_, '_>,
    fmt: u64,
    size: usize,
    values: &[u64],
) -> Result<u64, Reason> {
    let fmt = call.read(fmt, size)?;
    let Some((0, fmt)) = fmt.split_last() else { return Ok(errno::INVALID) };
    let mut text = match format(call, fmt, values)? {
        Ok(text) => text,
        Err(error) => return Ok(error),
    };
    text.truncate(MOST_TEXT - 1);
    let line = String::from_utf8_lossy(&text);
    call.context.world.print(line.strip_suffix('\n').unwrap_or(&line));
    Ok(text.len() as u64)
}

/// `bpf_trace_printk(format, size, a, b, c)`.
pub fn print(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    let [fmt, _, values @ ..] = *call.arguments;
    print_line(call, fmt, call.short(1) as usize, &values)
}

/// `bpf_trace_vprintk(format, size, values, values_size)`.
pub fn print_array(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    let [fmt, _, values, ..] = *call.arguments;
    let values_size = call.short(3) as usize;
    match array(call, values, values_size)? {
        Ok(values) => print_line(call, fmt, call.short(1) as usize, &values),
        Err(error) => Ok(error),
    }
}
