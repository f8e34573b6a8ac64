//! What a controller implies for the transport of its flow.

use narrows_control::Choice;
use narrows_transport::{AckFormat, Transport};

/// What acknowledgements name, and after how many full segments one is sent, with `controller`; none if it has no wish.
pub(crate) fn acknowledgements(controller: Option<&Choice>) -> Option<(AckFormat, u32)> {
    controller.filter(|choice| choice.entry().numbered).map(|_| (AckFormat::Numbered, 1))
}

/// The transport of a flow with `controller` for which nothing is written.
pub(crate) fn transport(controller: Option<&Choice>) -> Transport {
    let mut transport = Transport::default();
    if let Some(wish) = acknowledgements(controller) {
        (transport.acks, transport.ack_every) = wish;
    }
    transport
}
