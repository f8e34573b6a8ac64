//! How sockets are named in epoll.

/// Which socket an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The one of a flow that accepts.
    Listener,
    /// The one that writes, of the connection at a place.
    Sender,
    /// The one that reads, of the connection at a place.
    Receiver,
    /// The one of a flow that takes datagrams.
    Datagrams,
}

/// The key of a socket in epoll: of a flow, or of the connection at a place.
pub fn key(index: usize, role: Role) -> u64 {
    (index as u64) << 2 | role as u64
}

/// The socket of a key: its flow or its connection's place, and its role.
pub fn split(key: u64) -> (usize, Role) {
    let role = match key & 3 {
        0 => Role::Listener,
        1 => Role::Sender,
        2 => Role::Receiver,
        _ => Role::Datagrams,
    };
    ((key >> 2) as usize, role)
}
