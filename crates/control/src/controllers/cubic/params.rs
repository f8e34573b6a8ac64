//! The parameters of CUBIC's profiles.

use narrows_params::Param;

/// Linux's usual choice (`CONFIG_HZ_250`).
pub const HZ: Param<f64> = Param::number(
    "hz",
    250.0,
    (100.0, 1000.0),
    "Hz",
    "rate of the kernel's tick, the clock of the curve (profile linux)",
);
pub const FAST_CONVERGENCE: Param<bool> = Param::flag(
    "fast_convergence",
    true,
    "yield faster when the window falls below its last maximum (RFC 9438 section 4.7)",
);
pub const HYSTART: Param<bool> = Param::flag(
    "hystart",
    true,
    "with start=auto leave slow start before a loss: HyStart (linux), HyStart++ (rfc9438)",
);
pub const FRIENDLINESS: Param<bool> =
    Param::flag("friendliness", true, "grow at least as fast as Reno (RFC 9438 section 4.3)");
