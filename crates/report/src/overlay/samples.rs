//! Samples of one flow by another program, for plots and for estimates of the path.

/// Samples of one flow, in order of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    /// True for lines of `ss -ti`; otherwise the samples are intervals of iperf3.
    pub is_ss: bool,
    /// Name of the sender's controller in Linux, if it is known.
    pub controller: Option<String>,
    /// Payload of a full segment in bytes, if it is known.
    pub mss: Option<f64>,
    /// Least round trip of the connection in milliseconds, if the kernel's filter is in the text.
    pub least_rtt_ms: Option<f64>,
    /// Payload in bytes that the receiver counted, if it is known. The bytes of iperf3's samples
    /// are those that the application has written, some of which are unsent at the end.
    pub received: Option<f64>,
    /// Time of the beginning, in seconds.
    pub begins: f64,
    /// The samples.
    pub points: Vec<Sample>,
    /// Remark on the measurement.
    pub remark: Option<String>,
}

/// The progress of a flow since the sample before.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Time at the end, in seconds.
    pub at: f64,
    /// Payload in bytes: acknowledged, or of iperf3 written by the application.
    pub bytes: f64,
    /// Smoothed round trip at the end in milliseconds, if it is known.
    pub rtt_ms: Option<f64>,
    /// Congestion window at the end in segments, if it is known.
    pub window: Option<f64>,
    /// Segments sent again.
    pub resent: f64,
}
