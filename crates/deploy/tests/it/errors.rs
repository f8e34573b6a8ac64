//! Errors of the file of an experiment: the place, the value and the remedy.

use narrows_control::Choice;
use narrows_deploy::Experiment;
use narrows_deploy::experiment::{DesignKind, On};
use narrows_scenario::ErrorStyle;

fn known(name: &str) -> Result<(), String> {
    name.parse::<Choice>().map(drop).map_err(|error| error.to_string())
}

fn read(text: &str) -> Result<Experiment, String> {
    let style = ErrorStyle { unicode: false, colour: false };
    Experiment::read(text, "bbr.toml", &known).map_err(|error| error.rendered(style))
}

/// The least file, with more lines.
fn with(more: &str) -> String {
    format!("name = \"bbr\"\ntreatment = \"bbr\"\n{more}\n")
}

#[test]
fn the_least_file_has_defaults() {
    let own = read(&with("")).expect("it is whole");
    assert_eq!(own.control, None);
    assert_eq!(own.design.kind, DesignKind::Switchback { pairs: 24, high: 1.0 });
    assert_eq!(own.select.cgroups, ["/"]);
    assert_eq!(own.metrics.len(), 5);
    assert_eq!((own.stop.alpha, own.stop.emergency), (0.05, 4.0));
    assert_eq!(own.plan, None);
}

#[test]
fn a_whole_file_is_read() {
    let text = with(
        r#"control = "default"
[select]
cgroups = ["/system.slice/nginx.service"]
ports = [443, "8000-8099"]
prefixes = ["0.0.0.0/0", "2001:db8::/32"]
except = ["10.0.0.0/8"]
unit = "client"
[design]
kind = "switchback"
period = "2 min"
burn_in = "30 s"
burn_out = "10 s"
high = "50 %"
[[metric]]
name = "completion"
harm = "5 %"
[[metric]]
name = "retransmitted"
harm = "2 points"
[stop]
alpha = "1 %"
emergency = 0
[roll_back]
open = "keep"
lease = "30 s"
[result]
keep = "1 %"
listen = "127.0.0.1:9464"
[plan]
path = "broadband"
traffic = { load = "50 %", sizes = "web" }
width = "5 %""#,
    );
    let own = read(&text).expect("it is whole");
    assert_eq!(own.select.ports[1].last, 8099);
    assert_eq!(own.select.prefixes.iter().filter(|(_, within)| *within).count(), 2);
    assert_eq!(own.metrics[1].harm.map(|own| own.0), Some(2.0));
    assert!(matches!(own.plan.expect("a plan").on, On::Path { path, .. } if path == "broadband"));
}

#[test]
fn each_error_names_place_value_and_remedy() {
    let bad = [
        with("treatmnt = \"bbr\""),
        with("[design]\nperiod = 120"),
        "name = \"BBR 1\"\ntreatment = \"bbr\"\n".to_owned(),
        "name = \"bbr\"\ntreatment = \"brr\"\n".to_owned(),
        with("control = \"bbr\""),
        with("[design]\nkind = \"share\"\nshare = \"60 %\""),
        with("[design]\nperiod = \"40 s\"\nburn_in = \"30 s\"\nburn_out = \"10 s\""),
        with("[design]\npairs = 510"),
        with("[select]\nports = [0]"),
        with("[select]\nports = [\"90-80\"]"),
        with("[select]\nprefixes = [\"10.1.2.3/8\"]"),
        with("[select]\nprefixes = [\"10.0.0.0/8\"]\nexcept = [\"192.168.0.0/16\"]"),
        with("[select]\ncgroups = [\"../x\"]"),
        with("[[metric]]\nname = \"completion\"\nharm = \"5\""),
        with("[[metric]]\nname = \"completion\"\nharm = \"0 %\""),
        with("[[metric]]\nname = \"completions\""),
        with("[[metric]]\nname = \"goodput\"\n[[metric]]\nname = \"goodput\""),
        with("[stop]\nalpha = \"30 %\""),
        with("[stop]\nemergency = 1.2"),
        with("[design]\nkind = \"share\"\nhigh = \"50 %\""),
        with("[design]\nkind = \"steps\"\nsteps = [\"10 %\", \"1 %\"]"),
        with("[roll_back]\nlease = \"1 s\""),
        with("[result]\nlisten = \"9464\""),
        with("[plan]"),
        with("duration = \"60 s\""),
        "duration = \"60 s\"\n[[link]] # a scenario\nname = \"l\"\n".to_owned(),
        with("[plan]\nscenario = \"a.toml\"\npath = \"dsl\""),
        with("[plan]\npath = \"dls\"\ntraffic = { load = \"50 %\", sizes = \"web\" }"),
        with("[plan]\npath = \"dsl\""),
        with("[plan]\nscenario = \"a.toml\"\ntraffic = { load = \"50 %\", sizes = \"web\" }"),
    ];
    let told: Vec<String> = bad.iter().map(|text| read(text).expect_err(text)).collect();
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn times_slices_and_shares_of_records_are_checked() {
    for (text, reason) in [
        ("[design]\nstart = \"tomorrow\"", "\"tomorrow\" is no time"),
        ("[design]\nstart = \"2026-02-30T03:00:00Z\"", "is no time"),
        ("[design]\nkind = \"share\"\npairs = 1100", "this makes 1108 periods"),
        ("[result]\nkeep = \"101 %\"", "is not a percentage of 0 % to 100 %"),
    ] {
        let told = read(&with(text)).expect_err(text);
        assert!(told.contains(reason), "{told}");
    }
}

proptest::proptest! {
    #[test]
    fn no_text_panics(text in "[a-z \\[\\]=\"\n0-9%{}.-]{0,200}") {
        let _ = read(&text);
        let _ = read(&with(&text));
    }
}
