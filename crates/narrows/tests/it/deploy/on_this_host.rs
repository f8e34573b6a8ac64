//! Experiments on connections of a control group and a network namespace that the tests make.

use crate::scratch::{PROGRAM, Scratch, code, stderr, stdout};
use serde_json::Value;
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Transfers of 20 kB over loopback, one after another without end, each on its own connection.
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

/// A control group with continuous transfers, removed at the end.
pub(super) struct Traffic {
    group: PathBuf,
    pub(super) name: String,
    child: Child,
}

impl Traffic {
    pub(super) fn begin(name: &str) -> Traffic {
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

pub(super) fn is_root(test: &str) -> bool {
    let root = rustix::process::geteuid().is_root();
    if !root {
        eprintln!("{test}: left out, only root may choose controllers of connections");
    }
    root
}

pub(super) fn experiment(name: &str, group: &str, design: &str) -> String {
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
        // Each period lasts 2 s. Seven of the ten periods have the control.
        assert!(number("assigned") > 200, "{state}");
        assert!(number("closed") <= number("assigned") && number("closed") > 200, "{state}");
        assert_eq!(counts["refused"], serde_json::json!([0, 0, 0]), "{state}");
        assert_eq!(number("overridden") + number("timeouts"), 0, "{state}");
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
    the_result_is_whole(&place, &name);
}

/// Asserts that the result of a completed experiment is whole, and can be made again from its
/// state.
fn the_result_is_whole(place: &Scratch, name: &str) {
    let own = format!("states/{name}/result");
    let words = ["deploy", "report", name, "--state", "states", "--out", "again"];
    let output = place.narrows(words);
    assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
    for file in ["report.html", "summary.json", "periods.parquet", "experiment.toml"] {
        let (one, other) =
            (place.read(&format!("{own}/{file}")), place.read(&format!("again/{file}")));
        assert!(!one.is_empty() && one == other, "{file}");
    }
    let summary: Value = serde_json::from_slice(&place.read("again/summary.json")).expect("JSON");
    assert_eq!(summary["format"], 1);
    assert_eq!(
        (&summary["state"], &summary["metrics"][0]["pairs"]),
        (&"completed".into(), &3.into())
    );
    assert!(summary["guards"].as_array().expect("guards").iter().all(|own| own["ok"] == true));
    let page = String::from_utf8(place.read("again/report.html")).expect("UTF-8");
    assert!(page.contains("no harm beyond a bound was shown") && page.contains("<svg"), "{page}");
    assert!(!page.contains("src=\"http") && !page.contains("url(http"));
    // A completed experiment can neither be resumed nor started again until it is removed.
    let again = place.narrows(["deploy", "start", "e.toml", "--state", "states", "--resume"]);
    assert_eq!(code(&again), 2);
    assert!(stderr(&again).contains("has ended, completed"), "{}", stderr(&again));
    let removed = place.narrows(["deploy", "remove", name, "--state", "states"]);
    assert_eq!(stdout(&removed), format!("{name} is removed.\n"), "{}", stderr(&removed));
    assert!(!place.path(&format!("states/{name}")).exists());
}

#[test]
fn a_share_runs_to_its_end() {
    runs_to_its_end(
        "share",
        "kind = \"share\"\nshare = \"50 %\"\nperiod = \"1500 ms\"\npairs = 2\nobserve = 2",
    );
}

#[test]
fn steps_run_to_their_end() {
    runs_to_its_end(
        "steps",
        "kind = \"steps\"\nsteps = [\"0 %\", \"50 %\", \"100 %\"]\nperiod = \"1500 ms\"\nburn_in = \"200 ms\"\nburn_out = \"200 ms\"\npairs = 1\nobserve = 2",
    );
}

fn runs_to_its_end(kind: &str, design: &str) {
    if !is_root("a_share_and_steps") {
        return;
    }
    let place = Scratch::new(&format!("deploy-{kind}"));
    let traffic = Traffic::begin(kind);
    let name = format!("{kind}-{}", std::process::id());
    let text = experiment(&name, &traffic.name, design) + "[result]\nkeep = \"100 %\"\n";
    place.write("e.toml", &text);
    let output = place.narrows(["deploy", "start", "e.toml", "--state", "states", "--json"]);
    assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
    let state: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    let groups = if kind == "share" { 2 } else { 1 };
    assert_eq!(state["pairs"], serde_json::json!([groups, groups, 0]), "{state}");
    let kept = place.read(&format!("states/{name}/connections.csv"));
    let kept = String::from_utf8(kept).expect("UTF-8");
    let lines: Vec<Vec<&str>> =
        kept.lines().skip(1).map(|line| line.split(',').collect()).collect();
    assert!(lines.len() > 100, "{}", lines.len());
    // While both arms have the control controller, connections drawn as treated use it too.
    let default = narrows_kernel::default();
    for line in &lines {
        let (period, arm, controller) = (line[1], line[3], line[5]);
        let is_observed = period.parse::<usize>().expect("a period") < 4;
        assert_eq!(controller != default, arm == "treatment" && !is_observed, "{line:?}");
    }
    let summary = place.read(&format!("states/{name}/result/summary.json"));
    let summary: Value = serde_json::from_slice(&summary).expect("JSON");
    assert_eq!(summary["design"]["kind"], kind);
    let shares = summary["metrics"][0]["shares"].as_array().map_or(0, Vec::len);
    assert_eq!(shares, if kind == "steps" { 2 } else { 0 }, "{summary}");
}

/// Asks the agent for the counters of an experiment.
fn counters(port: u16) -> Option<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    let head = format!("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n");
    stream.write_all(head.as_bytes()).ok()?;
    let mut text = String::new();
    stream.read_to_string(&mut text).ok()?;
    text.starts_with("HTTP/1.1 200").then_some(text)
}

/// Waits until `look` finds something.
pub(super) fn wait<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_killed_agent_goes_on_is_scraped_and_tells_the_service_manager() {
    if !is_root("a_killed_agent_goes_on_is_scraped_and_tells_the_service_manager") {
        return;
    }
    let place = Scratch::new("deploy-resume");
    let traffic = Traffic::begin("resume");
    let name = format!("resume-{}", std::process::id());
    let pins = Path::new("/sys/fs/bpf/narrows-deploy").join(&name);
    let port = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("one").port();
    let design =
        "period = \"1500 ms\"\nburn_in = \"200 ms\"\nburn_out = \"200 ms\"\npairs = 2\nobserve = 3";
    let text = experiment(&name, &traffic.name, design)
        + &format!("[result]\nlisten = \"127.0.0.1:{port}\"\n[roll_back]\nlease = \"2 s\"\n");
    place.write("e.toml", &text);
    let notices = UnixDatagram::bind(place.path("notify")).expect("a socket");
    let start = |words: &[&str]| {
        place
            .command(PROGRAM)
            .args(["deploy", "start", "e.toml", "--state", "states", "--json"])
            .args(words)
            .env("NOTIFY_SOCKET", place.path("notify"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("narrows runs")
    };
    let mut agent = start(&["--resume"]);
    let heard = Arc::new(Mutex::new(String::new()));
    let told = Arc::clone(&heard);
    std::thread::spawn(move || {
        let mut room = [0; 512];
        while let Ok(count) = notices.recv(&mut room) {
            *told.lock().expect("no panic") += &String::from_utf8_lossy(&room[..count]);
        }
    });
    let hear = |wanted: &str| {
        wait(wanted, || heard.lock().expect("no panic").contains(wanted).then_some(()))
    };
    hear("READY=1");
    hear("WATCHDOG=1\nSTATUS=observing");
    let text = wait("counters", || counters(port).filter(|own| own.contains("arm=\"control\"} 1")));
    let wanted = [
        "connections_total",
        "open",
        "bytes_acked_total",
        "bytes_sent_total",
        "bytes_retransmitted_total",
        "timeouts_total",
        "refused_total",
        "overridden_total",
        "left_alone_total",
        "lapsed_total",
        "restored_total",
        "records_lost_total",
        "rtt_seconds",
        "completion_seconds",
        "period",
        "treated_share",
        "lease_seconds",
        "pairs",
        "void_pairs",
        "effect",
        "evidence",
        "state",
    ];
    for own in wanted {
        assert!(text.contains(&format!("# TYPE narrows_deploy_{own} ")), "{own} in {text}");
    }
    assert!(text.contains("state=\"observing\"} 1") && text.contains("le=\"+Inf\""), "{text}");
    // A second agent cannot listen on the same port, and is refused.
    let second = place.narrows(["deploy", "start", "e.toml", "--state", "states"]);
    assert!(stderr(&second).contains("cannot listen on"), "{}", stderr(&second));
    // Wait until two periods are over.
    let periods = place.path(&format!("states/{name}/periods.jsonl"));
    wait("two periods", || {
        fs::read_to_string(&periods).ok().filter(|own| own.lines().count() >= 2)
    });
    agent.kill().expect("it can be killed");
    let _ = agent.wait();
    assert!(pins.exists());
    let without = place.narrows(["deploy", "start", "e.toml", "--state", "states"]);
    assert!(stderr(&without).contains("was left behind"), "{}", stderr(&without));
    let good = fs::read_to_string(place.path("e.toml")).expect("it is there");
    place.write("e.toml", &good.replace("pairs = 2", "pairs = 4"));
    let other = place.narrows(["deploy", "start", "e.toml", "--state", "states", "--resume"]);
    assert!(stderr(&other).contains("there \"pairs = 2\" was"), "{}", stderr(&other));
    place.write("e.toml", &good);
    // After the lease has lapsed, new connections use the default controller. An agent resumes
    // the experiment all the same.
    std::thread::sleep(Duration::from_millis(2500));
    let output = start(&["--resume"]).wait_with_output().expect("it ends");
    let state: Value = serde_json::from_str(&stdout(&output)).unwrap_or_default();
    assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
    assert_eq!(state["phase"], "completed", "{state}");
    assert!(state["left_out"]["lapsed"].as_u64().expect("a number") > 10, "{state}");
    let kept = fs::read_to_string(&periods).expect("periods");
    assert_eq!(kept.lines().count(), 10, "{kept}");
    assert!((1..=6).contains(&kept.matches("\"void\":true").count()), "{kept}");
    assert!(!pins.exists());
    hear("STOPPING=1");
}

#[test]
fn a_dry_run_touches_nothing() {
    if !is_root("a_dry_run_touches_nothing") {
        return;
    }
    let place = Scratch::new("deploy-dry");
    place.write("e.toml", &experiment("dry", "no-such-group", "period = \"2 min\""));
    let dry = place
        .command(PROGRAM)
        .args(["deploy", "start", "e.toml", "--dry-run", "--state", "states"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("narrows runs");
    // Other tests make dry runs at the same time: what this one could leave has its process's name.
    let pins = format!("/sys/fs/bpf/narrows-deploy/dry-{}", dry.id());
    let mount = narrows_kernel::cgroup_mount().expect("cgroup2 is mounted");
    let group = mount.join(format!("narrows-dry-{}", dry.id()));
    let output = dry.wait_with_output().expect("it ends");
    let (told, wrong) = (stdout(&output), stderr(&output));
    assert_eq!(code(&output), 0, "{told}{wrong}");
    assert!(
        told.contains("A connection over loopback got") && told.contains("Nothing is left"),
        "{told}"
    );
    assert!(!place.path("states").exists());
    assert!(!Path::new(&pins).exists() && !group.exists());
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
            let told = place.narrows(["deploy", "status", &name, "--state", "states", "--json"]);
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
        assert!(stderr(&second).contains("goes on"), "{}", stderr(&second));
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
    assert!(refused(&unknown).contains("this kernel has no controller"), "{}", refused(&unknown));
    let told = refused(
        &good
            .replace(design, &format!("{design}\nstart = \"2020-01-01T00:00:00Z\""))
            .replace("/no-such-group", "/"),
    );
    assert!(told.contains("which is past") || told.contains("chooses all"), "{told}");
    assert!(
        stderr(&place.narrows(["deploy", "stop", "nobody", "--state", "states"]))
            .contains("there is no experiment")
    );
    assert!(!Path::new("/sys/fs/bpf/narrows-deploy/refused").exists());
}
