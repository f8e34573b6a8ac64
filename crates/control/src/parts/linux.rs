//! Linux TCP as a window-based controller sees it: a window in whole segments, and the callbacks of
//! `tcp_congestion_ops` in the order in which the kernel calls them.
//!
//! Sources: Linux 6.18 `tcp_slow_start`, `tcp_cong_avoid_ai`, `tcp_reno_undo_cwnd`
//! (`net/ipv4/tcp_cong.c`), `tcp_ack`, `tcp_fastretrans_alert`, `tcp_init_cwnd_reduction`,
//! `tcp_end_cwnd_reduction`, `tcp_enter_loss`, `tcp_undo_cwnd_reduction`, `tcp_cong_control`
//! (`tcp_input.c`), `tcp_slow_start_after_idle_check` and `tcp_cwnd_restart` (`tcp_output.c`),
//! `tcp_is_cwnd_limited` (`include/net/tcp.h`).
//!
//! Deviations:
//! * PRR runs in the transport; during a reduction `cwnd` is the transport's window;
//! * the window of a connection that its application limits decays after idleness only.
//!   `tcp_cwnd_application_limited`, by which it decays while data is sent, is left out;
//! * the restart after idleness happens when the first segment is sent, not when the application
//!   writes.

/// Ticks of the kernel's clock per second: Linux's usual choice (`CONFIG_HZ_250`). A controller
/// without a parameter `hz` measures only idleness in them.
pub const HZ: u64 = 250;

mod callbacks;
mod core;
pub(crate) mod growth;
#[cfg(test)]
pub(crate) mod lockstep;
mod order;
mod socket;

pub use self::core::OfCore;
pub use callbacks::Callbacks;
pub use order::Linux;
pub use socket::Socket;
