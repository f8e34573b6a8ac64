//! Guests: connections of other implementations, such as QUIC stacks, that a world runs whole.
//!
//! A [`Guest`] has its own loss recovery, pacing, flow control and handshake. The world carries its
//! datagrams, and cannot read them.

use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::Ecn;

/// Bytes of the headers below a guest's datagram, down to IP: 20 of IPv4 and 8 of UDP.
pub const GUEST_HEADERS: Bytes = Bytes::new(28);

/// The largest datagram of a guest: an Ethernet packet of 1500 B less the headers of IPv6 and UDP,
/// where the path MTU discovery of noq and quinn ends.
pub const GUEST_DATAGRAM: Bytes = Bytes::new(1452);

/// Takes the text of a guest's own log, part by part.
pub type LogSink = Box<dyn FnMut(&[u8]) + Send + Sync>;

/// An end of a guest's connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Sends data, and answers requests for it.
    Sender,
    /// Reads data, and may ask for it.
    Receiver,
}

/// The content of a UDP datagram, and the ECN code point of the packet that carries it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// The UDP payload.
    pub content: Box<[u8]>,
    /// The code point.
    pub ecn: Ecn,
}

/// Both ends of a connection of another implementation, sans-IO, and the applications that write
/// and read its data.
///
/// Each call carries the time. Calls for one end come in time order. A guest is a pure function of
/// the seed in its [`Setup`](crate::Setup) and of these calls: it reads no clock and draws from no
/// other source. Code from outside may panic; a world catches that, drops the guest and ends the
/// run.
pub trait Guest: Send {
    /// Writes the implementation's own log of the sender to `out`. Called before anything else, if
    /// at all.
    ///
    /// # Errors
    ///
    /// The reason, with a remedy, if it can write none.
    fn log(&mut self, out: LogSink) -> Result<(), String> {
        drop(out);
        Err("it has no log of its own; leave the log out".to_owned())
    }

    /// A datagram arrives at `end`.
    fn receive(&mut self, now: Time, end: End, datagram: Datagram);

    /// When `end` wants [`act`](Guest::act) to be called next; [`Time::NEVER`] if only a datagram
    /// or the application can give it something to do.
    fn due(&self, end: End) -> Time;

    /// Lets `end` do all that is due: its timers, its application, and sending. Each datagram that
    /// leaves is given to `send`. The end that acts first opens the connection.
    fn act(&mut self, now: Time, end: End, send: &mut dyn FnMut(Datagram));

    /// The sending application writes `bytes` more of a stream that never ends, or data without
    /// end if that is [`u64::MAX`]. The next [`act`](Guest::act) of the sender takes it.
    fn write(&mut self, bytes: u64);

    /// The sending application writes a message of `bytes`, by itself: it is complete once all of
    /// it has been read, whatever is missing of other messages. It is the response to the oldest
    /// request that has [arrived](Guest::asked), if one has no response yet. Nothing follows if
    /// `last`. Returns the number of the message. Numbers rise from message to message.
    fn message(&mut self, bytes: u64, last: bool) -> u64;

    /// The number of a message that the receiving application has read whole. Each is told once.
    fn completed(&mut self) -> Option<u64>;

    /// The receiving application sends a request of `bytes`. The next [`act`](Guest::act) of the
    /// receiver takes it.
    fn ask(&mut self, bytes: u64);

    /// True if the sending application has read a whole request. Each is told once, and needs a
    /// [`message`](Guest::message) as its response.
    fn asked(&mut self) -> bool;

    /// The applications stop: nothing more is written, and unsent data is withdrawn as far as the
    /// implementation can.
    fn stop(&mut self);

    /// Payload that the receiving application has read, in order or not, each byte once.
    fn delivered(&self) -> u64;

    /// True once the sender knows that all messages up to the last have been received.
    fn finished(&self) -> bool;

    /// Counts from the beginning of the connection until `now`.
    fn counts(&self, now: Time) -> GuestCounts;

    /// The sender's state now.
    fn sample(&self) -> GuestSample;

    /// How the connection has ended; `None` while it works.
    fn ended(&self) -> Option<GuestEnd<'_>>;
}

/// How a guest's connection has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuestEnd<'a> {
    /// Nothing arrived for its idle timeout (RFC 9000 section 10.1): the flow sends nothing more.
    Idle,
    /// The implementation gave up, in its own words: a run of it says nothing.
    Failed(&'a str),
}

/// Counts of a guest's sender since its connection began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GuestCounts {
    /// Packets that it declared lost.
    pub lost: u64,
    /// Reductions of its controller for losses or marks.
    pub congestion_events: u64,
    /// Reductions that proved spurious, where the implementation detects that.
    pub spurious: u64,
    /// Times that persistent congestion was declared (RFC 9002 section 7.6).
    pub persistent: u64,
    /// Probe timeouts (RFC 9002 section 6.2).
    pub probe_timeouts: u64,
    /// Time in which the congestion window kept it from sending. While a connection is open, one of
    /// these four times passes; while it opens, none does.
    pub blocked_window: Span,
    /// Time in which its pacer kept it from sending.
    pub blocked_pacer: Span,
    /// Time in which the receiver's flow control, or its limit of streams, kept it from sending.
    pub blocked_flow_control: Span,
    /// Time in which its application had nothing to send.
    pub blocked_application: Span,
}

/// The state of a guest's sender at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GuestSample {
    /// The congestion window in full datagrams.
    pub window: f64,
    /// The slow start threshold in full datagrams, if its controller shows one.
    pub ssthresh: Option<f64>,
    /// The pacing rate that it obeys, counted in packets with their headers down to IP; `None` if
    /// it shows none.
    pub pacing: Option<Rate>,
    /// Packets in flight.
    pub in_flight: u32,
}
