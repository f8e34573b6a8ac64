//! How quantities are read and written.

use narrows_units::{Bytes, Depth, ParseError, Rate, Span, Time};
use proptest::prelude::*;

fn span(text: &str) -> Result<Span, ParseError> {
    text.parse()
}

fn rate(text: &str) -> Result<Rate, ParseError> {
    text.parse()
}

fn bytes(text: &str) -> Result<Bytes, ParseError> {
    text.parse()
}

fn depth(text: &str) -> Result<Depth, ParseError> {
    text.parse()
}

#[test]
fn spans() {
    for (text, ns) in [
        ("30 ms", 30_000_000),
        ("1.5s", 1_500_000_000),
        ("250 us", 250_000),
        ("250 µs", 250_000),
        ("7 ns", 7),
        ("2 min", 120_000_000_000),
        ("0.5 h", 1_800_000_000_000),
        ("1 sec", 1_000_000_000),
        (" 1_000 ms ", 1_000_000_000),
        (".5 s", 500_000_000),
        ("5. s", 5_000_000_000),
        ("0.000000001 s", 1),
        ("18446744073709551615 ns", u64::MAX),
    ] {
        assert_eq!(span(text), Ok(Span::from_nanos(ns)), "{text}");
    }
}

#[test]
fn rates() {
    for (text, bps) in [
        ("100 Mbit/s", 100_000_000),
        ("1.5Gbps", 1_500_000_000),
        ("20Mbit", 20_000_000),
        ("9.6 kbps", 9_600),
        ("1 bit/s", 1),
        ("1 MB/s", 8_000_000),
        ("0.125 kB/s", 1_000),
        ("10 Gb/s", 10_000_000_000),
    ] {
        assert_eq!(rate(text), Ok(Rate::from_bps(bps)), "{text}");
    }
}

#[test]
fn amounts() {
    for (text, n) in [
        ("1500 B", 1_500),
        ("1 byte", 1),
        ("750 kB", 750_000),
        ("750 KB", 750_000),
        ("64 KiB", 65_536),
        ("2 MiB", 2_097_152),
        ("1.5 MB", 1_500_000),
        ("3 TB", 3_000_000_000_000),
    ] {
        assert_eq!(bytes(text), Ok(Bytes::new(n)), "{text}");
    }
}

#[test]
fn depths() {
    for (text, expected) in [
        ("750 kB", Depth::Bytes(Bytes::new(750_000))),
        ("100 packets", Depth::Packets(100)),
        ("1 packet", Depth::Packets(1)),
        ("20pkts", Depth::Packets(20)),
        ("60 ms", Depth::Time(Span::from_millis(60))),
        ("1.5 bdp", Depth::MilliBdp(1_500)),
        ("2BDP", Depth::MilliBdp(2_000)),
        ("0.001 bdp", Depth::MilliBdp(1)),
    ] {
        assert_eq!(depth(text), Ok(expected), "{text}");
    }
}

#[test]
fn refusals_say_why_and_what_would_be_right() {
    let reason = |text: &str| span(text).map_err(|error| error.reason().to_owned());
    let not_decimal = |number: &str| Err(format!("\"{number}\" is not a decimal number"));
    assert_eq!(reason("30"), Err("it has no unit".to_owned()));
    assert_eq!(reason("-30 ms"), Err("it is negative".to_owned()));
    assert_eq!(reason(""), Err("it does not begin with a number".to_owned()));
    assert_eq!(reason("ms"), Err("it does not begin with a number".to_owned()));
    assert_eq!(reason("NaN ms"), Err("it does not begin with a number".to_owned()));
    assert_eq!(reason("inf s"), Err("it does not begin with a number".to_owned()));
    assert_eq!(reason("+3 ms"), not_decimal("+3"));
    assert_eq!(reason("3-4 ms"), not_decimal("3-4"));
    assert_eq!(reason("1.2.3 ms"), not_decimal("1.2.3"));
    assert_eq!(reason(". ms"), not_decimal("."));
    assert_eq!(reason("_ ms"), not_decimal("_"));
    assert_eq!(reason("0.5 ns"), Err("it is finer than can be represented".to_owned()));
    assert_eq!(reason("18446744073709551616 ns"), Err("it is too large".to_owned()));
    assert_eq!(reason("600000000 h"), Err("it is too large".to_owned()));
    assert_eq!(reason(&format!("{} s", "9".repeat(60))), Err("it has too many digits".to_owned()));
    assert_eq!(
        reason("3 MS"),
        Err("the unit \"MS\" is unknown (known: ns, us, µs, ms, s, sec, min, m, h)".to_owned())
    );
    // As tc(8) writes rates, and sleep(1) minutes.
    assert_eq!((rate("50mbit"), rate("1.5gbit")), (rate("50 Mbit/s"), rate("1.5 Gbit/s")));
    assert_eq!(reason("3m"), reason("3 min"));
    // A bit is not a byte, and with a solidus a milli is not a mega.
    assert!(rate("100 mbit/s").is_err());
    assert!(bytes("10 kb").is_err());
    assert!(bytes("10 Mbit").is_err());
    assert_eq!(
        rate("100").map_err(|error| error.to_string()),
        Err("\"100\" is not a rate: it has no unit; write for example \"100 Mbit/s\"".to_owned())
    );
}

#[test]
fn refused_depths_say_which_kind_of_unit_was_meant() {
    let reason = |text: &str| depth(text).map_err(|error| error.reason().to_owned());
    assert_eq!(reason("750"), Err("it has no unit".to_owned()));
    assert_eq!(reason("99999999999999999999 GB"), Err("it is too large".to_owned()));
    assert_eq!(reason("0.5 ns"), Err("it is finer than can be represented".to_owned()));
    assert_eq!(reason("1.5 packets"), Err("it is finer than can be represented".to_owned()));
    assert_eq!(reason("4294967296 packets"), Err("more packets than any buffer holds".to_owned()));
    assert_eq!(reason("0.0001 bdp"), Err("it is finer than can be represented".to_owned()));
    assert!(reason("7 things").is_err_and(|reason| reason.contains("\"things\" is unknown")));
}

#[test]
fn printing() {
    assert_eq!(Span::from_micros(1_500).to_string(), "1.5 ms");
    assert_eq!(Span::from_secs(3_600).to_string(), "3600 s");
    assert_eq!(Span::ZERO.to_string(), "0 s");
    assert_eq!((Time::ZERO + Span::from_nanos(1)).to_string(), "1 ns");
    assert_eq!(Rate::from_mbps(1_500).to_string(), "1.5 Gbit/s");
    assert_eq!(Rate::ZERO.to_string(), "0 bit/s");
    assert_eq!(Bytes::new(1_500).to_string(), "1500 B");
    assert_eq!(Bytes::new(750_000).to_string(), "750 kB");
    assert_eq!(Depth::MilliBdp(1_500).to_string(), "1.5 bdp");
    assert_eq!(Depth::Packets(100).to_string(), "100 packets");
    assert_eq!(format!("[{:>8}]", Span::from_millis(30)), "[   30 ms]");
}

fn any_depth() -> impl Strategy<Value = Depth> {
    prop_oneof![
        any::<u64>().prop_map(|n| Depth::Bytes(Bytes::new(n))),
        any::<u32>().prop_map(Depth::Packets),
        any::<u64>().prop_map(|n| Depth::Time(Span::from_nanos(n))),
        any::<u64>().prop_map(Depth::MilliBdp),
    ]
}

/// Numbers of every magnitude.
fn any_size() -> impl Strategy<Value = u64> {
    (any::<u64>(), 0u32..64).prop_map(|(n, shift)| n >> shift)
}

proptest! {
    #[test]
    fn what_is_printed_is_read_back(n in any_size(), any_depth in any_depth()) {
        prop_assert_eq!(span(&Span::from_nanos(n).to_string()), Ok(Span::from_nanos(n)));
        prop_assert_eq!(rate(&Rate::from_bps(n).to_string()), Ok(Rate::from_bps(n)));
        prop_assert_eq!(bytes(&Bytes::new(n).to_string()), Ok(Bytes::new(n)));
        prop_assert_eq!(depth(&any_depth.to_string()), Ok(any_depth));
    }

    #[test]
    fn no_text_makes_it_panic(text in prop_oneof!["\\PC{0,40}", "[-+0-9._ ]{0,50}( |)[a-zA-Zµ/]{0,8}"]) {
        let refusals = [
            span(&text).err(), rate(&text).err(), bytes(&text).err(), depth(&text).err(),
        ];
        for refusal in refusals.into_iter().flatten() {
            let said = refusal.to_string();
            prop_assert!(said.contains(&text) && said.contains("write for example"), "{}", said);
        }
    }

    #[test]
    fn a_decimal_is_read_exactly(whole in 0u64..1_000_000, millis in 0u64..1_000) {
        prop_assert_eq!(span(&format!("{whole}.{millis:03} s")), Ok(Span::from_millis(whole * 1_000 + millis)));
    }
}
