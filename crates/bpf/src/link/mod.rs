//! An object to a program: its table of callbacks, the functions that these need, and everything
//! that those name.

mod code;
mod elf;
mod externs;
mod maps;
mod mentions;
mod regions;
mod table;

use crate::callable::Callable;
use crate::check::{doubts, mistaken, problems};
use crate::lines::Lines;
use crate::problem::{LoadError, Problem};
use crate::program::{MapSpec, Ops, Poisoned, Program};
use crate::relocate::{Resolution, Target, patch, resolve};
use crate::types::{Extension, Types};
use code::{Code, Names};
use elf::Elf;
use externs::Externs;
use maps::Maps;
use mentions::mention;
use regions::Regions;
use table::{Table, tables};

/// How an object is to be linked.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Which table, by its variable or the controller's name, if the object has several.
    pub ops: Option<String>,
    /// `CONFIG_HZ`: clock ticks per second.
    pub hz: u32,
    /// Functions that are wanted beside the callbacks, by name: [`Program::functions`] says where
    /// they begin.
    pub also: Vec<String>,
}

impl Default for Settings {
    /// The only table, 250 ticks, nothing else.
    fn default() -> Settings {
        Settings { ops: None, hz: 250, also: Vec::new() }
    }
}

/// Links an object, relocates it against the [socket](crate::socket), and sees whether it can be
/// taken.
///
/// # Errors
///
/// If it is no object, is damaged, needs what the simulator does not have, or is what the kernel
/// would not take: the first of these. The error names the file, the place in it, and a remedy.
pub fn link(
    file: &str,
    object: &[u8],
    settings: &Settings,
    callable: &dyn Callable,
) -> Result<Program, LoadError> {
    let named = |problem: Problem| LoadError { file: file.to_owned(), problem };
    let mut program =
        link_against(crate::socket::types(), object, settings, callable).map_err(named)?;
    if let Some(problem) = problems(&program, callable).into_iter().next() {
        return Err(named(problem));
    }
    program.notes.extend(doubts(&program));
    Ok(program)
}

/// Links an object, and relocates it against any types: those of a kernel, too. The result is not
/// [judged](problems).
///
/// # Errors
///
/// If the bytes are no object, are damaged, or have no table to choose. Unmet requirements are
/// listed is in [`Program::unmet`].
pub fn link_against(
    target: &Types,
    object: &[u8],
    settings: &Settings,
    callable: &dyn Callable,
) -> Result<Program, Problem> {
    let elf = Elf::read(object)?;
    let section = |name: &str| elf.section(name).map(|(_, section)| section.data);
    let types = types(&elf)?;
    let extension = section(".BTF.ext")
        .map(|bytes| Extension::read(".BTF.ext", bytes, types.strings()))
        .transpose()?
        .unwrap_or_default();
    let table = choose(tables(&elf, &types)?, settings.ops.as_deref())?;
    let externs = Externs::read(&types, settings.hz)?;
    let mut regions = Regions::read(&elf, &externs)?;
    let variables = regions.variables(&elf, &types);
    let maps = Maps::read(&elf, &types);
    let ops = Ops { variable: table.variable, name_at: table.name_at };
    let mut program = Program {
        name: table.name,
        ops,
        flags: table.flags,
        license: license(&elf),
        variables,
        ..Program::default()
    };

    let mut code =
        Code::new(Names { elf: &elf, regions: &regions, maps: &maps, externs: &externs, callable });
    program.unknown_callbacks =
        table.unknown.iter().filter_map(|place| code.name(*place).map(str::to_owned)).collect();
    for (callback, place) in table.callbacks {
        let start = code.take(place, &callback)?;
        program.callbacks.insert(callback, start);
    }
    for name in &settings.also {
        let missing = || {
            Problem::new(
                format!("function {name}"),
                "the object does not have it",
                "name one that it has",
            )
        };
        let place = code.named(name).ok_or_else(missing)?;
        code.take(place, name)?;
    }
    code.settle();
    relocate(&elf, &types, &extension, target, &mut code)?;
    program.lines = lines(&elf, &types, &extension, &code);
    for map in std::mem::take(&mut code.maps) {
        match maps.spec(map) {
            Ok(spec) => program.maps.push(spec),
            Err(problem) => {
                // In its place one of no kind, so that the others keep theirs.
                program.maps.push(MapSpec::default());
                code.want_in_vain(problem);
            }
        }
    }
    let left = code.left();
    if !left.is_empty() {
        program
            .notes
            .push(format!("not loaded, since the table does not need it: {}", left.join(", ")));
    }
    (program.code, program.functions, program.kfuncs) =
        (code.instructions, code.functions, code.kfuncs);
    (program.poison, program.questions) = (code.poison, code.questions);
    (program.mentions, program.unmet) = (code.mentions, table.problems);
    program.unmet.append(&mut code.unmet);
    program.notes.append(&mut regions.notes);
    program.regions = regions.regions;
    program.types = types;
    let mistaken = mistaken(&program);
    program.notes.extend(mistaken);
    Ok(program)
}

/// The complete tables of an object, by their variables; those that are not complete are left out.
///
/// # Errors
///
/// If it is no object, is damaged, or has no table.
pub fn complete_tables(object: &[u8]) -> Result<Vec<String>, Problem> {
    let elf = Elf::read(object)?;
    let tables = tables(&elf, &types(&elf)?)?;
    Ok(tables
        .into_iter()
        .filter(|table| table.missing().is_none())
        .map(|table| table.variable)
        .collect())
}

fn types(elf: &Elf) -> Result<Types, Problem> {
    let (_, section) = elf.section(".BTF").ok_or_else(|| {
        Problem::new(
            "section .BTF",
            "it is missing",
            "compile a source that has a controller, with -g",
        )
    })?;
    Types::read(".BTF", section.data)
}

/// The table that is meant: the one that was asked for, or the only one that is complete.
fn choose(tables: Vec<Table>, ops: Option<&str>) -> Result<Table, Problem> {
    let names = |tables: &[Table]| {
        tables.iter().map(|table| table.variable.as_str()).collect::<Vec<_>>().join(", ")
    };
    let all = names(&tables);
    if let Some(ops) = ops {
        let meant = tables.into_iter().find(|table| table.variable == ops || table.name == ops);
        return meant.ok_or_else(|| {
            Problem::new(
                "section .struct_ops",
                format!("it has no table {ops}"),
                format!("its tables are {all}"),
            )
        });
    }
    if tables.len() == 1 {
        return Ok(tables.into_iter().next().expect("there is one"));
    }
    let mut complete: Vec<Table> =
        tables.into_iter().filter(|table| table.missing().is_none()).collect();
    match complete.len() {
        1 => Ok(complete.remove(0)),
        0 => Err(Problem::new(
            "section .struct_ops",
            format!("none of its tables ({all}) is complete"),
            "give one ssthresh, undo_cwnd and cong_avoid or cong_control",
        )),
        _ => {
            let reason = format!("it has several complete tables: {}", names(&complete));
            let remedy = format!("choose one by ?ops=, which is one of {}", names(&complete));
            Err(Problem::new("section .struct_ops", reason, remedy))
        }
    }
}

/// The text of the section `license`; empty without one.
fn license(elf: &Elf) -> String {
    let bytes = elf.section("license").map(|(_, section)| section.data).unwrap_or_default();
    let text = bytes.iter().take(128).take_while(|byte| **byte != 0).copied().collect::<Vec<u8>>();
    String::from_utf8_lossy(&text).into_owned()
}

/// Applies the relocations against types.
fn relocate(
    elf: &Elf,
    types: &Types,
    extension: &Extension,
    target: &Types,
    code: &mut Code,
) -> Result<(), Problem> {
    let target = Target::new(target);
    let mut relocated = std::collections::BTreeSet::new();
    for (name, relocations) in &extension.relocations {
        let Some((section, _)) = elf.section(name) else { continue };
        for relocation in relocations {
            let Some(at) = code.index_of(section, relocation.offset as u64) else { continue };
            let problem = |reason: String| {
                Problem::damaged(
                    format!("section {name}, relocation of byte {}", relocation.offset),
                    reason,
                )
            };
            if !relocated.insert(at) {
                return Err(problem("there are two of it".to_owned()));
            }
            let resolved = resolve(types, relocation, &target).map_err(problem)?;
            if resolved.asks {
                code.questions.insert(at);
            }
            code.mentions.extend(mention(at, &code.instructions[at], &resolved));
            if patch(&mut code.instructions, at, &resolved.resolution).map_err(problem)? {
                let narrow = if resolved.resolution == Resolution::Missing {
                    ""
                } else {
                    " (which has another width or sign)"
                };
                code.poison
                    .push(Poisoned { instruction: at, what: format!("{}{narrow}", resolved.what) });
            }
        }
    }
    code.poison.sort_by_key(|poisoned| poisoned.instruction);
    code.mentions.sort_by_key(|mention| mention.instruction);
    Ok(())
}

/// The lines of the functions that were taken over.
fn lines(elf: &Elf, types: &Types, extension: &Extension, code: &Code) -> Lines {
    let mut all = Vec::new();
    for (name, lines) in &extension.lines {
        let Some((section, _)) = elf.section(name) else { continue };
        all.extend(
            lines
                .iter()
                .filter_map(|line| Some((code.index_of(section, line.offset as u64)?, *line))),
        );
    }
    Lines::new(all, types.strings().clone())
}
