//! Sources compiled here: by each clang there is, for each version of the instructions; and what
//! cannot be compiled.

use crate::objects::{Most, compiled};
use narrows_bpf::compile::{Clang, CompileError};
use narrows_bpf::{Settings, link};
use std::fs;
use std::path::Path;

/// Versions of the instructions that the oldest clang knows.
const VERSIONS: [&str; 3] = ["-mcpu=v1", "-mcpu=v2", "-mcpu=v3"];

#[test]
fn every_version_of_the_instructions_links_to_the_same_names() {
    let mut seen = Vec::new();
    for version in VERSIONS {
        let Some(object) = compiled("kinds", "", &[version]) else { return };
        let program = link("kinds.bpf.o", &object, &Settings::default(), &Most)
            .unwrap_or_else(|error| panic!("{version}: {error}"));
        let names: Vec<String> =
            program.functions.iter().map(|function| function.name.clone()).collect();
        seen.push((
            names,
            program.callbacks.keys().cloned().collect::<Vec<_>>(),
            program.variables,
            program.maps,
            program.kfuncs,
        ));
    }
    assert!(seen.windows(2).all(|pair| pair[0] == pair[1]), "{seen:?}");
}

#[test]
fn a_source_gives_the_same_object_each_time() {
    let (Some(first), Some(second)) = (compiled("reno", "", &[]), compiled("reno", "", &[])) else {
        return;
    };
    assert!(first == second, "{} and {} bytes", first.len(), second.len());
}

/// A directory with a source `own.bpf.c`, and clang. `None` without clang.
fn source(text: &str) -> Option<(tempfile::TempDir, Clang)> {
    let directory = tempfile::tempdir().expect("a directory can be made");
    let source = directory.path().join("own.bpf.c");
    fs::write(&source, text).expect("it can be written");
    let clang = Clang::find(&source).ok()?;
    Some((directory, clang))
}

#[test]
fn what_the_compiler_says_is_told() {
    let Some((directory, clang)) = source("int broken = ;\n") else { return };
    let source = directory.path().join("own.bpf.c");
    match clang.compile(&source, &[]) {
        Err(CompileError::NoHeaders { .. }) => {}
        Err(error @ CompileError::Refused { .. }) => {
            let error = error.to_string();
            assert!(
                error.contains("own.bpf.c: ")
                    && error.contains("own.bpf.c:1:14: error: expected expression"),
                "{error}"
            );
        }
        other => panic!("{other:?}"),
    }
    let missing = directory.path().join("missing.bpf.c");
    let error = clang.compile(&missing, &[]).expect_err("it does not exist").to_string();
    assert!(error.contains("missing.bpf.c cannot be read: No such file or directory"), "{error}");
}

/// libbpf's macros find all that they want in `vmlinux.h`, and nothing in it causes a warning.
#[test]
fn our_header_has_what_libbpfs_macros_want() {
    let text = r#"
        #include "vmlinux.h"
        #include <bpf/bpf_helpers.h>
        #include <bpf/bpf_tracing.h>
        #include <bpf/bpf_core_read.h>
        #include <bpf/bpf_endian.h>
        struct { __uint(type, BPF_MAP_TYPE_RINGBUF); __uint(max_entries, 4096); } ring SEC(".maps");
        struct value { struct bpf_spin_lock lock; struct bpf_timer timer; int x; };
        int turns(struct sock *sk)
        {
            struct bpf_dynptr pointer;
            int i, sum = bpf_ntohs(sk->__sk_common.skc_dport);

            bpf_for(i, 0, 10)
                sum += i + BPF_CORE_READ_BITFIELD((struct tcp_sock *)sk, is_cwnd_limited);
            bpf_ringbuf_reserve_dynptr(&ring, 16, 0, &pointer);
            bpf_ringbuf_submit_dynptr(&pointer, BPF_RB_NO_WAKEUP);
            return sum + bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) + sizeof(struct value);
        }
    "#;
    let Some((directory, clang)) = source(text) else { return };
    match clang.compile_with(
        &directory.path().join("own.bpf.c"),
        &[],
        &["-Wall", "-Wextra", "-Wno-unused-parameter", "-Wno-sign-compare"],
    ) {
        Ok(compiled) => assert_eq!(compiled.said, ""),
        Err(CompileError::NoHeaders { .. }) => {
            eprintln!("left out: there are no headers of libbpf")
        }
        Err(error) => panic!("{error}"),
    }
}

/// A file beside a source is found first, then a named one, then ours.
#[test]
fn the_users_own_headers_win() {
    let Some((directory, clang)) =
        source("#include \"vmlinux.h\"\n#include <other.h>\nint x = OWN + OTHER;\n")
    else {
        return;
    };
    let other = directory.path().join("other");
    fs::create_dir(&other).expect("it can be made");
    fs::write(directory.path().join("vmlinux.h"), "#define OWN 1\n").expect("it can be written");
    fs::write(other.join("vmlinux.h"), "#error not this\n").expect("it can be written");
    fs::write(other.join("other.h"), "#define OTHER 2\n").expect("it can be written");
    match clang.compile(&directory.path().join("own.bpf.c"), &[other]) {
        Ok(compiled) => assert_eq!(compiled.said, ""),
        Err(CompileError::NoHeaders { .. }) => {
            eprintln!("left out: there are no headers of libbpf")
        }
        Err(error) => panic!("{error}"),
    }
}

/// A user without clang reads how to get it.
#[test]
fn a_missing_compiler_has_a_remedy() {
    let error = CompileError::NoClang { source_file: Path::new("own.bpf.c").to_owned() };
    assert_eq!(
        error.to_string(),
        "own.bpf.c: clang compiles sources, and no clang is in PATH: install clang 12 or later (on Debian: apt install clang), or compile it elsewhere with `clang -target bpf -g -O2 -c` and give the object (.o)"
    );
    assert!(Clang::at(Path::new("/nowhere/clang")).is_none());
}

/// The third word of the program's own structure, which has the name of one of the kernel's and
/// begins with a word more.
#[test]
fn structures_of_ones_own_that_are_taken_for_the_kernels_are_named() {
    let notes = |attribute: &str| {
        let text = format!(
            "#include \"vmlinux.h\"\n#include <bpf/bpf_helpers.h>\n#include <bpf/bpf_tracing.h>\n\
             char _license[] SEC(\"license\") = \"GPL\";\n\
             struct minmax___mine {{ __u32 own; struct minmax_sample s[3]; }} {attribute};\n\
             SEC(\"struct_ops\") __u32 BPF_PROG(one, struct tcp_sock *tp)\n\
             {{\n\tstruct minmax___mine *mine = (void *)tp->inet_conn.icsk_ca_priv;\n\treturn mine->s[1].v;\n}}\n\
             SEC(\"struct_ops\") void BPF_PROG(two, struct tcp_sock *tp, __u32 ack, __u32 acked) {{}}\n\
             SEC(\".struct_ops.link\") struct tcp_congestion_ops mine = {{\n\
             .ssthresh = (void *)one, .undo_cwnd = (void *)one, .cong_avoid = (void *)two, .name = \"mine\" }};\n"
        );
        let (directory, clang) = source(&text)?;
        let object = match clang.compile(&directory.path().join("own.bpf.c"), &[]) {
            Err(CompileError::NoHeaders { .. }) => return None,
            compiled => compiled.unwrap_or_else(|error| panic!("{error}")).object,
        };
        Some(
            link("own.bpf.c", &object, &Settings::default(), &Most)
                .unwrap_or_else(|error| panic!("{error}"))
                .notes,
        )
    };
    let Some(relocated) = notes("__attribute__((preserve_access_index))") else { return };
    let expected = "own.bpf.c:9 `return mine->s[1].v;`: struct minmax in the private area is taken for the kernel's, in which minmax.s[1].v lies elsewhere: \
                    give it another name, or declare it without preserve_access_index";
    assert!(relocated.len() == 1 && relocated[0].ends_with(expected), "{relocated:?}");
    assert_eq!(notes(""), Some(Vec::new()));
}

/// Of two complete tables one needs a function that no simulator has.
#[test]
fn a_table_that_cannot_be_taken_keeps_no_other_from_running() {
    let text = "#include \"vmlinux.h\"\n#include <bpf/bpf_helpers.h>\n#include <bpf/bpf_tracing.h>\n\
                char _license[] SEC(\"license\") = \"GPL\";\n\
                extern void nobody_has_this(struct sock *sk) __ksym;\n\
                SEC(\"struct_ops\") void BPF_PROG(grow, struct sock *sk, __u32 ack, __u32 acked) {}\n\
                SEC(\"struct_ops\") void BPF_PROG(ask, struct sock *sk, __u32 ack, __u32 acked) { nobody_has_this(sk); }\n\
                SEC(\"struct_ops\") __u32 BPF_PROG(two, struct sock *sk) { return 2; }\n\
                #define TABLE(of, avoid) SEC(\".struct_ops.link\") struct tcp_congestion_ops of = {\\\n\
                .ssthresh = (void *)two, .undo_cwnd = (void *)two, .cong_avoid = (void *)avoid, .name = #of };\n\
                TABLE(plain, grow)\nTABLE(asking, ask)\n";
    let Some((directory, clang)) = source(text) else { return };
    let file = directory.path().join("own.bpf.c");
    if let Err(CompileError::NoHeaders { .. }) = clang.compile(&file, &[]) {
        return;
    }
    let session = narrows_control::Session::default();
    let _session = session.enter();
    let entry = narrows_bpf::files::entry(&session, &file.display().to_string())
        .unwrap_or_else(|refused| panic!("{refused}"));
    let built = |ops: &str| {
        let choice: narrows_control::Choice =
            format!("{}{ops}", entry.name()).parse().unwrap_or_else(|error| panic!("{error}"));
        choice
            .build(&narrows_control::Setup::default())
            .map(drop)
            .map_err(|error| error.to_string())
    };
    assert_eq!(built("?ops=plain"), Ok(()));
    let asking = built("?ops=asking").expect_err("it needs what is not there");
    assert!(
        asking.contains("ops=asking cannot be taken: ") && asking.contains("nobody_has_this"),
        "{asking}"
    );
    let none = built("").expect_err("none was chosen");
    assert!(none.contains("needs ops, which is one of ") && none.contains("asking"), "{none}");
}

/// Compiles a source of this text: its object, or what is said. `None` without clang, or without
/// headers of libbpf.
fn outcome(text: &str) -> Option<Result<Vec<u8>, String>> {
    let (directory, clang) = source(text)?;
    match clang.compile(&directory.path().join("own.bpf.c"), &[]) {
        Err(CompileError::NoHeaders { .. }) => None,
        compiled => {
            Some(compiled.map(|compiled| compiled.object).map_err(|error| error.to_string()))
        }
    }
}

/// On Debian and Ubuntu `asm/types.h` lies in the folder of the machine's architecture.
#[test]
fn the_systems_headers_are_found() {
    if !Path::new("/usr/include/linux/types.h").exists() {
        return eprintln!("left out: the kernel's headers for programs are not installed");
    }
    for text in [
        "#include <linux/types.h>\n#include <bpf/bpf_helpers.h>\n__u32 x;\n",
        "#include <linux/bpf.h>\n#include <bpf/bpf_helpers.h>\nenum bpf_map_type x;\n",
        "#include <stdint.h>\n#include <stdbool.h>\n#include <limits.h>\nuint64_t x = CHAR_BIT;\n",
    ] {
        let Some(compiled) = outcome(text) else { return };
        assert!(compiled.is_ok(), "{text}: {compiled:?}");
    }
}

#[test]
fn what_bpf_does_not_have_is_told_with_a_remedy() {
    for (text, remedy) in [
        (
            "double x; int f(int y) { x = x * 1.5 + y; return x; }\n",
            "BPF has no floating-point numbers: compute in integers",
        ),
        ("#include <string.h>\nint x;\n", "a BPF program has no C library: leave its header out"),
        ("#include \"vmlinux.h\"\n#include <stdint.h>\nint x;\n", "include only one of the two"),
    ] {
        let Some(compiled) = outcome(text) else { return };
        // Some systems have what others lack.
        let Err(said) = compiled else { continue };
        assert!(said.contains(remedy), "{text}: {said}");
    }
}

/// clang's backend has no such instruction for this version of BPF, and would print pages of itself
/// and leave a report in the folder of temporary files.
#[test]
fn a_failure_of_the_compilers_backend_is_short_has_a_remedy_and_leaves_nothing() {
    let Some((directory, clang)) = source("int divided(int a, int b) { return a / b; }\n") else {
        return;
    };
    let name = format!("divided-{}", std::process::id());
    let file = directory.path().join(format!("{name}.bpf.c"));
    fs::rename(directory.path().join("own.bpf.c"), &file).expect("it can be renamed");
    let said = match clang.compile(&file, &[]) {
        Err(CompileError::NoHeaders { .. }) => return,
        other => other.expect_err("there is no signed division").to_string(),
    };
    assert!(
        said.contains("BPF divides unsigned numbers only") && said.lines().count() < 20,
        "{said}"
    );
    assert!(!said.contains("Stack dump") && !said.contains("PLEASE submit"), "{said}");
    let left = fs::read_dir(std::env::temp_dir()).expect("the folder of temporary files").flatten();
    let left: Vec<_> = left
        .map(|file| file.file_name())
        .filter(|file| file.to_string_lossy().starts_with(&name))
        .collect();
    assert_eq!(left, Vec::<std::ffi::OsString>::new());
}

/// A parameter of the type `_Bool` is a flag, for the simulator and for the kernel.
#[test]
fn truth_values_are_parameters() {
    let text = "#include \"vmlinux.h\"\n#include <bpf/bpf_helpers.h>\n#include <bpf/bpf_tracing.h>\n\
                char _license[] SEC(\"license\") = \"GPL\";\nconst volatile _Bool fair = 1;\n\
                SEC(\"struct_ops\") void BPF_PROG(grow, struct sock *sk, __u32 ack, __u32 acked) {}\n\
                SEC(\"struct_ops\") __u32 BPF_PROG(two, struct sock *sk) { return fair ? 2 : 3; }\n\
                SEC(\".struct_ops.link\") struct tcp_congestion_ops flags = {\n\
                .ssthresh = (void *)two, .undo_cwnd = (void *)two, .cong_avoid = (void *)grow, .name = \"flags\" };\n";
    let Some(Ok(_)) = outcome(text) else { return };
    let (directory, _) = source(text).expect("there was one");
    let file = directory.path().join("own.bpf.c").display().to_string();
    let session = narrows_control::Session::default();
    let _session = session.enter();
    let entry =
        narrows_bpf::files::entry(&session, &file).unwrap_or_else(|refused| panic!("{refused}"));
    for (given, expected) in [
        ("", None),
        ("?fair=true", None),
        ("?fair=false", Some(0)),
        ("?fair=0", Some(0)),
        ("?fair=1", None),
    ] {
        let choice: narrows_control::Choice = format!("{}{given}", entry.name())
            .parse()
            .unwrap_or_else(|error| panic!("{given}: {error}"));
        let kernel = narrows_bpf::ForKernel::chosen(&choice)
            .expect("a file")
            .unwrap_or_else(|error| panic!("{given}: {error}"));
        let set = kernel.initial.first().map(|initial| initial.bytes[0]);
        assert!(set == expected || set == Some(1), "{given}: {set:?}");
        let read = narrows_bpf::ForKernel::read(&format!("{file}{given}"))
            .unwrap_or_else(|error| panic!("{given}: {error}"))
            .0;
        assert_eq!(
            read.initial.first().map(|initial| initial.bytes[0]).filter(|value| *value == 0),
            expected,
            "{given}"
        );
        assert!(choice.build(&narrows_control::Setup::default()).is_ok());
    }
    let refused =
        narrows_bpf::ForKernel::read(&format!("{file}?fair=2")).expect_err("no truth value");
    assert!(
        refused.contains(
            "fair=2: the variable takes true or false, and true is its value in the object"
        ),
        "{refused}"
    );
}
