//! Numbers that only verdicts need, on runs whose numbers can be worked out.

use narrows_evidence::measures::MEASURES;
use narrows_evidence::number::Number;
use narrows_measure::Record;

fn run(text: &str) -> Record {
    let scenario =
        narrows_scenario::parse(text, "t.toml", &|_| Err(std::io::Error::other("no file")))
            .unwrap_or_else(|error| panic!("{}", error.short()));
    narrows_sim::run(&scenario).unwrap_or_else(|error| panic!("{error}"))
}

fn value(name: &str, of: &str, record: &Record) -> Option<f64> {
    let metric = MEASURES.iter().find(|metric| metric.name == name).unwrap();
    Number { metric, of: of.to_owned(), window: None }.value(record)
}

/// A constant stream of 1448 B of payload in 1500 B packets over a link.
fn stream(rate: &str, link: &str, more: &str) -> Record {
    run(&format!(
        "duration = \"30 s\"\nwarmup = \"10 s\"\nsend_overhead = false\n[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = \"{link}\"\ndelay = \"10 ms\"\nbuffer = \"10 \
         packets\"\n[[flow]]\nname = \"media\"\nfrom = \"a\"\nto = \"b\"\nworkload = {{ rate = \"{rate}\" }}\n{more}"
    ))
}

#[test]
fn what_is_sent_and_what_of_it_is_of_use() {
    // 1.448 Mbit/s of payload are 125 packets a second: 2500 in 20 s; a link of 750 kbit/s carries half of them.
    let record = stream("1.448 Mbit/s", "750 kbit/s", "");
    let sent = value("sent", "", &record).unwrap();
    assert!((sent - 2500.0).abs() <= 2.0, "{sent}");
    let useful = value("useful", "media", &record).unwrap();
    assert!((useful - 50.0).abs() < 0.5, "{useful}");
    assert_eq!(value("sent", "other", &record), None);
    let rate = value("sent_rate", "", &record).unwrap();
    assert!((rate - 1.448).abs() < 0.01, "{rate}");
}

#[test]
fn capacity_that_brought_nothing_is_regretted() {
    // 1.5 Mbit/s on the wire of 3: half.
    let regret = value("regret", "", &stream("1.448 Mbit/s", "3 Mbit/s", "")).unwrap();
    assert!((regret - 50.0).abs() < 0.5, "{regret}");
}

#[test]
fn half_of_all_packets_lost_make_a_meter_trip() {
    let meter = value("meter", "", &stream("1.448 Mbit/s", "750 kbit/s", ""));
    assert_eq!(meter, Some(1.0), "four intervals of 5 s in a row");
    assert_eq!(value("meter", "", &stream("1.448 Mbit/s", "3 Mbit/s", "")), Some(0.0));
}

/// Ten times s / (Tr sqrt(2 p / 3)) is the bound of RFC 8083: at a tenth of loss, and a round trip
/// of 20 ms and a queue of ten packets, some 260 packets a second, with a queue of ninety 32; the
/// stream has 91.
#[test]
fn a_media_breaker_trips_by_the_round_trip_that_is_measured() {
    let media = |buffer: &str| {
        let record = run(&format!(
            "duration = \"40 s\"\nwarmup = \"10 s\"\n[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = \"0.9 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \
             \"{buffer}\"\n[[flow]]\nname = \"media\"\nfrom = \"a\"\nto = \"b\"\nworkload = {{ rate = \"1 Mbit/s\", frame = \"33 ms\", deadline = \"400 ms\" }}\n"
        ));
        value("breaker", "media", &record)
    };
    assert_eq!((media("10 packets"), media("90 packets")), (Some(0.0), Some(1.0)));
}

/// 1.5 Mbit/s arrive of 1.6 for ten seconds and of 16 for ten more: 17 %.
#[test]
fn what_never_comes_back_is_lost_for_good() {
    let change = |rate: &str| {
        let record = stream(
            "1.448 Mbit/s",
            "1.6 Mbit/s",
            &format!("[[change]]\nlink = \"l\"\nat = \"20 s\"\nrate = \"{rate}\"\n"),
        );
        value("lost_for_good", "", &record).unwrap()
    };
    assert!((change("16 Mbit/s") - 83.0).abs() < 0.5, "{}", change("16 Mbit/s"));
    assert_eq!(change("1.5 Mbit/s"), 0.0);
    // A rate that falls is used at once; the rise after it decides.
    let both = "[[change]]\nlink = \"l\"\nat = \"15 s\"\nrate = \"1.5 Mbit/s\"\n[[change]]\nlink = \"l\"\nat = \"20 s\"\nrate = \"16 Mbit/s\"\n";
    let lost = value("lost_for_good", "", &stream("1.448 Mbit/s", "1.6 Mbit/s", both)).unwrap();
    assert!(lost > 80.0, "{lost}");
}

#[test]
fn recovery_ends_when_nine_tenths_are_used() {
    // The stream fills 1.5 of 1.6 Mbit/s, 94 %. The first window of 0.2 s after an outage is full,
    // since ten packets wait.
    let change = "[[change]]\nlink = \"l\"\nat = \"20 s\"\ndown_for = \"1 s\"\n";
    let recovery = value("recovery", "", &stream("1.448 Mbit/s", "1.6 Mbit/s", change)).unwrap();
    assert!((0.2..0.26).contains(&recovery), "{recovery}");
    assert_eq!(value("recovery", "", &stream("1.448 Mbit/s", "1.6 Mbit/s", "")), None);
    let never = "[[change]]\nlink = \"l\"\nat = \"20 s\"\nrate = \"16 Mbit/s\"\n";
    assert_eq!(value("recovery", "", &stream("1.448 Mbit/s", "1.6 Mbit/s", never)), None);
}

#[test]
fn a_timeout_doubles_its_gaps() {
    let record = run(
        "duration = \"30 s\"\nwarmup = \"12 s\"\nsample = \"10 ms\"\n[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = \"10 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"1 \
                      bdp\"\n[[flow]]\nfrom = \"a\"\nto = \"b\"\ncontroller = \"newreno\"\n[[change]]\nlink = \"l.back\"\nat = \"10 s\"\nloss = \"100 %\"\n",
    );
    let growth = value("gap_growth", "", &record).unwrap();
    assert!((1.9..2.1).contains(&growth), "{growth}");
}

/// One stream of 1.448 Mbit/s has a link of 1.5 Mbit/s to itself from 10 to 20 s, and by fair
/// queueing half of it from 20 to 30 s: it changes by 0.5 of a mean of 0.75.
#[test]
fn a_long_flow_whose_goodput_changes_drifts() {
    let second = "[[flow]]\nname = \"second\"\nfrom = \"a\"\nto = \"b\"\nstart = \"20 s\"\nworkload = { rate = \"1.448 Mbit/s\" }\n";
    let drift =
        value("drift", "", &stream("1.448 Mbit/s", "1.5 Mbit/s\"\nqueue = \"fq-codel", second))
            .unwrap();
    assert!((60.0..73.0).contains(&drift), "{drift}");
    let steady = value("drift", "", &stream("1.448 Mbit/s", "1.5 Mbit/s", "")).unwrap();
    assert!(steady < 0.5, "{steady}");
    let changed = "[[change]]\nlink = \"l\"\nat = \"20 s\"\nrate = \"1 Mbit/s\"\n";
    assert_eq!(
        value("drift", "", &stream("1.448 Mbit/s", "1.5 Mbit/s", changed)),
        None,
        "the network changes"
    );
}

/// Shares of 1 and 3: 16 / (2 x 10).
#[test]
fn fairness_over_short_times_is_that_of_their_goodput() {
    let second = "[[flow]]\nname = \"second\"\nfrom = \"a\"\nto = \"b\"\nworkload = { rate = \"3 Mbit/s\" }\n";
    let record = stream("1 Mbit/s", "10 Mbit/s", second);
    for name in ["jain_1s", "jain_5s", "jain_20s"] {
        let jain = value(name, "", &record).unwrap();
        assert!((jain - 0.8).abs() < 0.005, "{name} {jain}");
    }
    assert_eq!(value("jain_1s", "", &stream("1 Mbit/s", "10 Mbit/s", "")), None, "one flow");
}
