//! Texts: comparing, reading numbers, writing them.

use super::{AREA, Caller};

#[test]
fn texts_are_compared_up_to_their_zero() {
    let mut caller = Caller::of(182, &[]);
    let mut compared = |a: &[u8], size: u64, b: &[u8]| {
        caller.put(0, &[0; 32]);
        caller.put(0, a);
        caller.put(16, b);
        caller.signed(&[AREA, size, AREA + 16])
    };
    assert_eq!(
        [
            compared(b"cubic", 6, b"cubic"),
            compared(b"cubic", 3, b"cub"),
            compared(b"cub\0x", 5, b"cub\0y")
        ],
        [0, 0, 0]
    );
    assert_eq!(
        [compared(b"abd", 3, b"abc"), compared(b"abb", 3, b"abc"), compared(b"ab", 3, b"abc")],
        [1, -1, -1]
    );
}

#[test]
fn numbers_are_read_in_the_kernels_way() {
    // 105 strtol, 106 strtoul.
    let mut caller = Caller::of_each(&[105, 106], &[]);
    let mut read = |which: u64, text: &[u8], base: u64| {
        caller.put(0, &[0; 80]);
        caller.put(0, text);
        let length = caller.choose(which, &[AREA, text.len() as u64, base, AREA + 96]);
        (length, i64::from_le_bytes(caller.area(96, 8).try_into().unwrap()))
    };
    assert_eq!(read(0, b"42", 0), (2, 42));
    assert_eq!(read(0, b" \t-42 rest", 10), (5, -42));
    assert_eq!(read(0, b"0x1F;", 0), (4, 31));
    assert_eq!(read(0, b"0x1f", 16), (4, 31));
    assert_eq!(read(0, b"017", 0), (3, 15));
    assert_eq!(read(0, b"0x", 0), (1, 0));
    assert_eq!(read(0, b"9223372036854775807", 10), (19, i64::MAX));
    assert_eq!(read(0, b"-9223372036854775808", 10), (20, i64::MIN));
    assert_eq!(read(1, b"18446744073709551615", 10), (20, -1));
    let error = |(length, _): (i64, i64)| length;
    assert_eq!(error(read(0, b"9223372036854775808", 10)), -34);
    assert_eq!(error(read(0, b"-9223372036854775809", 10)), -34);
    assert_eq!(error(read(1, b"18446744073709551616", 10)), -34);
    assert_eq!(
        [
            error(read(0, b"x", 10)),
            error(read(0, b"  ", 10)),
            error(read(0, b"", 10)),
            error(read(1, b"-1", 10)),
            error(read(0, b"1", 7))
        ],
        [-22; 5]
    );
}

fn formatted(format: &str, values: &[u64]) -> Result<String, i64> {
    let mut caller = Caller::of(165, &[]);
    caller.put(64, format.as_bytes());
    caller.put(128, b"Reno\0\x0a\x01\x02\x03");
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    caller.put(160, &bytes);
    match caller.signed(&[AREA, 64, AREA + 64, AREA + 160, bytes.len() as u64]) {
        error @ ..0 => Err(error),
        length => {
            let text = caller.area(0, 64);
            assert_eq!(text[length as usize - 1], 0);
            Ok(String::from_utf8(text[..length as usize - 1].to_vec()).unwrap())
        }
    }
}

#[test]
fn numbers_are_written_as_printf_does() {
    let minus = -5_i64 as u64;
    for (format, values, expected) in [
        ("w=%u", &[7][..], "w=7"),
        ("%d %i|%ld|%lld", &[minus, minus, minus, minus], "-5 -5|-5|-5"),
        (
            "%u %lu %llx %X",
            &[minus, minus, minus, 0xabc],
            "4294967291 18446744073709551611 fffffffffffffffb ABC",
        ),
        ("[%5d|%-5d|%05d|%+d|% d]", &[minus, minus, minus, 5, 5], "[   -5|-5   |-0005|+5| 5]"),
        ("100%%", &[], "100%"),
        ("%s is %c", &[AREA + 128, 'R' as u64], "Reno is R"),
        ("%10s|%-6s|", &[AREA + 128, AREA + 128], "      Reno|Reno  |"),
        ("%pI4 %px", &[AREA + 133, 0xbeef], "10.1.2.3 000000000000beef"),
    ] {
        assert_eq!(formatted(format, values), Ok(expected.to_owned()), "{format}");
    }
    for (format, values) in [
        ("%d %d", &[1][..]),
        ("%f", &[1]),
        ("%", &[]),
        ("%lq", &[1]),
        ("\u{1}", &[]),
        ("\u{e9}", &[]),
        ("%pq", &[1]),
    ] {
        assert_eq!(formatted(format, values), Err(-22), "{format}");
    }
}

#[test]
fn a_text_that_does_not_fit_is_cut_and_its_length_told() {
    let mut caller = Caller::of(165, &[]);
    caller.put(0, &[0xff; 8]);
    caller.put(64, b"longer");
    assert_eq!(caller.signed(&[AREA, 4, AREA + 64, 0, 0]), 7);
    assert_eq!(caller.area(0, 5), b"lon\0\xff");
    assert_eq!(caller.signed(&[AREA, 0, AREA + 64, 0, 0]), 7);
    // Values come in whole words, twelve at most.
    assert_eq!(
        [
            caller.signed(&[AREA, 4, AREA + 64, AREA, 7]),
            caller.signed(&[AREA, 4, AREA + 64, AREA, 13 * 8])
        ],
        [-22, -22]
    );
}

#[test]
fn printed_lines_reach_the_world() {
    let mut caller = Caller::of_each(&[6, 177], &[]);
    caller.put(0, b"cwnd %u of %s\n\0Reno\0");
    assert_eq!(caller.choose(0, &[AREA, 15, 7, AREA + 15]), 15);
    caller.put(64, &7_u64.to_le_bytes());
    caller.put(72, &(AREA + 15).to_le_bytes());
    assert_eq!(caller.choose(1, &[AREA, 15, AREA + 64, 16]), 15);
    assert_eq!(caller.host.printed, ["cwnd 7 of Reno", "cwnd 7 of Reno"]);
    // Without its zero it is no text.
    assert_eq!(caller.choose(0, &[AREA, 14, 7, AREA + 15]), -22);
}
