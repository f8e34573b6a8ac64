//! The applications of a guest: one end writes messages, or a stream without end; the other reads
//! them, and may ask for them. Each message has a stream of its own.

use crate::content::content;
use crate::reader::Reader;
use bytes::Bytes;
use narrows_control::End;
use std::collections::{BTreeMap, VecDeque};

/// The number of a stream among those of its direction that its opener has opened.
pub(crate) type Number = u64;

/// The direction of streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Only its opener writes.
    One,
    /// Both ends write.
    Both,
}

/// A stream of a connection: a message, or a request and its response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stream {
    pub(crate) way: Way,
    pub(crate) number: Number,
    /// The stack's id of it.
    pub(crate) id: u64,
}

/// The streams of one end of a connection, whatever the stack.
pub(crate) trait Streams {
    /// Opens the next stream; `None` while the peer allows no more.
    fn open(&mut self, way: Way) -> Option<Stream>;
    /// The next stream that the peer has opened.
    fn accept(&mut self, way: Way) -> Option<Stream>;
    /// Writes as much as there is room for: how much; `None` if there is no room, or no stream.
    fn write(&mut self, stream: Stream, bytes: Bytes) -> Option<usize>;
    /// Ends a stream.
    fn finish(&mut self, stream: Stream);
    /// Withdraws a stream.
    fn reset(&mut self, stream: Stream);
    /// Reads all parts that can be read.
    fn read(&mut self, stream: Stream, reader: &mut Reader) -> Rest;
}

/// The rest of a stream after it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    /// More may come.
    Open,
    /// Nothing: all of it has been read.
    Nothing,
    /// It was withdrawn, or its connection is gone.
    Gone,
}

/// Data to write to a stream.
#[derive(Debug)]
struct Outgoing {
    /// The open stream.
    stream: Option<Stream>,
    way: Way,
    written: u64,
    /// Bytes still to write; [`u64::MAX`] without end.
    left: u64,
    /// The stream ends after them.
    ends: bool,
}

impl Outgoing {
    fn new(way: Way, bytes: u64, ends: bool) -> Outgoing {
        Outgoing { stream: None, way, written: 0, left: bytes, ends }
    }

    /// Writes what there is room for. True if the stream has all of it.
    fn write(&mut self, streams: &mut impl Streams) -> bool {
        let Some(stream) = self.stream else { return false };
        while self.left > 0 {
            let part = content(stream.number, self.written, self.left);
            let Some(taken) = streams.write(stream, part) else { return false };
            self.written += taken as u64;
            if self.left < u64::MAX {
                self.left -= taken as u64;
            }
        }
        if self.ends {
            streams.finish(stream);
        }
        self.ends
    }
}

/// Streams that one end writes.
#[derive(Debug, Default)]
struct Writer {
    waiting: Vec<Outgoing>,
    stopped: bool,
}

impl Writer {
    fn act(&mut self, streams: &mut impl Streams) {
        if std::mem::take(&mut self.stopped) {
            let open = self.waiting.drain(..).filter_map(|outgoing| outgoing.stream);
            return open.for_each(|stream| streams.reset(stream));
        }
        let mut closed = false;
        self.waiting.retain_mut(|outgoing| {
            // Streams open in the order of their messages.
            if outgoing.stream.is_none() && !closed {
                outgoing.stream = streams.open(outgoing.way);
                closed = outgoing.stream.is_none();
            }
            !outgoing.write(streams)
        });
    }

    fn stop(&mut self) {
        self.stopped = true;
    }
}

/// Streams that one end reads.
#[derive(Debug, Default)]
struct Reading {
    open: Vec<(Stream, Reader)>,
}

impl Reading {
    fn begin(&mut self, stream: Stream, ordered: bool) {
        self.open.push((stream, Reader::new(stream.number, ordered)));
    }

    /// Reads all streams. Calls `ended` for each that has ended, and returns the bytes read.
    fn act(&mut self, streams: &mut impl Streams, mut ended: impl FnMut(Stream, u64)) -> u64 {
        let mut read = 0;
        self.open.retain_mut(|(stream, reader)| {
            let before = reader.total();
            let rest = streams.read(*stream, reader);
            read += reader.total() - before;
            if rest == Rest::Nothing {
                debug_assert_eq!(reader.total(), reader.in_order(), "an end after a gap");
                ended(*stream, reader.total());
            }
            rest == Rest::Open
        });
        read
    }
}

/// The applications of a connection.
#[derive(Debug)]
pub(crate) struct Applications {
    /// Both read in order: what comes after a gap stays in the stack.
    ordered: bool,
    /// Of the end that sends data.
    writer: Writer,
    requests: Reading,
    /// Streams of requests that have been read and need a response, the oldest first.
    unanswered: VecDeque<Stream>,
    /// Requests of which the world has not been told.
    asked: u64,
    /// Messages written so far, and their sizes until they are complete.
    messages: u64,
    sizes: BTreeMap<Number, u64>,
    last: bool,
    /// Of the end that reads data.
    reader: Reading,
    asker: Writer,
    delivered: u64,
    completed: VecDeque<Number>,
}

impl Applications {
    pub(crate) fn new(ordered: bool) -> Applications {
        Applications {
            ordered,
            writer: Writer::default(),
            requests: Reading::default(),
            unanswered: VecDeque::new(),
            asked: 0,
            messages: 0,
            sizes: BTreeMap::new(),
            last: false,
            reader: Reading::default(),
            asker: Writer::default(),
            delivered: 0,
            completed: VecDeque::new(),
        }
    }

    /// Writes more of the stream that never ends.
    pub(crate) fn write(&mut self, bytes: u64) {
        match self.writer.waiting.first_mut() {
            Some(outgoing) => {
                debug_assert!(!outgoing.ends, "messages beside a stream without end");
                outgoing.left = outgoing.left.saturating_add(bytes);
            }
            None => self.writer.waiting.push(Outgoing::new(Way::One, bytes, false)),
        }
    }

    /// Writes a message or a response. Returns its number.
    pub(crate) fn message(&mut self, bytes: u64, last: bool) -> Number {
        let stream = self.unanswered.pop_front();
        let way = stream.map_or(Way::One, |stream| stream.way);
        let number = stream.map_or(self.messages, |stream| stream.number);
        self.writer.waiting.push(Outgoing { stream, ..Outgoing::new(way, bytes, true) });
        self.messages += 1;
        self.last |= last;
        self.sizes.insert(number, bytes);
        number
    }

    pub(crate) fn completed(&mut self) -> Option<Number> {
        self.completed.pop_front()
    }

    pub(crate) fn ask(&mut self, bytes: u64) {
        self.asker.waiting.push(Outgoing::new(Way::Both, bytes, true));
    }

    pub(crate) fn asked(&mut self) -> bool {
        let any = self.asked > 0;
        self.asked -= u64::from(any);
        any
    }

    pub(crate) fn stop(&mut self) {
        self.writer.stop();
        self.asker.stop();
    }

    pub(crate) fn delivered(&self) -> u64 {
        self.delivered
    }

    /// True if the last message is among those of which the peer has acknowledged the end.
    pub(crate) fn finished(&self, acknowledged: u64) -> bool {
        self.last && acknowledged >= self.messages
    }

    /// True if the sending application has more than its stack takes.
    pub(crate) fn has_unwritten(&self) -> bool {
        self.writer.waiting.iter().any(|outgoing| outgoing.left > 0)
    }

    /// The applications of an end write and read. `connected`: its handshake is complete.
    pub(crate) fn act(&mut self, end: End, connected: bool, streams: &mut impl Streams) {
        match end {
            End::Sender => {
                while let Some(stream) = streams.accept(Way::Both) {
                    self.requests.begin(stream, self.ordered);
                }
                self.requests.act(streams, |stream, _| {
                    self.unanswered.push_back(stream);
                    self.asked += 1;
                });
                if connected {
                    self.writer.act(streams);
                }
            }
            End::Receiver => {
                if connected {
                    self.ask_all(streams);
                }
                while let Some(stream) = streams.accept(Way::One) {
                    self.reader.begin(stream, self.ordered);
                }
                self.delivered += self.reader.act(streams, |stream, size| {
                    debug_assert_eq!(self.sizes.get(&stream.number), Some(&size));
                    self.sizes.remove(&stream.number);
                    self.completed.push_back(stream.number);
                });
            }
        }
    }

    /// Requests leave, and their responses are awaited.
    fn ask_all(&mut self, streams: &mut impl Streams) {
        let waiting = self.asker.waiting.iter_mut().filter(|request| request.stream.is_none());
        for request in waiting {
            let Some(stream) = streams.open(Way::Both) else { break };
            request.stream = Some(stream);
            self.reader.begin(stream, self.ordered);
        }
        self.asker.act(streams);
    }
}

#[cfg(test)]
mod tests;
