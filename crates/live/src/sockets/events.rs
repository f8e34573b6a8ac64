//! Keys of sockets in epoll.

/// The role of a socket in an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Accepts connections of a flow.
    Listener,
    /// Writes to a connection.
    Sender,
    /// Reads from a connection.
    Receiver,
    /// Receives datagrams of a flow.
    Datagrams,
    /// Accepts a connection that its receiver opens.
    Acceptor,
}

/// Returns the epoll key of a socket of the flow or connection `index`.
pub fn key(index: usize, role: Role) -> u64 {
    (index as u64) << 3 | role as u64
}

/// Returns the flow or connection of a key, and the role of its socket.
pub fn split(key: u64) -> (usize, Role) {
    let role = match key & 7 {
        0 => Role::Listener,
        1 => Role::Sender,
        2 => Role::Receiver,
        3 => Role::Datagrams,
        _ => Role::Acceptor,
    };
    ((key >> 3) as usize, role)
}
