//! Mutations of texts: of bytes, lines, keys, values and quantities.

use crate::torture::draw::Draw;
use narrows_units::Random;

/// Columns of a very long line.
const WIDE: usize = 70_001;
/// Depth of brackets that could overflow the stack of a recursive parser.
const DEEP: usize = 20_000;

/// Replacements for values.
const VALUES: [&str; 44] = [
    "",
    "0",
    "-1",
    "1e308",
    "nan",
    "inf",
    "-inf",
    "true",
    "[]",
    "{}",
    "[[]]",
    "\"\"",
    "\" \"",
    "\"-\"",
    "\"NaN s\"",
    "\"inf Mbit/s\"",
    "\"-5 ms\"",
    "\"0 s\"",
    "\"0 bit/s\"",
    "\"0 B\"",
    "\"1 ns\"",
    "\"1 us\"",
    "\"1 h\"",
    "\"999999999 h\"",
    "\"1 bit/s\"",
    "\"12000 Gbit/s\"",
    "\"999999999999 Gbit/s\"",
    "\"1 B\"",
    "\"999999999 TB\"",
    "\"1e9 s\"",
    "\"0x10 ms\"",
    "\"0.0000000000000000000001 s\"",
    "\"18446744073709551615 ns\"",
    "\"18446744073709551616 bit/s\"",
    "\"0.000000001 bdp\"",
    "\"4294967296 packets\"",
    "\"unlimited\"",
    "9223372036854775807",
    "-9223372036854775808",
    "1979-05-27T07:32:00Z",
    "'''\n\n'''",
    "\"/dev/zero\"",
    "\"/etc/passwd\"",
    "\"../../x\"",
];

/// Control characters for terminals, and characters that are rarely typed.
const CHARACTERS: [char; 14] = [
    '\0', '\u{1b}', '\u{7}', '\u{8}', '\u{9b}', '\u{202e}', '\u{200b}', '\u{feff}', 'µ', '🐢', '"',
    '\\', '\r', '\u{7f}',
];

/// Mutates a text in one to three ways.
pub fn mutated(text: &str, random: &mut Random) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + random.below(2) * random.between(1, 2) {
        bytes = match String::from_utf8(bytes) {
            Ok(text) => change(text, random),
            Err(error) => raw(error.into_bytes(), random),
        };
    }
    bytes
}

fn change(text: String, random: &mut Random) -> Vec<u8> {
    match random.below(16) {
        0 => raw(text.into_bytes(), random),
        1 => lines(&text, random).into_bytes(),
        2 | 3 => value(&text, random).into_bytes(),
        4..=11 => number(&text, random).into_bytes(),
        12 => key(&text, random).into_bytes(),
        13 => character(&text, random).into_bytes(),
        14 => unit(&text, random).into_bytes(),
        _ => monster(&text, random).into_bytes(),
    }
}

/// Changes, inserts or removes a byte, or cuts off the end.
fn raw(mut bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
    let place = random.below(bytes.len() as u64 + 1) as usize;
    match random.below(4) {
        0 if place < bytes.len() => bytes[place] ^= 1 << random.below(8),
        1 => bytes.insert(place, random.below(256) as u8),
        2 if place < bytes.len() => {
            bytes.remove(place);
        }
        _ => bytes.truncate(place),
    }
    bytes
}

/// Removes or repeats a line, or swaps two.
fn lines(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    if lines.is_empty() {
        return String::new();
    }
    let (one, other) =
        (random.below(lines.len() as u64) as usize, random.below(lines.len() as u64) as usize);
    match random.below(3) {
        0 => {
            lines.remove(one);
        }
        1 => lines.insert(other, lines[one]),
        _ => lines.swap(one, other),
    }
    lines.join("\n") + "\n"
}

/// Replaces a value by another one, or by another key's value.
fn value(text: &str, random: &mut Random) -> String {
    let own = |line: &&str| line.contains(" = ");
    let others: Vec<&str> = text
        .lines()
        .filter(own)
        .filter_map(|line| line.split_once(" = "))
        .map(|(_, value)| value)
        .collect();
    if others.is_empty() {
        return text.to_owned();
    }
    let new = if random.chance(0.7) { random.pick(&VALUES) } else { random.pick(&others) };
    replace_line(text, random, &own, |line| {
        let (key, _) = line.split_once(" = ").unwrap_or((line, ""));
        format!("{key} = {new}")
    })
}

/// Replaces a number.
fn number(text: &str, random: &mut Random) -> String {
    let starts: Vec<usize> = text
        .char_indices()
        .filter(|(at, c)| {
            c.is_ascii_digit() && !text[..*at].ends_with(|c: char| c.is_ascii_digit() || c == '.')
        })
        .map(|(at, _)| at)
        .collect();
    if starts.is_empty() {
        return text.to_owned();
    }
    let start = random.pick(&starts);
    let length =
        text[start..].find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len() - start);
    let old = &text[start..start + length];
    let new = match random.below(16) {
        0 => "0".to_owned(),
        1 => format!("-{old}"),
        2 => format!("{old}{}", "0".repeat(random.between(1, 20) as usize)),
        3 | 8 => format!("{old}{}", "0".repeat(random.between(1, 4) as usize)),
        9 | 10 => format!("0.{}{old}", "0".repeat(random.below(12) as usize)),
        11 => "1".to_owned(),
        12 => random.below(100).to_string(),
        13 => random.below(100_000).to_string(),
        14 => format!("{old}1"),
        4 => "nan".to_owned(),
        5 => "9".repeat(random.between(5, 400) as usize),
        6 => format!("{old}.{old}.{old}"),
        _ => random.bits().to_string(),
    };
    format!("{}{new}{}", &text[..start], &text[start + length..])
}

/// Misspells a key, or replaces it by another one.
fn key(text: &str, random: &mut Random) -> String {
    let own = |line: &&str| line.contains(" = ");
    let keys: Vec<&str> =
        text.lines().filter_map(|line| line.split_once(" = ")).map(|(key, _)| key).collect();
    if keys.is_empty() {
        return text.to_owned();
    }
    let (other, misspelt) = (random.pick(&keys), random.chance(0.5));
    replace_line(text, random, &own, |line| {
        let (key, value) = line.split_once(" = ").unwrap_or((line, ""));
        if misspelt { format!("{key}x = {value}") } else { format!("{other} = {value}") }
    })
}

fn character(text: &str, random: &mut Random) -> String {
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let (place, character) = (random.pick(&places), random.pick(&CHARACTERS));
    // The character itself, or its escape sequence in TOML.
    let written = if random.chance(0.5) {
        character.to_string()
    } else {
        format!("\\u{:04X}", u32::from(character) & 0xffff)
    };
    format!("{}{written}{}", &text[..place], &text[place..])
}

fn unit(text: &str, random: &mut Random) -> String {
    const UNITS: [&str; 16] = [
        " ns\"",
        " us\"",
        " ms\"",
        " s\"",
        " h\"",
        " bit/s\"",
        " kbit/s\"",
        " Gbit/s\"",
        " GB/s\"",
        " B\"",
        " TB\"",
        " packets\"",
        " bdp\"",
        " %\"",
        "/s\"",
        "\"",
    ];
    let (from, to) = (random.pick(&UNITS[..13]), random.pick(&UNITS));
    let places: Vec<usize> = text.match_indices(from).map(|(at, _)| at).collect();
    if places.is_empty() {
        return text.to_owned();
    }
    let place = random.pick(&places);
    format!("{}{to}{}", &text[..place], &text[place + from.len()..])
}

/// Makes a very long line, very deep brackets, or very many tables.
fn monster(text: &str, random: &mut Random) -> String {
    let own = |line: &&str| line.contains(" = ");
    match random.below(4) {
        0 => replace_line(text, random, &own, |line| {
            line.replacen(" = ", &format!(" ={}", " ".repeat(WIDE)), 1)
        }),
        1 => replace_line(text, random, &own, |line| format!("{line} # {}", "x".repeat(WIDE))),
        2 => format!("deep = {}\n{text}", "[".repeat(DEEP)),
        _ => format!("{text}\n{}", "[[link]]\n".repeat(2_000)),
    }
}

/// Replaces a random line among those for which `own` is true.
fn replace_line(
    text: &str,
    random: &mut Random,
    own: &dyn Fn(&&str) -> bool,
    new: impl Fn(&str) -> String,
) -> String {
    let count = text.lines().filter(own).count() as u64;
    let chosen = random.below(count);
    let mut seen = 0;
    let lines = text.lines().map(|line| {
        let is_own = own(&line);
        seen += u64::from(is_own);
        if is_own && seen == chosen + 1 { new(line) } else { line.to_owned() }
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}
