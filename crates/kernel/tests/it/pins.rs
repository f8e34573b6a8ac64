//! Controllers leave nothing in the kernel unless they are pinned, however they are held and
//! however they end.
#![cfg(feature = "bpf")]

use crate::common::{is_root, name};
use libbpf_rs::query::{MapInfoIter, ProgInfoIter, ProgInfoQueryOptions};
use libbpf_rs::{MapHandle, MapInfo, RingBufferBuilder};
use narrows_control::Choice;
use narrows_control::cores::Twin;
use narrows_kernel::{KernelError, Loaded, PINS, Pinned, Registration, available};
use std::collections::BTreeSet;
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// A controller that the kernel refuses, from `tests/refused.bpf.c`.
const REFUSED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/refused.o"));

fn vivace() -> (&'static Twin, Choice, Vec<u8>) {
    let (twin, choice) = Twin::read("pcc-vivace?fixed=true").unwrap();
    let constants = twin.constants_of(&choice).unwrap();
    (twin, choice, constants)
}

/// Returns the ids of a controller's programs, which use its counters, and the ids of all their
/// maps.
fn made_of(counters: u32) -> (BTreeSet<u32>, BTreeSet<u32>) {
    let programs =
        ProgInfoIter::with_query_opts(ProgInfoQueryOptions::default().include_map_ids(true));
    let own: Vec<_> = programs.filter(|program| program.map_ids.contains(&counters)).collect();
    (
        own.iter().map(|program| program.id).collect(),
        own.iter().flat_map(|program| program.map_ids.clone()).collect(),
    )
}

/// Returns the id of the map with a pinned controller's counters.
fn counters(pinned: &Pinned) -> u32 {
    let map = MapHandle::from_pinned_path(pinned.path().join("stats")).unwrap();
    MapInfo::new(map.as_fd()).unwrap().info.id
}

fn gone(name: &str, (programs, maps_of): &(BTreeSet<u32>, BTreeSet<u32>)) {
    assert!(programs.len() > 3 && maps_of.len() > 2, "{programs:?} {maps_of:?}");
    assert!(!available().iter().any(|one| one == name), "{name}");
    let patience = Instant::now() + Duration::from_secs(5);
    loop {
        let programs: Vec<u32> = ProgInfoIter::default()
            .map(|program| program.id)
            .filter(|id| programs.contains(id))
            .collect();
        let maps: Vec<u32> =
            MapInfoIter::default().map(|map| map.id).filter(|id| maps_of.contains(id)).collect();
        if programs.is_empty() && maps.is_empty() {
            return;
        }
        assert!(Instant::now() < patience, "left: programs {programs:?}, maps {maps:?}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Opens a connection with the controller.
fn connection(name: &str) -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    rustix::net::sockopt::set_tcp_congestion(&one, name).unwrap();
    (one, listener.accept().unwrap().0)
}

#[test]
fn loaded_and_dropped() {
    if !is_root() {
        return;
    }
    let (twin, _, constants) = vivace();
    for (registration, what) in [(Registration::Link, "link"), (Registration::Map, "map")] {
        let name = name(what);
        let loaded = Loaded::held_by(registration, twin, &constants, &name)
            .unwrap_or_else(|error| panic!("{error}"));
        let ends = connection(&name);
        let made = made_of(loaded.counters());
        assert_eq!(loaded.stats().opened, 1, "{registration:?}");
        drop(loaded);
        assert!(!available().contains(&name), "{registration:?}");
        drop(ends);
        gone(&name, &made);
    }
}

#[test]
fn pinned_and_unloaded() {
    if !is_root() {
        return;
    }
    let (twin, choice, constants) = vivace();
    for (registration, what) in [(Registration::Link, "plink"), (Registration::Map, "pmap")] {
        let name = name(what);
        let (pinned, _) = Pinned::held_by(registration, twin, &choice, &constants, &name)
            .unwrap_or_else(|error| panic!("{error}"));
        let path = pinned.path().to_owned();
        drop(pinned);
        // A pinned controller stays, and can be found with its parameters.
        assert!(available().contains(&name), "{registration:?}");
        let ends = connection(&name);
        let found = Pinned::named(&name).unwrap_or_else(|error| panic!("{error}"));
        let known = found.known().map(|(twin, choice)| (twin, choice.text()));
        assert_eq!(
            (found.text(), known),
            ("pcc-vivace?fixed=true", Some((twin, "pcc-vivace?fixed=true")))
        );
        assert_eq!(found.constants()[..constants.len()], constants[..]);
        assert_eq!(found.open(), 1);
        let twice = Pinned::held_by(registration, twin, &choice, &constants, &name).err().unwrap();
        assert!(
            matches!(&twice, KernelError::LoadedBefore { choice, .. } if choice == "pcc-vivace?fixed=true"),
            "{twice}"
        );
        let made = made_of(counters(&found));
        assert_eq!(found.unload().unwrap_or_else(|error| panic!("{error}")), 1);
        assert!(!path.exists() && !available().contains(&name), "{registration:?}");
        drop(ends);
        gone(&name, &made);
        assert!(matches!(Pinned::named(&name), Err(KernelError::NotLoaded { .. })));
    }
}

#[test]
fn taken_names_say_whose_they_are() {
    if !is_root() {
        return;
    }
    let (twin, _, constants) = vivace();
    let name = name("taken");
    let refusal = |name: &str| Loaded::new(twin, &constants, name).err().unwrap().to_string();
    let _first = Loaded::new(twin, &constants, &name).unwrap_or_else(|error| panic!("{error}"));
    let texts = [refusal(&name), refusal("reno"), refusal("pcc-vivace"), refusal("")].join("\n");
    insta::assert_snapshot!(texts.replace(&std::process::id().to_string(), "PID"));
}

#[test]
fn what_a_killed_load_left_is_swept() {
    if !is_root() {
        return;
    }
    let (twin, choice, constants) = vivace();
    let names = [name("whole"), name("half")];
    let (whole, _) = Pinned::load(twin, &choice, &constants, &names[0])
        .unwrap_or_else(|error| panic!("{error}"));
    // The directory of a load that was killed before it pinned the link.
    let half = Path::new(PINS).join(names[1].replace('.', "-"));
    fs::create_dir(&half).unwrap();
    std::os::unix::fs::symlink("pcc-vivace", half.join("choice")).unwrap();
    let found: Vec<Pinned> =
        Pinned::all().unwrap_or_else(|error| panic!("{error}")).into_iter().flatten().collect();
    assert!(
        found.iter().any(|one| one.name() == names[0])
            && found.iter().all(|one| one.name() != names[1])
    );
    assert!(!half.exists());
    whole.unload().unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn what_another_version_loaded_is_listed_and_unloaded() {
    if !is_root() {
        return;
    }
    let (twin, choice, constants) = vivace();
    let name = name("other");
    let (pinned, _) =
        Pinned::load(twin, &choice, &constants, &name).unwrap_or_else(|error| panic!("{error}"));
    let link = pinned.path().join("choice");
    fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink("of-the-future?depth=3", link).unwrap();
    let found = Pinned::named(&name).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((found.text(), found.known()), ("of-the-future?depth=3", None));
    assert_eq!(found.stats().expect("of ours").opened, 0);
    found.unload().unwrap_or_else(|error| panic!("{error}"));
    assert!(!available().contains(&name));
}

#[test]
fn a_damaged_pin_is_in_no_other_way_and_what_is_left_is_unloaded() {
    if !is_root() {
        return;
    }
    let (twin, choice, constants) = vivace();
    let load = |name: &str| {
        Pinned::load(twin, &choice, &constants, name).unwrap_or_else(|error| panic!("{error}")).0
    };
    let whole = load(&name("intact"));
    let harmed = name("harmed");
    for pin in ["choice", "constants", "stats", "control", "records"] {
        let pinned = load(&harmed);
        let (path, made) = (pinned.path().to_owned(), made_of(counters(&pinned)));
        drop(pinned);
        fs::remove_file(path.join(pin)).unwrap();
        let all = Pinned::all().unwrap_or_else(|error| panic!("{error}"));
        assert!(all.iter().flatten().any(|one| one.name() == whole.name()), "{pin}");
        let damaged = all
            .into_iter()
            .filter_map(Result::err)
            .find(|one| one.name() == harmed)
            .unwrap_or_else(|| panic!("{pin}"));
        assert_eq!(damaged.path(), path);
        let refused = Pinned::load(twin, &choice, &constants, &harmed).err().unwrap().to_string();
        assert_eq!(refused, KernelError::from(damaged.clone()).to_string(), "{pin}");
        assert!(refused.contains(&format!("\"{pin}\" cannot be read")), "{refused}");
        damaged.unload().unwrap_or_else(|error| panic!("{pin}: {error}"));
        assert!(!path.exists(), "{pin}");
        gone(&harmed, &made);
    }
    assert_eq!(whole.open(), 0);
    whole.unload().unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn a_pin_that_is_another_map_is_damaged() {
    if !is_root() {
        return;
    }
    let (twin, choice, constants) = vivace();
    let (one, two) = (name("mixed"), name("mixed2"));
    let paths = [&one, &two].map(|name| {
        Pinned::load(twin, &choice, &constants, name)
            .unwrap_or_else(|error| panic!("{error}"))
            .0
            .path()
            .to_owned()
    });
    fs::remove_file(paths[0].join("control")).unwrap();
    fs::rename(paths[1].join("records"), paths[0].join("control")).unwrap();
    let error = Pinned::named(&one).err().unwrap().to_string();
    assert!(error.contains("\"control\" is not the map that it should be"), "{error}");
    for name in [one, two] {
        Pinned::find(&name)
            .unwrap()
            .err()
            .unwrap()
            .unload()
            .unwrap_or_else(|error| panic!("{error}"));
        assert!(!available().contains(&name));
    }
}

#[test]
fn one_watcher_at_a_time_and_recording_ends_by_itself() {
    if !is_root() {
        return;
    }
    let (twin, choice, constants) = vivace();
    let name = name("watch");
    let (pinned, _) =
        Pinned::load(twin, &choice, &constants, &name).unwrap_or_else(|error| panic!("{error}"));
    let again = Pinned::named(&name).unwrap_or_else(|error| panic!("{error}"));
    let watching = pinned.watch().unwrap_or_else(|error| panic!("{error}"));
    assert!(matches!(again.watch(), Err(KernelError::Watched { .. })));
    assert!(watching.is_loaded());
    watching.records(Duration::ZERO, drop);
    let ends = connection(&name);
    let mut seen = 0;
    watching.records(Duration::from_millis(50), |_| seen += 1);
    assert!(seen > 0, "its first call");
    // A killed watcher does not read records, and does not end the recording.
    std::mem::forget(watching);
    thread::sleep(narrows_kernel::Watching::GRACE);
    let late = connection(&name);
    let mut unread = 0;
    let records = MapHandle::from_pinned_path(again.path().join("records")).unwrap();
    let mut ring = RingBufferBuilder::new();
    ring.add(&records, |_| {
        unread += 1;
        0
    })
    .unwrap();
    ring.build().unwrap().consume_raw();
    assert_eq!(unread, 0);
    drop((ends, late));
    pinned.unload().unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn a_watcher_knows_that_its_controller_was_unloaded() {
    if !is_root() {
        return;
    }
    let (twin, choice, constants) = vivace();
    let name = name("under");
    let load = || {
        Pinned::load(twin, &choice, &constants, &name).unwrap_or_else(|error| panic!("{error}")).0
    };
    let pinned = load();
    let watching = pinned.watch().unwrap_or_else(|error| panic!("{error}"));
    Pinned::named(&name).unwrap().unload().unwrap_or_else(|error| panic!("{error}"));
    assert!(!watching.is_loaded());
    let later = load();
    assert!(!watching.is_loaded(), "another one of the same name");
    later.unload().unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn the_verifier_is_quoted() {
    if !is_root() {
        return;
    }
    let (twin, _, constants) = vivace();
    let name = name("refused");
    let error = Loaded::of_object(REFUSED, twin.state, &constants, &name, Registration::Link)
        .err()
        .unwrap();
    let text = error.to_string();
    assert!(
        text.starts_with(&format!(
            "the kernel's verifier refuses the program \"cong_control\" of {name}: "
        )),
        "{text}"
    );
    assert!(text.contains("srtt_us"), "the line of the program: {text}");
    assert!(error.log().unwrap().contains("BEGIN PROG LOAD LOG"));
    assert!(!available().contains(&name));
}
