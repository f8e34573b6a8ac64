//! `narrows kernel` as a user meets it: output, refusals, and traces on the host.

use crate::scratch::{code, stderr};

#[cfg(not(feature = "bpf"))]
#[test]
fn without_controllers_it_says_how_to_get_them() {
    let place = crate::scratch::Scratch::new("kernel-absent");
    let object = concat!(env!("CARGO_MANIFEST_DIR"), "/../bpf/tests/objects/reno.bpf.o");
    for arguments in [
        &["kernel", "list"][..],
        &["kernel", "load", "pcc-vivace"],
        &["kernel", "unload", "--all"],
        &["inspect", object, "--kernel"],
    ] {
        let output = place.narrows(arguments.iter().copied());
        assert_eq!(code(&output), 2);
        assert!(
            stderr(&output).contains("apt install clang make pkg-config libelf-dev zlib1g-dev"),
            "{}",
            stderr(&output)
        );
        assert!(stderr(&output).contains("make build"));
    }
}

#[cfg(feature = "bpf")]
mod built {
    use super::*;
    use crate::host::alone;
    use crate::scratch::{PROGRAM, stdout};
    use serde_json::Value;
    use std::collections::BTreeSet;
    use std::fs;
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::path::Path;
    use std::process::{Child, Command, Output, Stdio};
    use std::sync::MutexGuard;
    use std::thread;
    use std::time::Duration;

    /// Returns a lock under which one test of this process runs at a time, because each compares
    /// the host's state before and after. Without root, which loading controllers needs, prints
    /// that the test is left out and returns `None`.
    fn turn(test: &str) -> Option<MutexGuard<'static, ()>> {
        let root =
            Command::new("id").arg("-u").output().is_ok_and(|output| stdout(&output).trim() == "0");
        if !root {
            eprintln!("{test}: left out, only root may give controllers to the kernel");
        }
        root.then(alone)
    }

    fn kernel(arguments: &[&str]) -> Output {
        Command::new(PROGRAM)
            .arg("kernel")
            .args(arguments)
            .env("NO_COLOR", "1")
            .output()
            .expect("narrows runs")
    }

    fn well(arguments: &[&str]) -> String {
        let output = kernel(arguments);
        assert_eq!(code(&output), 0, "{arguments:?}: {}", stderr(&output));
        stdout(&output)
    }

    fn refused(arguments: &[&str]) -> String {
        let output = kernel(arguments);
        assert_eq!(
            (code(&output), stdout(&output)),
            (2, String::new()),
            "{arguments:?}: {}",
            stderr(&output)
        );
        stderr(&output)
    }

    /// Returns the process number, padded to a fixed width so that columns stay where they are.
    fn own() -> String {
        format!("{:0>7}", std::process::id())
    }

    /// Returns a controller name that no other process uses.
    fn name(what: &str) -> String {
        format!("{what}.{}", own())
    }

    fn without_numbers(text: &str) -> String {
        text.replace(&own(), "PID")
    }

    /// Returns pins and listed controllers whose names belong to this process. The first load on a
    /// host without a file system for pins mounts one; it stays, as the program says.
    fn traces() -> (BTreeSet<String>, BTreeSet<String>) {
        let own = own();
        let pins = fs::read_dir(narrows_kernel::PINS).into_iter().flatten().flatten();
        let pins = pins
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .filter(|name| name.contains(&own))
            .collect();
        let names =
            narrows_kernel::available().into_iter().filter(|name| name.contains(&own)).collect();
        (pins, names)
    }

    /// Runs a script as root in a mount namespace of its own, which ends with the script.
    fn apart(script: &str, name: &str) -> Output {
        let mut command = Command::new("unshare");
        command
            .args(["--mount", "sh", "-c", script])
            .env("NARROWS", PROGRAM)
            .env("NAME", name)
            .env("NO_COLOR", "1");
        command.output().expect("unshare of util-linux runs")
    }

    struct Transfer {
        stream: TcpStream,
        _other: TcpStream,
    }

    impl Transfer {
        fn new(controller: &str) -> Transfer {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            rustix::net::sockopt::set_tcp_congestion(&stream, controller).unwrap();
            Transfer { stream, _other: listener.accept().unwrap().0 }
        }

        fn exchange(&mut self) {
            self.stream.write_all(&[7; 1000]).unwrap();
            self._other.read_exact(&mut [0; 1000]).unwrap();
        }
    }

    #[test]
    fn loaded_listed_counted_and_unloaded() {
        let Some(_turn) = turn("loaded_listed_counted_and_unloaded") else { return };
        let before = traces();
        let name = name("all");
        let said = well(&["load", "pcc-vivace?fixed=true&probe=4", "--as", &name]);
        let mut transfer = Transfer::new(&name);
        transfer.exchange();
        let list: Value = serde_json::from_str(&well(&["list", "--json"])).unwrap();
        let row = list["controllers"]
            .as_array()
            .unwrap()
            .iter()
            .find(|row| row["name"] == name[..])
            .unwrap();
        assert_eq!(
            (row["by"].as_str(), row["controller"].as_str()),
            (Some("narrows"), Some("pcc-vivace?fixed=true&probe=4"))
        );
        assert_eq!(row["params"], serde_json::json!({ "fixed": "true", "probe": "4" }));
        assert_eq!((&row["open"], &row["default"]), (&1.into(), &false.into()));
        assert!(
            list["loadable"].as_array().unwrap().iter().any(|row| row["kernel"] == "pcc_vivace")
        );
        let stats: Value = serde_json::from_str(&well(&["stats", &name, "--json"])).unwrap();
        assert_eq!((&stats[0]["total"]["opened"], &stats[0]["open"]), (&1.into(), &1.into()));
        let list = well(&["list"]);
        let line = list.lines().find(|line| line.contains(&name)).unwrap();
        let mut texts = vec![said, format!("{line}\n")];
        texts.push(refused(&["load", "pcc-vivace", "--as", &name]));
        texts.push(well(&["unload", &name]));
        transfer.exchange();
        texts.push(refused(&["unload", &name]).split(';').next().unwrap().to_owned());
        insta::assert_snapshot!(without_numbers(&without_ages(&texts.join("\n"))));
        assert_eq!(traces(), before);
    }

    /// Replaces ages, which differ from run to run.
    fn without_ages(text: &str) -> String {
        (0..60).rev().fold(text.to_owned(), |text, seconds| {
            text.replace(&format!("narrows for {seconds} s,"), "narrows for AGE,")
        })
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let Some(_turn) = turn("what_cannot_be_is_refused") else { return };
        let before = traces();
        let unknown = refused(&["load", "pcc"]);
        assert!(
            unknown.starts_with("error: there is no kernel controller \"pcc\"; known kernel controllers: pcc-vivace, pcc-allegro"),
            "{unknown}"
        );
        let texts = [
            refused(&["load", "pcc-vivace?probe=0"]),
            refused(&["load", "pcc-vivace?fixed=true&fixed=false"]),
            refused(&["load", "pcc-vivace", "--as", "reno"]),
            refused(&["load", "pcc-vivace", "--as", "pcc-vivace"]),
            refused(&["load", "pcc-vivace", "--as", "longer_than_fifteen"]),
        ];
        insta::assert_snapshot!(texts.join("\n"));
        assert_eq!(traces(), before);
    }

    #[test]
    fn without_the_kernels_types_or_rights() {
        let Some(_turn) = turn("without_the_kernels_types_or_rights") else { return };
        let before = traces();
        let name = name("no");
        let output = apart(
            "mount -t tmpfs none /sys/kernel/btf && exec \"$NARROWS\" kernel load pcc-vivace --as $NAME",
            &name,
        );
        assert_eq!(code(&output), 2);
        let mut texts = vec![stderr(&output)];
        let output = Command::new("setpriv")
            .args([
                "--bounding-set=-all",
                "--inh-caps=-all",
                PROGRAM,
                "kernel",
                "load",
                "pcc-vivace",
                "--as",
                &name,
            ])
            .output()
            .expect("setpriv of util-linux runs");
        assert_eq!(code(&output), 2);
        texts.push(stderr(&output));
        insta::assert_snapshot!(texts.join("\n"));
        assert_eq!(traces(), before);
    }

    #[test]
    fn a_users_object_is_judged_by_the_verifier_and_not_registered() {
        let Some(_turn) = turn("a_users_object_is_judged_by_the_verifier_and_not_registered")
        else {
            return;
        };
        let before = (traces(), narrows_kernel::available());
        let objects = concat!(env!("CARGO_MANIFEST_DIR"), "/../bpf/tests/objects");
        let inspect = |program: &str, wrapper: &[&str]| -> (i32, Value, String) {
            let file = format!("{objects}/{program}.bpf.o");
            let all: Vec<&str> = wrapper
                .iter()
                .copied()
                .chain([PROGRAM, "inspect", &file, "--kernel", "--json"])
                .collect();
            let output = Command::new(all[0]).args(&all[1..]).output().expect("it runs");
            (
                code(&output),
                serde_json::from_slice(&output.stdout).unwrap_or_default(),
                stderr(&output),
            )
        };
        let (status, told, said) = inspect("reno", &[]);
        assert_eq!(status, 0, "{said}");
        assert_eq!(told["kernel"]["refused"], Value::Null);
        let mut accepted: Vec<&str> = told["kernel"]["accepted"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        accepted.sort_unstable();
        assert_eq!(accepted, ["reno_cong_avoid", "reno_init", "reno_ssthresh", "reno_undo_cwnd"]);
        let (status, told, _) = inspect("lacking", &[]);
        assert_eq!(status, 2);
        assert!(told["kernel"]["refused"].as_str().unwrap().contains("tcp_nowhere"), "{told:#}");
        assert!(told["kernel"]["log"].as_str().unwrap().contains("tcp_nowhere"), "{told:#}");
        let (status, _, said) =
            inspect("reno", &["setpriv", "--bounding-set=-all", "--inh-caps=-all"]);
        assert!(status == 2 && said.contains("run it with sudo"), "{said}");
        assert_eq!((traces(), narrows_kernel::available()), before);
    }

    #[test]
    fn the_file_system_of_pins_is_mounted_if_it_is_not() {
        let Some(_turn) = turn("the_file_system_of_pins_is_mounted_if_it_is_not") else { return };
        let before = traces();
        // A tmpfs hides the host's file system for pins.
        let script = "mount -t tmpfs none /sys/fs/bpf
            \"$NARROWS\" kernel load pcc-vivace --as reno; grep -c ' - bpf ' /proc/self/mountinfo
            \"$NARROWS\" kernel load pcc-vivace --as $NAME; grep -c '/sys/fs/bpf .* - bpf ' /proc/self/mountinfo
            \"$NARROWS\" kernel unload --all; ls -A /sys/fs/bpf/narrows 2>&1";
        let output = apart(script, &name("mnt"));
        let text = stdout(&output);
        assert!(
            text.contains("/sys/fs/bpf was not mounted, and is now."),
            "{text}{}",
            stderr(&output)
        );
        assert!(text.contains("is unloaded.") && text.contains("No such file"), "{text}");
        // A load that failed leaves the mounts as it found them.
        let mounts = fs::read_to_string("/proc/self/mountinfo").expect("mounts");
        let mounted = mounts.lines().filter(|line| line.contains(" - bpf ")).count();
        assert_eq!(text.lines().next(), Some(&mounted.to_string()[..]), "{text}");
        assert_eq!(traces(), before);
    }

    #[test]
    fn a_default_is_not_unloaded_unawares() {
        let Some(_turn) = turn("a_default_is_not_unloaded_unawares") else { return };
        let before = traces();
        let name = name("dflt");
        well(&["load", "pcc-vivace", "--as", &name]);
        let script = "echo $NAME > /proc/sys/net/ipv4/tcp_congestion_control; \"$NARROWS\" kernel unload $NAME; \"$NARROWS\" kernel unload $NAME --force";
        let output = Command::new("unshare")
            .args(["--net", "sh", "-c", script])
            .env("NARROWS", PROGRAM)
            .env("NAME", &name)
            .output()
            .unwrap();
        // Lines about processes that the test may not examine differ from host to host.
        let told: String = stderr(&output)
            .lines()
            .filter(|line| !line.contains("cannot be examined"))
            .map(|line| format!("{line}\n"))
            .collect();
        insta::assert_snapshot!(
            without_numbers(&(told + &stdout(&output)))
                .replace("=cubic", "=OTHER")
                .replace("=reno", "=OTHER")
        );
        assert_eq!(traces(), before);
    }

    #[test]
    fn a_default_of_another_network_namespace_is_not_unloaded_unawares() {
        let test = "a_default_of_another_network_namespace_is_not_unloaded_unawares";
        let Some(_turn) = turn(test) else { return };
        let before = traces();
        let name = name("far");
        well(&["load", "pcc-vivace", "--as", &name]);
        let script =
            "echo $NAME > /proc/sys/net/ipv4/tcp_congestion_control && echo ready && exec sleep 60";
        let mut command = Command::new("unshare");
        let mut far = command
            .args(["--net", "sh", "-c", script])
            .env("NAME", &name)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut ready = [0; 6];
        far.stdout.as_mut().unwrap().read_exact(&mut ready).unwrap();
        let whose = format!("the network namespace of process {} (s", far.id());
        let remedy = format!(
            "`nsenter --net=/proc/{}/ns/net sysctl -w net.ipv4.tcp_congestion_control=",
            far.id()
        );
        let said = refused(&["unload", &name]);
        assert!(
            said.contains(&whose) && said.contains(&remedy) && said.contains("--force"),
            "{said}"
        );
        let said = well(&["unload", &name, "--force"]);
        assert!(
            said.contains("is unloaded.") && said.contains(&whose) && said.contains(&remedy),
            "{said}"
        );
        far.kill().unwrap();
        far.wait().unwrap();
        assert_eq!(traces(), before);
    }

    #[test]
    fn a_damaged_one_is_named_and_in_no_other_way() {
        let Some(_turn) = turn("a_damaged_one_is_named_and_in_no_other_way") else { return };
        let before = traces();
        let (whole, harmed) = (name("whole"), name("harm"));
        well(&["load", "pcc-vivace", "--as", &whole]);
        well(&["load", "pcc-vivace", "--as", &harmed]);
        fs::remove_file(
            Path::new(narrows_kernel::PINS).join(harmed.replace('.', "-")).join("stats"),
        )
        .unwrap();
        let remedy = format!("`narrows kernel unload {harmed}` removes what is left of it");
        let list = well(&["list"]);
        assert!(list.contains(&format!("  {whole} ")) && list.contains(&remedy), "{list}");
        let list: Value = serde_json::from_str(&well(&["list", "--json"])).unwrap();
        let damaged = list["damaged"]
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["name"] == harmed[..])
            .unwrap();
        assert!(
            damaged["problem"].as_str().unwrap().contains("\"stats\" cannot be read"),
            "{damaged}"
        );
        let stats = kernel(&["stats"]);
        assert!(
            code(&stats) == 0
                && stdout(&stats).contains(&whole)
                && stderr(&stats).contains(&remedy),
            "{}",
            stderr(&stats)
        );
        assert!(refused(&["stats", &harmed]).contains(&remedy));
        assert_eq!(well(&["unload", &whole]), format!("{whole} is unloaded.\n"));
        let said = well(&["unload", &harmed]);
        assert!(
            said.contains("\"stats\" cannot be read")
                && said.contains("What was left of them is removed."),
            "{said}"
        );
        assert_eq!(traces(), before);
    }

    #[test]
    fn every_command_takes_every_name() {
        let Some(_turn) = turn("every_command_takes_every_name") else { return };
        // This test must not disturb a controller that somebody else loaded under the same name.
        if narrows_kernel::available().iter().any(|name| name == "pcc_allegro") {
            eprintln!("every_command_takes_every_name: left out, the kernel has a pcc_allegro");
            return;
        }
        for name in ["pcc-allegro", "pcc_allegro"] {
            well(&["load", name]);
            let stats: Value = serde_json::from_str(&well(&["stats", name, "--json"])).unwrap();
            assert_eq!(stats[0]["name"], "pcc_allegro");
            well(&["watch", name, "--seconds", "1"]);
            let wrong = refused(&["unload", "pcc-alegro"]);
            assert!(
                wrong.contains("it has loaded") && wrong.contains("did you mean \"pcc_allegro\"?"),
                "{wrong}"
            );
            assert!(well(&["unload", name]).starts_with("pcc_allegro is unloaded."));
        }
        assert!(refused(&["load", "pcc_vivase"]).contains("did you mean \"pcc-vivace\"?"));
    }

    #[test]
    fn watching_ends_when_the_controller_is_unloaded_or_a_signal_asks() {
        let Some(_turn) = turn("watching_ends_when_the_controller_is_unloaded_or_a_signal_asks")
        else {
            return;
        };
        let before = traces();
        let name = name("end");
        let watch = || {
            let mut child = Command::new(PROGRAM)
                .args(["kernel", "watch", &name])
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            // The header shows that the command is ready.
            child.stdout.as_mut().unwrap().read_exact(&mut [0; 7]).unwrap();
            child
        };
        well(&["load", "pcc-vivace", "--as", &name]);
        for signal in ["-INT", "-TERM"] {
            let watching = watch();
            assert!(
                Command::new("kill")
                    .args([signal, &watching.id().to_string()])
                    .status()
                    .unwrap()
                    .success()
            );
            let output = watching.wait_with_output().unwrap();
            assert_eq!((code(&output), stderr(&output)), (0, String::new()), "{signal}");
        }
        let watching = watch();
        well(&["unload", &name]);
        let output = watching.wait_with_output().unwrap();
        assert_eq!(
            (code(&output), stderr(&output)),
            (0, format!("{name} was unloaded; watching ends\n"))
        );
        assert_eq!(traces(), before);
    }

    #[test]
    fn killed_while_loading_it_leaves_all_or_nothing() {
        let Some(_turn) = turn("killed_while_loading_it_leaves_all_or_nothing") else { return };
        let before = traces();
        let name = name("kill");
        let mut whole = 0;
        for delay in 0..20 {
            let mut child = Command::new(PROGRAM)
                .args(["kernel", "load", "pcc-vivace", "--as", &name])
                .stdout(Stdio::null())
                .spawn()
                .unwrap();
            thread::sleep(Duration::from_millis(delay * 20));
            child.kill().unwrap();
            child.wait().unwrap();
            // The next command finds the controller complete, or removes it.
            let listed = well(&["list"])
                .lines()
                .any(|line| line.contains(&name) && line.contains("loaded by narrows"));
            let directory = Path::new(narrows_kernel::PINS).join(name.replace('.', "-"));
            assert_eq!(directory.exists(), listed, "after {} ms", delay * 20);
            if listed {
                whole += 1;
                well(&["unload", &name]);
            }
            assert!(!narrows_kernel::available().contains(&name), "after {} ms", delay * 20);
        }
        eprintln!("of 20 killed loads {whole} had ended");
        assert_eq!(traces(), before);
    }

    #[test]
    fn watched_as_lines() {
        let Some(_turn) = turn("watched_as_lines") else { return };
        let before = traces();
        let name = name("eye");
        well(&["load", "pcc-vivace", "--as", &name]);
        let watch = || -> Child {
            let child = Command::new(PROGRAM)
                .args(["kernel", "watch", &name, "--seconds", "3"])
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            thread::sleep(Duration::from_millis(700));
            child
        };
        let mut killed = watch();
        let second = refused(&["watch", &name]);
        assert!(second.contains("is being watched already"), "{second}");
        killed.kill().unwrap();
        killed.wait().unwrap();
        let watched = watch();
        let mut transfer = Transfer::new(&name);
        transfer.exchange();
        let output = watched.wait_with_output().unwrap();
        let text = stdout(&output);
        let port = transfer.stream.local_addr().unwrap().port().to_string();
        let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let header = lines.next().unwrap();
        assert_eq!(header[..5], ["time_us", "connection", "port", "peer", "call"]);
        let calls: Vec<&str> = lines.filter(|line| line[2] == port).map(|line| line[4]).collect();
        assert!(calls.first() == Some(&"init") && calls.contains(&"ack"), "{text}");
        well(&["unload", &name]);
        assert_eq!(traces(), before);
    }
}
