//! Colours, dashes and markers of the cases that figures and pages show. Colour is never the only
//! difference between two cases.

/// Number of colours of cases.
pub const COLOURS: usize = CASES.len();

/// The colours of cases on white paper.
pub const CASES: [Rgb; 7] = [
    [0x00, 0x72, 0xb2],
    [0xd5, 0x5e, 0x00],
    [0x00, 0x9e, 0x73],
    [0xa3, 0x56, 0x8a],
    [0x8a, 0x6d, 0x00],
    [0x3b, 0x9b, 0xd6],
    [0x3d, 0x44, 0x4d],
];

/// Colours of values that rise from zero.
pub const HEAT: [Rgb; 3] = [[0xee, 0xf4, 0xfa], [0x9e, 0xca, 0xe1], [0x08, 0x30, 0x6b]];

/// Colours of values around a fair middle: good, fair, bad.
pub const FAIR: [Rgb; 3] = [[0x21, 0x66, 0xac], [0xf2, 0xf0, 0xea], [0xb2, 0x18, 0x2b]];

/// Text.
pub const INK: Rgb = [0x1b, 0x1f, 0x24];
/// Secondary text.
pub const SOFT: Rgb = [0x59, 0x62, 0x6e];
/// Lines of a grid.
pub const LINE: Rgb = [0xd6, 0xdb, 0xe1];

/// Red, green and blue, from 0 to 255.
pub type Rgb = [u8; 3];

/// Dashes of the lines of one colour: lengths of strokes and gaps in pixels. The script of the
/// pages has the same list.
const DASHES: [&[u32]; 9] = [
    &[],
    &[6, 2],
    &[8, 4],
    &[1, 4],
    &[2, 3],
    &[5, 2, 1, 2],
    &[8, 3, 2, 3],
    &[4, 4, 1, 4],
    &[12, 4],
];

/// All dashes, in the order of use.
pub fn all_dashes() -> &'static [&'static [u32]] {
    &DASHES
}

/// Returns the dashes of a case's line with index `part`. The first line is solid in the first
/// round of colours. In two rounds of colours, four lines of each case differ in colour or dashes
/// from all other lines.
pub fn dashes(case: usize, part: usize) -> &'static [u32] {
    DASHES[(case / COLOURS + 2 * part) % DASHES.len()]
}

/// Returns the colour of a case on white paper.
pub fn colour(case: usize) -> Rgb {
    CASES[case % COLOURS]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn four_lines_of_each_of_fourteen_cases_differ() {
        let lines: BTreeSet<(Rgb, &[u32])> = (0..14)
            .flat_map(|case| (0..4).map(move |part| (colour(case), dashes(case, part))))
            .collect();
        assert_eq!(lines.len(), 14 * 4);
    }
}
