//! Which controllers the kernel can be given, and what the simulator calls them.

use crate::Entry;
use narrows_cores::{Core, CoreConstants, Input, Output};
use narrows_params::{ParamError, Params};
use std::fmt;

/// A controller that exists twice: compiled for the simulator, and for the kernel.
pub struct Twin {
    /// The kernel's name, of letters, digits, `_` and `.`, at most 15: the registry's with `_` for
    /// `-`.
    pub kernel: &'static str,
    /// The registry line of the controller that is simulated.
    pub entry: &'static Entry,
    /// The choice whose simulation is this core, without parameters of the constants:
    /// `hstcp?profile=linux`.
    pub choice: &'static str,
    /// The constants, as bytes, from the parameters of `choice`'s entry.
    pub constants: fn(&Params) -> Result<Vec<u8>, ParamError>,
    /// A native core with these constants. The bytes must be those of
    /// [`constants`](Twin::constants).
    pub replay: fn(&[u8]) -> Box<dyn Replay>,
    /// Size of what a connection remembers, in bytes.
    pub state: usize,
}

impl fmt::Debug for Twin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Twin").field(&self.kernel).finish()
    }
}

impl PartialEq for Twin {
    fn eq(&self, other: &Twin) -> bool {
        self.kernel == other.kernel
    }
}

impl Eq for Twin {}

/// A native core that is shown what the kernel's was shown.
pub trait Replay: Send {
    /// One call of the kernel.
    fn decide(&mut self, input: &Input) -> Output;
    /// The state of the connection now.
    fn state(&self) -> &[u8];
    /// Remembers something else.
    fn set_state(&mut self, state: &[u8]);
}

impl<C: CoreConstants> Replay for Core<C> {
    fn decide(&mut self, input: &Input) -> Output {
        Core::decide(self, input);
        self.output
    }

    fn state(&self) -> &[u8] {
        bytemuck::bytes_of(&self.state)
    }

    fn set_state(&mut self, state: &[u8]) {
        bytemuck::bytes_of_mut(&mut self.state).copy_from_slice(state);
    }
}

/// [`Twin::replay`] of a core.
pub(crate) fn replay<C: CoreConstants>(constants: &[u8]) -> Box<dyn Replay> {
    Box::new(Core::new(bytemuck::pod_read_unaligned::<C>(constants)))
}
