//! Congestion controllers of Narrows for QUIC libraries.
//!
//! ```
//! # #[cfg(feature = "noq")] {
//! use std::sync::Arc;
//!
//! let mut transport = noq_proto::TransportConfig::default();
//! narrows_quic::prepare(&mut transport, narrows_quic::Factory::new("copa?delta=0.5")?);
//! # let _ = Arc::new(transport);
//! # }
//! # Ok::<(), narrows_quic::Refused>(())
//! ```
//!
//! The library hears of packets sent, acknowledged and lost; a [`Controller`] of Narrows decides.
//! Its window is in packets, the library's in bytes, so a larger MTU changes the unit alone.
//! Delivery rates are sampled here, as TCP does it (draft-cheng-iccrg-delivery-rate-estimation-02).
//!
//! [`noq`] obeys windows and pacing rates and tells the number of each packet. [`quinn`] obeys
//! windows alone. A controller that needs more than a library gives is refused with the reason:
//! [`Refused`].
//!
//! Neither library has timers for controllers: a controller's timer fires with the next packet sent
//! or acknowledged after its time.
//!
//! [`Controller`]: narrows_control::Controller
#![forbid(unsafe_code)]

mod accepted;
mod driver;
mod flight;
#[cfg(feature = "noq")]
pub mod noq;
#[cfg(feature = "quinn")]
pub mod quinn;
mod recipe;

pub use accepted::{Refused, Stack};
#[cfg(feature = "noq")]
pub use noq::{Factory, prepare};
