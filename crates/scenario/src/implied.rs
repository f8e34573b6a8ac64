//! Transport settings that a controller implies for its flow.

use narrows_control::{Choice, GUEST_DATAGRAM, GUEST_HEADERS};
use narrows_transport::{AckFormat, Transport};

/// Returns the acknowledgement format, and the number of full segments per acknowledgement, that
/// `controller` needs; `None` if it needs no special ones.
pub(crate) fn acknowledgements(controller: Option<&Choice>) -> Option<(AckFormat, u32)> {
    controller.filter(|choice| choice.entry().numbered()).map(|_| (AckFormat::Numbered, 1))
}

/// Returns the transport of a flow with `controller` that sets nothing itself.
pub(crate) fn transport(controller: Option<&Choice>) -> Transport {
    let mut transport = Transport::default();
    if controller.is_some_and(|choice| choice.entry().is_guest()) {
        // The rest of a guest's transport is its own.
        (transport.mss, transport.headers) = (GUEST_DATAGRAM, GUEST_HEADERS);
        return transport;
    }
    if let Some(wish) = acknowledgements(controller) {
        (transport.acks, transport.ack_every) = wish;
    }
    transport
}
