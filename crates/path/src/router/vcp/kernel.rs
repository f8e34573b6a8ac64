//! The constants of the router in the kernel.

use super::{ACK_PRIORITY, ARITHMETIC, ENTRY, GAMMA, KAPPA_Q, NS2, T_Q, T_RHO};
use crate::DisciplineChoice;
use narrows_control::cores::{fraction, vcp_router};
use narrows_units::{Bytes, Rate, Span};
use narrows_wire::CodePoints;

/// Bytes that a queue of the kernel's router may have (`VCP_ROUTER_MOST_QUEUE`).
const MOST_QUEUE: u64 = 1 << 30;
/// Bytes below which the capacity of a period stays.
const MOST_CAPACITY: u64 = 1 << 38;
/// One byte of a queue, in bits times 10^9 (`VCP_ROUTER_BYTE`).
const BYTE: u64 = 8_000_000_000;

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
) -> Result<vcp_router::Constants, String> {
    if choice.entry().name != ENTRY.name {
        return Err(format!(
            "the kernel has no router \"{}\": vcp is the one that it can be",
            choice.entry().name
        ));
    }
    let fixed =
        [NS2.spec.name, ARITHMETIC.spec.name, ACK_PRIORITY.spec.name, CodePoints::PARAM.spec.name];
    if let Some(name) = fixed.into_iter().find(|name| choice.set(name).is_some()) {
        return Err(format!(
            "a vcp router in the kernel has no choice of \"{name}\" (it follows the paper, in integers, with codes=accecn): leave it out"
        ));
    }
    let params = choice.params();
    let (t_rho, t_q): (Span, Span) = (params.get(&T_RHO), params.get(&T_Q));
    let (t_rho_ns, t_q_ns) = (t_rho.as_nanos(), t_q.as_nanos());
    let ticks = t_rho_ns / t_q_ns;
    if ticks == 0 || ticks * t_q_ns != t_rho_ns || ticks > 32 {
        return Err(format!(
            "t_rho={} ms is not 1 to 32 times t_q={} ms, as the kernel's samples need: t_q=10 divides t_rho=200",
            t_rho.as_millis_f64(),
            t_q.as_millis_f64()
        ));
    }
    let carries = u128::from(capacity.as_bps()) * u128::from(t_rho_ns) / u128::from(BYTE);
    let carried = u64::try_from(carries).ok().filter(|bytes| (1..MOST_CAPACITY).contains(bytes)).ok_or_else(|| {
        format!(
            "a capacity of {capacity} carries {carries} bytes in {} ms, and a router measures 1 to {}: give the rate of the link, for example --capacity \"200 Mbit/s\"",
            t_rho.as_millis_f64(),
            MOST_CAPACITY - 1
        )
    })?;
    let buffer = buffer.map_or(carried.min(MOST_QUEUE), Bytes::get);
    if !(1..=MOST_QUEUE).contains(&buffer) {
        return Err(format!(
            "a buffer of {buffer} bytes is not between 1 byte and 1 GiB: give what the queue of the interface holds"
        ));
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
