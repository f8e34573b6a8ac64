//! CUBIC, in two profiles.
//!
//! * `linux` ([`linux`]): what Linux computes, in its integers and on its clock. For comparison with kernel flows and as the default comparator.
//! * `rfc9438` ([`rfc9438`]): the equations of RFC 9438 as printed, with HyStart++ of RFC 9406.
//!
//! Each states its sources and its deviations.

mod curve;
mod hystart;
mod hystartpp;
mod linux;
mod rfc9438;

use crate::{Basis, Built, Entry, Setup};
use narrows_params::{Param, ParamError, Params};

/// Registry line.
pub const ENTRY: Entry = Entry {
    name: "cubic",
    kernel: Some("cubic"),
    summary: "window as a cubic function of the time since the last reduction; Linux's default",
    source: "Linux net/ipv4/tcp_cubic.c; RFC 9438, RFC 9406",
    basis: Basis::Loss,
    needs: &[],
    numbered: false,
    params: PARAMS,
    build,
};

const PARAMS: &[Param] = &[
    Param::choice("profile", "linux", &["linux", "rfc9438"], "linux: the kernel's integer arithmetic; rfc9438: the equations as printed"),
    Param::number("hz", HZ, (100.0, 1000.0), "Hz", "rate of the kernel's tick, which times the curve (profile linux only)"),
    Param::flag("fast_convergence", true, "give room faster when the window was reduced below its last maximum (RFC 9438 section 4.7)"),
    Param::flag("hystart", true, "leave slow start before loss: HyStart (linux) or HyStart++ (rfc9438)"),
    Param::flag("friendliness", true, "grow no slower than Reno would (RFC 9438 section 4.3)"),
    Param::flag("ecn", false, "send ECT(0) and treat an echoed mark as loss without retransmission (RFC 3168)"),
];

/// Linux's usual choice (`CONFIG_HZ_250`).
const HZ: f64 = 250.0;

fn build(setup: &Setup, params: &Params) -> Result<Built, ParamError> {
    if params.choice("profile") == "linux" {
        return Ok(Built::new(linux::LinuxCubic::new(setup, params)));
    }
    params.refuse(&ENTRY, "hz", "left out with profile=rfc9438, which has no ticks")?;
    Ok(Built::new(rfc9438::Rfc9438::new(setup, params)))
}
