//! Comparing texts and reading numbers (kernel/bpf/helpers.c `bpf_strncmp`, `__bpf_strtoull`;
//! lib/kstrtox.c).

use super::context::{Call, errno};
use crate::fault::Reason;

/// Most characters of a number.
const MOST_DIGITS: usize = 63;

/// `bpf_strncmp(a, size, b)`.
pub fn compare(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    let [a, _, b, ..] = *call.arguments;
    let size = call.short(1) as usize;
    let a = call.read(a, size)?;
    let b = call.text(b, size)?;
    let ended = |text: &[u8], at: usize| text.get(at).copied().unwrap_or(0);
    for at in 0..size {
        let a = ended(&a, at);
        let b = ended(&b, at);
        if a != b {
            return Ok(if a < b { -1_i64 as u64 } else { 1 });
        }
        if a == 0 {
            break;
        }
    }
    Ok(0)
}

/// A number at the beginning of a text: its magnitude, whether a minus stands before it, and the
/// characters it takes.
fn parse(text: &[u8], flags: u64) -> Result<(u64, bool, usize), u64> {
    let base = match flags {
        0 | 8 | 10 | 16 => flags as u32,
        _ => return Err(errno::INVALID),
    };
    let blanks = text.iter().take_while(|c| matches!(c, b' ' | 9..=13 | 0xa0)).count();
    let negative = text.get(blanks) == Some(&b'-');
    let sign = blanks + negative as usize;
    let number = &text[sign..];
    let number = &number[..number.len().min(MOST_DIGITS)];
    let hex = |at: usize| number.get(at).is_some_and(u8::is_ascii_hexdigit);
    let x = number.first() == Some(&b'0') && number.get(1).is_some_and(|c| c | 0x20 == b'x');
    let base = match base {
        0 if x && hex(2) => 16,
        0 if number.first() == Some(&b'0') => 8,
        0 => 10,
        base => base,
    };
    let skipped = if base == 16 && x { 2 } else { 0 };
    let digits = number[skipped..].iter().map_while(|c| (*c as char).to_digit(base));
    let mut value = Some(0_u64);
    let mut count = 0;
    for digit in digits {
        value = value.and_then(|value| value.checked_mul(base as u64)?.checked_add(digit as u64));
        count += 1;
    }
    match value {
        None => Err(errno::RANGE),
        Some(_) if count == 0 => Err(errno::INVALID),
        Some(value) => Ok((value, negative, sign + skipped + count)),
    }
}

/// Reads the number and leaves it where the last argument points. `range` gives its 64 bits, if it
/// has a place there.
fn parse_into(
    call: &mut Call<'_, '_>,
    range: fn(u64, bool) -> Result<u64, u64>,
) -> Result<u64, Reason> {
    let [text, _, flags, result, _] = *call.arguments;
    let size = call.arguments[1] as usize;
    let text = call.read(text, size)?;
    // The place is written in every case by the kernel's rules for arguments; here only with a
    // number.
    match parse(&text, flags)
        .and_then(|(value, negative, length)| Ok((range(value, negative)?, length)))
    {
        Ok((value, length)) => {
            call.write(result, &value.to_le_bytes())?;
            Ok(length as u64)
        }
        Err(error) => Ok(error),
    }
}

/// `bpf_strtol(text, size, base, result)`.
pub fn parse_signed(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    parse_into(call, |value, negative| {
        let signed = if negative { value.wrapping_neg() as i64 } else { value as i64 };
        if negative && signed > 0 || !negative && signed < 0 {
            Err(errno::RANGE)
        } else {
            Ok(signed as u64)
        }
    })
}

/// `bpf_strtoul(text, size, base, result)`.
pub fn parse_unsigned(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    parse_into(call, |value, negative| if negative { Err(errno::INVALID) } else { Ok(value) })
}
