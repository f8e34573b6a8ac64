//! HTTP server of the page and its events.

use super::stage::Stage;
use crate::http::{self, Access, Refusal};
use narrows_report::Underway;
use std::io::{self, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

/// Maximum number of concurrent connections.
const CONNECTIONS: usize = 16;
/// Minimum time between two events.
const PAUSE: Duration = Duration::from_millis(250);
/// Events take at most one part in `SHARE` of the time.
const SHARE: u32 = 10;

/// State that the threads of the server share with the thread of the runs.
pub struct Shared {
    underway: Mutex<Underway>,
    pub stage: Stage,
    port: u16,
    connections: AtomicUsize,
}

/// An open connection, which is counted until it is dropped, also by a panic.
struct Open<'a> {
    /// Connections that were open before.
    before: usize,
    all: &'a AtomicUsize,
}

impl Open<'_> {
    fn counted(all: &AtomicUsize) -> Open<'_> {
        Open { before: all.fetch_add(1, Ordering::Relaxed), all }
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.all.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Shared {
    pub fn new(underway: Underway, port: u16) -> Shared {
        Shared {
            underway: Mutex::new(underway),
            stage: Stage::default(),
            port,
            connections: AtomicUsize::new(0),
        }
    }

    /// Locks and returns the state of the runs. The lock is only for a copy or a change of the
    /// state, never for drawing.
    pub fn underway(&self) -> MutexGuard<'_, Underway> {
        self.underway.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Serves connections until the process ends.
    pub fn listen(self: Arc<Shared>, listener: &TcpListener) {
        for connection in listener.incoming() {
            let Ok(connection) = connection else {
                // File descriptors may be used up. Other connections may end during the pause.
                thread::sleep(PAUSE);
                continue;
            };
            let shared = Arc::clone(&self);
            // A browser that disconnects early is not an error of the run.
            let serve = move || drop(shared.serve(connection));
            let _ = thread::Builder::new().name("watch".to_owned()).spawn(serve);
        }
    }

    fn serve(&self, mut connection: TcpStream) -> io::Result<()> {
        let open = Open::counted(&self.connections);
        if open.before >= CONNECTIONS {
            let refusal =
                Refusal(503, "there are too many connections; close other windows of this page");
            return http::refuse(&mut connection, &refusal);
        }
        self.answer(&mut connection)
    }

    fn answer(&self, connection: &mut TcpStream) -> io::Result<()> {
        match http::requested(connection, Access::OwnPort(self.port))?.as_deref() {
            Ok("/") => match self.stage.report() {
                Some(report) => {
                    http::page(connection, &report)?;
                    self.stage.report_fetched();
                    Ok(())
                }
                None => {
                    let underway = self.underway().clone();
                    self.stage.page_fetched();
                    http::page(connection, underway.html().as_bytes())
                }
            },
            Ok("/events") => {
                self.stage.page_hears();
                let told = self.tell(connection);
                self.stage.page_left(told.is_err());
                told
            }
            Ok(_) => http::refuse(
                connection,
                &Refusal(404, "there is nothing at this address; the page is at /"),
            ),
            Err(refusal) => http::refuse(connection, refusal),
        }
    }

    /// Sends the state of the runs until they are over. A slow reader gets fewer events: each event
    /// has the whole state, so nothing is queued.
    fn tell(&self, connection: &mut TcpStream) -> io::Result<()> {
        http::events(connection)?;
        let mut told = None;
        loop {
            let begun = Instant::now();
            self.tell_news(connection, &mut told)?;
            if self.stage.over_within(PAUSE.max(begun.elapsed() * SHARE)) {
                // Send the final state of the last run.
                self.tell_news(connection, &mut told)?;
                return connection.write_all(b"event: end\ndata:\n\n");
            }
        }
    }

    /// Sends the state if it has changed since the last event.
    fn tell_news(&self, connection: &mut TcpStream, told: &mut Option<u64>) -> io::Result<()> {
        let underway = Some(self.underway())
            .filter(|underway| *told != Some(underway.heard()))
            .map(|underway| underway.clone());
        match underway {
            Some(underway) => {
                *told = Some(underway.heard());
                connection.write_all(format!("data: {}\n\n", underway.json()).as_bytes())
            }
            // An event-stream comment, which detects a browser that is gone.
            None => connection.write_all(b":\n\n"),
        }
    }
}
