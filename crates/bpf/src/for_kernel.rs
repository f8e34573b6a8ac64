//! The part of a controller's file that a kernel is given: the object, and the values that its
//! variables begin with.

use crate::check::table_problems;
use crate::files::{self, parameters};
use crate::functions::SimulatedKernel;
use crate::link::{Settings, link_against};
use crate::problem::Problem;
use crate::program::{Ops, Program, Variable};
use crate::socket;
use narrows_control::{Choice, KeptFile, kept_object};
use narrows_params::{Spec, suggest};
use std::collections::BTreeMap;

/// A controller from a file, as a kernel is given it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForKernel {
    /// Name of the controller, from its table.
    pub name: String,
    /// The object as it was compiled: the kernel's loader relocates it.
    pub object: Vec<u8>,
    /// Its table.
    pub ops: Ops,
    /// The functions of its callbacks. Other programs of the object stay out of the kernel.
    pub functions: Vec<String>,
    /// Values that are not those of the object.
    pub initial: Vec<Initial>,
    /// Why the kernel refuses to register the table, as far as that is known without asking it.
    pub faults: Vec<Problem>,
}

/// A value that a variable begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Initial {
    /// The section of the variable: `.rodata`, `.data`.
    pub section: String,
    /// Of its first byte there.
    pub offset: usize,
    /// The value.
    pub bytes: Vec<u8>,
}

impl ForKernel {
    /// Reads a controller by the path of its source or object, with parameters after a question
    /// mark: `./mine.bpf.c?gain=700`. It need not run in a simulation. The second value is the
    /// file.
    ///
    /// # Errors
    ///
    /// The file cannot be read, compiled or linked, or has no such parameters: the file, the place
    /// in it, the reason and a remedy.
    pub fn read(text: &str) -> Result<(ForKernel, KeptFile), String> {
        let (path, settings) = text.split_once('?').unwrap_or((text, ""));
        let file = files::read(path)?;
        let settings = settings.split('&').filter(|setting| !setting.is_empty());
        let settings = settings.map(|setting| setting.split_once('=').unwrap_or((setting, "true")));
        let ops = settings.clone().find(|(name, _)| *name == files::OPS).map(|(_, table)| table);
        let program = linked(path, &file.object, ops)?;
        let mut values = BTreeMap::new();
        for (name, value) in settings.filter(|(name, _)| *name != files::OPS) {
            let Some(variable) = parameters(&program).find(|variable| variable.name == name) else {
                let help = suggest(
                    name,
                    "parameters",
                    parameters(&program).map(|variable| variable.name.as_str()),
                );
                return Err(format!("{path}: it has no global variable \"{name}\"; {help}"));
            };
            let bits = bits(variable, value).ok_or_else(|| {
                format!(
                    "{path}: {name}={value}: the variable takes {}, and {} is its value in the object",
                    range(variable),
                    variable.text()
                )
            })?;
            if values.insert(name.to_owned(), bits).is_some() {
                return Err(format!("{path}: {name} is set twice; keep one of the values"));
            }
        }
        Ok((ForKernel::of(&program, &file.object, &values), file))
    }

    /// That of a scenario's choice; `None` if the choice is of no file.
    ///
    /// # Errors
    ///
    /// A parameter that a kernel has by itself is set: which one.
    pub fn chosen(choice: &Choice) -> Option<Result<ForKernel, String>> {
        Some(chosen(choice, &kept_object(choice.entry().name())?.object))
    }

    /// A linked program and its object, with the values that its variables have there.
    pub fn unchanged(program: &Program, object: &[u8]) -> ForKernel {
        ForKernel::of(program, object, &BTreeMap::new())
    }

    /// With these values, by the names of variables.
    pub(crate) fn of(
        program: &Program,
        object: &[u8],
        values: &BTreeMap<String, u64>,
    ) -> ForKernel {
        let set = parameters(program)
            .filter_map(|variable| Some((variable, *values.get(&variable.name)?)));
        let initial = set.map(|(variable, bits)| Initial {
            section: program.regions[variable.region].name.clone(),
            offset: variable.offset,
            bytes: bits.to_le_bytes()[..variable.size].to_vec(),
        });
        let mut functions: Vec<String> = program
            .callbacks
            .values()
            .filter_map(|start| Some(program.function_at(*start)?.name.clone()))
            .collect();
        functions.extend(program.unknown_callbacks.iter().cloned());
        functions.sort_unstable();
        functions.dedup();
        ForKernel {
            name: program.name.clone(),
            object: object.to_vec(),
            ops: program.ops.clone(),
            functions,
            initial: initial.collect(),
            faults: table_problems(program),
        }
    }
}

fn chosen(choice: &Choice, object: &[u8]) -> Result<ForKernel, String> {
    Ok(ForKernel::of(
        &linked(choice.entry().source(), object, table(choice).as_deref())?,
        object,
        &values(choice)?,
    ))
}

/// The table that a choice names, of an object that has several.
pub(crate) fn table(choice: &Choice) -> Option<String> {
    choice.set(files::OPS).is_some().then(|| choice.params().text(files::OPS)).flatten()
}

/// The values that a choice sets, by the names of variables.
pub(crate) fn values(choice: &Choice) -> Result<BTreeMap<String, u64>, String> {
    let params = choice.params();
    let of_kernel = |name: &str| ![files::OPS, files::STATE].contains(&name);
    let set =
        params.texts().filter(|(spec, _)| choice.set(spec.name).is_some() && of_kernel(spec.name));
    // Parameters are words or numbers that a double holds.
    let bits = |text: &str| match text.parse::<f64>() {
        Ok(value) if value < 0.0 => value as i64 as u64,
        Ok(value) => value as u64,
        Err(_) => u64::from(text == "true"),
    };
    let value = |(spec, text): (&Spec, String)| {
        let name = spec.name;
        if files::OURS.contains(&name) {
            return Err(format!(
                "{name} of {} is that of a simulated host, and this kernel has its own; leave it out",
                choice.entry().name()
            ));
        }
        Ok((name.to_owned(), bits(&text)))
    };
    set.map(value).collect()
}

/// An object linked without regard to what a simulation has; `ops` is the table, if it has several.
pub(crate) fn linked(path: &str, object: &[u8], ops: Option<&str>) -> Result<Program, String> {
    let settings = Settings { ops: ops.map(str::to_owned), ..Settings::default() };
    link_against(socket::types(), object, &settings, &SimulatedKernel)
        .map_err(|problem| format!("{path}: {problem}"))
}

/// A value as a variable holds it.
fn bits(variable: &Variable, text: &str) -> Option<u64> {
    if variable.boolean {
        return match text {
            "true" | "1" => Some(1),
            "false" | "0" => Some(0),
            _ => None,
        };
    }
    let unused = 64 - 8 * variable.size as u32;
    if variable.signed {
        let value = text.parse::<i64>().ok();
        value.filter(|value| value << unused >> unused == *value).map(|value| value as u64)
    } else {
        text.parse::<u64>().ok().filter(|value| value << unused >> unused == *value)
    }
}

/// The values that it can hold.
fn range(variable: &Variable) -> String {
    if variable.boolean {
        return "true or false".to_owned();
    }
    let unused = 64 - 8 * variable.size as u32;
    if variable.signed {
        format!("{} to {}", i64::MIN >> unused, i64::MAX >> unused)
    } else {
        format!("0 to {}", u64::MAX >> unused)
    }
}
