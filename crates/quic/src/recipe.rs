//! How controllers for connections are made.

use crate::accepted::{Refused, Stack, check};
use narrows_control::{Choice, Controller, Setup};
use narrows_params::Need;
use narrows_units::{Bytes, Segments};
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Headers of a QUIC packet down to IP that are not in its size: 20 B of IPv4 and 8 B of UDP.
pub(crate) const HEADERS: u64 = 28;

/// Packets that may be sent before the first acknowledgement (RFC 9002 section 7.2).
pub(crate) const INITIAL_WINDOW: u64 = 10;

/// A controller by name, for any number of connections.
#[derive(Debug)]
pub(crate) struct Recipe {
    choice: Choice,
    seed: u64,
    made: AtomicU64,
}

impl Recipe {
    pub(crate) fn new(text: &str, stack: Stack) -> Result<Recipe, Refused> {
        let choice: Choice = text.parse()?;
        check(&choice, stack)?;
        // Parameters that do not fit together are refused now, not when a connection opens.
        choice.build(&Setup::default())?;
        Ok(Recipe { choice, seed: RandomState::new().hash_one(text), made: AtomicU64::new(0) })
    }

    pub(crate) fn seed(self, seed: u64) -> Recipe {
        Recipe { seed, ..self }
    }

    /// True if each packet has to be acknowledged by itself.
    pub(crate) fn wants_every_ack(&self) -> bool {
        self.choice.entry().numbered()
    }

    pub(crate) fn wants_rates(&self) -> bool {
        self.choice.needs().contains(&Need::RateSample)
    }

    pub(crate) fn text(&self) -> &str {
        self.choice.text()
    }

    /// A controller for a new connection, with packets of `mtu` bytes.
    pub(crate) fn make(&self, mtu: u16) -> Box<dyn Controller> {
        let setup = Setup {
            mss: Bytes::new(mtu.into()),
            headers: Bytes::new(HEADERS),
            initial_window: Segments::new(INITIAL_WINDOW as f64),
            seed: self.seed.wrapping_add(self.made.fetch_add(1, Relaxed)),
            saved: None,
        };
        self.choice.build(&setup).expect("it was built before with other sizes alone")
    }
}
