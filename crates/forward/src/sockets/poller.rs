//! Waiting for sockets and for time at once.

use narrows_units::Span;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;
use rustix::time::Timespec;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};

/// What a key stands for that [`Poller::wait`] returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    /// A UDP socket, by number.
    Udp(u32),
    /// A stream, by the place of its face.
    Stream(u32),
    /// The listening UNIX socket.
    Unix,
    /// A listening TCP socket, by number.
    Tcp(u32),
    /// A thread has opened a face, or failed to.
    Opened,
    /// The daemon is to end.
    Stop,
    /// Something waits from another forwarding thread.
    Inbox,
}

impl Key {
    fn encode(self) -> u64 {
        let (kind, number) = match self {
            Key::Udp(number) => (0, number),
            Key::Stream(number) => (1, number),
            Key::Unix => (2, 0),
            Key::Tcp(number) => (3, number),
            Key::Opened => (4, 0),
            Key::Stop => (5, 0),
            Key::Inbox => (6, 0),
        };
        kind << 32 | u64::from(number)
    }

    fn decode(key: u64) -> Key {
        let number = key as u32;
        match key >> 32 {
            0 => Key::Udp(number),
            1 => Key::Stream(number),
            2 => Key::Unix,
            3 => Key::Tcp(number),
            4 => Key::Opened,
            5 => Key::Stop,
            _ => Key::Inbox,
        }
    }
}

/// Most sockets that one wait returns.
const AT_ONCE: usize = 64;

pub(crate) struct Poller {
    epoll: OwnedFd,
}

/// Something is ready: its key, whether it can be read, and whether it can be written.
pub(crate) type Ready = (Key, bool, bool);

impl Poller {
    pub(crate) fn new() -> io::Result<Poller> {
        Ok(Poller { epoll: epoll::create(CreateFlags::CLOEXEC)? })
    }

    /// From now on `key` is returned when there is something to read. A closed socket leaves by itself.
    pub(crate) fn watch(&self, socket: impl AsFd, key: Key) -> io::Result<()> {
        Ok(epoll::add(&self.epoll, socket, EventData::new_u64(key.encode()), EventFlags::IN)?)
    }

    /// The key is also returned when the socket takes more, or no longer.
    pub(crate) fn watch_writing(
        &self,
        socket: impl AsFd,
        key: Key,
        writing: bool,
    ) -> io::Result<()> {
        let flags = if writing { EventFlags::IN | EventFlags::OUT } else { EventFlags::IN };
        Ok(epoll::modify(&self.epoll, socket, EventData::new_u64(key.encode()), flags)?)
    }

    /// The key is returned when there is something to read, or no longer.
    pub(crate) fn watch_reading(
        &self,
        socket: impl AsFd,
        key: Key,
        reading: bool,
    ) -> io::Result<()> {
        let flags = if reading { EventFlags::IN } else { EventFlags::empty() };
        Ok(epoll::modify(&self.epoll, socket, EventData::new_u64(key.encode()), flags)?)
    }

    /// Waits for at most `span`, to the nanosecond as far as the kernel's timers are exact (`epoll_pwait2`). Appends what is ready.
    pub(crate) fn wait(&self, span: Span, ready: &mut Vec<Ready>) -> io::Result<()> {
        let timeout = Timespec {
            tv_sec: (span.as_nanos() / 1_000_000_000) as i64,
            tv_nsec: (span.as_nanos() % 1_000_000_000) as i64,
        };
        let mut room = [const { MaybeUninit::<Event>::uninit() }; AT_ONCE];
        let events = match epoll::wait(&self.epoll, &mut room, Some(&timeout)) {
            Ok((events, _)) => events,
            Err(Errno::INTR) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        for event in events {
            let (data, flags) = (event.data, event.flags);
            ready.push((
                Key::decode(data.u64()),
                flags.intersects(!EventFlags::OUT),
                flags.contains(EventFlags::OUT),
            ));
        }
        Ok(())
    }
}
