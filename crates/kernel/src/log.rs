//! Captures the messages of libbpf, and makes errors from them.

use crate::error::KernelError;
use libbpf_rs::{PrintLevel, set_print};
use std::sync::{Mutex, PoisonError};

/// Lock for loading: libbpf has one print callback per process, so only one thread loads at a time.
static TURN: Mutex<()> = Mutex::new(());
static SAID: Mutex<String> = Mutex::new(String::new());

fn keep(_: PrintLevel, text: String) {
    *SAID.lock().unwrap_or_else(PoisonError::into_inner) += &text;
}

/// Does `work`. If it fails, makes an error from the messages of libbpf.
pub(crate) fn listening<T>(
    name: &str,
    work: impl FnOnce() -> libbpf_rs::Result<T>,
) -> Result<T, KernelError> {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    SAID.lock().unwrap_or_else(PoisonError::into_inner).clear();
    let before = set_print(Some((PrintLevel::Info, keep)));
    let result = work();
    set_print(before);
    let log = std::mem::take(&mut *SAID.lock().unwrap_or_else(PoisonError::into_inner));
    result.map_err(|error| in_words(name, &error, log))
}

/// Does `work`, and returns the messages that libbpf prints during it.
#[cfg(test)]
pub(crate) fn overhearing(work: impl FnOnce()) -> String {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    SAID.lock().unwrap_or_else(PoisonError::into_inner).clear();
    let before = set_print(Some((PrintLevel::Debug, keep)));
    work();
    set_print(before);
    std::mem::take(&mut *SAID.lock().unwrap_or_else(PoisonError::into_inner))
}

fn in_words(name: &str, error: &libbpf_rs::Error, log: String) -> KernelError {
    if let Some((program, said)) = verdict(&log) {
        return KernelError::Verifier { name: name.to_owned(), program, said, log };
    }
    if error.kind() == libbpf_rs::ErrorKind::PermissionDenied {
        let remedy = match crate::fitness::lockdown() {
            Some(level) => format!(
                "the kernel is locked down ({level}); start it without lockdown=, or without Secure Boot"
            ),
            None => {
                "a container's seccomp filter or a security module does; run it outside of them"
                    .to_owned()
            }
        };
        return KernelError::Unfit {
            reason: "something forbids bpf(2) to this process, although it has the rights"
                .to_owned(),
            remedy,
        };
    }
    let last =
        log.lines().rev().map(|line| line.trim_start_matches("libbpf: ")).find(|line| tells(line));
    let reason = last.map_or_else(|| format!("{error:#}"), |last| format!("{error:#} ({last})"));
    KernelError::Refused { name: name.to_owned(), reason, log }
}

/// False for lines that give no cause of a failure: a summary, and notes on parts that libbpf left
/// out.
fn tells(line: &str) -> bool {
    !line.starts_with("failed to load object")
        && !["skipping it as it's set to zero", "isn't referenced anywhere"]
            .iter()
            .any(|note| line.contains(note))
}

/// Returns the program that the verifier refused, and the end of its log.
fn verdict(log: &str) -> Option<(String, String)> {
    let (before, rest) = log.split_once("-- BEGIN PROG LOAD LOG --")?;
    let (said, _) = rest.split_once("-- END PROG LOAD LOG --")?;
    let program = before.rsplit('\'').nth(1)?;
    let counts = ["processed ", "verification time", "stack depth", "mark_precise"];
    let lines: Vec<&str> = said
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !counts.iter().any(|word| line.starts_with(word)))
        .collect();
    let end = lines[lines.len().saturating_sub(3)..].join("; ");
    Some((program.to_owned(), if end.is_empty() { "it gave no reason".to_owned() } else { end }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// libbpf notes members of newer kernels in every log. They are not the reason why a kernel
    /// refuses a table.
    #[test]
    fn notes_of_libbpf_are_no_reasons() {
        assert!(!tells(
            "struct_ops mine: member cwnd_event_tx_start not found in kernel, skipping it as it's set to zero"
        ));
        assert!(!tells(
            "prog 'x': SEC(\"struct_ops\") program isn't referenced anywhere, did you forget to use it?"
        ));
        assert!(!tells("failed to load object 'narrows'"));
        assert!(tells("extern (func ksym) 'tcp_nowhere': not found in kernel or module BTFs"));
    }

    #[test]
    fn the_end_of_the_log_is_told() {
        let log = "libbpf: prog 'cong_control': BPF program load failed: Permission denied\n\
                   libbpf: prog 'cong_control': -- BEGIN PROG LOAD LOG --\n\
                   0: R1=ctx() R10=fp0\n; tp->rcv_nxt = 0; @ x.c:7\n3: (63) *(u32 *)(r1 +1500) = r2\nno write support to tcp_sock at off 1500\n\
                   processed 4 insns (limit 1000000) max_states_per_insn 0 total_states 0 peak_states 0 mark_read 0\n\
                   -- END PROG LOAD LOG --\n\
                   libbpf: prog 'cong_control': failed to load: -13\nlibbpf: failed to load object 'x'\n";
        let (program, said) = verdict(log).unwrap();
        assert_eq!(program, "cong_control");
        assert_eq!(
            said,
            "; tp->rcv_nxt = 0; @ x.c:7; 3: (63) *(u32 *)(r1 +1500) = r2; no write support to tcp_sock at off 1500"
        );
        assert_eq!(verdict("libbpf: nothing of it\n"), None);
    }
}
