//! The environment that Linux gives to every window-based controller: a window in whole segments,
//! and the calls that such a controller gets, in the kernel's order.
//!
//! Sources: Linux 6.18 `tcp_slow_start`, `tcp_cong_avoid_ai`, `tcp_reno_undo_cwnd`
//! (`net/ipv4/tcp_cong.c`), `tcp_ack`, `tcp_fastretrans_alert`, `tcp_init_cwnd_reduction`,
//! `tcp_end_cwnd_reduction`, `tcp_enter_loss`, `tcp_undo_cwnd_reduction`, `tcp_cong_control`
//! (`tcp_input.c`), `tcp_slow_start_after_idle_check` and `tcp_cwnd_restart` (`tcp_output.c`),
//! `tcp_is_cwnd_limited` (`include/net/tcp.h`).
//!
//! Deviations:
//! * the transport spreads a reduction over the acknowledgements (PRR), and the socket shows its
//!   window;
//! * a window that the application leaves unused decays after idleness only, not while a little is
//!   still being sent (`tcp_cwnd_application_limited`);
//! * the connection restarts after idleness with its first segment, not with the application's
//!   write.

/// Ticks of the kernel's clock per second: Linux's usual choice (`CONFIG_HZ_250`). A controller
/// without a clock of its own counts only idleness in them.
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
