//! Damaged objects: whatever they say, they are taken or refused, without a panic, in little time.

use crate::objects::{COMMITTED, Most, object};
use narrows_bpf::{Program, Settings, doubts, link_against, problems, socket};
use narrows_units::Random;

/// Objects of the test; more by `NARROWS_MUTATIONS=10000000`.
fn objects() -> u64 {
    std::env::var("NARROWS_MUTATIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(100_000)
}

/// Numbers at which something may overflow or end.
const EDGES: [u32; 10] =
    [0, 1, 7, 0xff, 0xffff, 0x0100_0000, 0x7fff_ffff, 0x8000_0000, 0xffff_fff8, 0xffff_ffff];

/// Changes one to four places: a byte, a number, two numbers exchanged, a piece repeated elsewhere,
/// or the end cut off.
fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(4) {
        if bytes.len() < 8 {
            return;
        }
        let place = |random: &mut Random| random.below(bytes.len() as u64 / 4) as usize * 4;
        let at = place(random);
        let other = place(random);
        match random.below(16) {
            0 => bytes.truncate(at.max(1)),
            1 => {
                let piece = bytes[other..(other + 64).min(bytes.len())].to_vec();
                let end = (at + piece.len()).min(bytes.len());
                bytes[at..end].copy_from_slice(&piece[..end - at]);
            }
            2..=4 => {
                let word: [u8; 4] = bytes[at..at + 4].try_into().expect("four bytes");
                bytes.copy_within(other..other + 4, at);
                bytes[other..other + 4].copy_from_slice(&word);
            }
            5..=8 => {
                let edge = EDGES[random.below(EDGES.len() as u64) as usize];
                bytes[at..at + 4].copy_from_slice(&edge.to_le_bytes());
            }
            9..=11 => {
                let number = u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
                let step = 1 + random.below(8) as u32;
                let number = if random.chance(0.5) {
                    number.wrapping_add(step)
                } else {
                    number.wrapping_sub(step)
                };
                bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
            }
            _ => bytes[at + random.below(4) as usize] = random.bits() as u8,
        }
    }
}

/// All that may be asked of a program that was taken.
fn look_at(program: &Program) {
    assert!(
        program
            .functions
            .iter()
            .all(|function| function.start + function.length <= program.code.len())
    );
    assert!(
        program.callbacks.values().all(|start| program
            .function_at(*start)
            .is_some_and(|function| function.start == *start))
    );
    assert!(program.poison.iter().all(|poisoned| poisoned.instruction < program.code.len()));
    for variable in &program.variables {
        assert!(variable.offset + variable.size <= program.regions[variable.region].bytes.len());
    }
    for at in (0..program.code.len()).step_by(16) {
        let _ = program.lines.at(at);
    }
    for structure in ["remembered", "found", "tcp_sock"] {
        let _ = program.types.members(structure);
    }
}

#[test]
fn damaged_objects_are_taken_or_refused() {
    let seeds: Vec<Vec<u8>> = COMMITTED.iter().map(|program| object(program)).collect();
    let mut random = Random::stream(0, "damaged objects");
    let of = |program: &str| {
        if program == "kinds" { vec!["not_of_the_table".to_owned()] } else { Vec::new() }
    };
    let settings: Vec<Settings> = COMMITTED
        .iter()
        .map(|program| Settings { also: of(program), ..Settings::default() })
        .collect();
    let mut taken = 0;
    let mut linked = 0;
    for count in 0..objects() {
        let seed = count as usize % seeds.len();
        let mut bytes = seeds[seed].clone();
        mutate(&mut bytes, &mut random);
        if let Ok(program) = link_against(socket::types(), &bytes, &settings[seed], &Most) {
            linked += 1;
            look_at(&program);
            taken += problems(&program, &Most).is_empty() as u64;
            let _ = doubts(&program);
        }
    }
    eprintln!("{} objects: {linked} linked, {taken} taken", objects());
    // Some changes are of no consequence, others are.
    assert!(
        taken > objects() / 100 && taken < objects() * 9 / 10,
        "{taken} of {} taken",
        objects()
    );
}
