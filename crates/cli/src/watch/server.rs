//! Serves the page, and its events, to browsers on this host.

use super::stage::Stage;
use crate::http::{self, Access, Refusal};
use narrows_report::Underway;
use std::io::{self, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

/// Connections at a time.
const CONNECTIONS: usize = 16;
/// The least time from one event to the next.
const PAUSE: Duration = Duration::from_millis(250);
/// To make an event takes at most one part in so many of the time.
const SHARE: u32 = 10;

/// What the threads of the server share with that of the runs.
pub struct Shared {
    underway: Mutex<Underway>,
    pub stage: Stage,
    port: u16,
    connections: AtomicUsize,
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

    /// The state of the runs. Held for as long as it takes to copy or change it: drawing goes on without.
    pub fn underway(&self) -> MutexGuard<'_, Underway> {
        self.underway.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Serves connections for as long as the process lasts.
    pub fn listen(self: Arc<Shared>, listener: &TcpListener) {
        for connection in listener.incoming() {
            let Ok(connection) = connection else {
                // Out of files, perhaps: others may end.
                thread::sleep(PAUSE);
                continue;
            };
            let shared = Arc::clone(&self);
            // A browser that goes away in the middle is no concern of the run.
            let serve = move || drop(shared.serve(connection));
            let _ = thread::Builder::new().name("watch".to_owned()).spawn(serve);
        }
    }

    fn serve(&self, mut connection: TcpStream) -> io::Result<()> {
        let busy = self.connections.fetch_add(1, Ordering::Relaxed) >= CONNECTIONS;
        let served = if busy {
            http::refuse(
                &mut connection,
                &Refusal(503, "there are too many connections; close other windows of this page"),
            )
        } else {
            self.answer(&mut connection)
        };
        self.connections.fetch_sub(1, Ordering::Relaxed);
        served
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

    /// Tells of the state of the runs until they are over. Who reads slowly is told seldom: each event has the whole state, so nothing is kept for anybody.
    fn tell(&self, connection: &mut TcpStream) -> io::Result<()> {
        http::events(connection)?;
        let mut told = None;
        loop {
            let begun = Instant::now();
            self.tell_news(connection, &mut told)?;
            if self.stage.over_within(PAUSE.max(begun.elapsed() * SHARE)) {
                // How the last run ended.
                self.tell_news(connection, &mut told)?;
                return connection.write_all(b"event: end\ndata:\n\n");
            }
        }
    }

    /// Tells of the state if more has been heard than was told.
    fn tell_news(&self, connection: &mut TcpStream, told: &mut Option<u64>) -> io::Result<()> {
        let underway = Some(self.underway())
            .filter(|underway| *told != Some(underway.heard()))
            .map(|underway| underway.clone());
        match underway {
            Some(underway) => {
                *told = Some(underway.heard());
                connection.write_all(format!("data: {}\n\n", underway.json()).as_bytes())
            }
            // A comment, by which a browser that is gone is noticed.
            None => connection.write_all(b":\n\n"),
        }
    }
}
