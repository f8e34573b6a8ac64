//! Agents that are killed at random times.

use super::on_this_host::{Traffic, experiment, is_root, wait};
use crate::scratch::{PROGRAM, Scratch, code, stderr, stdout};
use narrows_kernel::deployment::Deployment;
use narrows_units::Random;
use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// Lease of the experiments here.
const LEASE: Duration = Duration::from_secs(2);

/// Numbers of connections that were assigned, and that began after the lease.
fn counted(name: &str) -> Option<[u64; 2]> {
    let counts = Deployment::adopt(name).ok().flatten()?.counts().ok()?;
    Some([counts.iter().map(|own| own.assigned).sum(), counts[2].lapsed])
}

/// Fifty agents are killed, every other one while it starts. After each, connections get their
/// default within the lease and a tenth of a second, and the next agent goes on; or the experiment
/// is removed, and nothing is left.
#[test]
#[ignore = "five minutes: --ignored fifty_kills_leave_nothing"]
fn fifty_kills_leave_nothing() {
    if !is_root("fifty_kills_leave_nothing") {
        return;
    }
    let place = Scratch::new("deploy-kills");
    let traffic = Traffic::begin("kills");
    let name = format!("kills-{}", std::process::id());
    let pins = Path::new("/sys/fs/bpf/narrows-deploy").join(&name);
    let design = "period = \"1500 ms\"\nburn_in = \"200 ms\"\nburn_out = \"200 ms\"\npairs = 400\nobserve = 2";
    let text = experiment(&name, &traffic.name, design) + "[roll_back]\nlease = \"2 s\"\n";
    place.write("e.toml", &text);
    let words = ["deploy", "start", "e.toml", "--state", "states", "--resume", "--quiet"];
    let start = || -> Child {
        let mut command = place.command(PROGRAM);
        command.args(words).stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().expect("narrows runs")
    };
    let mut random = Random::stream(1, "kills");
    let mut longest = Duration::ZERO;
    let (mut early, mut lapsed, mut removed) = (0, 0, 0);
    for turn in 0..50 {
        let mut agent = start();
        let is_early = turn % 2 == 0;
        if !is_early {
            let before = counted(&name).map_or(0, |own| own[0]);
            wait("somebody is assigned", || counted(&name).filter(|own| own[0] > before));
        }
        let most = if is_early { 300 } else { 1500 };
        sleep(Duration::from_millis(random.below(most)));
        let ended = agent.try_wait().expect("it can be asked");
        agent.kill().expect("it can be killed");
        let output = agent.wait_with_output().expect("it ends");
        assert!(ended.is_none(), "turn {turn}: {}", stderr(&output));
        early += u32::from(!pins.exists());
        if turn % 3 == 0 && pins.join("link-0").exists() {
            let killed = std::time::Instant::now();
            sleep(LEASE + Duration::from_millis(100));
            if let Some(one) = counted(&name) {
                longest = longest.max(killed.elapsed());
                sleep(Duration::from_millis(300));
                let other = counted(&name).expect("it stays");
                assert_eq!(one[0], other[0], "turn {turn}: nobody is assigned after the lease");
                lapsed += u32::from(other[1] > one[1]);
            }
        } else if turn % 3 == 1 {
            let known = place.path(&format!("states/{name}/state.json")).exists();
            if known {
                let told = place.narrows(["deploy", "stop", &name, "--state", "states"]);
                assert_eq!(code(&told), 0, "turn {turn}: {}{}", stdout(&told), stderr(&told));
            }
            if known || pins.exists() || place.path(&format!("states/{name}")).exists() {
                let told = place.narrows(["deploy", "remove", &name, "--state", "states"]);
                assert_eq!(code(&told), 0, "turn {turn}: {}{}", stdout(&told), stderr(&told));
                removed += 1;
            }
            assert!(!pins.exists() && !place.path(&format!("states/{name}")).exists());
        }
    }
    // The last one goes on all the same, and ends when it is told to.
    let mut agent = start();
    let before = counted(&name).map_or(0, |own| own[0]);
    wait("somebody is assigned", || counted(&name).filter(|own| own[0] > before));
    let told = place.narrows(["deploy", "stop", &name, "--state", "states"]);
    assert_eq!(code(&told), 0, "{}{}", stdout(&told), stderr(&told));
    assert_eq!(agent.wait().expect("it ends").code(), Some(0));
    assert!(!pins.exists());
    let told = place.narrows(["deploy", "remove", &name, "--state", "states"]);
    assert_eq!(code(&told), 0, "{}{}", stdout(&told), stderr(&told));
    assert_eq!(fs::read_dir(place.path("states")).expect("it is there").count(), 0);
    println!(
        "{early} killed before there was anything; after {lapsed} leases, looked at after at most {longest:?}, nobody was assigned; {removed} removed"
    );
    assert!(lapsed >= 5 && removed >= 5);
}
