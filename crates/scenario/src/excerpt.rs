//! Excerpts of outside text for error messages: long lines cut, control characters replaced.

use std::borrow::Cow;
use std::ops::Range;

/// Most columns shown of a line.
const WIDTH: usize = 200;
/// Columns shown before the marked place, part of [`WIDTH`].
const BEFORE: usize = 60;
/// Most columns shown of a message.
const MESSAGE: usize = 600;

/// Replaces each control character of `text` except line ends with a printable symbol.
pub fn visible(text: &str) -> Cow<'_, str> {
    let hidden = |c: char| c.is_control() && c != '\n';
    if text.contains(hidden) {
        text.chars().map(|c| if c == '\n' { c } else { picture(c) }).collect()
    } else {
        Cow::Borrowed(text)
    }
}

/// Replaces control characters of a message, and leaves out its middle if it is long.
pub(crate) fn message(text: &str) -> String {
    let text = visible(text);
    let length = text.chars().count();
    if length <= MESSAGE {
        return text.into_owned();
    }
    let half = MESSAGE / 2;
    let (first, last): (String, String) =
        (text.chars().take(half).collect(), text.chars().skip(length - half).collect());
    format!("{first} … {last}")
}

/// Cuts each long line of `text` to the surroundings of its first place. Returns the text and the
/// moved places.
pub(crate) fn excerpt(text: &str, places: &[Range<usize>]) -> (String, Vec<Range<usize>>) {
    let readable = |line: &str| line.len() <= WIDTH && !line.contains(char::is_control);
    if text.split('\n').all(readable) {
        return (text.to_owned(), places.to_vec());
    }
    let mut shown = String::new();
    let mut moved: Vec<Option<Range<usize>>> = vec![None; places.len()];
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let here = |place: &Range<usize>| {
            start <= place.start
                && (place.start < end || place.start == end && !line.ends_with('\n'))
        };
        let first = places
            .iter()
            .filter(|place| here(place))
            .map(|place| place.start - start)
            .min()
            .unwrap_or(0);
        let cut = Cut::of(line.trim_end_matches(['\n', '\r']), first, shown.len());
        for (place, moved) in places.iter().zip(&mut moved).filter(|(place, _)| here(place)) {
            *moved = Some(cut.place(place.start - start)..cut.place(place.end.min(end) - start));
        }
        shown += &cut.shown;
        if line.ends_with('\n') {
            shown.push('\n');
        }
        start = end;
    }
    // Places that are in no line stand behind the last line.
    let behind = shown.len()..shown.len();
    (shown, moved.into_iter().map(|place| place.unwrap_or(behind.clone())).collect())
}

/// A shown line.
struct Cut {
    shown: String,
    /// Byte offsets in the line, each with its offset in the shown text.
    places: Vec<(usize, usize)>,
    end: usize,
}

impl Cut {
    /// Cuts `line` around its byte `meant`; `at` is its offset in the shown text.
    fn of(line: &str, meant: usize, at: usize) -> Cut {
        let long = line.chars().count() > WIDTH;
        let before = line.char_indices().take_while(|(place, _)| *place < meant).count();
        let skipped = if long { before.saturating_sub(BEFORE) } else { 0 };
        let mut cut = Cut { shown: String::new(), places: Vec::new(), end: 0 };
        if skipped > 0 {
            cut.shown.push('…');
        }
        let mut window = line.char_indices().skip(skipped);
        for (place, c) in window.by_ref().take(if long { WIDTH } else { usize::MAX }) {
            cut.places.push((place, at + cut.shown.len()));
            cut.shown.push(picture(c));
        }
        cut.end = at + cut.shown.len();
        if window.next().is_some() {
            cut.shown.push('…');
        }
        cut
    }

    /// Returns the offset at which the byte `place` of the line is shown; the end if it is cut off.
    fn place(&self, place: usize) -> usize {
        self.places.iter().find(|(own, _)| *own >= place).map_or(self.end, |(_, shown)| *shown)
    }
}

fn picture(c: char) -> char {
    match c {
        '\t' => ' ',
        '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}'),
        '\u{7f}' => '\u{2421}',
        c if c.is_control() => '\u{fffd}',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_a_terminal_obeys_is_shown_as_a_picture() {
        assert_eq!(visible("a\u{1b}[31mb\u{7}\u{9b}\nc"), "a\u{241b}[31mb\u{2407}\u{fffd}\nc");
        assert!(matches!(visible("ä\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_place_far_to_the_right_is_shown_with_its_surroundings() {
        let text = format!("a = 1\nb = \"{}\" here {}\n", "x".repeat(70_000), "y".repeat(500));
        let at = text.find("here").unwrap();
        let (shown, places) = excerpt(&text, &[at..at + 4, 0..1]);
        assert_eq!((&shown[places[0].clone()], &shown[places[1].clone()]), ("here", "a"));
        let line = shown.lines().nth(1).unwrap();
        assert!(
            line.starts_with("…x") && line.ends_with("y…") && line.chars().count() == WIDTH + 2,
            "{line}"
        );
    }

    proptest! {
        #[test]
        fn lines_stay_and_places_keep_their_beginnings(
            lines in prop::collection::vec("[ -~äé\u{1b}\t\r]{0,40}|[a-z]{190,500}", 1..6), from in 0..2000usize, length in 0..50usize
        ) {
            let text = lines.join("\n");
            let floor = |place: usize| (0..=place.min(text.len())).rev().find(|place| text.is_char_boundary(*place)).unwrap();
            let place = floor(from)..floor(from + length).max(floor(from));
            let (shown, places) = excerpt(&text, std::slice::from_ref(&place));
            prop_assert_eq!(shown.matches('\n').count(), text.matches('\n').count());
            prop_assert!(!shown.contains(|c: char| c.is_control() && c != '\n') || shown == text);
            prop_assert!(shown.lines().all(|line| line.chars().count() <= WIDTH + 2));
            prop_assert!(shown.get(places[0].clone()).is_some());
            let line = |text: &str, place: usize| text[..place].matches('\n').count();
            prop_assert_eq!(line(&shown, places[0].start), line(&text, place.start));
            let meant = text[place.start..].chars().next().filter(|c| !c.is_control());
            if let Some(meant) = meant {
                prop_assert_eq!(shown[places[0].start..].chars().next(), Some(meant));
            }
        }
    }
}
