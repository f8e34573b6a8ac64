//! What is found in a program.

use crate::cli::parse_choice;
use crate::error::Failure;
use narrows_bpf::{
    Code, ForKernel, Instruction, Problem, Program, Settings, SimulatedKernel, Use, doubts, files,
    helper, link_against, problems, socket,
};
use narrows_kernel::KernelError;
use narrows_params::suggest;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::Arc;

/// The source of a call of a helper.
const OF_HELPER: u8 = 0;

/// Flags of a table (include/net/tcp.h), by their bits.
const FLAGS: [(u32, &str); 2] = [(1, "TCP_CONG_NON_RESTRICTED"), (2, "TCP_CONG_NEEDS_ECN")];

/// A file, and what it comes to.
pub struct Found {
    /// As the user named it.
    pub file: String,
    /// The parameters behind its name, and their values.
    pub given: Vec<(String, String)>,
    /// The compiler's version, if it is a source.
    pub compiler: Option<String>,
    /// Linked; `None` if it is damaged or no controller.
    pub program: Option<Program>,
    /// What its user should know.
    pub notes: Vec<String>,
    /// For which a run may end with an error.
    pub doubts: Vec<String>,
    /// Everything that prevents it from running.
    pub problems: Vec<Problem>,
    /// What the kernel says, if it was asked.
    pub verifier: Option<Verifier>,
}

/// What this host's kernel says.
pub struct Verifier {
    /// The version of the kernel.
    pub release: String,
    /// The programs that it accepted.
    pub accepted: Vec<String>,
    /// Why it refuses, and all that was said.
    pub refused: Option<(String, String)>,
}

/// The most lines of the verifier's log that are shown (ours). The last ones name the fault; a
/// verifier that gives up after a million instructions prints megabytes.
const LOG_LINES: usize = 60;
/// The most characters of such a line.
const LOG_CHARACTERS: usize = 400;

/// What a program does with a part of the kernel's structures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Uses {
    pub reads: bool,
    pub writes: bool,
    pub locates: bool,
}

impl Found {
    /// Reads a file, compiled if it is a source, and its object.
    ///
    /// # Errors
    ///
    /// It cannot be read or compiled.
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
                    // Values are refused as where it runs.
                    parse_choice(file).map_err(Failure::Other)?;
                }
            }
        }
        Ok((found, kept.object))
    }

    fn judge(&mut self, program: Program) {
        self.notes.extend(program.notes.iter().cloned());
        self.doubts = doubts(&program);
        self.problems = problems(&program, &SimulatedKernel);
        // Each instruction of a program without other problems; of one with some it would be their consequence.
        let unfit =
            self.problems.is_empty().then(|| Code::new(Arc::new(program.clone())).err()).flatten();
        self.problems.extend(unfit.map(|refusal| refusal.problem()));
        self.program = Some(program);
    }
}

/// The end of a verifier's log, bounded, after the number of lines that are left out.
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
    /// Asks the kernel.
    ///
    /// # Errors
    ///
    /// It cannot be asked: without the rights, or by this build.
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

/// The names of a table's flags; those that do not exist by their bits.
pub fn flags(program: &Program) -> Vec<String> {
    let known = FLAGS
        .iter()
        .filter(|(bit, _)| program.flags & bit != 0)
        .map(|(_, name)| (*name).to_owned());
    let rest = program.flags & !FLAGS.iter().fold(0, |all, (bit, _)| all | bit);
    known.chain((rest != 0).then(|| format!("{rest:#x}"))).collect()
}

/// What it does with each part of the kernel's structures that it names, and whether that is there.
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

/// What it asks for, with the answer.
pub fn questions(program: &Program) -> BTreeMap<&str, bool> {
    program
        .mentions
        .iter()
        .filter(|mention| mention.how == Use::Asks)
        .map(|mention| (mention.what.as_str(), mention.there))
        .collect()
}

/// The helpers that it calls.
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
