//! Refusals of guests name the remedy.

use crate::common::{flow, head, link, stacks};

fn error(text: &str) -> String {
    stacks();
    let read = narrows_scenario::parse(text, "test.toml", &|path| panic!("{path:?}"));
    match read {
        Ok(scenario) => narrows_sim::run(&scenario).map(drop).unwrap_err().to_string(),
        Err(error) => error.short(),
    }
}

fn of_flow(controller: &str, keys: &str) -> String {
    error(&(head(5, 1) + &link("") + &flow(controller, keys)))
}

#[test]
fn workloads() {
    insta::assert_snapshot!(of_flow("quinn:cubic", "workload = { arrivals = \"10/s\", sizes = \"10 kB\", reconnect = \"saved\" }"), @r#"test.toml:15: quinn:cubic does not run this workload: connections of the stack save nothing for later ones; take "bulk", a size, a rate, bursts of a size, frames that follow no controller, requests, or arrivals without reconnect; or another controller"#);
    insta::assert_snapshot!(of_flow("noq:bbr3", "workload = { on = \"1 s\", off = \"1 s\" }"), @r#"test.toml:15: noq:bbr3 does not run this workload: a burst cannot end after a time: what its stream has taken cannot be withdrawn; take "bulk", a size, a rate, bursts of a size, frames that follow no controller, requests, or arrivals without reconnect; or another controller"#);
    insta::assert_snapshot!(of_flow("noq:bbr3", "pauses = [[\"1 s\", \"2 s\"]]"), @r#"test.toml:15: bulk data in noq:bbr3 cannot pause: what its stream has taken cannot be withdrawn; leave pauses out, or take a workload with a rate"#);
}

#[test]
fn keys_of_the_transport() {
    insta::assert_snapshot!(of_flow("noq:cubic", "transport = { initial_window = 20 }"), @r#"test.toml:15: noq:cubic comes with a transport of its own, which has none of these keys; leave the flow's transport out; parameters of noq:cubic are mtu, window, ack_every, ordered, as in "noq:cubic?mtu=...""#);
    insta::assert_snapshot!(error(&(head(5, 1) + &link("") + "[transport]\nmin_rto = \"1 s\"\n" + &flow("noq:cubic", ""))), @r#"test.toml:11: all flows come with transports of their own, which have none of these keys; leave [transport] out"#);
}

#[test]
fn names_and_parameters() {
    insta::assert_snapshot!(of_flow("noq:bbr2", ""), @r#"test.toml:14: there is no controller "noq:bbr2"; did you mean "noq:bbr3"?"#);
    insta::assert_snapshot!(of_flow("noq:cubic?mtu=100", ""), @r#"test.toml:14: noq:cubic: mtu=100 is not allowed; it must be probed, or a number from 1200 to 1472 B"#);
    insta::assert_snapshot!(of_flow("noq:cubic?cwnd=100", ""), @r#"test.toml:14: noq:cubic has no parameter "cwnd"; known parameters: mtu, window, ack_every, ordered"#);
}

#[test]
fn routers_that_write_over_ecn() {
    insta::assert_snapshot!(error(&(head(5, 1) + &link("queue = \"vcp\"") + &flow("noq:cubic", ""))), @r#"flow "noq:cubic": noq:cubic marks its packets as ECN-capable, and the vcp queue of "bottleneck" writes load codes over that; lead it around that link"#);
}
