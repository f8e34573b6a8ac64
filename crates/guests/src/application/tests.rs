//! Both applications over streams that lose nothing.

use super::*;
use std::cell::RefCell;
use std::rc::Rc;

/// A stream that both ends share: bytes of each direction, and whether it has ended.
#[derive(Default)]
struct Pipe {
    content: [Vec<u8>; 2],
    read: [usize; 2],
    finished: [bool; 2],
    reset: bool,
}

#[derive(Default)]
struct Shared {
    pipes: Vec<(Way, Pipe)>,
    accepted: [usize; 2],
    allowed: usize,
}

/// Streams of one end; `end` opens those of one way if it sends, those of both if it asks.
struct Fake {
    end: End,
    shared: Rc<RefCell<Shared>>,
}

impl Fake {
    fn pipe<T>(&self, stream: Stream, act: impl FnOnce(&mut Pipe) -> T) -> T {
        let mut shared = self.shared.borrow_mut();
        let mut pipes = shared.pipes.iter_mut().filter(|(way, _)| *way == stream.way);
        act(&mut pipes.nth(stream.number as usize).expect("an open stream").1)
    }
}

impl Streams for Fake {
    fn open(&mut self, way: Way) -> Option<Stream> {
        let mut shared = self.shared.borrow_mut();
        let number = shared.pipes.iter().filter(|(of, _)| *of == way).count();
        (number < shared.allowed).then(|| {
            shared.pipes.push((way, Pipe::default()));
            Stream { way, number: number as u64, id: 0 }
        })
    }
    fn accept(&mut self, way: Way) -> Option<Stream> {
        let mut shared = self.shared.borrow_mut();
        let number = shared.accepted[way as usize];
        let open = shared.pipes.iter().filter(|(of, _)| *of == way).count();
        (number < open).then(|| {
            shared.accepted[way as usize] += 1;
            Stream { way, number: number as u64, id: 0 }
        })
    }
    fn write(&mut self, stream: Stream, bytes: Bytes) -> Option<usize> {
        let end = self.end;
        self.pipe(stream, |pipe| pipe.content[end as usize].extend(&bytes));
        Some(bytes.len())
    }
    fn finish(&mut self, stream: Stream) {
        let end = self.end;
        self.pipe(stream, |pipe| {
            assert!(!std::mem::replace(&mut pipe.finished[end as usize], true), "ended twice");
        });
    }
    fn reset(&mut self, stream: Stream) {
        self.pipe(stream, |pipe| pipe.reset = true);
    }
    fn read(&mut self, stream: Stream, reader: &mut Reader) -> Rest {
        let from = if self.end == End::Sender { End::Receiver } else { End::Sender } as usize;
        self.pipe(stream, |pipe| {
            let before = std::mem::replace(&mut pipe.read[from], pipe.content[from].len());
            reader.read(before as u64, &pipe.content[from][before..]);
            match (pipe.reset, pipe.finished[from]) {
                (true, _) => Rest::Gone,
                (_, true) => Rest::Nothing,
                _ => Rest::Open,
            }
        })
    }
}

/// Applications and the streams of both ends, of which `allowed` may open in each direction.
struct Both {
    applications: Applications,
    shared: Rc<RefCell<Shared>>,
}

impl Both {
    fn new(allowed: usize) -> Both {
        let shared = Rc::new(RefCell::new(Shared { allowed, ..Shared::default() }));
        Both { applications: Applications::new(false), shared }
    }

    fn act(&mut self, end: End) {
        let mut streams = Fake { end, shared: Rc::clone(&self.shared) };
        self.applications.act(end, true, &mut streams);
    }
}

#[test]
fn messages_wait_for_streams_and_are_complete_one_by_one() {
    let mut both = Both::new(2);
    let sizes = [1, 70_000, 5];
    let numbers: Vec<u64> =
        sizes.map(|size| both.applications.message(size, size == 5)).into_iter().collect();
    assert_eq!(numbers, [0, 1, 2]);
    both.act(End::Sender);
    both.act(End::Receiver);
    assert_eq!(both.applications.delivered(), 70_001);
    assert_eq!(both.applications.completed(), Some(0));
    assert_eq!(both.applications.completed(), Some(1));
    assert_eq!(both.applications.completed(), None, "two streams are allowed");
    both.shared.borrow_mut().allowed = 3;
    both.act(End::Sender);
    both.act(End::Receiver);
    assert_eq!(both.applications.completed(), Some(2));
    assert!(!both.applications.finished(2) && both.applications.finished(3));
}

#[test]
fn a_response_goes_back_on_the_stream_of_its_request() {
    let mut both = Both::new(10);
    both.applications.ask(100);
    assert!(!both.applications.asked());
    both.act(End::Receiver);
    both.act(End::Sender);
    assert!(both.applications.asked() && !both.applications.asked(), "told once");
    assert_eq!(both.applications.message(5_000, false), 0);
    both.act(End::Sender);
    both.act(End::Receiver);
    assert_eq!(both.applications.completed(), Some(0));
    assert_eq!(both.applications.delivered(), 5_000, "requests do not count");
    let shared = both.shared.borrow();
    assert_eq!(shared.pipes.len(), 1);
    assert_eq!(shared.pipes[0].1.finished, [true; 2]);
}

#[test]
fn a_stop_withdraws_what_is_written_and_opens_nothing() {
    let mut both = Both::new(10);
    both.applications.write(500);
    both.act(End::Sender);
    both.applications.write(500);
    both.applications.stop();
    both.act(End::Sender);
    both.act(End::Receiver);
    let shared = both.shared.borrow();
    assert!(shared.pipes[0].1.reset && shared.pipes[0].1.content[0].len() == 500);
}
