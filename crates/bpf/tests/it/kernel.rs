//! The table beside the types of the running kernel.

use narrows_bpf::{Types, socket};

/// The kernel's own types. `None` if it shows none.
fn kernel() -> Option<Types> {
    let Ok(bytes) = std::fs::read("/sys/kernel/btf/vmlinux") else {
        eprintln!("left out: there is no /sys/kernel/btf/vmlinux");
        return None;
    };
    Some(Types::read("/sys/kernel/btf/vmlinux", &bytes).expect("the kernel's types"))
}

/// Each member that both have is an integer of the same width, or a structure, or a bitfield of the
/// same number of bits.
#[test]
fn what_the_kernel_has_as_well_has_its_type() {
    let Some(kernel) = kernel() else { return };
    let mut compared = 0;
    for name in [
        "sock_common",
        "sock",
        "inet_sock",
        "inet_connection_sock",
        "tcp_sock",
        "minmax",
        "minmax_sample",
        "tcp_rack",
        "ack_sample",
        "rate_sample",
    ] {
        let theirs = kernel.members(name).unwrap_or_else(|| panic!("the kernel has struct {name}"));
        for ours in socket::types().members(name).expect("the table has it") {
            let Some(their) = theirs.iter().find(|their| their.name == ours.name) else {
                eprintln!("this kernel has no {name}.{}", ours.name);
                continue;
            };
            assert_eq!(
                (ours.bits, ours.signed),
                (their.bits, their.signed),
                "{name}.{}",
                ours.name
            );
            compared += 1;
        }
    }
    assert!(compared > 200, "only {compared} compared");
}
