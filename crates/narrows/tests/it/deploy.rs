//! `narrows deploy plan` from its file to its result.

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
    place.write("edge.toml", &EDGE.replace("20 ms", "20"));
    let told = refused(EXPERIMENT);
    assert!(told.contains("edge.toml with the flows of the plan"), "{told}");
    assert!(
        !place.path("narrows-results").exists() || place.files_of("narrows-results").is_empty()
    );
}

/// Experiments on connections of a control group and a network namespace that the tests make.
#[cfg(feature = "bpf")]
mod on_this_host {
    use crate::scratch::{PROGRAM, Scratch, code, stderr, stdout};
    use serde_json::Value;
    use std::fs;
    use std::path::{Path, PathBuf};
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    /// Transfers over loopback one after another for ever: 20 kB each, on a connection of its own.
    const TRANSFERS: &str = r#"
import socket, threading, time
server = socket.create_server(("127.0.0.1", 8000), backlog=512)
def serve():
    while True:
        accepted, _ = server.accept()
        accepted.recv(1); accepted.sendall(bytes(20000)); accepted.close()
threading.Thread(target=serve, daemon=True).start()
while True:
    client = socket.create_connection(("127.0.0.1", 8000))
    client.sendall(b"x")
    while client.recv(1 << 16): pass
    client.close()
    time.sleep(0.002)
"#;

    /// A control group in which transfers go on, removed at the end.
    struct Traffic {
        group: PathBuf,
        name: String,
        child: Child,
    }

    impl Traffic {
        fn begin(name: &str) -> Traffic {
            let mount = narrows_kernel::cgroup_mount().expect("cgroup2 is mounted");
            let name = format!("narrows-{name}-{}", std::process::id());
            let group = mount.join(&name);
            fs::create_dir(&group).expect("a control group can be made");
            let enter = "echo $$ > \"$0/cgroup.procs\" && exec unshare -n sh -c 'ip link set lo up && exec python3 -c \"$0\"' \"$1\"";
            let child = Command::new("sh")
                .args(["-c", enter])
                .arg(&group)
                .arg(TRANSFERS)
                .stdout(Stdio::null())
                .spawn()
                .expect("sh runs");
            Traffic { group, name, child }
        }
    }

    impl Drop for Traffic {
        fn drop(&mut self) {
            let _ = self.child.kill();
            let _ = self.child.wait();
            for _ in 0..100 {
                if fs::remove_dir(&self.group).is_ok() {
                    return;
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    }

    fn is_root(test: &str) -> bool {
        let root = rustix::process::geteuid().is_root();
        if !root {
            eprintln!("{test}: left out, only root may choose controllers of connections");
        }
        root
    }

    fn experiment(name: &str, group: &str, design: &str) -> String {
        let default = narrows_kernel::default();
        let treatment = if default == "reno" { "cubic" } else { "reno" };
        format!(
            "name = \"{name}\"\ntreatment = \"{treatment}\"\n[select]\ncgroups = [\"/{group}\"]\nloopback = true\n[design]\n{design}\n\
             [stop]\nemergency = 0\n[[metric]]\nname = \"retransmitted\"\nharm = \"50 points\"\n[[metric]]\nname = \"rtt_p50\"\n"
        )
    }

    #[test]
    fn a_switchback_runs_to_its_end_and_leaves_nothing() {
        if !is_root("a_switchback_runs_to_its_end_and_leaves_nothing") {
            return;
        }
        let place = Scratch::new("deploy-start");
        let traffic = Traffic::begin("start");
        let name = format!("end-{}", std::process::id());
        let design =
            "period = \"2 s\"\nburn_in = \"400 ms\"\nburn_out = \"200 ms\"\npairs = 3\nobserve = 2";
        place.write("e.toml", &experiment(&name, &traffic.name, design));
        let output = place.narrows(["deploy", "start", "e.toml", "--state", "states", "--json"]);
        assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
        let state: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
        assert_eq!(
            (&state["phase"], &state["pairs"]),
            (&"completed".into(), &serde_json::json!([3, 3, 0]))
        );
        for arm in 0..2 {
            let counts = &state["counts"][arm];
            let number = |key: &str| counts[key].as_u64().expect("a number");
            // Each period has 2 s; the control has seven of ten.
            assert!(number("assigned") > 200, "{state}");
            assert!(number("closed") <= number("assigned") && number("closed") > 200, "{state}");
            assert_eq!(number("refused") + number("overridden"), 0, "{state}");
        }
        assert_eq!(state["metrics"][0]["pairs"], 3);
        assert!(
            state["metrics"][0]["evidence"].is_number() || state["metrics"][0]["effect"].is_array()
        );
        assert!(!Path::new("/sys/fs/bpf/narrows-deploy").join(&name).exists());
        let told = place.narrows(["deploy", "status", "--state", "states"]);
        let told = stdout(&told);
        assert!(told.contains(&format!("{name}: completed")), "{told}");
        assert!(told.contains("3 of 3 pairs judged, 0 void"), "{told}");
    }

    #[test]
    fn an_experiment_is_stopped_with_its_agent_and_without() {
        if !is_root("an_experiment_is_stopped_with_its_agent_and_without") {
            return;
        }
        let place = Scratch::new("deploy-stop");
        for killed in [false, true] {
            let traffic = Traffic::begin("stop");
            let name = format!("stop-{killed}-{}", std::process::id());
            let pins = Path::new("/sys/fs/bpf/narrows-deploy").join(&name);
            let design = "period = \"1 min\"\nburn_in = \"1 s\"\nburn_out = \"1 s\"";
            place.write("e.toml", &experiment(&name, &traffic.name, design));
            let words = ["deploy", "start", "e.toml", "--state", "states", "--quiet"];
            let mut agent = place
                .command(PROGRAM)
                .args(words)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("narrows runs");
            let began = Instant::now();
            let assigned = || {
                let told =
                    place.narrows(["deploy", "status", &name, "--state", "states", "--json"]);
                let states: Value = serde_json::from_str(&stdout(&told)).unwrap_or_default();
                states[0]["counts"][0]["assigned"].as_u64().unwrap_or(0)
            };
            while assigned() == 0 {
                assert!(began.elapsed() < Duration::from_secs(20), "nobody was assigned");
                std::thread::sleep(Duration::from_millis(100));
            }
            assert!(pins.exists());
            // A second agent of this name is refused.
            let second = place.narrows(words);
            assert_eq!(code(&second), 2, "{}", stdout(&second));
            assert!(stderr(&second).contains("goes on or was left behind"), "{}", stderr(&second));
            if killed {
                agent.kill().expect("it can be killed");
                let _ = agent.wait();
                let told = stdout(&place.narrows(["deploy", "status", &name, "--state", "states"]));
                assert!(told.contains("its agent is gone"), "{told}");
            }
            let stopped = place.narrows(["deploy", "stop", &name, "--state", "states"]);
            assert_eq!(code(&stopped), 0, "{}{}", stdout(&stopped), stderr(&stopped));
            assert_eq!(stdout(&stopped), format!("{name} is stopped.\n"));
            assert!(!pins.exists());
            let _ = agent.wait();
        }
    }

    #[test]
    fn what_cannot_be_started_is_told() {
        if !is_root("what_cannot_be_started_is_told") {
            return;
        }
        let place = Scratch::new("deploy-start-refused");
        let refused = |text: &str| {
            place.write("e.toml", text);
            let output = place.narrows(["deploy", "start", "e.toml", "--state", "states"]);
            assert_eq!(code(&output), 2, "{}", stdout(&output));
            stderr(&output)
        };
        let design = "period = \"2 s\"\nburn_in = \"400 ms\"\nburn_out = \"200 ms\"";
        let good = experiment("refused", "no-such-group", design);
        assert!(refused(&good).contains("beside it are"), "{}", refused(&good));
        let told = refused(&good.replace("cgroups = [\"/no-such-group\"]\n", ""));
        assert!(told.contains("chooses all connections of this host"), "{told}");
        let unknown = good.replace("treatment = \"", "treatment = \"no_such_");
        assert!(
            refused(&unknown).contains("this kernel has no controller"),
            "{}",
            refused(&unknown)
        );
        let told = refused(&good.replace(design, "kind = \"share\""));
        assert!(told.contains("beside it are") || told.contains("only switchbacks"), "{told}");
        assert!(
            stderr(&place.narrows(["deploy", "stop", "nobody", "--state", "states"]))
                .contains("there is no experiment")
        );
        assert!(!Path::new("/sys/fs/bpf/narrows-deploy/refused").exists());
    }
}
