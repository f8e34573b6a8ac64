//! CUBIC, in two profiles.
//!
//! * `linux` ([`linux`]): what Linux computes, in its integers and on its clock. For comparison
//!   with kernel flows and as the default comparator.
//! * `rfc9438` ([`rfc9438`]): the equations of RFC 9438 as printed, with HyStart++ of RFC 9406.
//!
//! Each states its sources and its deviations.

pub(crate) mod curve;
pub(crate) mod linux;
mod params;
mod rfc9438;

use crate::parts::ecn::ECN;
use crate::parts::start::params::{START, with_start};
use crate::{Basis, Build, Built, Entry, Setup};
use narrows_params::{Need, Param, ParamError, Params};
use params::{FAST_CONVERGENCE, FRIENDLINESS, HYSTART, HZ};

/// Registry line.
pub static ENTRY: Entry = Entry {
    name: "cubic",
    kernel: Some("cubic"),
    summary: "window as a cubic function of time since the last reduction; Linux's default",
    source: "Linux net/ipv4/tcp_cubic.c; RFC 9438, RFC 9406",
    basis: Basis::Loss,
    needs: &[Need::Outstanding],
    numbered: false,
    params: with_start!(
        PROFILE.spec,
        HZ.spec,
        FAST_CONVERGENCE.spec,
        HYSTART.spec,
        FRIENDLINESS.spec,
        ECN.spec,
    ),
    build: Build::Function(build),
};

const PROFILE: Param<Profile> = Param::choice(
    "profile",
    "linux",
    &[("linux", Profile::Linux), ("rfc9438", Profile::Rfc9438)],
    "linux: the kernel's integer arithmetic; rfc9438: the equations as printed",
);
/// Which source is followed.
#[derive(Clone, Copy)]
enum Profile {
    Linux,
    Rfc9438,
}

fn build(setup: &Setup, params: &Params) -> Result<Built, ParamError> {
    if params.is_set(&START) && params.is_set(&HYSTART) {
        return Err(params.not_allowed(&HYSTART, "left out beside start"));
    }
    match params.get(&PROFILE) {
        Profile::Linux => Ok(Built::new(linux::LinuxCubic::connection(setup, params)?)),
        Profile::Rfc9438 => {
            params.refuse(&HZ, "left out with profile=rfc9438, which has no ticks")?;
            Ok(Built::new(rfc9438::Rfc9438::new(setup, params)?))
        }
    }
}
