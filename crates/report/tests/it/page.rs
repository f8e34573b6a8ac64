//! The page is whole, small enough and the same each time.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use narrows_measure::{Change, Changed, Transfer, Transfers};
use narrows_report::{Comparison, html};
use narrows_units::{Bytes, Span, Time};
use serde_json::{Value, json};

#[test]
fn the_page_is_the_same_each_time_and_needs_nothing_else() {
    let page = html(&crate::common::three_by_three());
    assert!(page == html(&crate::common::three_by_three()));
    // The empty icon keeps browsers from asking for one.
    let page = page.replace("href=\"data:,\"", "");
    for outside in ["src=", "href=", "@import", "url(", "http://", "https://"] {
        assert!(!page.contains(outside), "{outside}");
    }
}

#[test]
fn pages_stay_small() {
    let seeds: Vec<u64> = (1..=30).collect();
    for (made, most) in [
        (crate::common::three_by_three(), 1_300_000),
        (crate::common::comparison("many seeds", &seeds, 2, None), 2_000_000),
        (crate::common::comparison("many flows", &[1, 2], 40, None), 2_000_000),
    ] {
        let bytes = html(&made).len();
        assert!(bytes < most, "{}: {bytes} bytes", made.title);
    }
}

#[test]
fn names_cannot_break_the_page() {
    let mut made = crate::common::single();
    made.title = "<script>alert(1)</script>".to_owned();
    made.cases[0].label = "</script><b>\"x\" & y".to_owned();
    made.cases[0].scenario_toml = "# {{js}} <i>".to_owned();
    let page = html(&made);
    assert!(
        !page.contains("<script>alert")
            && !page.contains("</script><b>")
            && page.contains("# {{js}} &lt;i&gt;")
    );
}

/// Returns the data of a page's plots.
pub fn data(made: &Comparison) -> Value {
    let page = html(made);
    let data = page
        .split_once("id=\"data\">")
        .and_then(|(_, rest)| rest.split_once("</script>"))
        .unwrap()
        .0;
    let packed = STANDARD.decode(data).unwrap();
    serde_json::from_reader(GzDecoder::new(&packed[..])).unwrap()
}

#[test]
fn transfers_are_drawn_by_size() {
    let mut made = crate::common::three_by_three();
    assert_eq!((&data(&made)["slowdown"], &data(&made)["completion"]), (&Value::Null, &json!([])));
    // Ten of 1 to 3 kB with slowdowns from 1 to 10, and one of 40 kB in each seed of the second case.
    for run in &mut made.cases[1].runs {
        let mut transfers = Transfers { begun: 11, ..Transfers::default() };
        for (bytes, ms) in (1..=10).map(|k| (1_500, 10 * k)).chain([(40_000, 80)]) {
            let [took, ideal] = [ms, 10].map(Span::from_millis);
            transfers.count(&Transfer { start: Time::ZERO, size: Bytes::new(bytes), took, ideal });
        }
        run.flows[0].transfers = Some(transfers);
    }
    let drawn = data(&made);
    let series = |figure: &Value| figure["content"]["curves"]["series"].clone();
    let near = |value: &Value, expected: f64| {
        assert!(
            (value.as_f64().unwrap() / expected - 1.0).abs() < 0.02,
            "{value} is not {expected}"
        )
    };
    for (rank, (name, small)) in
        [("median", 5.0), ("p95", 10.0), ("p99", 10.0)].into_iter().enumerate()
    {
        let curve = &series(&drawn["slowdown"])[rank];
        assert_eq!(
            (&curve["case"], &curve["name"]),
            (&json!(1), &json!(format!("{}, {name}", made.cases[1].label)))
        );
        near(&curve["points"]["x"][0], 1732.05);
        near(&curve["points"]["y"][0], small);
        near(&curve["points"]["y"][1], 8.0);
        let said = curve["texts"][1].as_str().unwrap();
        assert!(said.starts_with("30 to 100 kB") && said.ends_with("\n3 transfers"), "{said}");
    }
    // All sizes, then each: the last step of each has everything.
    let [together, each] = [0, 1].map(|place| series(&drawn["completion"][place]));
    let notes: Vec<&Value> =
        [&together, &each].into_iter().flat_map(|all| all.as_array().unwrap()).collect();
    let notes: Vec<&Value> = notes.iter().map(|curve| &curve["note"]).collect();
    assert_eq!(notes, ["33 transfers", "30 transfers", "3 transfers"]);
    let points = &together[0]["points"];
    assert_eq!(points["y"].as_array().unwrap().last(), Some(&json!(100)));
    near(points["x"].as_array().unwrap().last().unwrap(), 100.0);
}

#[test]
fn changes_are_drawn_once_if_all_cases_have_them() {
    let mut made = crate::common::three_by_three();
    let change = |what, to: &str| Change {
        at: Time::ZERO + Span::from_secs(20),
        of: "bottleneck".to_owned(),
        what,
        to: to.to_owned(),
    };
    let buffer = |made: &Comparison| data(made)["limits"].as_array().unwrap().len();
    assert_eq!((data(&made)["changes"].as_array().unwrap().len(), buffer(&made)), (0, 1));
    let limits = |made: &Comparison| {
        let drawn = data(made);
        let rules = drawn["scatter"][1]["content"]["curves"]["rules"].as_array().unwrap().clone();
        rules.iter().map(|rule| rule["text"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(limits(&made).iter().any(|text| text == "empty queue 40.0 ms"), "{:?}", limits(&made));
    for case in &mut made.cases {
        case.runs.iter_mut().for_each(|run| {
            run.changes = vec![change(Changed::Buffer, "10 kB"), change(Changed::Delay, "5 ms")]
        });
    }
    let texts = json!(["20 s: bottleneck: buffer 10 kB", "20 s: bottleneck: delay 5 ms"]);
    assert_eq!(data(&made)["changes"], json!([{ "at": 20, "texts": texts }]));
    // A limit that holds for a part of the run only is not a line across the plot.
    let drawn = limits(&made);
    assert!(
        buffer(&made) == 0 && drawn.iter().all(|text| text.starts_with("capacity")),
        "{drawn:?}"
    );
    assert!(html(&made).contains("40 ms base RTT at first, 250 kB buffer (1 BDP) at first"));
    made.cases[0].runs.iter_mut().for_each(|run| run.changes.clear());
    let cases: Vec<Value> = data(&made)["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line["case"].clone())
        .collect();
    assert_eq!(cases, [json!(1), json!(2)]);
}

#[test]
fn classes_paths_and_rates_are_drawn_of_information_centric_networks_alone() {
    let titles = |made: &Comparison| -> Vec<String> {
        data(made)["panels"]
            .as_array()
            .unwrap()
            .iter()
            .map(|panel| panel["title"].as_str().unwrap().to_owned())
            .collect()
    };
    let made = crate::common::icn::comparison();
    let (icn, ip) = (titles(&made), titles(&crate::common::single()));
    let own = [
        "Throughput by class",
        "Throughput by path",
        "Interests answered with Nacks",
        "Rate advertised for",
        "Interests waiting for",
    ];
    for title in own {
        assert!(
            icn.iter().any(|panel| panel.starts_with(title))
                && !ip.iter().any(|panel| panel.starts_with(title)),
            "{title}"
        );
    }
    let drawn = data(&made);
    let panel = |title: &str| icn.iter().position(|panel| panel.starts_with(title)).unwrap();
    let last = |title: &str, name: &str, of: &str| {
        let line = drawn["lines"].as_array().unwrap().iter().find(|line| {
            line["panel"] == panel(title)
                && line.get("name").map_or("", |own| own.as_str().unwrap()) == name
                && line["of"] == of
        });
        line.and_then(|line| line["y"].as_array().unwrap().last().unwrap().as_f64())
    };
    assert_eq!(last("Throughput by class", "first", "primary"), Some(5.0));
    assert_eq!(last("Throughput by class", "", "primary"), Some(9.0));
    assert_eq!(last("Throughput by path", "first", "path 2"), Some(1.25));
    assert_eq!(last("Rate advertised for", "", "primary"), Some(5.0));
    // 5 in each tenth of a second of the first one.
    let refused = drawn["lines"].as_array().unwrap().iter().filter(|line| {
        line["panel"] == panel("Interests answered with Nacks") && line["name"] == "second"
    });
    let most = refused
        .flat_map(|line| line["y"].as_array().unwrap())
        .filter_map(Value::as_f64)
        .fold(0.0, f64::max);
    assert_eq!(most, 50.0);
    assert!(
        html(&made).contains("<summary>Consumers</summary>")
            && html(&crate::common::single()).contains("<summary>Flows</summary>")
    );
}

#[test]
fn links_that_drop_or_mark_can_be_chosen() {
    let mut made = crate::common::single();
    made.cases[0].runs[0].links[0]
        .samples
        .iter_mut()
        .enumerate()
        .for_each(|(index, sample)| sample.marked = index as u64);
    let titles = |data: &Value| {
        data["panels"]
            .as_array()
            .unwrap()
            .iter()
            .map(|panel| panel["title"].to_string())
            .collect::<Vec<_>>()
    };
    let one = data(&made);
    assert_eq!(one["links"], json!(["bottleneck"]));
    for title in ["\"Packets dropped at {}\"", "\"Packets marked at {}\""] {
        assert!(
            titles(&one).iter().any(|own| own == title),
            "{title} is not among {:?}",
            titles(&one)
        );
    }
    // One mark in each sample of 50 ms.
    let marks = one["panels"].as_array().unwrap().len() - 1;
    let line = one["lines"].as_array().unwrap().iter().find(|line| line["panel"] == marks).unwrap();
    assert_eq!((&line["y"][5], &line["link"]), (&json!(20), &json!(0)));
    let mut link = made.cases[0].runs[0].links[0].clone();
    link.name = "second".to_owned();
    made.cases[0].runs[0].links.push(link);
    assert_eq!(
        (&data(&made)["links"], &data(&made)["link"]),
        (&json!(["bottleneck", "second"]), &json!(0))
    );
}

/// Writes the pages of the made-up measurements where `NARROWS_PAGES` says, to be looked at.
#[test]
fn pages_to_look_at() {
    let Some(dir) = std::env::var_os("NARROWS_PAGES").map(std::path::PathBuf::from) else { return };
    std::fs::create_dir_all(&dir).unwrap();
    for (name, made) in [
        ("three", crate::common::three_by_three()),
        ("single", crate::common::single()),
        ("varying", crate::common::varying()),
        ("eight", crate::common::comparison("Eight flows", &[1, 2], 8, None)),
    ] {
        std::fs::write(dir.join(format!("{name}.html")), html(&made)).unwrap();
    }
}
