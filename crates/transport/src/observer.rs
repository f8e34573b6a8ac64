//! The view of a world that captures and logs have.

use crate::{Ack, Data, Sender};
use narrows_control::LogSink;
use narrows_units::{Bytes, Time};
use narrows_wire::Ecn;

/// Watches a world's packets and senders, and changes nothing: a run that is watched has the same
/// results.
pub trait Observer {
    /// A packet passes a point. Calls come in time order.
    fn on_packet(&mut self, seen: &Seen);

    /// A sender has processed an acknowledgement, or acted on a timer.
    fn on_sender(&mut self, at: Time, flow: usize, sender: &Sender);

    /// A sender has sent: [`on_packet`](Observer::on_packet) follows for the packet.
    fn on_sent(&mut self, at: Time, flow: usize, sender: &Sender) {
        let _ = (at, flow, sender);
    }

    /// Asked once for each flow whose transport is another implementation, before it begins: where
    /// its own log goes, if anywhere.
    fn own_log(&mut self, flow: usize) -> Option<LogSink> {
        let _ = flow;
        None
    }
}

/// A packet, where and when it was seen.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// When.
    pub at: Time,
    /// Where.
    pub point: Point,
    /// The flow it belongs to, by its number in the scenario.
    pub flow: usize,
    /// Its size on the wire, from the IP header on.
    pub size: Bytes,
    /// Its ECN field (RFC 3168).
    pub ecn: Ecn,
    /// Its content.
    pub content: Content,
}

/// The content of a packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Content {
    /// A segment of a connection.
    Data(Data),
    /// An acknowledgement.
    Ack(Ack),
    /// Data that is not acknowledged, or a request: the number of the packet among those of its
    /// flow, from 0.
    Datagram(u64),
}

/// Where a packet is seen. Links go by their number in the scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// The host of the flow's sender: it sends data, or acknowledgements arrive at it.
    Sender,
    /// The host of the flow's receiver: data arrives at it, or it sends acknowledgements.
    Receiver,
    /// The near end of a link, before its loss model and queue.
    Entering(usize),
    /// The far end of a link.
    Leaving(usize),
    /// A link that drops it.
    Dropped(usize),
}
