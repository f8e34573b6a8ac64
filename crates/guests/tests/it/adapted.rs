//! Our controllers in the stacks' transports decide as they do in ours.

use crate::common::{flow, head, link, median_rtt, run, tried, utilisation};

/// Controllers that noq carries, and the points of utilisation by which they may differ from
/// themselves in our transport. LEDBAT++ and Vivace measure more finely than others, and depend on
/// when acknowledgements come.
const IN_NOQ: [(&str, f64); 15] = [
    ("newreno", 1.0),
    ("cubic", 1.0),
    ("hstcp", 1.0),
    ("scalable", 1.0),
    ("ledbatpp", 1.5),
    ("vegas", 1.0),
    ("copa", 1.0),
    ("bbr", 1.0),
    ("screamv2", 1.0),
    ("fast", 1.0),
    ("bbr3", 1.0),
    ("pcc-vivace", 1.0),
    ("pcc-allegro", 1.0),
    ("vivace", 4.0),
    ("allegro", 1.0),
];

/// Controllers that quinn carries, with these points. Its acknowledgements come in other bunches.
const IN_QUINN: [(&str, f64); 6] = [
    ("newreno", 1.0),
    ("cubic", 1.0),
    ("hstcp", 1.0),
    ("scalable", 1.0),
    ("ledbatpp", 2.0),
    ("vegas", 1.0),
];

fn compare(keys: &str, seconds: u32, controller: &str, stack: &str, points: f64) -> Option<String> {
    let record = |name: &str| run(&(head(seconds, 1) + keys + &flow(name, "")));
    let within = format!("{controller}@{stack}");
    let (own, in_stack) = (record(controller), record(&within));
    let used = (utilisation(&own), utilisation(&in_stack));
    let rtt = (median_rtt(&own.flows[0]), median_rtt(&in_stack.flows[0]));
    // SCReAM's queue depends on its own pacing of frames.
    let same_rtt = controller == "screamv2" || (rtt.1 / rtt.0 - 1.0).abs() < 0.1;
    let same = (used.0 - used.1).abs() <= points && same_rtt;
    (!same).then(|| {
        format!("{within}: {:.2} and {:.2} %, {:.2} and {:.2} ms", used.0, used.1, rtt.0, rtt.1)
    })
}

fn compare_all(keys: &str, seconds: u32) {
    let different = differing(keys, seconds);
    assert!(different.is_empty(), "\n{}", different.join("\n"));
}

/// Returns those that differ on a network.
fn differing(keys: &str, seconds: u32) -> Vec<String> {
    let noq = IN_NOQ.iter().filter_map(|(own, points)| compare(keys, seconds, own, "noq", *points));
    let quinn =
        IN_QUINN.iter().filter_map(|(own, points)| compare(keys, seconds, own, "quinn", *points));
    noq.chain(quinn).collect()
}

#[test]
fn they_do_so_on_the_standard_link() {
    compare_all(&link(""), 40);
}

/// 0.01 % of packets 3 ms late: a reduction that was spurious is taken back.
#[test]
fn reordering_costs_them_nothing_in_noq() {
    let late = link("reorder = { share = \"0.01 %\", delay = \"3 ms\" }");
    for controller in ["cubic@noq", "hstcp@noq", "copa@noq"] {
        let used = |keys: &str| utilisation(&run(&(head(40, 1) + keys + &flow(controller, ""))));
        let (with, without) = (used(&late), used(&link("")));
        assert!(with > 0.99 * without, "{controller}: {with:.2} and {without:.2} %");
    }
}

/// PCC of user space judges rates by losses of packets: it is misled by an acknowledgement for
/// every second one, so that the adaptor asks for each.
#[test]
fn vivace_needs_every_acknowledgement() {
    let used = |name: &str| utilisation(&run(&(head(40, 1) + &link("") + &flow(name, ""))));
    let (each, second) = (used("vivace@noq"), used("vivace@noq?ack_every=2"));
    assert!(each > 85.0 && second < 10.0, "{each:.2} and {second:.2} %");
}

#[test]
fn parameters_reach_the_controller() {
    let rtt = |name: &str| median_rtt(&run(&(head(20, 1) + &link("") + &flow(name, ""))).flows[0]);
    // Copa keeps 1 / delta packets in the queue.
    let (many, few) = (rtt("copa@noq?delta=0.04"), rtt("copa@noq?delta=0.5"));
    assert!(many > few + 1.0, "{many:.2} and {few:.2} ms");
}

#[test]
fn one_that_a_stack_cannot_carry_says_why() {
    let refused = |name: &str| {
        crate::common::stacks();
        let text = head(5, 1) + &link("") + &flow(name, "");
        narrows_scenario::parse(&text, "test.toml", &|path| panic!("{path:?}"))
            .map(drop)
            .unwrap_err()
            .short()
    };
    insta::assert_snapshot!(refused("dctcp@noq"), @r#"test.toml:14: dctcp@noq: dctcp cannot run in noq: it needs ECN counts per code point, and the library tells that something was marked, not how much, and never sends ECT(1); take cubic, which takes a mark for a loss"#);
    insta::assert_snapshot!(refused("copa@quinn"), @r#"test.toml:14: copa@quinn: copa cannot run in quinn: it needs pacing, and quinn paces by its window, whatever rate a controller says; take noq, or a controller that has a window alone, such as cubic"#);
    insta::assert_snapshot!(refused("vcp@noq"), @r#"test.toml:14: vcp@noq: vcp cannot run in noq: it needs a load code from routers, and QUIC packets have no header that routers write into; take a controller without routers, such as copa or bbr3"#);
    insta::assert_snapshot!(refused("noq:cubic@noq"), @r#"test.toml:14: there is no controller "noq:cubic@noq"; known controllers: newreno, cubic, hstcp, scalable, dctcp, prague, fast, fast-sc2002, fast-kernel, vegas, copa, ledbatpp, screamv2, bbr, bbr3, c4 and 16 more, which `narrows list controllers` lists"#);
    assert!(tried(&(head(1, 1) + &link("") + &flow("cubic@quinn", ""))).is_ok());
}

/// Run by hand: five minutes.
mod measured {
    use super::*;

    /// On four other links these differ by more; docs/how-to/quic.md says why. Utilisation is
    /// relative to 100 Mbit/s on all of them.
    const DIFFER: [&str; 8] = [
        "link 3: screamv2@noq",
        "link 3: ledbatpp@quinn",
        "link 4: bbr3@noq",
        "link 4: pcc-allegro@noq",
        "link 4: vivace@noq",
        "link 5: bbr3@noq",
        "link 5: pcc-allegro@noq",
        "link 5: allegro@noq",
    ];

    #[test]
    #[ignore = "five minutes"]
    fn they_do_so_on_four_other_links_but_for_some() {
        let other = |rate: &str, delay: &str, buffer: &str, keys: &str| {
            let link = link(keys);
            let link = link.replace("100 Mbit/s", rate).replace("15 ms", delay);
            link.replace("375 kB", buffer)
        };
        let links = [
            (link(""), 60),
            (other("10 Mbit/s", "50 ms", "125 kB", ""), 60),
            (other("1 Gbit/s", "2.5 ms", "625 kB", ""), 20),
            (other("100 Mbit/s", "15 ms", "375 kB", "loss = \"1 %\""), 60),
            (other("100 Mbit/s", "15 ms", "7.5 MB", "queue = \"codel\""), 60),
        ];
        let different: Vec<String> = links
            .iter()
            .zip(1..)
            .flat_map(|((keys, seconds), link)| {
                let all = differing(keys, *seconds).into_iter();
                all.map(move |own| format!("link {link}: {own}"))
            })
            .collect();
        let names: Vec<&str> = different
            .iter()
            .map(|own| {
                own.rsplit_once("@").map_or(own.as_str(), |(_, rest)| {
                    let end = own.len() - rest.len() + rest.find(':').unwrap_or(rest.len());
                    &own[..end]
                })
            })
            .collect();
        assert_eq!(names, DIFFER, "\n{}", different.join("\n"));
    }
}
