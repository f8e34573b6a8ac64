//! The constants of the router in the kernel.

use super::{ACK_PRIORITY, ARITHMETIC, BESIDE, ENTRY, GAMMA, KAPPA_Q, NS2, POLICE, T_Q, T_RHO};
use crate::DisciplineChoice;
use narrows_cores::{fraction, vcp_router};
use narrows_units::{Bytes, Rate, Span};
use narrows_wire::CodePoints;
use thiserror::Error;

/// Bytes that a queue of the kernel's router may have (`VCP_ROUTER_MOST_QUEUE`).
const MOST_QUEUE: u64 = 1 << 30;
/// Bytes below which the capacity of a period stays.
const MOST_CAPACITY: u64 = 1 << 38;
/// One byte of a queue, in bits times 10^9 (`VCP_ROUTER_BYTE`).
const BYTE: u64 = 8_000_000_000;

/// The reason why the kernel's router cannot be what a discipline says, with the remedy.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum KernelRouterError {
    /// The kernel has another router only.
    #[error("the kernel has no router \"{0}\": vcp is the one that it can be")]
    Router(&'static str),
    /// A parameter is set that the kernel's router does not have.
    #[error(
        "a vcp router in the kernel has no choice of \"{0}\" (it follows the paper, in integers, with codes=accecn, for flows that speak VCP): leave it out"
    )]
    Parameter(&'static str),
    /// The samples do not divide the period.
    #[error(
        "t_rho={t_rho} ms is not 1 to 32 times t_q={t_q} ms, as the kernel's samples need: t_q=10 divides t_rho=200"
    )]
    Periods {
        /// The period in ms.
        t_rho: f64,
        /// The time between samples in ms.
        t_q: f64,
    },
    /// The link carries too little or too much in a period.
    #[error(
        "a capacity of {capacity} carries {carries} bytes in {t_rho} ms, and a router measures 1 to {}: give the rate of the link, for example --capacity \"200 Mbit/s\"",
        MOST_CAPACITY - 1
    )]
    Capacity {
        /// The rate of the link.
        capacity: Rate,
        /// Bytes that it carries in a period.
        carries: u128,
        /// The period in ms.
        t_rho: f64,
    },
    /// The buffer is empty or too large.
    #[error(
        "a buffer of {0} bytes is not between 1 byte and 1 GiB: give what the queue of the interface holds"
    )]
    Buffer(u64),
}

/// The constants of the kernel's router for `vcp` with parameters, on a link that carries
/// `capacity`, before a queue of at most `buffer` bytes (none: what the link carries in `t_rho`).
///
/// # Errors
///
/// The value that the kernel's router does not take, and one that it does.
pub fn kernel_router(
    choice: &DisciplineChoice,
    capacity: Rate,
    buffer: Option<Bytes>,
) -> Result<vcp_router::Constants, KernelRouterError> {
    if choice.entry().name != ENTRY.name {
        return Err(KernelRouterError::Router(choice.entry().name));
    }
    let fixed = [
        NS2.spec.name,
        ARITHMETIC.spec.name,
        ACK_PRIORITY.spec.name,
        CodePoints::PARAM.spec.name,
        BESIDE.spec.name,
        POLICE.spec.name,
    ];
    if let Some(name) = fixed.into_iter().find(|name| choice.set(name).is_some()) {
        return Err(KernelRouterError::Parameter(name));
    }
    let params = choice.params();
    let (t_rho, t_q): (Span, Span) = (params.get(&T_RHO), params.get(&T_Q));
    let t_rho_ns = t_rho.as_nanos();
    let t_q_ns = t_q.as_nanos();
    let ticks = t_rho_ns / t_q_ns;
    if ticks == 0 || ticks * t_q_ns != t_rho_ns || ticks > 32 {
        let t_rho = t_rho.as_millis_f64();
        let t_q = t_q.as_millis_f64();
        return Err(KernelRouterError::Periods { t_rho, t_q });
    }
    let carries = u128::from(capacity.as_bps()) * u128::from(t_rho_ns) / u128::from(BYTE);
    let carried = u64::try_from(carries)
        .ok()
        .filter(|bytes| (1..MOST_CAPACITY).contains(bytes))
        .ok_or(KernelRouterError::Capacity { capacity, carries, t_rho: t_rho.as_millis_f64() })?;
    let buffer = buffer.map_or(carried.min(MOST_QUEUE), Bytes::get);
    if !(1..=MOST_QUEUE).contains(&buffer) {
        return Err(KernelRouterError::Buffer(buffer));
    }
    Ok(vcp_router::Constants {
        rate: capacity.as_bps(),
        capacity: carried,
        t_q: t_q_ns,
        buffer: buffer * BYTE,
        drains: (buffer * BYTE).div_ceil(capacity.as_bps()),
        ticks: ticks as u32,
        gamma: fraction(params.get(&GAMMA), 24),
        kappa_q: fraction(params.get(&KAPPA_Q), 16),
        reserved: 0,
    })
}
