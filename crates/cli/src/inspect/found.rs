//! Properties of a program from a file.

use narrows_bpf::{
    Code, ForKernel, Instruction, Problem, Program, Settings, SimulatedKernel, Use, doubts, files,
    helper, link_against, problems, socket,
};
use narrows_kernel::KernelError;
use narrows_params::suggest;
use narrows_workbench::Failure;
use narrows_workbench::request;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::Arc;

/// Source register of a call instruction that calls a helper.
const OF_HELPER: u8 = 0;

/// Flags of an operations table (include/net/tcp.h) with their bits.
const FLAGS: [(u32, &str); 2] = [(1, "TCP_CONG_NON_RESTRICTED"), (2, "TCP_CONG_NEEDS_ECN")];

/// A file and the result of its inspection.
pub struct Found {
    /// File as the user named it, with parameters.
    pub file: String,
    /// Parameters after the file name, with their values.
    pub given: Vec<(String, String)>,
    /// Version of the compiler. `None` if the file is an object.
    pub compiler: Option<String>,
    /// The linked program. `None` if the file is damaged or is not a controller.
    pub program: Option<Program>,
    /// Notes for the user.
    pub notes: Vec<String>,
    /// Reasons why a run may end with an error.
    pub doubts: Vec<String>,
    /// Reasons why the program cannot run.
    pub problems: Vec<Problem>,
    /// Verdict of the kernel. `None` if the kernel was not asked.
    pub verifier: Option<Verifier>,
}

/// Verdict of this host's kernel.
pub struct Verifier {
    /// Version of the kernel.
    pub release: String,
    /// Names of the accepted BPF programs.
    pub accepted: Vec<String>,
    /// Reason for a refusal, and the log of the verifier.
    pub refused: Option<(String, String)>,
}

/// Maximum number of lines of the verifier's log that are shown (our choice). The last lines name
/// the fault. A verifier that gives up after a million instructions prints megabytes.
const LOG_LINES: usize = 60;
/// Maximum number of characters per line of the log.
const LOG_CHARACTERS: usize = 400;

/// Kinds of access of a program to a part of the kernel's structures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Uses {
    pub reads: bool,
    pub writes: bool,
    pub locates: bool,
}

impl Found {
    /// Reads a file, compiles it if it is a source, and inspects the object. Also returns the
    /// object.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or compiled, or a parameter is unknown or has an invalid value.
    pub fn read(file: &str) -> Result<(Found, Vec<u8>), Failure> {
        let (path, set) = file.split_once('?').unwrap_or((file, ""));
        let kept = files::read(path).map_err(Failure::Other)?;
        let set: Vec<(&str, &str)> = set
            .split('&')
            .filter(|one| !one.is_empty())
            .map(|one| one.split_once('=').unwrap_or((one, "")))
            .collect();
        let value = |name: &str| {
            set.iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| *value)
                .filter(|value| !value.is_empty())
        };
        let settings = Settings { ops: value("ops").map(str::to_owned), ..Settings::default() };
        let mut found = Found {
            file: file.to_owned(),
            given: set.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect(),
            compiler: kept.source.map(|source| source.compiler),
            program: None,
            notes: kept.notes,
            doubts: Vec::new(),
            problems: Vec::new(),
            verifier: None,
        };
        match link_against(socket::types(), &kept.object, &settings, &SimulatedKernel) {
            Err(problem) => found.problems.push(problem),
            Ok(program) => {
                let unknown = set.iter().find(|(key, _)| {
                    !files::OURS.contains(key)
                        && files::parameters(&program).all(|own| own.name != *key)
                });
                if let Some((key, _)) = unknown {
                    let known =
                        files::parameters(&program).map(|own| own.name.as_str()).chain(files::OURS);
                    return Err(Failure::Other(format!(
                        "{path}: it has no parameter \"{key}\"; {}",
                        suggest(key, "parameters", known)
                    )));
                }
                found.judge(program);
                if found.problems.is_empty() {
                    // Reject invalid values here too, as a run would.
                    request::parse_choice(file).map_err(Failure::Other)?;
                }
            }
        }
        Ok((found, kept.object))
    }

    fn judge(&mut self, program: Program) {
        self.notes.extend(program.notes.iter().cloned());
        self.doubts = doubts(&program);
        self.problems = problems(&program, &SimulatedKernel);
        // Check the single instructions only if there are no other problems. Otherwise their faults
        // would be consequences of these problems.
        let unfit =
            self.problems.is_empty().then(|| Code::new(Arc::new(program.clone())).err()).flatten();
        self.problems.extend(unfit.map(|refusal| refusal.problem()));
        self.program = Some(program);
    }
}

/// Returns the end of a verifier's log, limited in lines and columns, after the number of lines
/// that are left out.
pub fn log_end(log: &str) -> String {
    let lines: Vec<&str> = log.trim_end().lines().collect();
    let left_out = lines.len().saturating_sub(LOG_LINES);
    let begin = if left_out > 0 { format!("({left_out} lines before)\n") } else { String::new() };
    let cut = |line: &&str| match line.char_indices().nth(LOG_CHARACTERS) {
        Some((end, _)) => format!("{} ...", &line[..end]),
        None => (*line).to_owned(),
    };
    begin + &lines[left_out..].iter().map(cut).collect::<Vec<_>>().join("\n")
}

impl Verifier {
    /// Asks the kernel to verify the program.
    ///
    /// # Errors
    ///
    /// If the kernel cannot be asked, because of missing rights or because this build cannot do it.
    pub fn ask(program: &ForKernel) -> Result<Verifier, Failure> {
        let release =
            fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default().trim().to_owned();
        let verifier = |accepted, refused| Verifier { release, accepted, refused };
        match narrows_kernel::judge(program) {
            Ok(accepted) => Ok(verifier(accepted, None)),
            Err(error @ (KernelError::Verifier { .. } | KernelError::Refused { .. })) => {
                let log = error.log().unwrap_or_default().to_owned();
                Ok(verifier(Vec::new(), Some((error.to_string(), log))))
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Returns the names of a program's flags. Unknown bits appear as a hexadecimal number.
pub fn flags(program: &Program) -> Vec<String> {
    let known = FLAGS
        .iter()
        .filter(|(bit, _)| program.flags & bit != 0)
        .map(|(_, name)| (*name).to_owned());
    let rest = program.flags & !FLAGS.iter().fold(0, |all, (bit, _)| all | bit);
    known.chain((rest != 0).then(|| format!("{rest:#x}"))).collect()
}

/// Returns the parts of the kernel's structures that the program names, with the kinds of access
/// and whether the part exists.
pub fn fields(program: &Program) -> BTreeMap<&str, (Uses, bool)> {
    let mut all: BTreeMap<&str, (Uses, bool)> = BTreeMap::new();
    for mention in program.mentions.iter().filter(|mention| mention.how != Use::Asks) {
        let (uses, there) = all.entry(&mention.what).or_insert((Uses::default(), true));
        uses.reads |= matches!(mention.how, Use::Reads | Use::Updates);
        uses.writes |= matches!(mention.how, Use::Writes | Use::Updates);
        uses.locates |= mention.how == Use::Locates;
        *there &= mention.there;
    }
    all
}

/// Returns the names that the program tests for existence, with the results.
pub fn questions(program: &Program) -> BTreeMap<&str, bool> {
    program
        .mentions
        .iter()
        .filter(|mention| mention.how == Use::Asks)
        .map(|mention| (mention.what.as_str(), mention.there))
        .collect()
}

/// Returns the names of the helpers that the program calls.
pub fn helpers(program: &Program) -> BTreeSet<String> {
    let calls = program.code.iter().enumerate().filter(|(at, instruction)| {
        (instruction.code, instruction.src) == (Instruction::CALL, OF_HELPER)
            && program.poison_at(*at).is_none()
    });
    let name = |number: i32| {
        u32::try_from(number)
            .ok()
            .and_then(helper)
            .map_or(format!("helper {number}"), |(name, _)| name.to_owned())
    };
    calls.map(|(_, instruction)| name(instruction.imm)).collect()
}
