//! No bytes make the linker of BPF objects panic, and what it takes is whole.

#![no_main]

use libfuzzer_sys::fuzz_target;
use narrows_bpf::{Callable, Settings, Verdict, doubts, link_against, problems, socket};

struct Everything;

impl Callable for Everything {
    fn helper(&self, _: i32, _: &str) -> Verdict {
        Verdict::Known
    }

    fn kfunc(&self, _: &str) -> Verdict {
        Verdict::Known
    }
}

fuzz_target!(|object: &[u8]| {
    let Ok(program) = link_against(socket::types(), object, &Settings::default(), &Everything) else { return };
    assert!(program.functions.iter().all(|function| function.start + function.length <= program.code.len()));
    assert!(program.callbacks.values().all(|start| program.function_at(*start).is_some()));
    for variable in &program.variables {
        assert!(variable.offset + variable.size <= program.regions[variable.region].bytes.len());
    }
    for at in 0..program.code.len() {
        let _ = program.lines.at(at);
    }
    let _ = (problems(&program, &Everything), doubts(&program));
});
