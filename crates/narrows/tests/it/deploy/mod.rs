//! `narrows deploy plan` from its file to its result.

#[cfg(feature = "bpf")]
mod kills;
#[cfg(feature = "bpf")]
mod loaded;
#[cfg(feature = "bpf")]
mod on_this_host;

use crate::scratch::{Scratch, code, same, stderr, stdout};

const EDGE: &str = "[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = \"2 Mbit/s\"\ndelay = \"20 ms\"\nbuffer = \"1 bdp\"\n\n\
                    [[flow]]\nfrom = \"a\"\nto = \"b\"\ncontroller = \"experiment\"\nworkload = { load = \"80 %\", sizes = [[\"20 kB\", 0.5], [\"200 kB\", 1.0]] }\n";
const EXPERIMENT: &str =
    "name = \"bbr\"\ncontrol = \"reno\"\ntreatment = \"bbr\"\n[plan]\nscenario = \"edge.toml\"\n";

#[test]
fn a_plan_is_the_same_with_any_number_of_threads_and_its_scenarios_run() {
    let place = Scratch::new("deploy-plan");
    place.write("edge.toml", EDGE);
    place.write("bbr.toml", EXPERIMENT);
    let plan = |out: &str, jobs: &str| {
        let words =
            ["deploy", "plan", "bbr.toml", "--seeds", "2", "--quick", "--jobs", jobs, "--out", out];
        let output = place.narrows(words);
        assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
        stdout(&output)
    };
    let told = plan("one", "1");
    // The kernel's name of NewReno is reno.
    assert!(told.contains("bbr: newreno to bbr, simulated with 2 seeds"), "{told}");
    assert!(told.contains("A/B test at 50 %") && told.contains("Pairs needed"), "{told}");
    plan("two", "2");
    same(&place, "one", "two");
    for name in ["all-control", "all-treated", "ab-test", "switchback"] {
        let scenario = String::from_utf8(place.read(&format!("one/{name}.toml"))).expect("UTF-8");
        assert_eq!(scenario.contains("\"bbr\""), name != "all-control", "{name}");
    }
    // The file names neither pairs nor periods: the default pairs with the proposed periods.
    assert!(told.contains("The file has 24 pairs of "), "{told}");
    for words in
        [&["figure", "one"][..], &["report", "one"], &["export", "one"], &["diff", "one", "two"]]
    {
        let output = place.narrows(words.iter().copied());
        let said = "one is the plan of an experiment, which keeps neither runs nor figures; open its report.html";
        assert_eq!(code(&output), 2, "{words:?}: {}", stdout(&output));
        assert!(stderr(&output).contains(said), "{words:?}: {}", stderr(&output));
    }
    let run = place.narrows(["run", "one/ab-test.toml", "--quiet", "--out", "again"]);
    assert_eq!(code(&run), 0, "{}{}", stdout(&run), stderr(&run));
}

#[test]
fn a_plan_that_cannot_be_is_refused() {
    let place = Scratch::new("deploy-refused");
    let refused = |text: &str| {
        place.write("bbr.toml", text);
        let output = place.narrows(["deploy", "plan", "bbr.toml"]);
        assert_eq!(code(&output), 2, "{}", stdout(&output));
        stderr(&output)
    };
    assert!(refused("name = \"bbr\"\ntreatment = \"bbr\"\n").contains("has no [plan]"));
    let told = refused(&EXPERIMENT.replace("edge", "egde"));
    assert!(told.contains("egde.toml cannot be read"), "{told}");
    let told = refused(&EXPERIMENT.replace("\"bbr\"\n[", "\"bbrr\"\n["));
    assert!(told.contains("bbr.toml:3:13") && told.contains("did you mean"), "{told}");
    place.write("edge.toml", &EDGE.replace("experiment", "cubic"));
    assert!(refused(EXPERIMENT).contains("no flow has controller = \"experiment\""));
    place.write("edge.toml", &EDGE.replace("2 Mbit/s", "20 Gbit/s"));
    let told = refused(EXPERIMENT);
    assert!(told.contains("some 21 hours on one core; take --quick --seeds 2,"), "{told}");
    place.write("edge.toml", &EDGE.replace("20 ms", "20"));
    let told = refused(EXPERIMENT);
    assert!(told.contains("edge.toml with the flows of the plan"), "{told}");
    assert!(
        !place.path("narrows-results").exists() || place.files_of("narrows-results").is_empty()
    );
}
