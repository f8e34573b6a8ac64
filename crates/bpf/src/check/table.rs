//! The table as the kernel judges it: `bpf_tcp_ca_init_member` of net/ipv4/bpf_tcp_ca.c,
//! `tcp_validate_congestion_control` of net/ipv4/tcp_cong.c.

use crate::problem::Problem;
use crate::program::Program;

/// `TCP_CONG_NON_RESTRICTED` and `TCP_CONG_NEEDS_ECN` of include/net/tcp.h.
const FLAGS: u32 = 3;

/// `TCP_CA_NAME_MAX` of include/net/tcp.h, with the zero at the end.
const NAME: usize = 16;

/// Licenses that include/linux/license.h takes for compatible with the GPL.
const LICENSES: [&str; 6] =
    ["GPL", "GPL v2", "GPL and additional rights", "Dual BSD/GPL", "Dual MIT/GPL", "Dual MPL/GPL"];

/// Everything for which a kernel refuses to register the table of a program.
pub fn problems(program: &Program) -> Vec<Problem> {
    let mut all = Vec::new();
    let mut wrong =
        |place: &str, reason: String, remedy: &str| all.push(Problem::new(place, reason, remedy));
    let has = |callback: &str| program.callbacks.contains_key(callback);
    let table = "struct tcp_congestion_ops";
    for needed in ["ssthresh", "undo_cwnd"] {
        if !has(needed) {
            wrong(table, format!("it has no {needed}, which the kernel demands"), "add it");
        }
    }
    if !has("cong_avoid") && !has("cong_control") {
        wrong(
            table,
            "it has neither cong_avoid nor cong_control, of which the kernel demands one"
                .to_owned(),
            "add one",
        );
    }
    if has("get_info") {
        wrong(
            table,
            "it has get_info, which the kernel does not take from a BPF program".to_owned(),
            "remove it",
        );
    }
    let name = &program.name;
    if name.is_empty()
        || name.len() >= NAME
        || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.".contains(&byte))
    {
        wrong(
            table,
            format!("its name is \"{name}\""),
            "give it 1 to 15 letters, digits, \"_\" and \".\"",
        );
    }
    if program.flags & !FLAGS != 0 {
        let reason = format!(
            "its flags are {:#x}, of which the kernel knows TCP_CONG_NON_RESTRICTED (1) and TCP_CONG_NEEDS_ECN (2)",
            program.flags
        );
        wrong(table, reason, "remove the others");
    }
    if !LICENSES.contains(&program.license.as_str()) {
        let reason = format!(
            "the license is \"{}\", and the kernel takes controllers only under one that is compatible with the GPL",
            program.license
        );
        wrong(
            "section license",
            reason,
            "write char _license[] SEC(\"license\") = \"GPL\" or \"Dual MIT/GPL\", if you may",
        );
    }
    all
}
