//! A local web page that shows runs in progress, and the report at the end.

mod server;
mod stage;

use crate::error::Failure;
use narrows_measure::{FlowSample, Follower, LinkSample, Record};
use narrows_report::Underway;
use server::Shared;
use std::fs;
use std::io::{self, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Time that the command waits at its end for browsers to fetch the report.
const PATIENCE: Duration = Duration::from_secs(5);

/// A page that is being served. It follows the runs of a command, one after another.
pub struct Watch {
    shared: Arc<Shared>,
}

impl Watch {
    /// Serves the page at a port of 127.0.0.1, or at a free port if `port` is 0, and prints its
    /// address. `names` are the names of the runs. The serving thread calls `settle` first, for
    /// itself and for the threads that it starts.
    pub fn begin(
        port: u16,
        title: &str,
        names: Vec<String>,
        settle: fn(),
    ) -> Result<Watch, Failure> {
        let failed = |error| cannot_serve(port, &error);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        let shared = Arc::new(Shared::new(Underway::new(title, names), port));
        let serving = Arc::clone(&shared);
        let serve = move || {
            settle();
            serving.listen(&listener);
        };
        thread::Builder::new().name("watch".to_owned()).spawn(serve).map_err(failed)?;
        // A closed standard error is not a failure.
        let _ = writeln!(io::stderr(), "Watch it at http://127.0.0.1:{port}/");
        Ok(Watch { shared })
    }

    /// Ends the page after the runs. Waits for open browsers to fetch the report, which is in this
    /// file. A set `stop` ends the wait.
    pub fn end(self, report: &Path, stop: &AtomicBool) {
        let stage = &self.shared.stage;
        if let (true, Ok(report)) = (stage.is_watched(), fs::read(report)) {
            stage.end(report, PATIENCE, || stop.load(Ordering::Relaxed));
        }
    }
}

impl Follower for Watch {
    fn begun(&mut self, record: Record) {
        self.shared.underway().begun(record);
    }

    fn sampled(&mut self, flows: &[(usize, FlowSample)], links: &[(usize, LinkSample)]) {
        self.shared.underway().sampled(flows, links);
    }
}

/// Returns the failure for a page that cannot be served.
fn cannot_serve(port: u16, error: &io::Error) -> Failure {
    let reason = match error.kind() {
        io::ErrorKind::AddrInUse => "another program has it".to_owned(),
        io::ErrorKind::PermissionDenied => "this user may not have it".to_owned(),
        _ => error.to_string(),
    };
    let remedy = "give another port, or --watch without one, which takes a free one";
    Failure::Other(format!(
        "the page cannot be served at port {port} of 127.0.0.1: {reason}; {remedy}"
    ))
}
