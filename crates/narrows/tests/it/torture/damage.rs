//! Damaged result directories: reading them gives the undamaged data, or they are refused.

use crate::scratch::Scratch;
use crate::torture::campaign::{Case, Class, End, Verdict, campaign};
use crate::torture::draw::Draw;
use crate::torture::inputs::tree;
use crate::torture::program::Program;
use narrows_units::Random;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

const CLASS: Class = Class {
    name: "damage",
    title: "Damaged result directories, reported, exported, compared",
    full: 2_600,
};

/// Content of a file beside the results. No output may contain it.
const SECRET: &str = "nobody-should-see-this";

const FLOWS: &str = r#"duration = "600 ms"
warmup = "100 ms"

[[link]]
name = "only"
between = ["a", "b"]
trace = "steps"
delay = "5 ms"
buffer = "20 packets"

[[flow]]
name = "one"
from = "a"
to = "b"
controller = "cubic"
workload = { arrivals = "30/s", sizes = "web" }

[[flow]]
name = "two"
from = "a"
to = "b"
controller = "bbr"

[[change]]
link = "only"
at = "300 ms"
delay = "9 ms"
"#;
const SWEPT: &str = "\n[sweep]\n\"flow.two.controller\" = [\"newreno\", \"vivace\"]\nseeds = 2\n";
const STEPS: &str = "0,5\n0.3,8\n";
const IPERF3: &str =
    r#"{"intervals":[{"streams":[{"socket":5}],"sum":{"start":0,"end":1,"bits_per_second":8e6}}]}"#;

/// Commands that read the result `a`, some together with the undamaged `b`. Pages and tables go to
/// `made`.
const READERS: [&[&str]; 5] = [
    &["report", "a", "--json", "--out", "made/page.html"],
    &["report", "a", "--out", "made/page.html"],
    &["export", "a", "--out", "made/csv"],
    &["diff", "a", "b", "--json"],
    &["diff", "b", "a"],
];

#[test]
fn damage() {
    let originals = Originals::make();
    campaign(&CLASS, |case| {
        let kind = case.random.below(originals.kinds.len() as u64) as usize;
        let reader = case.random.below(READERS.len() as u64) as usize;
        let work = case.place.path("work");
        originals.lay_out(kind, &work);
        let done = harm(&work, &originals.place.path(originals.other(kind)), &mut case.random);
        fs::write(case.place.path("done.txt"), &done).expect("a file");
        let (code, given) = read(case, reader)
            .map_err(|problem| format!("{done}: {}: {problem}", READERS[reader].join(" ")))?;
        judge(code, &given, &originals.given[&(kind, reader)])
            .map_err(|problem| format!("{done}: {}: {problem}", READERS[reader].join(" ")))
    });
}

/// Output of a command: what it printed, and the files that it wrote.
type Given = Vec<(String, Vec<u8>)>;

fn judge(code: i32, given: &Given, undamaged: &Given) -> Verdict {
    if given
        .iter()
        .any(|(_, bytes)| bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes()))
    {
        return Err("shows a file from outside the result".to_owned());
    }
    if code == 2 {
        return Ok(End::Refused);
    }
    // Messages are not compared.
    let differs = undamaged.iter().find(|(name, bytes)| {
        name != "stderr" && !given.iter().any(|(own, now)| own == name && now == bytes)
    });
    match differs {
        Some((name, _)) => Err(format!(
            "exit status {code}, and {name} is another one than that of the undamaged result"
        )),
        None => Ok(End::Accepted),
    }
}

/// Runs a reader, and checks its end with [`decent`](crate::torture::program::Ended::decent).
fn read(case: &Case, reader: usize) -> Result<(i32, Given), String> {
    fs::create_dir_all(case.place.path("work/made")).expect("a directory");
    let ended = Program::new(&case.place, READERS[reader]).run()?;
    ended.decent()?;
    let mut given = vec![
        ("stdout".to_owned(), ended.stdout.clone().into_bytes()),
        ("stderr".to_owned(), ended.stderr.clone()),
    ];
    let made = case.place.path("work/made");
    for path in tree(&made).into_iter().filter(|path| path.is_file()) {
        given.push((
            path.strip_prefix(&made).expect("below it").display().to_string(),
            fs::read(&path).expect("a file"),
        ));
    }
    Ok((ended.code(), given))
}

/// Undamaged results, two of each kind, and each reader's output for them.
struct Originals {
    place: Scratch,
    kinds: Vec<[&'static str; 2]>,
    given: BTreeMap<(usize, usize), Given>,
}

impl Originals {
    fn make() -> Originals {
        let place = Scratch::new("torture-originals");
        fs::create_dir_all(place.path("work")).expect("a directory");
        for (name, text) in [
            ("steps", STEPS),
            ("flows.toml", FLOWS),
            ("iperf3.json", IPERF3),
            ("sweep.toml", &format!("{FLOWS}{SWEPT}")),
        ] {
            place.write(&format!("work/{name}"), text);
        }
        place.write(
            "work/icn.toml",
            &include_str!("../../../../../scenarios/icn.toml")
                .replace("30 s", "1 s")
                .replace("15 s", "100 ms")
                .replace("10 s", "200 ms"),
        );
        let kinds = vec![
            ["run", "run-2"],
            ["compared", "compared-2"],
            ["icn", "icn-2"],
            ["swept", "swept-2"],
        ];
        for (command, out) in [
            ("run flows.toml --overlay iperf3.json", "run"),
            ("compare newreno cubic --file flows.toml", "compared"),
            ("run icn.toml", "icn"),
            ("sweep sweep.toml", "swept"),
        ] {
            for (seed, out) in [
                ("", out.to_owned()),
                (if out == "swept" { "--set seed=5,6" } else { "--seed 5" }, format!("{out}-2")),
            ] {
                let seeds = if out.starts_with("swept") { "" } else { " --seeds 2" };
                let line = format!("{command}{seeds} {seed} --out {out}");
                let arguments: Vec<&str> = line.split_whitespace().collect();
                let ended = Program::new(&place, &arguments).run().expect("an end");
                assert_eq!(ended.code(), 0, "{line}: {}", ended.told());
                fs::rename(place.path(&format!("work/{out}")), place.path(&out)).expect("a result");
            }
        }
        let mut originals = Originals { place, kinds, given: BTreeMap::new() };
        for kind in 0..originals.kinds.len() {
            for (reader, command) in READERS.iter().enumerate() {
                let case = Case {
                    random: Random::stream(0, ""),
                    place: Scratch::new("torture-undamaged"),
                };
                originals.lay_out(kind, &case.place.path("work"));
                let (code, given) = read(&case, reader).expect("a decent end");
                assert_eq!(code, 0, "{command:?}: {:?}", given[1]);
                originals.given.insert((kind, reader), given);
            }
        }
        originals
    }

    fn other(&self, kind: usize) -> &'static str {
        self.kinds[kind][1]
    }

    /// Puts two copies of a result into a directory, beside a file that does not belong to them.
    fn lay_out(&self, kind: usize, work: &Path) {
        for name in ["a", "b"] {
            let to = work.join(name);
            fs::create_dir_all(&to).expect("a directory");
            for file in tree(&self.place.path(self.kinds[kind][0])) {
                fs::copy(&file, to.join(file.file_name().expect("a name"))).expect("a copy");
            }
        }
        fs::write(work.join("secret.txt"), SECRET).expect("a file");
    }
}

/// Damages a file of the result `a`, and describes the damage. `other` is another result of the
/// same kind.
fn harm(work: &Path, other: &Path, random: &mut Random) -> String {
    let mut files = tree(&work.join("a"));
    files.sort();
    let file = files[random.below(files.len() as u64) as usize].clone();
    let name = file.file_name().expect("a name").to_string_lossy().into_owned();
    let bytes = fs::read(&file).expect("a file");
    let place = random.below(bytes.len().max(1) as u64) as usize;
    let write = |bytes: &[u8]| fs::write(&file, bytes).expect("a file");
    match random.below(14) {
        0..=3 => {
            let mut changed = bytes;
            changed[place] ^= 1 << random.below(8);
            write(&changed);
            format!("a bit of {name} flipped at {place}")
        }
        4 => {
            write(&bytes[..place]);
            format!("{name} cut off at {place}")
        }
        5 => {
            let mut changed = bytes;
            let end = changed.len().min(place + 64);
            changed[place..end].fill(0);
            write(&changed);
            format!("{name} zero from {place} to {end}")
        }
        6 | 7 => {
            fs::copy(other.join(&name), &file).expect("a copy");
            format!("{name} of another run")
        }
        8 => {
            fs::remove_file(&file).expect("a file");
            format!("{name} gone")
        }
        9 => special(&file, &name, random),
        _ => edited(work, random),
    }
}

/// Replaces a file by something that is not a regular file.
fn special(file: &Path, name: &str, random: &mut Random) -> String {
    fs::remove_file(file).expect("a file");
    match random.below(4) {
        0 => {
            assert!(Command::new("mkfifo").arg(file).status().expect("mkfifo runs").success());
            format!("{name} a FIFO")
        }
        1 => {
            fs::create_dir(file).expect("a directory");
            format!("{name} a directory")
        }
        2 => {
            let to = random.pick(&["/dev/zero", "../secret.txt", "nowhere"]);
            symlink(to, file).expect("a link");
            format!("{name} a link to {to}")
        }
        _ => {
            symlink(name, file).expect("a link");
            format!("{name} a link to itself")
        }
    }
}

/// Replaces names, numbers and texts in JSON.
fn edited(work: &Path, random: &mut Random) -> String {
    let path = work.join("a").join(random.pick(&["summary.json", "summary.json", "run.json"]));
    let text = fs::read_to_string(&path).expect("JSON");
    let outside: PathBuf = work.join("secret.txt");
    let names = ["scenario.toml", "scenario-1-newreno.toml", "iperf3.json", "flows.parquet"];
    let absolute = outside.display().to_string();
    let (from, to) = match random.below(3) {
        0 => (
            random.pick(&names).to_owned(),
            random.pick(&["../secret.txt", &absolute, "/dev/zero", "", "."]).to_owned(),
        ),
        1 => (
            random
                .pick(&["\"format\": 1", "\"runs\"", "\"seed\": 1", "null", "[", "\"cases\""])
                .to_owned(),
            random.pick(&["\"format\": 9", "\"seed\": 2", "-1", "{", "1e999"]).to_owned(),
        ),
        _ => {
            let digits: Vec<usize> =
                text.match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at).collect();
            let at = random.pick(&digits);
            let changed = format!("{}{}{}", &text[..at], random.below(10), &text[at + 1..]);
            fs::write(&path, changed).expect("a file");
            return format!(
                "a digit of {} changed at {at}",
                path.file_name().expect("a name").display()
            );
        }
    };
    fs::write(&path, text.replacen(&from, &to, 1)).expect("a file");
    format!("{from} in {} made {to}", path.file_name().expect("a name").display())
}
