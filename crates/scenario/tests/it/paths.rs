//! The named paths.

use narrows_scenario::{PATHS, PathProfile, Scenario, parse};
use std::io;

fn read(text: &str) -> Scenario {
    parse(text, "test.toml", &|_| Err(io::Error::other("paths read no files")))
        .unwrap_or_else(|error| panic!("{}", error.short()))
}

#[test]
fn each_is_a_scenario_that_names_its_source() {
    for path in PATHS {
        let scenario = read(path.text);
        assert_eq!(scenario.name, path.name);
        assert!(
            path.summary().len() > 20 && path.summary().ends_with('.'),
            "{}: {}",
            path.name,
            path.summary()
        );
        assert!(path.text.contains("\n# Source: "), "{}", path.name);
        let [flow] = scenario.flows.as_slice() else { panic!("{} has several flows", path.name) };
        let name = |node: narrows_scenario::NodeId| scenario.nodes[node.0].name.as_str();
        assert_eq!((name(flow.from), name(flow.to)), ("sender", "receiver"), "{}", path.name);
    }
}

#[test]
fn a_scenario_that_names_a_path_has_its_network() {
    for path in PATHS {
        let own = read(path.text);
        let flow = "[[flow]]\nfrom = \"sender\"\nto = \"receiver\"\ncontroller = \"cubic\"";
        let text = format!(
            "path = \"{}\"\nname = \"x\"\nduration = \"{}\"\n{flow}",
            path.name, own.duration
        );
        let scenario = read(&text);
        assert_eq!(scenario.links, own.links, "{}", path.name);
        assert_eq!(scenario.nodes, own.nodes, "{}", path.name);
        assert_eq!(scenario.changes, own.changes, "{}", path.name);
    }
}

#[test]
fn a_short_run_sees_only_the_changes_that_happen_in_it() {
    let flow = "[[flow]]\nfrom = \"sender\"\nto = \"receiver\"\ncontroller = \"cubic\"";
    let changes = |seconds: u32| {
        read(&format!("path = \"leo\"\nduration = \"{seconds} s\"\n{flow}")).changes.len()
    };
    // At 15 s both directions go down, take another delay, and come up: six changes.
    assert_eq!((changes(10), changes(20)), (0, 6));
}

#[test]
fn links_of_the_file_join_those_of_the_path() {
    let text = "path = \"dsl\"\nduration = \"1 s\"\n[[link]]\nname = \"home\"\nbetween = [\"receiver\", \"laptop\"]\ndelay = \"2 ms\"\n\
                [[flow]]\nfrom = \"sender\"\nto = \"laptop\"\ncontroller = \"cubic\"\n";
    let scenario = read(text);
    let names: Vec<&str> =
        scenario.flows[0].route.iter().map(|id| scenario.links[id.0].name.as_str()).collect();
    assert_eq!(names, ["line", "home"]);
}

#[test]
fn a_path_that_is_not_known_is_refused_with_the_nearest_name() {
    let text = "path = \"fiber\"\nduration = \"1 s\"\n";
    let error =
        parse(text, "test.toml", &|_| Err(io::Error::other("none"))).expect_err("no such path");
    assert_eq!(error.line(), Some(1));
    assert_eq!(error.message(), "there is no path \"fiber\"");
    assert!(error.remedy().contains("fibre"), "{}", error.remedy());
    assert!(PathProfile::named("fiber").is_none());
}

/// Acknowledgements over the path are enough; a route that ends at one of its nodes is not.
#[test]
fn a_path_that_nothing_takes_is_refused() {
    let links = "[[link]]\nname = \"x\"\nbetween = [\"a\", \"sender\"]\ndelay = \"1 ms\"\n[[link]]\nname = \"y\"\nbetween = [\"receiver\", \"b\"]\ndelay = \"1 ms\"\n\
                 [[link]]\nname = \"z\"\nbetween = [\"a\", \"b\"]\nrate = \"9 Mbit/s\"\ndelay = \"1 ms\"\n";
    let text = |flow: &str| {
        format!(
            "path = \"lte\"\nduration = \"1 s\"\n{links}[[flow]]\ncontroller = \"cubic\"\n{flow}"
        )
    };
    let refused = |flow: &str| {
        parse(&text(flow), "test.toml", &|_| Err(io::Error::other("paths read no files")))
            .err()
            .map(|error| error.message().to_owned())
    };
    let back = "from = \"a\"\nto = \"b\"\nroute = [\"z\"]\nback = [\"y.back\", \"radio.back\", \"x.back\"]\n";
    assert_eq!(refused(back), None);
    assert_eq!(refused("from = \"receiver\"\nto = \"sender\"\n"), None);
    let nothing = Some(
        "no flow takes the path lte, which lies between the nodes \"sender\" and \"receiver\""
            .to_owned(),
    );
    assert_eq!(refused("from = \"a\"\nto = \"sender\"\n"), nothing);
}
