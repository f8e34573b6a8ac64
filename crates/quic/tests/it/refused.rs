//! Controllers that a library cannot carry are refused with the reason.

#[cfg(feature = "noq")]
#[test]
fn by_noq() {
    let refused = |name: &str| narrows_quic::noq::Factory::new(name).unwrap_err().to_string();
    insta::assert_snapshot!(refused("dctcp"), @r#"dctcp cannot run in noq: it needs ECN counts per code point, and the library tells that something was marked, not how much, and never sends ECT(1); take cubic, which takes a mark for a loss"#);
    insta::assert_snapshot!(refused("prague"), @r#"prague cannot run in noq: it needs ECN counts per code point, and the library tells that something was marked, not how much, and never sends ECT(1); take cubic, which takes a mark for a loss"#);
    insta::assert_snapshot!(refused("xcp"), @r#"xcp cannot run in noq: it needs throughput feedback from routers, and QUIC packets have no header that routers write into; take a controller without routers, such as copa or bbr3"#);
    insta::assert_snapshot!(refused("rcp"), @r#"rcp cannot run in noq: it needs a rate stamped by routers, and QUIC packets have no header that routers write into; take a controller without routers, such as copa or bbr3"#);
    insta::assert_snapshot!(refused("copper"), @r#"there is no controller "copper"; known controllers: newreno, cubic, hstcp, scalable, dctcp, prague, fast, fast-sc2002, fast-kernel, vegas, copa, ledbatpp, screamv2, bbr, bbr3, c4 and 10 more, which `narrows list controllers` lists"#);
    insta::assert_snapshot!(refused("copa?delta=0"), @r#"copa: delta=0 is not allowed; it must be a number from 0.001 to 10"#);
}

#[cfg(feature = "quinn")]
#[test]
fn by_quinn() {
    let refused = |name: &str| narrows_quic::quinn::Factory::new(name).unwrap_err().to_string();
    insta::assert_snapshot!(refused("bbr3"), @r#"bbr3 cannot run in quinn: it needs delivery rate samples, and quinn does not tell which packets were acknowledged; take noq, or a controller that has a window alone, such as cubic"#);
    insta::assert_snapshot!(refused("fast"), @r#"fast cannot run in quinn: it needs tags per transmission, and quinn does not tell which packets were acknowledged or lost; take noq, or a controller that has a window alone, such as cubic"#);
    insta::assert_snapshot!(refused("vivace"), @r#"vivace cannot run in quinn: it sends at rates that it measures packet by packet, and quinn neither paces by a controller's rate nor tells packet numbers; take noq, or cubic"#);
    insta::assert_snapshot!(refused("screamv2"), @r#"screamv2 cannot run in quinn: it sends at rates that it measures packet by packet, and quinn neither paces by a controller's rate nor tells packet numbers; take noq, or cubic"#);
    insta::assert_snapshot!(refused("vcp"), @r#"vcp cannot run in quinn: it needs a load code from routers, and QUIC packets have no header that routers write into; take a controller without routers, such as copa or bbr3"#);
}
