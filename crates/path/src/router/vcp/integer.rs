//! The load factor in the integers of the kernel's router (`cores/vcp_router.h` of
//! `narrows-control`).

use super::told::Load;
use narrows_cores::vcp_router::{Code, Constants};
use narrows_cores::{RouterMeter, fraction};
use narrows_wire::LoadCode;

/// Most bytes of a period that the header counts with; a link without a rate carries them.
const MOST_CAPACITY: f64 = ((1_u64 << 38) - 1) as f64;

/// Measures one period after another, of arrivals and samples that it is given.
#[derive(Clone, Debug)]
pub(super) struct Integer(RouterMeter);

impl Integer {
    pub(super) fn new(gamma: f64, kappa_q: f64) -> Integer {
        Integer(RouterMeter::new(Constants {
            gamma: fraction(gamma, 24),
            kappa_q: fraction(kappa_q, 16),
            ..Constants::default()
        }))
    }

    #[inline]
    pub(super) fn arrive(&mut self, bytes: u64) {
        self.0.state.arrived += bytes;
    }

    pub(super) fn sample(&mut self, queue: u64) {
        self.0.sample(queue);
    }

    pub(super) fn begin(&mut self) {
        self.0.begin();
    }

    /// A period ends in which the link could carry `capacity` bytes.
    pub(super) fn end(&mut self, capacity: f64) -> Load {
        self.0.end(capacity.min(MOST_CAPACITY) as u64);
        let code = match self.0.state.code {
            code if code == Code::Low as u32 => LoadCode::Low,
            code if code == Code::High as u32 => LoadCode::High,
            _ => LoadCode::Overload,
        };
        Load { code, hundredths: self.0.state.load as u8 }
    }
}
