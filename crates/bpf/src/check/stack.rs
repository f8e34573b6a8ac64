//! The stack that calls take, as the kernel's verifier counts it (`check_max_stack_depth` of kernel/bpf/verifier.c): along any path of calls at most 512 bytes in at most 8
//! frames. What a function takes is seen from the constant offsets from register 10 in its code.

use super::flow::wide;
use super::place::place;
use crate::problem::Problem;
use crate::program::{Function, Instruction, Program, address};
use std::collections::BTreeMap;

/// `MAX_BPF_STACK`.
const BYTES: usize = 512;

/// `MAX_CALL_FRAMES`.
const FRAMES: usize = 8;

/// The frames of programs that are compiled to machine code have a multiple of this.
const STEP: usize = 16;

/// What a function and all that it calls take at most.
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
                let names: Vec<&str> = deepest.path.iter().map(|start| name(program, *start)).collect();
                let reason = format!(
                    "the calls {} take {} bytes of stack in {} frames; the kernel allows {BYTES} bytes in {FRAMES} frames",
                    names.join(", "),
                    deepest.bytes,
                    deepest.frames
                );
                Problem::new(format!("callback {callback}"), reason, "keep large variables in maps, or call less deeply")
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

fn deepest(program: &Program, start: usize, path: &mut Vec<usize>, known: &mut BTreeMap<usize, Deepest>) -> Result<Deepest, Problem> {
    if let Some(known) = known.get(&start) {
        return Ok(known.clone());
    }
    // A path that is too deep to be allowed need not be followed to its end.
    if path.contains(&start) || path.len() > 2 * FRAMES {
        let names: Vec<&str> = path.iter().chain([&start]).map(|start| name(program, *start)).collect();
        let reason = format!("functions call each other without end, or too deeply: {}", names.join(", "));
        return Err(Problem::new(place(program, start), reason, "write it as a loop"));
    }
    let Some(function) = program.function_at(start) else { return Ok(Deepest { bytes: 0, frames: 0, path: Vec::new() }) };
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
    most.bytes += frame(&program.code[function.start..function.start + function.length]).next_multiple_of(STEP);
    most.frames += 1;
    most.path.insert(0, start);
    known.insert(start, most.clone());
    Ok(most)
}

/// The functions that a function calls, or gives to a helper that calls them.
pub(super) fn called(program: &Program, function: &Function) -> Vec<usize> {
    let mut all: Vec<usize> = (function.start..function.start + function.length)
        .filter_map(|at| match program.code[at] {
            Instruction { code: Instruction::CALL, src: 1, imm, .. } => usize::try_from(at as i64 + 1 + imm as i64).ok(),
            Instruction { code: Instruction::LOAD_IMMEDIATE, .. } => {
                let value = wide(&program.code, at);
                usize::try_from(value & !address::FUNCTION).ok().filter(|_| value & address::FUNCTION != 0)
            }
            _ => None,
        })
        .filter(|start| program.functions.binary_search_by_key(start, |function| function.start).is_ok())
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Bytes of the frame of a function.
fn frame(code: &[Instruction]) -> usize {
    // Distances from register 10 of the registers that hold such.
    let mut from_frame = [None::<i64>; 16];
    from_frame[10] = Some(0);
    let mut lowest = 0;
    for instruction in code {
        let Instruction { code, dst, src, off, imm } = *instruction;
        let (dst, src) = (dst as usize & 15, src as usize & 15);
        match code & 7 {
            1 => {
                lowest = lowest.min(from_frame[src].map_or(0, |base| base + off as i64));
                from_frame[dst] = None;
            }
            2 | 3 => lowest = lowest.min(from_frame[dst].map_or(0, |base| base + off as i64)),
            _ if code == 0xbf && off == 0 => from_frame[dst] = from_frame[src],
            _ if code == 0x07 => {
                from_frame[dst] = from_frame[dst].map(|base| base + imm as i64);
                lowest = lowest.min(from_frame[dst].unwrap_or(0));
            }
            _ if code == Instruction::CALL => from_frame[..6].fill(None),
            0 | 4 | 7 => from_frame[dst] = None,
            _ => {}
        }
        from_frame[10] = Some(0);
    }
    usize::try_from(-lowest).unwrap_or_default()
}
