//! Guests beside TCP on one bottleneck.

use crate::common::{flow, goodput, head, link, run};

fn shares(guest: &str, beside: &str) -> (f64, f64) {
    let two = flow(guest, "") + &flow(beside, "");
    let record = run(&(head(60, 1) + &link("") + &two));
    (goodput(&record, 0), goodput(&record, 1))
}

#[test]
fn cubic_of_noq_shares_with_tcp() {
    let (guest, own) = shares("noq:cubic", "cubic");
    let share = guest / (guest + own);
    assert!((0.3..0.7).contains(&share), "{guest:.1} and {own:.1} Mbit/s");
}

/// quinn's BBR is not paced by its rate, and its window leaves nothing to others.
#[test]
fn bbr_of_quinn_starves_tcp() {
    let (guest, own) = shares("quinn:bbr", "cubic");
    assert!(own < 0.05 * guest, "{guest:.1} and {own:.1} Mbit/s");
}

/// A TCP flow does not change if a guest is on another link: neither in its draws nor in its
/// record.
#[test]
fn a_guest_elsewhere_changes_nothing() {
    let other = "[[link]]\nname = \"other\"\nbetween = [\"c\", \"d\"]\nrate = \"10 Mbit/s\"\ndelay = \"5 ms\"\nbuffer = \"50 kB\"\n";
    let guest = "[[flow]]\nfrom = \"c\"\nto = \"d\"\ncontroller = \"noq:cubic\"\n";
    let alone = run(&(head(10, 1) + &link("") + &flow("cubic", "")));
    let both = run(&(head(10, 1) + &link("") + other + &flow("cubic", "") + guest));
    assert_eq!(format!("{:?}", alone.flows[0]), format!("{:?}", both.flows[0]));
    assert!(goodput(&both, 1) > 9.0, "{}", goodput(&both, 1));
}
