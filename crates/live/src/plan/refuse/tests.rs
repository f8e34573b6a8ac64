use super::{has_flows, plan};
use crate::error::LiveError;
use crate::plan::Kernel;
use crate::plan::{Plan, RouteMetrics};
use narrows_units::{Bytes, Span};
use std::collections::BTreeMap;

const LINK: &str = r#"duration = "1 s"
[[link]]
name = "bottleneck"
between = ["left", "right"]
rate = "10 Mbit/s"
delay = "5 ms"
"#;

/// Returns a kernel like those of most distributions.
fn usual() -> Kernel {
    let cubic = ["fast_convergence", "hystart", "friendliness"].map(|name| (name, true));
    Kernel {
        controllers: ["reno", "cubic"].map(str::to_owned).to_vec(),
        cubic: BTreeMap::from(cubic),
        max_rto: true,
        v6: true,
        accurate: false,
    }
}

/// Makes the plan of flows from left to right, each with a controller and further keys.
fn planned(flows: &[(&str, &str)], kernel: &Kernel) -> Result<Plan, LiveError> {
    planned_over("", flows, kernel)
}

/// Makes the plan over a link with a further line.
fn planned_over(link: &str, flows: &[(&str, &str)], kernel: &Kernel) -> Result<Plan, LiveError> {
    let mut text = format!("{LINK}{link}\n");
    for (index, (controller, keys)) in flows.iter().enumerate() {
        text += &format!(
            "[[flow]]\nname = \"f{index}\"\nfrom = \"left\"\nto = \"right\"\ncontroller = \"{controller}\"\n{keys}\n"
        );
    }
    let scenario =
        narrows_scenario::parse(&text, "test.toml", &|_| Err(std::io::ErrorKind::NotFound.into()))
            .expect("a scenario");
    plan(&scenario, &vec![(0, 1); flows.len()], 2, kernel)
}

#[test]
fn what_the_kernel_does_otherwise_is_refused_by_name() {
    let cases = [
        ("prague", ""),
        ("cubic?profile=rfc9438", ""),
        ("cubic?hystart=false", ""),
        ("cubic?hz=1000", ""),
        ("cubic?start=search", ""),
        ("newreno?start=hystart", ""),
        ("newreno?growth=free", ""),
        ("newreno?resume", ""),
        ("cubic", r#"transport = { acks = "numbered" }"#),
        ("cubic", "transport = { handshake = false }"),
        ("cubic", r#"transport = { initial_rto = "3 s" }"#),
        ("cubic", r#"transport = { rto = "rfc6298" }"#),
        ("cubic", r#"transport = { rtt_samples = "once-per-window" }"#),
        ("cubic", r#"transport = { tick = "10 ms" }"#),
        ("cubic", r#"transport = { loss_detection = "dupack" }"#),
        ("cubic", r#"transport = { recovery = "rate-halving" }"#),
        ("cubic", "transport = { undo = false }"),
        ("cubic", r#"transport = { gro = "50 us" }"#),
        ("cubic", "transport = { ack_every = 4 }"),
        ("cubic", r#"transport = { ack_delay = "100 ms" }"#),
        ("cubic", "transport = { quick_acks = 0 }"),
        ("cubic", "transport = { ack_pieces = 4 }"),
        ("cubic", r#"transport = { ack_ahead = 10, receive_window = "1 MB" }"#),
        ("cubic", r#"transport = { tso = "20 kB" }"#),
        ("cubic", "transport = { initial_window = 64 }"),
        ("cubic", r#"transport = { min_rto = "1.5 ms" }"#),
        ("cubic", r#"transport = { max_rto = "600 s" }"#),
        ("cubic", r#"transport = { headers = "40 B" }"#),
        ("cubic", r#"transport = { mss = "60 B" }"#),
        ("cubic", r#"transport = { preset = "linux-2.4" }"#),
        ("cubic", r#"transport = { preset = "ns2-2005" }"#),
        (
            "cubic",
            r#"workload = { rate = "1 Mbit/s", frame = "33 ms", min_rate = "150 kbit/s", max_rate = "3 Mbit/s" }"#,
        ),
    ];
    let said: String = cases
        .iter()
        .map(|case| match planned(&[*case], &usual()) {
            Err(LiveError::Refused { place, problem, remedy }) => {
                format!(
                    "{} {}\n    {}: {problem}\n    {remedy}\n",
                    case.0,
                    case.1,
                    LiveError::named(&place)
                )
            }
            other => panic!("{case:?} should be refused, not {other:?}"),
        })
        .collect();
    insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!(said) });
}

#[test]
fn programs_of_flows_are_refused_where_there_are_no_flows() {
    let text = format!(
        "[icn]\n{}[[prefix]]\nname = \"/a\"\nat = \"right\"\n[[consumer]]\nat = \"left\"\nprefix = \"/a\"\n",
        LINK.replace("duration = \"1 s\"\n", "")
    );
    let text = format!("duration = \"1 s\"\n{text}");
    let scenario =
        narrows_scenario::parse(&text, "test.toml", &|_| Err(std::io::ErrorKind::NotFound.into()))
            .expect("a scenario");
    let Err(LiveError::Refused { place, remedy, .. }) = has_flows(&scenario) else {
        panic!("it should be refused")
    };
    assert_eq!((&place[..], &*remedy), (&["icn".to_owned()][..], "leave the program out"));
}

#[test]
fn a_controller_that_is_not_loaded_is_refused_with_those_that_are() {
    // The remedy depends on the modules of the machine.
    let said = planned(&[("bbr", "")], &usual()).expect_err("not there").to_string();
    assert!(
        said.contains("bbr: this kernel does not offer \"bbr\"; it has newreno, cubic, ")
            && said.contains("tcp_bbr"),
        "{said}"
    );
}

#[test]
fn what_the_kernel_has_not_is_loaded_in_the_form_that_it_takes() {
    let plan = planned(
        &[("pcc-vivace", ""), ("pcc-vivace?fixed", ""), ("hstcp?profile=linux&ecn", "")],
        &usual(),
    )
    .expect("loaded");
    let names = ["pcc_vivace", "pcc_vivace.2", "hstcp"];
    assert_eq!(plan.controllers.iter().map(|one| &one.name[..]).collect::<Vec<_>>(), names);
    assert_eq!(
        plan.flows.iter().map(|options| options.controller.as_deref()).collect::<Vec<_>>(),
        names.map(Some)
    );
    assert!(plan.classes[plan.flows[2].class].ecn);
    for (name, remedy) in [("hstcp", "write hstcp?profile=linux"), ("fast", "write fast-kernel")] {
        let said = planned(&[(name, "")], &usual()).expect_err("another form").to_string();
        assert!(said.contains(remedy), "{said}");
    }
}

#[test]
fn controllers_that_need_routers_are_refused_by_name() {
    for name in ["xcp", "rcp"] {
        let said = planned(&[(name, "")], &usual()).expect_err("no kernel has it").to_string();
        assert!(said.contains(&format!("{name}: Linux has no such controller")), "{said}");
    }
}

#[test]
fn a_host_has_one_setting_for_all_its_flows() {
    let without = "transport = { sack = false }";
    let both = planned(&[("cubic", without), ("cubic", "")], &usual());
    let Err(error) = both else { panic!("{both:?}") };
    let said = error.to_string();
    assert!(
        said.contains("flow \"f1\", transport.sack")
            && said.contains("\"f0\"")
            && said.contains("tcp_sack"),
        "{said}"
    );
    let agreed =
        planned(&[("cubic", without), ("newreno", without)], &usual()).expect("both the same");
    assert_eq!(agreed.sysctls, vec![BTreeMap::from([("ipv4/tcp_sack", "0".to_owned())]); 2]);
}

#[test]
fn nothing_is_told_to_a_kernel_that_does_it_anyway() {
    let plan = planned(&[("newreno", ""), ("cubic", "")], &usual()).expect("as Linux");
    assert_eq!((plan.classes.len(), plan.mtu), (1, 1500));
    assert_eq!(plan.sysctls, vec![BTreeMap::new(); 2]);
    assert!(plan.flows.iter().all(|options| options.class == 0
        && options.max_segment.is_none()
        && !options.paced
        && !options.v6));
    let named: Vec<_> = plan.flows.iter().map(|options| options.controller.as_deref()).collect();
    assert_eq!(named, [Some("reno"), Some("cubic")]);
}

#[test]
fn what_can_be_told_is_told() {
    let keys = r#"transport = { mss = "1000 B", headers = "72 B", initial_window = 3, min_rto = "300 ms", dupthresh = 5, ack_every = 1,
        receive_window = "64 kB", tail_loss_probe = false, frto = false, max_rto = "60 s" }"#
        .replace("\n", "");
    let plan = planned(
        &[("newreno?ecn=true&pacing=true", &keys), ("cubic", &keys), ("cubic", &keys)],
        &usual(),
    )
    .expect("honoured");
    let asked = RouteMetrics {
        ecn: false,
        initial_window: Some(3),
        min_rto: Some(Span::from_millis(300)),
        ack_each: true,
    };
    assert_eq!(
        plan.classes,
        [RouteMetrics::default(), RouteMetrics { ecn: true, ..asked.clone() }, asked]
    );
    let first = &plan.flows[0];
    // 12 bytes of the segment are the time stamps.
    assert_eq!(
        (first.max_segment, first.v6, first.paced, first.class),
        (Some(1012), true, true, 1)
    );
    assert_eq!((plan.flows[1].class, plan.flows[2].class, plan.flows[1].paced), (2, 2, false));
    assert_eq!(first.receive_window, Some(Bytes::new(64_000)));
    let ends = [
        ("ipv4/tcp_early_retrans", "0"),
        ("ipv4/tcp_frto", "0"),
        ("ipv4/tcp_reordering", "5"),
        ("ipv4/tcp_rto_max_ms", "60000"),
    ];
    let ends = BTreeMap::from(ends.map(|(key, value)| (key, value.to_owned())));
    let mut receiver = ends.clone();
    receiver.extend([
        ("ipv4/tcp_rmem", "4096 256000 256000".to_owned()),
        ("ipv4/tcp_moderate_rcvbuf", "0".to_owned()),
    ]);
    assert_eq!(plan.sysctls, [ends, receiver]);
}

#[test]
fn flows_over_ipv6_are_refused_where_the_kernel_has_none() {
    let kernel = Kernel { v6: false, ..usual() };
    let said = planned(&[("cubic", ""), ("cubic", r#"transport = { headers = "72 B" }"#)], &kernel)
        .expect_err("no IPv6")
        .to_string();
    assert!(
        said.contains("flow \"f1\", transport.headers")
            && said.contains("52 B")
            && said.contains("ipv6.disable=1"),
        "{said}"
    );
    assert!(planned(&[("cubic", "")], &kernel).is_ok());
}

#[test]
fn changed_module_parameters_are_noticed() {
    let mut kernel = usual();
    kernel.cubic.insert("hystart", false);
    let said = planned(&[("cubic", "")], &kernel).expect_err("not the kernel's").to_string();
    assert!(said.contains("cubic?hystart=false"), "{said}");
    assert!(planned(&[("cubic?hystart=false", "")], &kernel).is_ok());
}

#[test]
fn load_codes_must_be_those_that_a_kernel_sender_knows() {
    let refused = |link, controller| {
        planned_over(link, &[(controller, "")], &usual()).expect_err("refused").to_string()
    };
    let paper = refused(r#"queue = "vcp""#, "vcp-kernel");
    assert!(
        paper.contains(
            "vcp-kernel uses codes=accecn, but the queue of \"bottleneck\" uses codes=paper"
        ),
        "{paper}"
    );
    let none = refused("", "vcp-kernel");
    assert!(
        none.contains("needs a load code from routers") && none.contains("queue = \"vcp\""),
        "{none}"
    );
    let classic = refused(r#"queue = "vcp?codes=accecn""#, "cubic?ecn=true");
    assert!(classic.contains("writes load codes over that"), "{classic}");
}

#[test]
fn accurate_ecn_is_asked_of_kernels_that_negotiate_it() {
    let link = r#"queue = "vcp?codes=accecn""#;
    let setting = |kernel: &Kernel| {
        planned_over(link, &[("vcp-kernel", "")], kernel).expect("a plan").sysctls
    };
    assert_eq!(setting(&usual()), [BTreeMap::new(), BTreeMap::new()]);
    let kernel = Kernel { accurate: true, ..usual() };
    assert_eq!(
        setting(&kernel),
        [(); 2].map(|()| BTreeMap::from([("ipv4/tcp_ecn", "3".to_owned())]))
    );
    let mixed = planned_over(link, &[("vcp-kernel", ""), ("cubic", "")], &kernel)
        .expect_err("one setting")
        .to_string();
    assert!(mixed.contains("net.ipv4.tcp_ecn"), "{mixed}");
}
