//! The log: events as lines of JSON in a file. A separate thread writes them, so that neither a
//! full nor a slow disk delays packets.

use crate::event::Event;
use crate::wall::wall_millis;
use narrows_files::open_to_append;
use serde::Serialize;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

/// Most lines that wait for the disk. Further lines are lost and counted.
const MOST_WAITING: usize = 1024;
/// Longest time for which the end of the daemon waits for the disk.
const LONGEST_FLUSH: Duration = Duration::from_secs(1);

/// A log file and the thread that writes it.
pub(crate) struct Log {
    lines: Option<SyncSender<(u64, Vec<u8>)>>,
    lost: Arc<AtomicU64>,
    /// Closes when the last line has been written.
    done: Receiver<()>,
}

#[derive(Serialize)]
struct Line<'a> {
    /// Milliseconds since 1970.
    time_ms: u64,
    /// Number of lines lost before this one.
    #[serde(skip_serializing_if = "is_none")]
    lost: u64,
    #[serde(flatten)]
    event: &'a Event<'a>,
}

fn is_none(lost: &u64) -> bool {
    *lost == 0
}

impl Log {
    /// Opens a file to append to, and creates it if it does not exist.
    pub(crate) fn open(path: &Path) -> io::Result<Log> {
        let file = open_to_append(path)?;
        let (lines, waiting) = sync_channel(MOST_WAITING);
        let lost = Arc::new(AtomicU64::new(0));
        let (counted, (writing, done)) = (lost.clone(), sync_channel(0));
        std::thread::Builder::new().name("log".to_owned()).spawn(move || {
            write_all(file, &waiting, &counted);
            drop(writing);
        })?;
        Ok(Log { lines: Some(lines), lost, done })
    }

    /// Queues a line to be written. If there is no room, the next line counts the lost one.
    pub(crate) fn write(&self, event: &Event<'_>) {
        let lost = self.lost.swap(0, Ordering::Relaxed);
        let line = serde_json::to_vec(&Line { time_ms: wall_millis(), lost, event });
        let sent = line.is_ok_and(|line| {
            self.lines.as_ref().is_some_and(|lines| lines.try_send((lost, line)).is_ok())
        });
        if !sent {
            self.lost.fetch_add(lost + 1, Ordering::Relaxed);
        }
    }
}

impl Drop for Log {
    /// Waits until all lines are written, but not for a disk that hangs.
    fn drop(&mut self) {
        self.lines = None;
        let _ = self.done.recv_timeout(LONGEST_FLUSH);
    }
}

/// Writes lines, each with the number of lines lost before it. If a full disk took only part of a
/// line, a newline separates that part from the next line.
fn write_all(mut file: File, lines: &Receiver<(u64, Vec<u8>)>, lost: &AtomicU64) {
    let mut torn = false;
    for (before, line) in lines {
        let start: &[u8] = if torn { b"\n" } else { b"" };
        torn = file.write_all(&[start, &line, b"\n"].concat()).is_err();
        if torn {
            lost.fetch_add(before + 1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of a log, once there are `count`.
    fn lines(path: &Path, count: usize) -> Vec<serde_json::Value> {
        let began = std::time::Instant::now();
        loop {
            let text = std::fs::read_to_string(path).expect("a log");
            if text.lines().count() >= count {
                return text
                    .lines()
                    .map(|line| serde_json::from_str(line).expect("JSON"))
                    .collect();
            }
            assert!(began.elapsed().as_secs() < 60, "{text}");
            std::thread::yield_now();
        }
    }

    #[test]
    fn events_are_objects_on_lines() {
        let path = std::env::temp_dir().join(format!("narrows-log-{}", std::process::id()));
        let log = Log::open(&path).expect("a log");
        log.write(&Event::FaceCreated {
            face: 256,
            remote: "udp4://192.0.2.1:6363",
            local: "udp4://192.0.2.2:6363",
        });
        log.write(&Event::Stopped);
        let lines = lines(&path, 2);
        assert_eq!(
            (lines[0]["event"].as_str(), lines[0]["face"].as_u64()),
            (Some("face-created"), Some(256))
        );
        assert_eq!(lines[1]["event"], "stopped");
        assert!(lines.iter().all(
            |line| line["time_ms"].as_u64() > Some(1_700_000_000_000) && line["lost"].is_null()
        ));
        std::fs::remove_file(path).expect("a file");
    }

    #[test]
    fn a_full_disk_loses_lines_and_counts_them() {
        let log = Log::open(Path::new("/dev/full")).expect("a device");
        let began = std::time::Instant::now();
        while log.lost.load(Ordering::Relaxed) == 0 {
            log.write(&Event::Stopped);
            assert!(began.elapsed().as_secs() < 60);
        }
    }
}
