//! A small HTTP server for counters in the Prometheus text format.

use narrows_workbench::http::{self, Access, Refusal};
use std::io;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Maximum number of concurrent readers. A slow reader occupies a connection, but does not delay
/// other readers.
const READERS: usize = 16;
/// Pause after a connection that cannot be accepted.
const PAUSE: Duration = Duration::from_millis(250);
/// Media type of the text format, version 0.0.4.
const KIND: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Answers GET /metrics with the counters until the process ends. `counters` returns them, or
/// the reason why it cannot.
pub(crate) fn serve<F>(listener: &TcpListener, counters: F)
where
    F: Fn() -> Result<String, &'static str> + Clone + Send + 'static,
{
    let port = listener.local_addr().map_or(0, |address| address.port());
    let readers = Arc::new(AtomicUsize::new(0));
    for connection in listener.incoming() {
        let Ok(mut connection) = connection else {
            // File descriptors may be used up. Other connections may end during the pause.
            std::thread::sleep(PAUSE);
            continue;
        };
        if readers.fetch_add(1, Ordering::Relaxed) >= READERS {
            readers.fetch_sub(1, Ordering::Relaxed);
            // The refusal must not block, so it is sent only if it fits into the socket buffer.
            let _ = connection.set_nonblocking(true);
            let _ = http::refuse(
                &mut connection,
                &Refusal(503, "there are too many readers of these counters; try again"),
            );
            continue;
        }
        let (reading, counters) = (Reading(Arc::clone(&readers)), counters.clone());
        let serve = move || {
            let _reading = reading;
            // A reader that disconnects early is not an error of the server.
            drop(answer(connection, port, &counters));
        };
        let _ = std::thread::Builder::new().name("metrics".to_owned()).spawn(serve);
    }
}

/// One of the concurrent readers. It is counted until it is dropped.
struct Reading(Arc<AtomicUsize>);

impl Drop for Reading {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn answer(
    mut connection: TcpStream,
    port: u16,
    counters: &dyn Fn() -> Result<String, &'static str>,
) -> io::Result<()> {
    match http::requested(&mut connection, Access::AnyAddress(port))?.as_deref() {
        Ok("/metrics") => match counters() {
            Ok(text) => http::text(&mut connection, KIND, &text),
            Err(reason) => http::refuse(&mut connection, &Refusal(503, reason)),
        },
        Ok(_) => http::refuse(
            &mut connection,
            &Refusal(404, "there is nothing at this address; counters are at /metrics"),
        ),
        Err(refusal) => http::refuse(&mut connection, refusal),
    }
}
