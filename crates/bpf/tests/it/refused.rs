//! Programs that cannot be taken: each defect with its place, its reason and its remedy.

use crate::objects::{Most, compiled, object};
use narrows_bpf::{Settings, link};

/// The words about a program with a defect. `None` without a compiler.
fn said(defect: &str) -> Option<String> {
    let object = compiled("defects", defect, &[])?;
    Some(match link("own.bpf.o", &object, &Settings::default(), &Most) {
        Err(error) => error.to_string(),
        Ok(program) => format!("taken as {}", program.name),
    })
}

#[test]
fn a_program_without_a_defect_is_taken() {
    assert!(link("own.bpf.o", &object("defects"), &Settings::default(), &Most).is_ok());
}

#[test]
fn what_the_kernel_refuses_is_refused_with_its_reason() {
    for (defect, expected) in [
        (
            "NO_GPL",
            "own.bpf.o: section license: the license is \"Proprietary\", and the kernel takes controllers only under one that is compatible with the GPL: write char _license[] SEC(\"license\") = \"GPL\" or \"Dual MIT/GPL\", if you may",
        ),
        (
            "NO_UNDO",
            "own.bpf.o: struct tcp_congestion_ops: it has no undo_cwnd, which the kernel demands: add it",
        ),
        (
            "GET_INFO",
            "own.bpf.o: struct tcp_congestion_ops: it has get_info, which the kernel does not take from a BPF program: remove it",
        ),
        (
            "BAD_FLAGS",
            "own.bpf.o: struct tcp_congestion_ops: its flags are 0x6, of which the kernel knows TCP_CONG_NON_RESTRICTED (1) and TCP_CONG_NEEDS_ECN (2): remove the others",
        ),
        (
            "BAD_NAME",
            "own.bpf.o: struct tcp_congestion_ops: its name is \"a b\": give it 1 to 15 letters, digits, \"_\" and \".\"",
        ),
        (
            "DEEP_STACK",
            "own.bpf.o: callback ssthresh: the calls ssthresh, deep take 608 bytes of stack in 2 frames; the kernel allows 512 bytes in 8 frames: keep large variables in maps, or call less deeply",
        ),
    ] {
        let Some(said) = said(defect) else { return };
        assert_eq!(said, expected);
    }
    let Some(said) = said("RECURSION") else { return };
    assert!(
        said.contains("functions call each other without end, or too deeply: ssthresh, endless, to_and_fro, endless: write it as a loop"),
        "{said}"
    );
}

#[test]
fn what_the_simulator_does_not_have_is_named_with_its_line() {
    for (defect, parts) in [
        (
            "MISSING_FIELD",
            [
                "function ssthresh, ",
                "defects.bpf.c:",
                "`return ((struct tcp_sock___other *)sk)->gone;`: it needs tcp_sock.gone, which the simulator does not have",
            ],
        ),
        (
            "WIDER_FIELD",
            [
                "function ssthresh, ",
                "defects.bpf.c:",
                "it needs tcp_sock.undo_retrans (which has another width or sign), which the simulator does not have",
            ],
        ),
        (
            "OWN_STRUCTURE",
            [
                "function ssthresh, ",
                "defects.bpf.c:",
                "it needs own.member (there is no struct own; if it is the program's own, declare it without preserve_access_index)",
            ],
        ),
        (
            "MISSING_KFUNC",
            ["function ssthresh: ", "it needs tcp_nowhere of the kernel", "declare it __weak"],
        ),
        (
            "MISSING_CONFIGURATION",
            [
                "function ssthresh: ",
                "it reads CONFIG_NOWHERE of the kernel's configuration",
                "declare it __weak",
            ],
        ),
        (
            "REFUSED_HELPER",
            [
                "callback ssthresh, function ssthresh, ",
                "defects.bpf.c:",
                "it calls bpf_tail_call, which callbacks cannot follow",
            ],
        ),
    ] {
        let Some(said) = said(defect) else { return };
        for part in parts {
            assert!(said.contains(part), "{defect}: {said}");
        }
    }
}

/// Code behind a question that is answered with no, and of another version of Linux, is never
/// reached.
#[test]
fn what_a_program_asks_for_before_may_be_missing() {
    for defect in ["GUARDED_FIELD", "OLD_VERSION"] {
        let Some(said) = said(defect) else { return };
        assert_eq!(said, "taken as defects");
    }
}

/// Where the answer depends on more than the question, the program is taken, and the user is told.
#[test]
fn a_doubtful_question_leaves_a_note() {
    let Some(object) = compiled("defects", "DOUBTFUL_FIELD", &[]) else { return };
    let program = link("own.bpf.o", &object, &Settings::default(), &Most).expect("it is taken");
    let doubt = "it may need tcp_sock.gone, which the simulator does not have: the run ends with an error if it does";
    assert!(
        program
            .notes
            .iter()
            .any(|note| note.starts_with("function ssthresh, ") && note.ends_with(doubt)),
        "{:?}",
        program.notes
    );
}

#[test]
fn of_several_complete_tables_one_is_chosen() {
    let (Some(two), Some(unused)) =
        (compiled("defects", "TWO_TABLES", &[]), compiled("defects", "UNUSED_TABLE", &[]))
    else {
        return;
    };
    let error = link("own.bpf.o", &two, &Settings::default(), &Most).expect_err("two are complete");
    let expected = "own.bpf.o: section .struct_ops: it has several complete tables: defects, second: choose one by ?ops=, which is one of defects, second";
    assert_eq!(error.to_string(), expected);
    for ops in ["second", "defects"] {
        let settings = Settings { ops: Some(ops.to_owned()), ..Settings::default() };
        assert_eq!(link("own.bpf.o", &two, &settings, &Most).expect("it is there").name, ops);
    }
    let none = Settings { ops: Some("third".to_owned()), ..Settings::default() };
    let error = link("own.bpf.o", &two, &none, &Most).expect_err("there is no third");
    assert_eq!(
        error.to_string(),
        "own.bpf.o: section .struct_ops: it has no table third: its tables are defects, second"
    );
    assert_eq!(
        link("own.bpf.o", &unused, &Settings::default(), &Most).expect("one is complete").name,
        "defects"
    );
}

#[test]
fn a_file_that_is_no_object_says_which_would_be_one() {
    for (bytes, expected) in [
        (
            &b""[..],
            "x: the file: it is no ELF object of 64 bits: give a file that `clang -target bpf -g -O2 -c` left",
        ),
        (
            b"\x7fELF\x02\x02\x01",
            "x: the file: it is for machines of the other byte order (bpfeb): compile it with -target bpfel",
        ),
    ] {
        assert_eq!(
            link("x", bytes, &Settings::default(), &Most).expect_err("no object").to_string(),
            expected
        );
    }
    let mut other = object("reno");
    other[18] = 62;
    let error = link("x", &other, &Settings::default(), &Most)
        .expect_err("an object for x86-64")
        .to_string();
    assert!(error.contains("it is an object for another machine"), "{error}");
}
