//! Runs a core in the simulator's BPF machine, one call at a time.

use super::trial::Trial;
use crate::loaded::object_of;
use narrows_bpf::{Callback, Code, Machine, Settings, SimulatedKernel, World, link};
use narrows_control::cores::{Replay, Twin};
use narrows_cores::{Input, Output};
use std::sync::Arc;

/// The program `try_core` of a controller, in its own machine.
pub struct Simulated {
    machine: Machine,
    program: Callback,
    /// Section with the state, input and output of the program.
    section: usize,
    twin: &'static Twin,
}

/// A world for cores, which never call it.
struct Nowhere;

impl World for Nowhere {
    fn uptime(&self) -> u64 {
        0
    }

    fn hz(&self) -> u32 {
        1
    }

    fn random(&mut self) -> u32 {
        0
    }

    fn print(&mut self, _: &str) {}
}

impl Simulated {
    /// Loads the core with these constants.
    pub fn new(twin: &'static Twin, constants: &[u8]) -> Simulated {
        let settings = Settings { also: vec!["try_core".to_owned()], ..Settings::default() };
        let mut program = link(twin.kernel, object_of(twin), &settings, &SimulatedKernel)
            .unwrap_or_else(|error| panic!("{error}"));
        let section = |name: &str| {
            program
                .regions
                .iter()
                .position(|region| region.name == name)
                .unwrap_or_else(|| panic!("{name}"))
        };
        let (fixed, section) = (section(".rodata.constants"), section(".data.trial"));
        program.regions[fixed].bytes.copy_from_slice(constants);
        let code = Code::new(Arc::new(program)).unwrap_or_else(|refusal| panic!("{refusal}"));
        let program = code.callback("try_core").expect("it was asked for");
        Simulated { machine: Machine::new(Arc::new(code)), program, section, twin }
    }
}

impl Replay for Simulated {
    fn decide(&mut self, input: &Input) -> Output {
        let (input_at, output_at) = Trial::places(self.twin);
        let in_force =
            Output { pacing_rate: input.pacing_rate, cwnd: input.cwnd, ssthresh: input.ssthresh };
        let value = self.machine.data_mut(self.section);
        value[input_at..output_at].copy_from_slice(bytemuck::bytes_of(input));
        value[output_at..].copy_from_slice(bytemuck::bytes_of(&in_force));
        self.machine
            .call(self.program, &[], &mut Nowhere)
            .unwrap_or_else(|fault| panic!("{fault}"));
        bytemuck::pod_read_unaligned(&self.machine.data(self.section)[output_at..])
    }

    fn state(&self) -> &[u8] {
        &self.machine.data(self.section)[..self.twin.state]
    }

    fn set_state(&mut self, state: &[u8]) {
        self.machine.data_mut(self.section)[..self.twin.state].copy_from_slice(state);
    }
}
