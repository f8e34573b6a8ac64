//! The compiler's diagnostics as users see them: bounded, without its own crash report, and with a
//! remedy where its words have none.

/// The most lines that are shown, and the most characters of a line. The first errors explain the
/// others.
const LINES: usize = 40;
const CHARACTERS: usize = 300;

/// The beginning of what clang prints of itself after an error of its backend.
const CRASH: [&str; 2] = ["PLEASE submit a bug report", "Stack dump:"];

/// Words of a diagnostic, and the remedy.
const REMEDIES: &[(&str, &str)] = &[
    (
        "nsupport signed division",
        "BPF divides unsigned numbers only: make both unsigned, or divide their magnitudes and set the sign afterwards, as core_div of core.h does",
    ),
    (
        "nsupported signed division",
        "BPF divides unsigned numbers only: make both unsigned, or divide their magnitudes and set the sign afterwards, as core_div of core.h does",
    ),
    (
        "df3' is not supported",
        "BPF has no floating-point numbers: compute in integers, for example in thousandths",
    ),
    (
        "sf3' is not supported",
        "BPF has no floating-point numbers: compute in integers, for example in thousandths",
    ),
    (
        "'asm/types.h' file not found",
        "the kernel's headers for programs are missing: install them (on Debian: apt install linux-libc-dev)",
    ),
    (
        "'gnu/stubs-32.h' file not found",
        "a BPF program has no C library: leave its header out; <stdint.h>, <stddef.h>, <stdbool.h> and <limits.h> are there, and clang has __builtin_memset and __builtin_memcpy",
    ),
    (
        "'bits/libc-header-start.h' file not found",
        "a BPF program has no C library: leave its header out; clang has __builtin_memset and __builtin_memcpy",
    ),
    (
        "vmlinux.h:",
        "vmlinux.h declares the kernel's types: if another header, such as <linux/bpf.h> or <stdint.h>, declares them too, include only one of the two",
    ),
];

/// Diagnostics of a compiler that refused a source, with remedies in lines of their own.
pub(super) fn of_refusal(said: &str) -> String {
    let mut text = shortened(said);
    let mut remedies: Vec<&str> = Vec::new();
    for (_, remedy) in REMEDIES.iter().filter(|(words, _)| said.contains(words)) {
        if !remedies.contains(remedy) {
            remedies.push(remedy);
        }
    }
    for remedy in remedies {
        text += "\n";
        text += remedy;
    }
    text
}

/// Diagnostics without what clang says of itself, and of bounded length. No newline at the end.
pub(super) fn shortened(said: &str) -> String {
    let end = CRASH.iter().filter_map(|words| said.find(words)).min().unwrap_or(said.len());
    let crashed = end < said.len();
    // An error of the backend is followed by its graph, of which users know nothing.
    let of_graph = |line: &str| crashed && line.trim_start().starts_with("0x");
    let lines: Vec<&str> = said[..end].trim_end().lines().filter(|line| !of_graph(line)).collect();
    let mut text: Vec<String> = lines.iter().take(LINES).map(|line| cut(line)).collect();
    if lines.len() > LINES {
        text.push(format!("and {} more lines", lines.len() - LINES));
    }
    text.join("\n")
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{} ...", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crash_of_the_compiler_leaves_its_error_and_a_remedy() {
        let said = "Error at line 27: Unsupport signed division for DAG: 0x1: i32 = sdiv 0x2, 0x3, a.c:27:30\n\
                    fatal error: error in backend: Cannot select: 0x1: i32 = sdiv 0x2\n  0x2: i32,ch = CopyFromReg 0x4\n    0x5: i32\n\
                    In function: own\nPLEASE submit a bug report to https://example.org\nStack dump:\n0. Program arguments: clang\n #0 0x7\n";
        assert_eq!(
            of_refusal(said),
            "Error at line 27: Unsupport signed division for DAG: 0x1: i32 = sdiv 0x2, 0x3, a.c:27:30\n\
             fatal error: error in backend: Cannot select: 0x1: i32 = sdiv 0x2\nIn function: own\n\
             BPF divides unsigned numbers only: make both unsigned, or divide their magnitudes and set the sign afterwards, as core_div of core.h does"
        );
    }

    #[test]
    fn length_is_bounded() {
        let said = format!("{}\n", "ä".repeat(10_000)).repeat(10_000);
        let text = of_refusal(&said);
        assert_eq!(text.lines().count(), LINES + 1);
        assert!(
            text.lines().all(|line| line.chars().count() <= CHARACTERS + 4)
                && text.ends_with("\nand 9960 more lines"),
            "{text}"
        );
        assert_eq!(of_refusal("a.c:1:1: error: x\n"), "a.c:1:1: error: x");
    }
}
