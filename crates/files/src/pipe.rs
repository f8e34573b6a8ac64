//! Pipes: FIFOs and the pipes of `<(command)`. Waiting for them is limited.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::time::{Duration, Instant};

/// Time within which another program must open the other end.
pub(crate) const OPENED: Duration = Duration::from_secs(2);
/// Time within which the program at the other end must write more.
const SILENT: Duration = Duration::from_secs(10);
/// Time between two attempts.
pub(crate) const PAUSE: Duration = Duration::from_millis(50);

const CHUNK: usize = 1 << 16;

/// Reads a pipe to its end, or until more than `most` bytes have arrived. The file must be open
/// without blocking.
pub(crate) fn read(mut file: &File, most: u64) -> io::Result<Vec<u8>> {
    let (mut content, mut chunk) = (Vec::new(), vec![0; CHUNK]);
    let (mut opened, mut heard) = (false, Instant::now());
    let pause = Timespec { tv_sec: 0, tv_nsec: PAUSE.subsec_nanos().into() };
    while content.len() as u64 <= most {
        let mut ends = [PollFd::new(file, PollFlags::IN)];
        // Reading reports an error of `poll` too.
        let _ = poll(&mut ends, Some(&pause));
        match file.read(&mut chunk) {
            Ok(0) if opened || ends[0].revents().contains(PollFlags::HUP) => break,
            Ok(0) if heard.elapsed() > OPENED => {
                return Err(io::Error::new(
                    ErrorKind::TimedOut,
                    "it is a pipe that no program writes into",
                ));
            }
            Ok(0) => {}
            Ok(length) => {
                content.extend_from_slice(&chunk[..length]);
                (opened, heard) = (true, Instant::now());
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock && heard.elapsed() > SILENT => {
                let silent =
                    format!("it is a pipe from which nothing has come for {} s", SILENT.as_secs());
                return Err(io::Error::new(ErrorKind::TimedOut, silent));
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => opened = true,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(content)
}
