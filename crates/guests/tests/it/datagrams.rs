//! A guest around a guest that takes down all datagrams with their times: what two runs have in
//! common must be every byte.

use narrows_control::{
    Build, Choice, Datagram, End, EntryRef, Guest, GuestCounts, GuestEnd, GuestSample, OwnedEntry,
    Setup,
};
use narrows_params::{ParamError, Params};
use narrows_units::Time;
use std::cell::{Cell, RefCell};

const PREFIX: &str = "recorded:";

thread_local! {
    /// The datagrams of the latest runs of this thread, as a hash (FNV-1a), and their number.
    static TAKEN_DOWN: RefCell<(u64, u64)> = const { RefCell::new((0, 0)) };
    /// The number of the datagram of which one bit is turned; none if 0.
    static DEFECT: Cell<u64> = const { Cell::new(0) };
}

/// Hash and number of the datagrams of a run, of which the datagram `defect` is altered if that is
/// not 0.
pub fn of_run(defect: u64, run: impl FnOnce()) -> (u64, u64) {
    TAKEN_DOWN.set((0xcbf2_9ce4_8422_2325, 0));
    DEFECT.set(defect);
    run();
    TAKEN_DOWN.take()
}

/// The entry of a guest that takes down the datagrams of another one.
pub fn recorded(entry: &EntryRef) -> EntryRef {
    EntryRef::from(OwnedEntry {
        name: format!("{PREFIX}{}", entry.name()),
        summary: entry.summary().to_owned(),
        source: entry.source().to_owned(),
        basis: entry.basis(),
        needs: entry.needs().to_vec(),
        params: entry.params().to_vec(),
        build: Build::Guest(make),
    })
}

fn make(setup: &Setup, params: &Params) -> Result<Box<dyn Guest>, ParamError> {
    let inner = params.entry().strip_prefix(PREFIX).expect("a recorded guest");
    let inner: Choice = inner.parse()?;
    let inner = inner.entry().guest(setup, &inner.params()).expect("a guest")?;
    Ok(Box::new(Recorded { inner }))
}

struct Recorded {
    inner: Box<dyn Guest>,
}

fn take_down(now: Time, end: End, datagram: &mut Datagram) {
    TAKEN_DOWN.with_borrow_mut(|(hash, number)| {
        *number += 1;
        if *number == DEFECT.get() {
            // The last byte of a packet's tag, which null encryption does not read.
            *datagram.content.last_mut().expect("content") ^= 1;
        }
        let mut add =
            |byte: u8| *hash = (*hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        now.as_nanos().to_le_bytes().into_iter().for_each(&mut add);
        add(end as u8);
        add(datagram.ecn as u8);
        datagram.content.iter().copied().for_each(&mut add);
    });
}

impl Guest for Recorded {
    fn receive(&mut self, now: Time, end: End, datagram: Datagram) {
        self.inner.receive(now, end, datagram);
    }
    fn due(&self, end: End) -> Time {
        self.inner.due(end)
    }
    fn act(&mut self, now: Time, end: End, send: &mut dyn FnMut(Datagram)) {
        self.inner.act(now, end, &mut |mut datagram| {
            take_down(now, end, &mut datagram);
            send(datagram);
        });
    }
    fn write(&mut self, bytes: u64) {
        self.inner.write(bytes);
    }
    fn message(&mut self, bytes: u64, last: bool) -> u64 {
        self.inner.message(bytes, last)
    }
    fn completed(&mut self) -> Option<u64> {
        self.inner.completed()
    }
    fn ask(&mut self, bytes: u64) {
        self.inner.ask(bytes);
    }
    fn asked(&mut self) -> bool {
        self.inner.asked()
    }
    fn stop(&mut self) {
        self.inner.stop();
    }
    fn delivered(&self) -> u64 {
        self.inner.delivered()
    }
    fn finished(&self) -> bool {
        self.inner.finished()
    }
    fn counts(&self, now: Time) -> GuestCounts {
        self.inner.counts(now)
    }
    fn sample(&self) -> GuestSample {
        self.inner.sample()
    }
    fn ended(&self) -> Option<GuestEnd<'_>> {
        self.inner.ended()
    }
}
