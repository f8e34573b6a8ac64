//! The stack that calls take, as the kernel's verifier counts it (`check_max_stack_depth` of
//! kernel/bpf/verifier.c): along any path of calls at most 512 bytes in at most 8 frames.

use super::place::place;
use crate::problem::Problem;
use crate::program::Program;
use crate::stack::{BYTES, FRAMES, called, frame};
use std::collections::BTreeMap;

/// The most stack that a function and all its callees take.
#[derive(Clone, Debug)]
struct Deepest {
    bytes: usize,
    frames: usize,
    /// The path that takes it.
    path: Vec<usize>,
}

pub(super) fn problems(program: &Program) -> Vec<Problem> {
    let mut known = BTreeMap::new();
    let mut all = Vec::new();
    for (callback, start) in &program.callbacks {
        let problem = match deepest(program, *start, &mut Vec::new(), &mut known) {
            Err(problem) => problem,
            Ok(deepest) if deepest.bytes > BYTES || deepest.frames > FRAMES => {
                let names: Vec<&str> =
                    deepest.path.iter().map(|start| name(program, *start)).collect();
                let reason = format!(
                    "the calls {} take {} bytes of stack in {} frames; the kernel allows {BYTES} bytes in {FRAMES} frames",
                    names.join(", "),
                    deepest.bytes,
                    deepest.frames
                );
                Problem::new(
                    format!("callback {callback}"),
                    reason,
                    "keep large variables in maps, or call less deeply",
                )
            }
            Ok(_) => continue,
        };
        if !all.contains(&problem) {
            all.push(problem);
        }
    }
    all
}

fn name(program: &Program, start: usize) -> &str {
    program.function_at(start).map_or("", |function| function.name.as_str())
}

fn deepest(
    program: &Program,
    start: usize,
    path: &mut Vec<usize>,
    known: &mut BTreeMap<usize, Deepest>,
) -> Result<Deepest, Problem> {
    if let Some(known) = known.get(&start) {
        return Ok(known.clone());
    }
    // A path that is too deep to be allowed need not be followed to its end.
    if path.contains(&start) || path.len() > 2 * FRAMES {
        let names: Vec<&str> =
            path.iter().chain([&start]).map(|start| name(program, *start)).collect();
        let reason =
            format!("functions call each other without end, or too deeply: {}", names.join(", "));
        return Err(Problem::new(place(program, start), reason, "write it as a loop"));
    }
    let Some(function) = program.function_at(start) else {
        return Ok(Deepest { bytes: 0, frames: 0, path: Vec::new() });
    };
    path.push(start);
    let mut most = Deepest { bytes: 0, frames: 0, path: Vec::new() };
    for callee in called(program, function) {
        let one = deepest(program, callee, path, known)?;
        let frames = most.frames.max(one.frames);
        if one.bytes >= most.bytes {
            most = one;
        }
        most.frames = frames;
    }
    path.pop();
    most.bytes += frame(program, function);
    most.frames += 1;
    most.path.insert(0, start);
    known.insert(start, most.clone());
    Ok(most)
}
