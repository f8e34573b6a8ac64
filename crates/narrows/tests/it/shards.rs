//! Shards of a sweep that run separately and are merged: also killed, with one missing, and with a
//! foreign one.

use crate::scratch::{PROGRAM, Scratch, code, same, stderr, stdout};
use narrows_report::sha256;
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::time::{Duration, Instant};

const SWEEP: &str = r#"name = "Dealt"
duration = "4 s"

[[link]]
name = "bottleneck"
between = ["left", "right"]
trace = "lte.up"
delay = "5 ms"
buffer = "60 ms"

[[flow]]
name = "first"
from = "left"
to = "right"
controller = "cubic"
count = 2

[[flow]]
name = "second"
from = "left"
to = "right"
controller = "newreno"

[expect]
goodput = { min = 0.1 }

[sweep]
"link.bottleneck.delay" = ["5 ms", "20 ms"]
"flow.first.count" = [1, 2, 3]
seeds = 4
"#;

fn place(name: &str) -> Scratch {
    let place = Scratch::new(name);
    place.write("lte.up", "1\n2\n2\n5\n9\n");
    place.write("dealt.toml", SWEEP);
    place
}

fn done(place: &Scratch, arguments: &[&str]) -> String {
    let output = place.narrows(arguments.iter().copied().chain(["--quiet"]));
    assert_eq!(code(&output), 0, "{arguments:?}: {}", stderr(&output));
    stdout(&output)
}

fn refused(place: &Scratch, arguments: &[&str]) -> String {
    let output = place.narrows(arguments.iter().copied().chain(["--quiet"]));
    assert_eq!(code(&output), 2, "{arguments:?}: {}", stdout(&output));
    stderr(&output)
}

/// Replaces the names of builds by a fixed one.
fn without_builds(text: &str) -> String {
    let mut parts = text.split("(build ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts
        .fold(first, |all, part| all + "(build B" + part.find(')').map_or(part, |end| &part[end..]))
}

fn runs(place: &Scratch, shard: &str) -> BTreeSet<u64> {
    let summary: Value =
        serde_json::from_slice(&place.read(&format!("{shard}/summary.json"))).expect("JSON");
    summary["runs"].as_array().expect("runs").iter().filter_map(Value::as_u64).collect()
}

#[test]
fn shards_merged_are_the_sweep_that_one_machine_makes() {
    let place = place("shards");
    let whole = done(&place, &["sweep", "dealt.toml", "--out", "whole"]);
    for shard in ["1/3", "2/3", "3/3"] {
        let out = shard.replace('/', "-of-");
        let told = done(&place, &["sweep", "dealt.toml", "--shard", shard, "--out", &out]);
        assert!(
            told.starts_with(&format!("Dealt: shard {shard}, "))
                && told.contains(" of 24 runs, in "),
            "{told}"
        );
    }
    let shards = ["1-of-3", "2-of-3", "3-of-3"];
    // Every run is in one shard, and the shards have almost equal sizes.
    let dealt = shards.map(|shard| runs(&place, shard));
    assert_eq!(dealt.iter().map(BTreeSet::len).sum::<usize>(), 24);
    assert_eq!(dealt.iter().flatten().copied().collect::<BTreeSet<u64>>(), (0..24).collect());
    assert!(dealt.iter().all(|runs| (7..=9).contains(&runs.len())), "{dealt:?}");
    assert_eq!(
        place.files_of("2-of-3"),
        ["SHA256SUMS", "run.json", "runs.parquet", "summary.json", "sweep.toml", "trace-lte.up"]
    );
    let table =
        SerializedFileReader::new(File::open(place.path("2-of-3/runs.parquet")).expect("a table"))
            .expect("Parquet");
    assert_eq!(table.metadata().file_metadata().num_rows() as usize, dealt[1].len());
    let summary: Value = serde_json::from_slice(&place.read("2-of-3/summary.json")).expect("JSON");
    assert_eq!(
        (summary["kind"].as_str(), summary["shard"].as_str(), summary["all"].as_u64()),
        (Some("shard"), Some("2/3"), Some(24))
    );
    // Shards can be merged in any order, and elsewhere than in the scenario's directory.
    fs::create_dir(place.path("elsewhere")).expect("a directory");
    fs::rename(place.path("1-of-3"), place.path("elsewhere/1")).expect("a move");
    fs::remove_file(place.path("lte.up")).expect("a file");
    assert_eq!(
        done(&place, &["merge", "3-of-3", "elsewhere/1", "2-of-3/runs.parquet", "-o", "merged"]),
        whole
    );
    same(&place, "whole", "merged");
    assert!(!place.path("merged.partial").exists());
    // A shard given twice, or a sweep divided differently, gives the same result.
    place.write("lte.up", "1\n2\n2\n5\n9\n");
    done(&place, &["sweep", "dealt.toml", "--shard", "0..20", "--out", "most"]);
    done(
        &place,
        &["merge", "most", "3-of-3", "2-of-3", "elsewhere/1", "elsewhere/1", "--out", "again"],
    );
    same(&place, "whole", "again");
    // With more shards than runs, some shards are empty. That is not a failure.
    let of_one =
        place.narrows(["sweep", "dealt.toml", "--seeds", "1", "--shard", "5/40", "--out", "few"]);
    assert_eq!(code(&of_one), 0, "{}", stderr(&of_one));
    assert!(runs(&place, "few").len() <= 1 && stdout(&of_one).contains("narrows merge"));
}

#[test]
fn a_shard_that_was_killed_continues_where_it_was() {
    let place = place("shards-killed");
    let long = SWEEP
        .replace("duration = \"4 s\"", "duration = \"400 s\"")
        .replace("trace = \"lte.up\"", "rate = \"10 Mbit/s\"");
    place.write("dealt.toml", &long);
    done(&place, &["sweep", "dealt.toml", "--out", "whole"]);
    done(&place, &["sweep", "dealt.toml", "--shard", "1/2", "--out", "one"]);
    let command =
        ["sweep", "dealt.toml", "--quiet", "--jobs", "1", "--shard", "2/2", "--out", "two"];
    let kept = || fs::read(place.path("two.partial")).unwrap_or_default();
    let lines = || kept().iter().filter(|byte| **byte == b'\n').count();
    let mut child = place.command(PROGRAM).args(command).spawn().expect("narrows runs");
    let began = Instant::now();
    while lines() < 4 {
        assert!(
            began.elapsed() < Duration::from_secs(120)
                && child.try_wait().expect("a state").is_none(),
            "{} lines",
            lines()
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("a kill");
    child.wait().expect("an end");
    assert!(!place.path("two").exists());
    // A shard cannot resume the file of another shard.
    let other = refused(&place, &["sweep", "dealt.toml", "--shard", "1/2", "--out", "two"]);
    assert!(other.contains("those of shard 2/2, not of shard 1/2"), "{other}");
    // Kept runs are not run again. To show it, one kept run is changed together with its SHA-256,
    // and the change appears in the result.
    let text = String::from_utf8(kept()).expect("text");
    let (first, second) =
        (text.lines().next().expect("an origin"), text.lines().nth(1).expect("a run"));
    let (_, run) = second.split_once("  ").expect("a sum and a run");
    let changed = run.replacen("\"metrics\":[", "\"metrics\":[12345.0,", 1);
    let origin = sha256(format!("{first}\n").as_bytes());
    let summed = format!("{}  {changed}", sha256(format!("{origin} {changed}").as_bytes()));
    fs::write(place.path("changed.partial"), text.replacen(second, &summed, 1)).expect("a file");
    done(&place, &["sweep", "--resume", "changed"]);
    // Without the matching checksum, the message names the line.
    fs::write(place.path("digit.partial"), text.replacen(run, &changed, 1)).expect("a file");
    let digit = refused(&place, &["sweep", "--resume", "digit"]);
    assert!(
        digit.contains("digit.partial: line 2 is not as it was written")
            && digit.contains("; get an undamaged copy"),
        "{digit}"
    );
    let differs = refused(&place, &["merge", "one", "changed", "two", "--out", "never"]);
    assert!(differs.contains("cannot read two"), "{differs}");
    done(&place, &["sweep", "--resume", "two"]);
    let differs = refused(&place, &["merge", "one", "changed", "two", "--out", "never"]);
    assert!(differs.contains("is in changed and in two, and they differ"), "{differs}");
    done(&place, &["merge", "one", "two", "--out", "merged"]);
    same(&place, "whole", "merged");
    // A complete shard is not run again.
    let before = fs::metadata(place.path("two/runs.parquet"))
        .and_then(|file| file.modified())
        .expect("a time");
    assert!(
        done(&place, &["sweep", "dealt.toml", "--shard", "2/2", "--out", "two"])
            .contains("shard 2/2, ")
    );
    assert_eq!(
        fs::metadata(place.path("two/runs.parquet"))
            .and_then(|file| file.modified())
            .expect("a time"),
        before
    );
}

#[test]
fn what_does_not_make_a_whole_is_refused() {
    let place = place("shards-refused");
    for shard in ["1/4", "3/4"] {
        done(
            &place,
            &["sweep", "dealt.toml", "--shard", shard, "--out", &shard.replace('/', "-of-")],
        );
    }
    done(&place, &["sweep", "dealt.toml", "--shard", "0..16", "--out", "places"]);
    done(
        &place,
        &["sweep", "dealt.toml", "--set", "duration=3 s", "--shard", "2/4", "--out", "foreign"],
    );
    place.write("lte.up", "1\n2\n3\n5\n9\n");
    done(&place, &["sweep", "dealt.toml", "--shard", "2/4", "--out", "traced"]);
    done(&place, &["sweep", "dealt.toml", "--seeds", "1", "--out", "whole"]);
    // A shard of another build: its table has another build name of the same length.
    let mut bytes = place.read("places/runs.parquet");
    let at = bytes.windows(7).position(|window| window == b"(build ").expect("the build") + 7;
    bytes[at..at + 4].copy_from_slice(b"0000");
    fs::write(place.path("other.parquet"), &bytes).expect("a file");
    fs::write(place.path("no.parquet"), "PAR1").expect("a file");
    let before = place.listing();
    let mut told = Vec::new();
    for arguments in [
        "merge 1-of-4 3-of-4",
        "merge places",
        "merge 1-of-4 foreign",
        "merge 1-of-4 traced",
        "merge other.parquet",
        "merge places other.parquet",
        "merge 1-of-4 whole",
        "merge no.parquet",
        "merge nowhere",
        "sweep dealt.toml --shard 0/3",
        "sweep dealt.toml --shard third",
        "sweep dealt.toml --shard 20..30",
        "sweep --resume places --shard 1/2",
        "report places",
        "sweep dealt.toml --shard 2/4 --out 1-of-4",
        "sweep dealt.toml --shard 1/4 --out traced",
    ] {
        let words: Vec<&str> = arguments.split(' ').collect();
        let output = place.narrows(words.iter().copied());
        assert_eq!(code(&output), 2, "{arguments}: {}", stdout(&output));
        told.push(format!("$ narrows {arguments}\n{}", stderr(&output)));
    }
    insta::assert_snapshot!(without_builds(&told.join("\n")));
    assert_eq!(place.listing(), before);
}
