//! Records of calls in a kernel that are decided again: which callbacks can be compared.

use narrows_bpf::compile::Clang;
use narrows_bpf::recording::{Recording, Tally};
use narrows_bpf::{files, socket};
use narrows_control::Choice;
use std::fs;

/// The results of one record of `ssthresh` from a socket of zeros. `reads` is the body of the
/// callback. `None` without clang.
fn tally(name: &str, reads: &str) -> Option<Tally> {
    let directory = tempfile::tempdir().expect("a directory can be made");
    let file = directory.path().join(format!("{name}.bpf.c"));
    let text = format!(
        "#include \"vmlinux.h\"\n#include <bpf/bpf_helpers.h>\n#include <bpf/bpf_tracing.h>\n#include <bpf/bpf_core_read.h>\n\
         char _license[] SEC(\"license\") = \"GPL\";\n\
         SEC(\"struct_ops\") void BPF_PROG(grow, struct tcp_sock *tp, __u32 ack, __u32 acked) {{}}\n\
         SEC(\"struct_ops\") __u32 BPF_PROG(reads, struct tcp_sock *tp) {{ {reads} }}\n\
         SEC(\"struct_ops\") __u32 BPF_PROG(two, struct tcp_sock *tp) {{ return 2; }}\n\
         SEC(\".struct_ops.link\") struct tcp_congestion_ops reading = {{\n\
         .ssthresh = (void *)reads, .undo_cwnd = (void *)two, .cong_avoid = (void *)grow, .name = \"reading\" }};\n"
    );
    fs::write(&file, text).expect("it can be written");
    let path = file.display().to_string();
    Clang::find(&file).ok()?;
    let session = narrows_control::Session::default();
    let _session = session.enter();
    let entry = match files::entry(&session, &path) {
        Err(error) if error.contains("without them") => return None,
        entry => entry.unwrap_or_else(|error| panic!("{error}")),
    };
    let choice: Choice = entry.name().parse().unwrap_or_else(|error| panic!("{error}"));
    let mut replay = Recording::of(&choice, 250).unwrap_or_else(|error| panic!("{error}")).replay;
    // More than any record has: the number of the callback, then zeros.
    let mut record = vec![0; 1 << 16];
    let number = 1 + socket::callbacks()
        .position(|callback| callback == "ssthresh")
        .expect("it is one") as u64;
    record[..8].copy_from_slice(&number.to_le_bytes());
    replay.feed(&record);
    Some(replay.finish(0))
}

#[test]
fn what_is_read_of_the_socket_by_its_relocations_can_be_compared() {
    let Some(tally) = tally("of_socket", "return BPF_CORE_READ(tp, snd_cwnd);") else { return };
    assert_eq!((tally.calls, tally.unequal, tally.left.len()), (1, 0, 0), "{tally:?}");
}

#[test]
fn a_callback_that_reads_other_memory_is_given_up() {
    let Some(tally) = tally(
        "elsewhere",
        "__u32 x = 0; bpf_probe_read_kernel(&x, 4, (void *)4096); return x + 2;",
    ) else {
        return;
    };
    assert_eq!((tally.calls, tally.unequal), (0, 0), "{tally:?}");
    let (calls, why) = &tally.left["ssthresh"];
    assert_eq!(
        (*calls, why.as_str()),
        (
            1,
            "it reads kernel memory beside the socket by bpf_probe_read_kernel, which is not recorded"
        )
    );
}
