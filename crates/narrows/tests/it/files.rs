//! BPF controllers from files, as a user meets them: in comparisons, sweeps and scenarios.

use crate::scratch::{PROGRAM, Scratch, code, same, stderr, stdout};
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Copies a committed object into the scratch directory under a name.
fn put(place: &Scratch, program: &str, name: &str) {
    let objects = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bpf/tests/objects");
    fs::copy(objects.join(format!("{program}.bpf.o")), place.path(name))
        .expect("a committed object");
}

fn summary(place: &Scratch, directory: &str) -> Value {
    serde_json::from_slice(&place.read(&format!("{directory}/summary.json"))).expect("JSON")
}

const SHORT: [&str; 6] = ["--duration", "5 s", "--seeds", "2", "--loss", "0.1 %"];

#[test]
fn an_object_is_compared_with_its_variables_as_parameters_and_the_result_can_be_run_again() {
    let place = Scratch::new("files-compare");
    put(&place, "reno", "mine.bpf.o");
    for jobs in ["1", "2"] {
        let output = place.narrows(
            [
                &["compare", "./mine.bpf.o", "mine.bpf.o?share=230", "--jobs", jobs, "--out", jobs]
                    [..],
                &SHORT,
            ]
            .concat(),
        );
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(
            stdout(&output).starts_with("mine and mine?share=230 compared"),
            "{}",
            stdout(&output)
        );
        assert!(
            stdout(&output).contains("\nNote: mine: not checked by a kernel verifier; run sudo narrows inspect FILE --kernel"),
            "{}",
            stdout(&output)
        );
    }
    same(&place, "1", "2");
    // The second controller reduces its window less.
    let goodput = |directory: &str, case: usize| {
        summary(&place, directory)["cases"][case]["metrics"]["goodput"]["values"][0]
            .as_f64()
            .expect("a goodput of the first seed")
    };
    let [own, larger] = [0, 1].map(|case| goodput("1", case));
    assert!(larger > 1.1 * own, "{larger} and {own}");
    assert_eq!(place.read("1/mine.o"), place.read("mine.bpf.o"), "the object is kept");
    let told: Value = serde_json::from_slice(&place.read("1/run.json")).expect("JSON");
    assert_eq!(told["controllers"][0]["name"], "mine");
    // If the object is gone, the scenario in the result finds the copy beside it.
    fs::remove_file(place.path("mine.bpf.o")).expect("the object");
    let output =
        place.narrows(["run", "1/scenario-2-mine-share-230.toml", "--quiet", "--out", "again"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(
        summary(&place, "again")["cases"][0]["runs"][0],
        summary(&place, "1")["cases"][1]["runs"][0]
    );
    assert_eq!(goodput("again", 0), goodput("1", 1));
}

#[test]
fn a_sweep_notices_that_a_controller_has_changed() {
    let place = Scratch::new("files-sweep");
    put(&place, "reno", "mine.o");
    place.write(
        "swept.toml",
        "duration = \"2 s\"\n[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = \"10 Mbit/s\"\ndelay = \"5 ms\"\nbuffer = \"1 bdp\"\n\
         [[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"b\"\ncontroller = \"cubic\"\n[sweep]\n\"flow.f.controller\" = [\"./mine.o\", \"mine.o?share=200\", \"cubic\"]\n",
    );
    let sweep = |out: &str| place.narrows(["sweep", "swept.toml", "--quiet", "--out", out]);
    let output = sweep("one");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let kept = String::from_utf8(place.read("one/mine.o.sha256")).expect("text");
    assert!(kept.ends_with("  mine.o\n") && kept.len() == 64 + 9, "{kept}");
}

#[test]
fn a_fault_ends_the_run_with_the_flow_the_time_the_line_and_what_would_be_right() {
    let place = Scratch::new("files-fault");
    put(&place, "stalls", "stalls.bpf.o");
    let output = place
        .narrows([&["compare", "./stalls.bpf.o", "cubic", "--out", "out"][..], &SHORT].concat());
    assert_eq!(code(&output), 2);
    let said = stderr(&output);
    for part in [
        "flow \"stalls.1\"",
        "its controller stalls cannot go on at",
        "stalls.bpf.c:23",
        "leaves snd_cwnd at 0",
        "keep it at 1 or more",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

/// Linux would warn in its log and have no window left.
#[test]
fn a_threshold_of_0_ends_the_run() {
    let place = Scratch::new("files-threshold");
    place.write(
        "none.bpf.c",
        "#include \"vmlinux.h\"\n#include <bpf/bpf_helpers.h>\n#include <bpf/bpf_tracing.h>\nchar _license[] SEC(\"license\") = \"GPL\";\n\
         const volatile __u32 left = 0;\n\
         SEC(\"struct_ops\") void BPF_PROG(grow, struct tcp_sock *tp, __u32 ack, __u32 acked) { tp->snd_cwnd += acked; }\n\
         SEC(\"struct_ops\") __u32 BPF_PROG(reduce, struct tcp_sock *tp) { return left; }\n\
         SEC(\"struct_ops\") __u32 BPF_PROG(undo, struct tcp_sock *tp) { return tp->prior_cwnd; }\n\
         SEC(\".struct_ops.link\") struct tcp_congestion_ops none = {\n\
         .ssthresh = (void *)reduce, .undo_cwnd = (void *)undo, .cong_avoid = (void *)grow, .name = \"none\" };\n",
    );
    let compare = |file: &str, out: &str| {
        place.narrows([&["compare", file, "--out", out][..], &SHORT].concat())
    };
    let output = compare("./none.bpf.c", "out");
    if stderr(&output).contains("no clang is in PATH") || stderr(&output).contains("without them") {
        return eprintln!("left out: {}", stderr(&output));
    }
    assert_eq!(code(&output), 2, "{}", stdout(&output));
    for part in [
        "its controller none cannot go on at",
        "ssthresh: answers 0: ",
        "tcp_cwnd_reduction",
        "answer at least 2",
    ] {
        assert!(stderr(&output).contains(part), "{part}: {}", stderr(&output));
    }
    let output = compare("./none.bpf.c?left=2", "two");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

#[test]
fn a_file_without_a_slash_is_told_from_a_name() {
    let place = Scratch::new("files-slash");
    place.write("grad.c", "");
    let output = place.narrows(["compare", "grad.c"]);
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output)
            .contains("there is no controller \"grad.c\"; did you mean the file \"./grad.c\"?"),
        "{}",
        stderr(&output)
    );
    // A file with the name of a controller does not hide the controller.
    place.write("cubic", "");
    let output = place.narrows([&["compare", "cubic", "--out", "out"][..], &SHORT].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

#[test]
fn files_that_cannot_be_taken_are_refused_with_place_and_remedy() {
    let place = Scratch::new("files-refused");
    place.write("text.bpf.o", "not an object");
    put(&place, "reno", "mine.bpf.o");
    for (named, told) in [
        ("./none.bpf.o", "./none.bpf.o: it cannot be read: No such file or directory"),
        ("./text.bpf.o", "./text.bpf.o: "),
        ("./mine.bpf.o?gian=3", "did you mean \"gain\""),
        ("./mine.bpf.o?share=300", "0 to 255"),
    ] {
        let output = place.narrows(["compare", named, "--out", "out"]);
        assert_eq!(code(&output), 2, "{named}");
        assert!(stderr(&output).contains(told), "{named}: {}", stderr(&output));
    }
    let scenario = "duration = \"2 s\"\n[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = \"10 Mbit/s\"\ndelay = \"5 ms\"\nbuffer = \"1 bdp\"\n\
                    [[flow]]\nfrom = \"a\"\nto = \"b\"\ncontroller = \"./text.bpf.o\"\n";
    place.write("refused.toml", scenario);
    let output = place.narrows(["run", "refused.toml"]);
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("refused.toml:11") && stderr(&output).contains("text.bpf.o"),
        "{}",
        stderr(&output)
    );
    place.write("core.c", "#include \"core.h\"\nint other;\n");
    place.write("core.toml", &scenario.replace("text.bpf.o", "core.c"));
    let told = stderr(&place.narrows(["run", "core.toml"]));
    let said = "the controller \"./core.c\" cannot be loaded";
    // The reason has the only remedy.
    assert!(
        told.contains(said) && told.contains("./core.c: ") && !told.contains("list controllers"),
        "{told}"
    );
}

#[test]
fn of_several_tables_in_a_file_one_is_chosen() {
    let place = Scratch::new("files-tables");
    put(&place, "forward", "kernels.bpf.o");
    let output = place.narrows(["compare", "./kernels.bpf.o", "--out", "out"]);
    assert_eq!(code(&output), 2);
    let told = "kernels needs ops, which is one of cubic_again, cubic_deaf: write ?ops=, and that";
    assert!(stderr(&output).contains(told), "{}", stderr(&output));
    let output = place.narrows(["compare", "./kernels.bpf.o?ops=reno", "--out", "out"]);
    assert!(
        stderr(&output).contains("ops=reno is not allowed; it must be one of cubic_again"),
        "{}",
        stderr(&output)
    );
    let chosen = ["cubic_again", "cubic_deaf"].map(|table| format!("./kernels.bpf.o?ops={table}"));
    let output = place.narrows([
        "compare",
        &chosen[0],
        &chosen[1],
        "--duration",
        "2 s",
        "--seeds",
        "1",
        "--out",
        "out",
    ]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let output = place.narrows(["inspect", &chosen[1]]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).contains("bpf_cubic_deaf"), "{}", stdout(&output));
    let output = place.narrows(["inspect", "./kernels.bpf.o"]);
    assert_eq!(code(&output), 2);
    assert!(
        stdout(&output).contains("choose one by ?ops=, which is one of cubic_again, cubic_deaf"),
        "{}",
        stdout(&output)
    );
}

/// Returns a scenario of one flow for five seconds.
fn flow(controller: &str) -> String {
    format!(
        "duration = \"5 s\"\n[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = \"10 Mbit/s\"\ndelay = \"5 ms\"\nbuffer = \"1 bdp\"\n\
         [[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"b\"\ncontroller = \"{controller}\"\n"
    )
}

fn columns(place: &Scratch, directory: &str) -> Vec<String> {
    let file = fs::File::open(place.path(directory).join("acks.parquet")).expect("a table");
    let table = SerializedFileReader::new(file).expect("Parquet");
    table
        .metadata()
        .file_metadata()
        .schema_descr()
        .columns()
        .iter()
        .map(|column| column.name().to_owned())
        .collect()
}

#[test]
fn acknowledgements_show_what_a_connection_remembers() {
    let place = Scratch::new("files-state");
    put(&place, "core", "mine.o");
    for (name, controller, remembered) in [
        ("chosen", "./mine.o?state=own_state", &["credit", "losses"][..]),
        ("own", "./mine.o", &["credit", "losses"]),
        ("none", "./mine.o?state=none", &[]),
        ("native", "cubic", &["min_rtt_s", "w_max", "k", "w_est"]),
    ] {
        place.write(&format!("{name}.toml"), &flow(controller));
        let output = place.narrows([
            "run",
            &format!("{name}.toml"),
            "--acks",
            "all",
            "--quiet",
            "--out",
            name,
        ]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let all = columns(&place, name);
        let shown: Vec<&str> =
            all.iter().filter_map(|column| column.strip_prefix("state.")).collect();
        assert_eq!(shown, remembered, "{name}");
    }
    place.write("wrong.toml", &flow("./mine.o?state=forgotten"));
    let output = place.narrows(["run", "wrong.toml"]);
    for told in
        ["state=forgotten is not allowed", "it must be one of own, none, own_constants, own_state"]
    {
        assert!(stderr(&output).contains(told), "{}", stderr(&output));
    }
}

/// A controller that prints a line at each reduction.
const PRINTS: &str = r#"
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
char _license[] SEC("license") = "GPL";
SEC("struct_ops") __u32 BPF_PROG(halve, struct tcp_sock *tp) { bpf_printk("at %u", tp->snd_cwnd); return tp->snd_cwnd / 2 + 2; }
SEC("struct_ops") void BPF_PROG(grow, struct tcp_sock *tp, __u32 ack, __u32 acked) { tp->snd_cwnd += tp->snd_cwnd < tp->snd_ssthresh ? acked : 1; }
SEC("struct_ops") __u32 BPF_PROG(undo, struct tcp_sock *tp) { return tp->snd_cwnd; }
SEC(".struct_ops.link") struct tcp_congestion_ops prints = {
	.ssthresh = (void *)halve, .cong_avoid = (void *)grow, .undo_cwnd = (void *)undo, .name = "prints" };
"#;

#[test]
fn what_programs_print_is_kept_in_the_same_order_whatever_the_number_of_jobs() {
    let place = Scratch::new("files-log");
    place.write("prints.bpf.c", PRINTS);
    let compare = |jobs: &str| {
        let log = format!("log-{jobs}");
        let most = [
            "compare",
            "./prints.bpf.c",
            "cubic",
            "--bpf-log",
            &log,
            "--jobs",
            jobs,
            "--quiet",
            "--out",
            jobs,
        ];
        place.narrows([&most[..], &SHORT].concat())
    };
    let output = compare("1");
    if ["no clang is in PATH", "without them"].iter().any(|reason| stderr(&output).contains(reason))
    {
        return eprintln!("left out: {}", stderr(&output));
    }
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(code(&compare("2")), 0);
    let kept = String::from_utf8(place.read("log-1")).expect("text");
    assert_eq!(kept.as_bytes(), place.read("log-2"));
    for seed in [1, 2] {
        let begin = format!("prints, seed {seed}, ");
        let times: Vec<&str> = kept.lines().filter_map(|line| line.strip_prefix(&begin)).collect();
        let seconds: Vec<f64> = times
            .iter()
            .map(|line| line.split(' ').next().expect("a time").parse().expect("seconds"))
            .collect();
        assert!(
            seconds.len() > 5 && seconds.is_sorted() && seconds.iter().all(|at| *at < 5.0),
            "{kept}"
        );
        assert!(
            times.iter().all(|line| line.contains(" s, flow prints.") && line.contains(": at ")),
            "{kept}"
        );
    }
    assert!(kept.lines().all(|line| line.starts_with("prints, seed ")), "{kept}");
    // The log does not overwrite a file. It is refused if nothing prints, or if lines cannot be
    // assigned to a flow.
    let refused = |arguments: &[&str], told: &str| {
        let output = place.narrows(arguments.iter().copied());
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(stderr(&output).contains(told), "{told}: {}", stderr(&output));
    };
    refused(
        &["compare", "./prints.bpf.c", "--bpf-log", "log-1"],
        "log-1: what programs print cannot be written there: File exists",
    );
    refused(
        &["compare", "cubic", "--bpf-log", "new"],
        "none of these comes from a file; leave it out",
    );
    refused(
        &["compare", "./prints.bpf.c", "--traffic", "web", "--bpf-log", "new"],
        "compare on one network without --traffic and --beside",
    );
    place.write(
        "short.toml",
        &format!(
            "{}workload = {{ arrivals = \"5/s\", sizes = \"1000 B\" }}\n",
            flow("./prints.bpf.c")
        ),
    );
    refused(
        &["run", "short.toml", "--bpf-log", "new"],
        "flow \"f\" opens a connection for each transfer, which --bpf-log does not tell apart",
    );
}

/// A sweep looks for controllers beside its file, even if another directory has a file of the same
/// name. A shard carries the controllers, so merging and resuming need neither the files nor a
/// compiler.
#[test]
fn sweeps_find_controllers_beside_their_file_and_carry_them() {
    let place = Scratch::new("files-sweep-carried");
    for folder in ["own", "other", "cwd"] {
        fs::create_dir_all(place.path(folder)).expect("a directory");
    }
    put(&place, "reno", "own/mine.bpf.o");
    // With this controller, which has no window, the run would fail.
    put(&place, "stalls", "cwd/mine.bpf.o");
    let sweep = "duration = \"5 s\"\n[[link]]\nname = \"b\"\nbetween = [\"l\", \"r\"]\nrate = \"10 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"1 bdp\"\n\
                 [[flow]]\nname = \"a\"\nfrom = \"l\"\nto = \"r\"\ncontroller = \"./mine.bpf.o\"\n[sweep]\n\
                 \"flow.a.controller\" = [\"./mine.bpf.o?share=230\", \"mine.bpf.o\", \"newreno\"]\nseeds = 2\n";
    place.write("own/swept.toml", sweep);
    let at = |folder: &str, arguments: &[&str]| {
        let output = Command::new(PROGRAM)
            .current_dir(place.path(folder))
            .args(arguments)
            .arg("--quiet")
            .output()
            .expect("the program runs");
        assert_eq!(code(&output), 0, "{folder} {arguments:?}: {}", stderr(&output));
    };
    at("cwd", &["sweep", "../own/swept.toml", "--out", "../whole"]);
    at("other", &["sweep", "../own/swept.toml", "--out", "../elsewhere"]);
    at("other", &["sweep", "../own/swept.toml", "--shard", "1/2", "--out", "../1"]);
    at("cwd", &["sweep", "../own/swept.toml", "--shard", "2/2", "--out", "../2"]);
    fs::remove_file(place.path("own/mine.bpf.o")).expect("the object");
    at("cwd", &["merge", "../1", "../2", "--out", "../merged"]);
    at("other", &["merge", "../1/runs.parquet", "../2/runs.parquet", "--out", "../of-tables"]);
    at("cwd", &["sweep", "../whole/sweep.toml", "--out", "../again"]);
    for result in ["elsewhere", "merged", "of-tables", "again"] {
        assert_eq!(
            place.read(&format!("{result}/cells.parquet")),
            place.read("whole/cells.parquet"),
            "{result}"
        );
        assert_eq!(place.read(&format!("{result}/mine.o")), place.read("whole/mine.o"), "{result}");
        assert_eq!(
            place.read(&format!("{result}/sweep.toml")),
            place.read("whole/sweep.toml"),
            "{result}"
        );
    }
}
