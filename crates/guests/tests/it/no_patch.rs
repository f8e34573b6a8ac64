//! A workspace of another program, where the patch of `rand_pcg` does not apply.

use crate::common::{flow, head, link, run};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The dependencies of the program, in `crates/`.
const CRATES: [&str; 4] = ["guests", "control", "scenario", "sim"];

/// Prints why each controller is refused, or the goodput of a run with it.
const PROGRAM: &str = r#"
fn main() {
    let session = narrows_control::Session::default();
    for entry in narrows_guests::entries() {
        session.register(entry).unwrap();
    }
    let _session = session.enter();
    let text = std::fs::read_to_string("network.toml").unwrap();
    for controller in ["noq:bbr3", "quinn:bbr", "noq:cubic"] {
        let text = text.replace("CONTROLLER", controller);
        let scenario = narrows_scenario::parse(&text, "network.toml", &|path| panic!("{path:?}"));
        match scenario {
            Ok(scenario) => {
                let record = narrows_sim::run(&scenario).unwrap();
                println!("{controller}: {} B", record.flows[0].total.goodput.get());
            }
            Err(error) => println!("{controller}: {}", error.short()),
        }
    }
}
"#;

fn network() -> String {
    head(5, 1) + &link("loss = \"0.1 %\"") + &flow("CONTROLLER", "")
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long: make long"]
    fn bbrs_are_refused_with_the_lines_to_add_and_all_else_is_equal() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
        let place = root.join("target/no-patch/workspace");
        fs::create_dir_all(place.join("src")).unwrap();
        let depend = |name: &str| {
            format!("narrows-{name} = {{ path = {:?} }}\n", root.join("crates").join(name))
        };
        let manifest = format!(
            "[workspace]\n[package]\nname = \"no-patch\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
             [profile.dev]\nopt-level = 1\ndebug = false\n[dependencies]\n{}",
            CRATES.map(depend).concat()
        );
        fs::write(place.join("Cargo.toml"), manifest).unwrap();
        fs::write(place.join("src/main.rs"), PROGRAM).unwrap();
        fs::write(place.join("network.toml"), network()).unwrap();
        let output = Command::new(env!("CARGO"))
            .args(["run", "--quiet"])
            .current_dir(&place)
            .env("CARGO_TARGET_DIR", root.join("target/no-patch/target"))
            .output()
            .unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        for controller in ["noq:bbr3", "quinn:bbr"] {
            let own = format!("{controller}: network.toml");
            let refused = printed.split_once(&own).expect("a refusal").1;
            assert!(refused.contains("[patch.crates-io]\nrand_pcg = "), "{printed}");
            assert!(refused.contains("cargo update -p rand_pcg"), "{printed}");
        }
        let here = run(&network().replace("CONTROLLER", "noq:cubic")).flows[0].total.goodput;
        assert!(printed.contains(&format!("noq:cubic: {} B", here.get())), "{printed}");
    }
}
