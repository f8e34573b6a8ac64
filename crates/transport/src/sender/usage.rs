//! How far bursts fill the window.

/// How far bursts fill the window (Linux `tcp_cwnd_validate`). A burst that fills it counts until
/// everything outstanding then is acknowledged.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Usage {
    /// `is_cwnd_limited`.
    pub cwnd_limited: bool,
    /// `max_packets_out`.
    pub most_outstanding: u32,
    /// `cwnd_usage_seq`: both hold until everything below this is acknowledged.
    until: u64,
}

impl Usage {
    /// A burst has ended with `outstanding` segments out; `full`: as many were in flight as the
    /// window allows. `una` and `next`: first segment not acknowledged and first never sent.
    #[inline]
    pub fn on_burst(&mut self, full: bool, outstanding: u32, una: u64, next: u64) {
        if full || una >= self.until || (!self.cwnd_limited && outstanding > self.most_outstanding)
        {
            *self = Usage { cwnd_limited: full, most_outstanding: outstanding, until: next };
        }
    }
}
