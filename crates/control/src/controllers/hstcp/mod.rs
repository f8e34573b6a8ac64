//! HighSpeed TCP (RFC 3649), in two profiles: as printed, and as Linux has it, which is the core
//! `cores/hstcp.h`.

mod rfc3649;
#[cfg(test)]
mod transcription;

use crate::cores::{Twin, replay};
use crate::parts::aimd::Aimd;
use crate::parts::ecn::ECN;
use crate::parts::linux::OfCore;
use crate::parts::start::params::{refuse_all, with_start};
use crate::{Basis, Build, Built, Entry, Setup};
use narrows_cores::hstcp::{Constants, State};
use narrows_params::{Need, Param, ParamError, Params};

/// Registry line.
pub static ENTRY: Entry = Entry {
    name: "hstcp",
    kernel: Some("highspeed"),
    summary: "HighSpeed TCP: above 38 segments, larger windows grow faster and lose less",
    source: "RFC 3649, RFC 3742; Linux net/ipv4/tcp_highspeed.c",
    basis: Basis::Loss,
    needs: &[],
    numbered: false,
    params: with_start!(PROFILE.spec, LIMITED_SLOW_START.spec, ECN.spec),
    build: Build::Function(build),
};

const PROFILE: Param<Profile> = Param::choice(
    "profile",
    "rfc3649",
    &[("rfc3649", Profile::Rfc3649), ("linux", Profile::Linux)],
    "rfc3649: the printed response function; linux: the kernel's integer table, which grows per acknowledgement, not per segment",
)
.needing(Need::Outstanding);
const LIMITED_SLOW_START: Param<f64> = Param::number(
    "limited_slow_start",
    0.0,
    (0.0, 1e6),
    "segments",
    "max_ssthresh of RFC 3742 (100 recommended): above it slow start grows by at most half of it per round trip; 0: no limit (profile rfc3649)",
);

/// Which source is followed.
#[derive(Clone, Copy)]
enum Profile {
    Rfc3649,
    Linux,
}

/// The kernel's form of it.
pub static TWIN: Twin = Twin {
    kernel: "hstcp",
    entry: &ENTRY,
    choice: "hstcp?profile=linux",
    constants: |params| Ok(bytemuck::bytes_of(&constants(params)?).to_vec()),
    replay: replay::<Constants>,
    state: size_of::<State>(),
};

fn constants(params: &Params) -> Result<Constants, ParamError> {
    params.refuse(&LIMITED_SLOW_START, "left out with profile=linux, which has no such limit")?;
    refuse_all(params, "profile=linux, whose slow start is in its core")?;
    Ok(Constants::default())
}

fn build(setup: &Setup, params: &Params) -> Result<Built, ParamError> {
    Ok(match params.get(&PROFILE) {
        Profile::Linux => Built::new(OfCore::new(constants(params)?).connection(setup, params)),
        Profile::Rfc3649 => Built::new(Aimd::new(
            rfc3649::HighSpeed::new(params.get(&LIMITED_SLOW_START)),
            setup,
            params,
            false,
        )?),
    })
}
