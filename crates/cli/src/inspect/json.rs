//! JSON output of an inspection. docs/reference/formats.md describes it.

use super::found::{Found, Verifier, fields, flags, helpers, log_end, questions};
use narrows_bpf::{Program, parameters};
use serde_json::{Value, json};

/// Version of the format. It changes when a key is removed or changes its meaning.
const FORMAT: u32 = 1;

/// Formats the inspection as JSON.
pub fn json(found: &Found) -> String {
    let problem = |problem: &narrows_bpf::Problem| json!({ "place": problem.place, "reason": problem.reason, "remedy": problem.remedy });
    let all = json!({
        "format": FORMAT,
        "file": found.file,
        "compiler": found.compiler,
        "program": found.program.as_ref().map(program),
        "notes": found.notes,
        "doubts": found.doubts,
        "problems": found.problems.iter().map(problem).collect::<Vec<_>>(),
        "kernel": found.verifier.as_ref().map(kernel),
    });
    format!("{all:#}\n")
}

fn program(program: &Program) -> Value {
    let fields: Vec<Value> = fields(program)
        .into_iter()
        .map(|(name, (uses, there))| json!({ "name": name, "reads": uses.reads, "writes": uses.writes, "points": uses.locates, "there": there }))
        .collect();
    let questions: Vec<Value> = questions(program)
        .into_iter()
        .map(|(name, there)| json!({ "name": name, "there": there }))
        .collect();
    let maps: Vec<Value> = program
        .maps
        .iter()
        .map(|map| json!({ "name": map.name, "kind": map.kind_name(), "key_bytes": map.key_size, "value_bytes": map.value_size, "max_entries": map.max_entries }))
        .collect();
    let parameters: Vec<Value> =
        parameters(program).map(|variable| json!({ "name": variable.name, "type": variable.kind(), "default": variable.text() })).collect();
    json!({
        "name": program.name,
        "license": program.license,
        "flags": flags(program),
        "callbacks": program.callbacks.keys().collect::<Vec<_>>(),
        "instructions": program.code.len(),
        "fields": fields,
        "questions": questions,
        "functions": program.kfuncs,
        "helpers": helpers(program),
        "maps": maps,
        "parameters": parameters,
    })
}

fn kernel(verifier: &Verifier) -> Value {
    json!({
        "release": verifier.release,
        "accepted": verifier.accepted,
        "refused": verifier.refused.as_ref().map(|(why, _)| why),
        "log": verifier.refused.as_ref().map(|(_, log)| log_end(log)),
    })
}
