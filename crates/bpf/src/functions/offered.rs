//! The functions of the kernel that the linker offers to a program.

use super::table::{Standing, function, helper};
use crate::callable::{Callable, Verdict};

/// The functions that programs find here.
#[derive(Clone, Copy, Debug, Default)]
pub struct SimulatedKernel;

/// The callback in which the kernel allows no options of the socket, and why (net/ipv4/bpf_tcp_ca.c
/// `bpf_tcp_ca_get_func_proto`).
const LAST: &str = "release";
const OPTIONS: [&str; 2] = ["bpf_setsockopt", "bpf_getsockopt"];
const WHY_NOT: &str = "the kernel gives it to no callback release, in which the connection may already have another controller";

impl Callable for SimulatedKernel {
    fn helper(&self, number: i32, callback: &str) -> Verdict {
        let Some((name, standing)) = u32::try_from(number).ok().and_then(helper) else {
            return Verdict::Unknown;
        };
        match standing {
            Standing::Runs(_) if callback == LAST && OPTIONS.contains(&name) => {
                Verdict::Refused(format!("it calls {name}: {WHY_NOT}"))
            }
            Standing::Runs(_) => Verdict::Known,
            Standing::Refused(why) => Verdict::Refused(format!("it calls {name}: {why}")),
        }
    }

    fn kfunc(&self, name: &str) -> Verdict {
        match function(name) {
            Some((_, Standing::Runs(_))) => Verdict::Known,
            Some((_, Standing::Refused(why))) => Verdict::Refused(why.to_owned()),
            None => Verdict::Unknown,
        }
    }
}
