//! The stacks' own qlogs, whose dependencies come with the feature `qlog`.

/// Refuses the log of a stack in a program without the feature.
#[cfg(not(feature = "qlog"))]
pub(crate) fn refused() -> String {
    "this program is built without the stacks' own qlog, which needs a dozen packages more; build \
     it with --features quic-qlog, or leave --qlog out"
        .to_owned()
}

/// A log as the stacks write it.
#[cfg(feature = "qlog")]
pub(crate) struct Lines(pub(crate) narrows_control::LogSink);

#[cfg(feature = "qlog")]
impl std::io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        (self.0)(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
