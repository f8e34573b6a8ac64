//! Runs a core in the kernel without a connection, one call at a time.

use crate::error::KernelError;
use crate::loaded::{object_of, open};
use crate::log::listening;
use libbpf_rs::{MapCore, MapFlags, MapImpl, Mut, Object, ProgramImpl, ProgramInput};
use narrows_control::cores::{Replay, Twin};
use narrows_cores::{Input, Output};

/// The program `try_core` of a controller, loaded but not registered. [`Replay`] runs it once per
/// call (bpf(2), BPF_PROG_TEST_RUN).
pub struct Trial {
    object: Object,
    /// Content of the program's map: state, input, output.
    value: Vec<u8>,
    twin: &'static Twin,
}

impl Trial {
    /// Loads the core with these constants into the kernel.
    pub fn new(twin: &'static Twin, constants: &[u8]) -> Result<Trial, KernelError> {
        let object = listening(twin.kernel, || {
            let mut open = open(object_of(twin), constants)?;
            for mut program in open.progs_mut() {
                let wanted = program.name() == "try_core";
                program.set_autoload(wanted);
            }
            for mut map in open.maps_mut() {
                if map.name() == "controller" {
                    map.set_autocreate(false)?;
                }
            }
            open.load()
        })?;
        let value = vec![0; Self::places(twin).1 + size_of::<Output>()];
        Ok(Trial { object, value, twin })
    }

    /// Returns the offsets of the input and the output, which follow the state: `trial` in
    /// `bpf/controller.h`.
    pub fn places(twin: &Twin) -> (usize, usize) {
        let input = twin.state.next_multiple_of(align_of::<Input>());
        (input, input + size_of::<Input>())
    }

    fn map(&self) -> MapImpl<'_> {
        self.object.maps().find(|map| map.name() == ".data.trial").expect("every object has it")
    }

    fn program(&mut self) -> ProgramImpl<'_, Mut> {
        self.object
            .progs_mut()
            .find(|program| program.name() == "try_core")
            .expect("every object has it")
    }
}

impl Replay for Trial {
    fn decide(&mut self, input: &Input) -> Output {
        let (input_at, output_at) = Self::places(self.twin);
        let in_force =
            Output { pacing_rate: input.pacing_rate, cwnd: input.cwnd, ssthresh: input.ssthresh };
        self.value[input_at..output_at].copy_from_slice(bytemuck::bytes_of(input));
        self.value[output_at..].copy_from_slice(bytemuck::bytes_of(&in_force));
        self.map()
            .update(&0_u32.to_ne_bytes(), &self.value, MapFlags::ANY)
            .expect("a map of one element");
        self.program().test_run(ProgramInput::default()).expect("a loaded program runs");
        self.value = self
            .map()
            .lookup(&0_u32.to_ne_bytes(), MapFlags::ANY)
            .ok()
            .flatten()
            .expect("a map of one element");
        bytemuck::pod_read_unaligned(&self.value[output_at..])
    }

    fn state(&self) -> &[u8] {
        &self.value[..self.twin.state]
    }

    fn set_state(&mut self, state: &[u8]) {
        self.value[..self.twin.state].copy_from_slice(state);
    }
}
