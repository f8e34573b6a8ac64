//! The streams of a connection of noq.

use crate::application::{Rest, Stream, Streams, Way};
use crate::reader::Reader;
use bytes::Bytes;
use noq_proto::{Connection, Dir, ReadError, StreamId, VarInt};

/// Streams of one end of a connection. Errors of streams that the connection's end has closed are
/// left out: the connection tells why.
pub(super) struct StackStreams<'a>(pub(super) &'a mut Connection);

fn dir(way: Way) -> Dir {
    match way {
        Way::One => Dir::Uni,
        Way::Both => Dir::Bi,
    }
}

fn stream(way: Way, id: StreamId) -> Stream {
    Stream { way, number: id.index(), id: id.into() }
}

fn id(stream: Stream) -> StreamId {
    VarInt::from_u64(stream.id).unwrap_or(VarInt::MAX).into()
}

impl Streams for StackStreams<'_> {
    fn open(&mut self, way: Way) -> Option<Stream> {
        self.0.streams().open(dir(way)).map(|id| stream(way, id))
    }

    fn accept(&mut self, way: Way) -> Option<Stream> {
        self.0.streams().accept(dir(way)).map(|id| stream(way, id))
    }

    fn write(&mut self, stream: Stream, bytes: Bytes) -> Option<usize> {
        let mut stream = self.0.send_stream(id(stream));
        stream.write_chunks(&mut &mut [bytes][..]).ok()
    }

    fn finish(&mut self, stream: Stream) {
        let _ = self.0.send_stream(id(stream)).finish();
    }

    fn reset(&mut self, stream: Stream) {
        let _ = self.0.send_stream(id(stream)).reset(VarInt::from_u32(0));
    }

    fn read(&mut self, stream: Stream, reader: &mut Reader) -> Rest {
        let mut stream = self.0.recv_stream(id(stream));
        let Ok(mut chunks) = stream.read(reader.ordered) else { return Rest::Gone };
        let rest = loop {
            match chunks.next(usize::MAX) {
                Ok(Some(chunk)) => reader.read(chunk.offset, &chunk.bytes),
                Ok(None) => break Rest::Nothing,
                Err(ReadError::Blocked) => break Rest::Open,
                Err(_) => break Rest::Gone,
            }
        };
        let _ = chunks.finalize();
        rest
    }
}
