//! The log that a transport of another implementation writes by itself.

use crate::qlog::refuse_arrivals;
use narrows_scenario::Scenario;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::{Arc, Mutex};

/// A file that such a transport writes its own log to. Clones write to the same file. The transport
/// is not told of errors, which [`finish`](OwnLog::finish) returns.
#[derive(Clone, Debug)]
pub struct OwnLog(Arc<Mutex<Written>>);

#[derive(Debug)]
struct Written {
    out: BufWriter<File>,
    failed: Option<io::Error>,
}

impl OwnLog {
    /// A log to `out` of `flow`, by its number in the scenario.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::InvalidInput`] if the flow has many connections.
    pub fn new(out: File, scenario: &Scenario, flow: usize) -> io::Result<OwnLog> {
        refuse_arrivals(&scenario.flows[flow])?;
        let written = Written { out: BufWriter::new(out), failed: None };
        Ok(OwnLog(Arc::new(Mutex::new(written))))
    }

    /// Writes a part of the log.
    pub fn write(&self, bytes: &[u8]) {
        if let Ok(mut written) = self.written()
            && let Err(error) = written.out.write_all(bytes)
        {
            written.failed.get_or_insert(error);
        }
    }

    /// Ends the log, after the transport is gone.
    ///
    /// # Errors
    ///
    /// Something could not be written.
    pub fn finish(self) -> io::Result<()> {
        let mut written = self.written()?;
        match written.failed.take() {
            Some(error) => Err(error),
            None => written.out.flush(),
        }
    }

    fn written(&self) -> io::Result<std::sync::MutexGuard<'_, Written>> {
        self.0.lock().map_err(|_| io::Error::other("its writer has panicked"))
    }
}
