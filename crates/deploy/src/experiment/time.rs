//! Times of day as files and pages write them (RFC 3339).

/// Days from the first of March of year 0 to the first of January 1970, in the proleptic Gregorian
/// calendar.
const EPOCH: i64 = 719_468;
/// Days of 400 years.
const ERA: i64 = 146_097;

/// Reads a time of RFC 3339, section 5.6, from 1970 on, such as "2026-12-01T03:00:00Z" or
/// "2026-12-01T04:00:00.5+01:00". Returns nanoseconds since 1970 (UTC); `None` if it is no such
/// time. Leap seconds are not known.
pub fn read(text: &str) -> Option<u64> {
    let text = text.trim();
    if !text.is_ascii() || text.len() < 20 {
        return None;
    }
    let (date, clock) = (text.get(..10)?, text.get(11..)?);
    if !matches!(text.as_bytes()[10], b'T' | b't' | b' ') {
        return None;
    }
    let [year, month, day] = fields(date, '-', [4, 2, 2])?;
    let (clock, offset) = match clock.strip_suffix(['Z', 'z']) {
        Some(clock) => (clock, 0),
        None => {
            let at = clock.len().checked_sub(6)?;
            let sign = match clock.as_bytes()[at] {
                b'+' => 1,
                b'-' => -1,
                _ => return None,
            };
            let [hours, minutes] = fields(&clock[at + 1..], ':', [2, 2])?;
            if hours > 23 || minutes > 59 {
                return None;
            }
            (&clock[..at], sign * (60 * hours + minutes))
        }
    };
    let (whole, rest) = clock.split_once('.').unwrap_or((clock, "0"));
    let [hour, minute, second] = fields(whole, ':', [2, 2, 2])?;
    let digits = rest.bytes().all(|own| own.is_ascii_digit()) && (1..=9).contains(&rest.len());
    let is_time = hour <= 23 && minute <= 59 && second <= 59;
    let is_date = (1..=12).contains(&month) && (1..=days_of(year, month)).contains(&day);
    if !digits || !is_time || !is_date {
        return None;
    }
    let nanos: u64 = format!("{rest:0<9}").parse().ok()?;
    let minutes = (days(year, month, day) * 24 + hour) * 60 + minute - offset;
    let seconds = u64::try_from(60 * minutes + second).ok()?;
    seconds.checked_mul(1_000_000_000)?.checked_add(nanos)
}

/// Writes a number of nanoseconds since 1970 as a time of RFC 3339 in UTC, in whole seconds.
pub fn written(ns: u64) -> String {
    let seconds = ns / 1_000_000_000;
    let (mut day, second) = ((seconds / 86_400) as i64 + EPOCH, seconds % 86_400);
    // Howard Hinnant, "chrono-compatible low-level date algorithms", civil_from_days.
    let era = day / ERA;
    day -= era * ERA;
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    format!(
        "{:04}-{month:02}-{:02}T{:02}:{:02}:{:02}Z",
        year + 400 * era + i64::from(month <= 2),
        of_year - (153 * shifted + 2) / 5 + 1,
        second / 3_600,
        second / 60 % 60,
        second % 60
    )
}

/// Reads numbers of these lengths, parted by a character.
fn fields<const N: usize>(text: &str, by: char, lengths: [usize; N]) -> Option<[i64; N]> {
    let mut numbers = [0; N];
    let mut parts = text.split(by);
    for (number, length) in numbers.iter_mut().zip(lengths) {
        let part = parts.next().filter(|own| own.len() == length)?;
        *number = part.bytes().all(|own| own.is_ascii_digit()).then(|| part.parse().ok())??;
    }
    parts.next().is_none().then_some(numbers)
}

fn days_of(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days since 1970 (Hinnant, days_from_civil).
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * ERA + of_era * 365 + of_era / 4 - of_era / 100 + of_year - EPOCH
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_by_hand() {
        assert_eq!(read("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(read("2000-03-01T00:00:00Z"), Some(951_868_800_000_000_000));
        // RFC 3339, section 5.8: both are the same time.
        let one = read("1996-12-19T16:39:57-08:00").expect("a time");
        assert_eq!(one, read("1996-12-20T00:39:57Z").expect("a time"));
        assert_eq!(written(one), "1996-12-20T00:39:57Z");
        assert_eq!(
            read("1985-04-12T23:20:50.52Z").map(|own| own % 1_000_000_000),
            Some(520_000_000)
        );
        for text in [
            "",
            "now",
            "2026-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-12-01T24:00:00Z",
            "2026-12-01T03:00:00",
            "2026-12-01T03:00Z",
            "1969-12-31T23:59:59Z",
            "2026-12-01T03:00:00.Z",
            "2026-12-01T03:00:00+1:00",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn every_day_of_four_centuries_is_read_again() {
        for day in 0..146_097_u64 {
            let ns = (day * 86_400 + day % 86_400) * 1_000_000_000;
            assert_eq!(read(&written(ns)), Some(ns), "{}", written(ns));
        }
    }
}
