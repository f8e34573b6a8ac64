//! Actions that an application asks of its world.

use narrows_units::{Bytes, Time};

/// The message that the application writes at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// When it had it ready; of a response, when the request for it left.
    pub start: Time,
    /// Its payload, at least a byte.
    pub size: Bytes,
}

/// An action that an application wants done. Its own connection is the one of its flow, which a
/// flow whose transfers arrive does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// From now on there is always something to send on its own connection.
    Flood,
    /// No longer: unsent data is withdrawn, as far as it can be. Data sent since the
    /// flood began is a message, if it is anything: the world says so with
    /// [`Application::expect`](crate::Application::expect), and with
    /// [`Application::delivered`](crate::Application::delivered) if it has already arrived.
    Cut {
        /// When the flood began.
        start: Time,
    },
    /// Write this on its own connection, or send it at once in as few datagrams as hold it, all but
    /// the last of a full segment.
    Write {
        /// The message.
        message: Message,
        /// Nothing follows.
        last: bool,
    },
    /// Write this, and nothing else, on a new connection.
    Open {
        /// The message.
        message: Message,
        /// Seeds what the new connection's controller draws.
        seed: u64,
    },
    /// Bring a request of this size from the far end of a connection to the near one, then call
    /// [`Application::answer`](crate::Application::answer) and write the response on the connection
    /// that brought the request.
    Ask {
        /// The size of the request.
        size: Bytes,
        /// `None` on its own connection. Otherwise the far end opens a new connection, which
        /// carries nothing after the response, and this seeds the draws of its controller.
        seed: Option<u64>,
    },
    /// It has stopped: nothing more is written on its own connection, and what has not been sent is
    /// withdrawn, as far as it can be. Other connections go on.
    Stop,
}
