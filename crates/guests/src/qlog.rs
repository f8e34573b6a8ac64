//! The stacks' own qlogs, whose dependencies come with the feature `qlog`.

/// Refuses the log of a stack in a program without the feature.
#[cfg(not(feature = "qlog"))]
pub(crate) fn refused() -> String {
    "this program is built without the stacks' own qlog, which needs a dozen packages more; build \
     it with --features quic-qlog, or leave --qlog out"
        .to_owned()
}
