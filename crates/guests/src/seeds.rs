//! All that a stack would draw from the operating system, drawn from the seed of its flow.

use narrows_control::End;
use narrows_units::Random;

/// Bytes of connection ids, as both stacks' default generators have them.
pub(crate) const ID_LENGTH: usize = 8;

/// Draws for one end of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seeds {
    seed: u64,
    end: End,
}

impl Seeds {
    pub(crate) fn new(seed: u64, end: End) -> Seeds {
        Seeds { seed, end }
    }

    /// The seed of the endpoint's own generator.
    pub(crate) fn endpoint(self) -> [u8; 32] {
        let mut random = self.stream("endpoint");
        let mut seed = [0; 32];
        seed.chunks_mut(8).for_each(|chunk| chunk.copy_from_slice(&random.bits().to_le_bytes()));
        seed
    }

    /// The connection ids that the end issues.
    pub(crate) fn ids(self) -> Ids {
        Ids(self.stream("connection ids"))
    }

    /// The connection id with which a client calls a server.
    pub(crate) fn first_id(self) -> [u8; ID_LENGTH] {
        Ids(self.stream("first destination id")).next()
    }

    fn stream(self, what: &str) -> Random {
        Random::stream(self.seed, &format!("guest {:?} {what}", self.end))
    }
}

/// Connection ids, one after another.
pub(crate) struct Ids(Random);

impl Ids {
    pub(crate) fn next(&mut self) -> [u8; ID_LENGTH] {
        self.0.bits().to_le_bytes()
    }
}
