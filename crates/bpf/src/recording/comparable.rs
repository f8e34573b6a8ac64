//! Which callbacks depend on nothing but what is recorded.

use crate::functions::{helper, is_ring, keeps};
use crate::program::{Instruction, Program, address};
use std::collections::{BTreeMap, BTreeSet};

/// Helpers whose answers follow from what is recorded and from what [maps](Dependence::maps) hold,
/// or change nothing that is compared. `probe_read_kernel`, which
/// `BPF_CORE_READ` calls, is one as long as it reads the socket, sample or program: the
/// [replay](super::Replay) gives a callback up that reads anything else.
const HELPERS: [&str; 22] = [
    "jiffies64",
    "probe_read_kernel",
    "probe_read_kernel_str",
    "map_lookup_elem",
    "map_update_elem",
    "map_delete_elem",
    "for_each_map_elem",
    "sk_storage_get",
    "sk_storage_delete",
    "loop",
    "strncmp",
    "strtol",
    "strtoul",
    "snprintf",
    "trace_printk",
    "trace_vprintk",
    "ringbuf_output",
    "ringbuf_submit",
    "ringbuf_discard",
    "tcp_send_ack",
    "spin_lock",
    "spin_unlock",
];

/// Beginnings of the names of such functions of the kernel.
const FUNCTIONS: [&str; 6] =
    ["tcp_", "cubictcp_", "bpf_iter_num_", "bpf_rcu_", "bpf_cast_to_kern_ctx", "bpf_rdonly_cast"];

/// Things beside their records on which the calls of a callback depend.
#[derive(Clone, Debug, Default)]
pub(super) struct Dependence {
    /// Why they cannot be compared, in words; empty if they can.
    pub obstacles: BTreeSet<String>,
    /// The maps that it may look into, by index: they hold what earlier calls left.
    pub maps: BTreeSet<usize>,
}

/// Those of the callbacks of a program; those in `unrecorded` write no records, for this reason.
/// The content of a map is known if every callback that may change it is decided again, and the map
/// keeps it.
pub(super) fn dependences(
    program: &Program,
    unrecorded: &[String],
    reason: &str,
) -> BTreeMap<String, Dependence> {
    let mut all: BTreeMap<String, Dependence> = program
        .callbacks
        .iter()
        .map(|(name, start)| (name.clone(), dependence(program, *start)))
        .collect();
    for name in unrecorded {
        if let Some(one) = all.get_mut(name) {
            one.obstacles = BTreeSet::from([reason.to_owned()]);
        }
    }
    loop {
        let lost = |one: &&Dependence| !one.obstacles.is_empty();
        let lost: BTreeSet<usize> =
            all.values().filter(lost).flat_map(|one| one.maps.iter().copied()).collect();
        let mut more = false;
        for one in all.values_mut().filter(|one| one.obstacles.is_empty()) {
            let unknown = one.maps.intersection(&lost).map(|map| content(program, *map));
            one.obstacles.extend(unknown);
            more |= !one.obstacles.is_empty();
        }
        if !more {
            return all;
        }
    }
}

pub(super) fn content(program: &Program, map: usize) -> String {
    format!("it uses the map {}, whose content is not recorded", program.maps[map].name)
}

fn dependence(program: &Program, start: usize) -> Dependence {
    let mut reached = BTreeSet::new();
    let mut found = Dependence::default();
    let mut calls = BTreeSet::new();
    let mut left = vec![start];
    while let Some(start) = left.pop() {
        let Some(function) =
            program.function_at(start).filter(|function| reached.insert(function.start))
        else {
            continue;
        };
        for at in function.start..function.start + function.length {
            let one = &program.code[at];
            match (one.code, one.src) {
                (Instruction::CALL, 0) => {
                    let name = u32::try_from(one.imm)
                        .ok()
                        .and_then(helper)
                        .map_or("another helper", |(name, _)| name);
                    let plain = name.trim_start_matches("bpf_");
                    if !HELPERS.contains(&plain) {
                        calls.insert(format!("bpf_{plain}"));
                    }
                }
                (Instruction::CALL, 1) => {
                    left.extend((at + 1).checked_add_signed(one.imm as isize))
                }
                (Instruction::CALL, _) => {
                    let name = usize::try_from(one.imm)
                        .ok()
                        .and_then(|index| program.kfuncs.get(index))
                        .map_or("a function", String::as_str);
                    if !FUNCTIONS.iter().any(|known| name.starts_with(known)) {
                        calls.insert(name.to_owned());
                    }
                }
                (Instruction::LOAD_IMMEDIATE, _) => {
                    let value = program.immediate_at(at);
                    let map = (value & !address::MAP) as usize;
                    if value & address::MAP != 0
                        && program.maps.get(map).is_some_and(|map| !is_ring(map))
                    {
                        found.maps.insert(map);
                    } else if value & address::FUNCTION != 0 && value & address::MAP == 0 {
                        left.push((value & !address::FUNCTION) as usize);
                    }
                }
                _ => {}
            }
        }
    }
    if !calls.is_empty() {
        let calls: Vec<String> = calls.into_iter().collect();
        found
            .obstacles
            .insert(format!("it calls {}, whose answers are not recorded", calls.join(", ")));
    }
    let unkept = found.maps.iter().filter(|map| !keeps(&program.maps[**map]));
    found.obstacles.extend(unkept.map(|map| content(program, *map)));
    found
}
