//! A router at an interface: written codes, counts, refusals and cleaning up.
#![cfg(feature = "bpf")]

use libbpf_rs::{MapCore, MapFlags, Object, ObjectBuilder, ProgramInput};
use narrows_cores::fraction;
use narrows_cores::vcp_router::{Constants, State};
use narrows_kernel::{KernelError, Router, RouterCounts};
use rustix::thread::{UnshareFlags, unshare_unsafe};
use std::net::UdpSocket;
use std::process::Command;
use std::thread;

const OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/router.o"));
/// A `struct __sk_buff` without settings. With a context, the length on the wire equals the
/// packet's.
const CONTEXT: [u8; 192] = [0; 192];
const ETHERNET: usize = 14;
/// ECN code points: not-ECT, and the codes of low load, high load and overload.
const POINTS: [u8; 4] = [0b00, 0b10, 0b01, 0b11];

/// Constants for 8 Mbit/s: a period of 200 ms carries 200,000 B, and the target is 196,000 B.
fn constants() -> Constants {
    Constants {
        rate: 8_000_000,
        capacity: 200_000,
        t_q: 10_000_000,
        buffer: 200_000 * 8_000_000_000,
        drains: 200_000_000,
        ticks: 20,
        gamma: fraction(0.98, 24),
        kappa_q: fraction(0.5, 16),
        reserved: 0,
    }
}

fn is_root(test: &str) -> bool {
    let root = rustix::process::geteuid().is_root();
    if !root {
        eprintln!("{test}: left out, only root may give routers to the kernel");
    }
    root
}

/// Returns the program, not attached to an interface.
fn program() -> Object {
    let mut open = ObjectBuilder::default().open_memory(OBJECT).unwrap();
    open.maps_mut()
        .find(|map| map.name() == ".rodata.constants")
        .unwrap()
        .set_initial_value(bytemuck::bytes_of(&constants()))
        .unwrap();
    open.load().unwrap()
}

/// Puts the router into a period that does not end during a test. The previous period had the load
/// `code`.
fn set(object: &Object, code: u32) {
    let state = State { code, begun: 1, at: 1, next: u64::MAX, ..State::default() };
    let value =
        [&[0; 8][..], bytemuck::bytes_of(&state), bytemuck::bytes_of(&RouterCounts::default())]
            .concat();
    object
        .maps()
        .find(|map| map.name() == "router")
        .unwrap()
        .update(&[0; 4], &value, MapFlags::ANY)
        .unwrap();
}

fn read(object: &Object) -> (State, RouterCounts) {
    let value = object
        .maps()
        .find(|map| map.name() == "router")
        .unwrap()
        .lookup(&[0; 4], MapFlags::LOCK)
        .unwrap()
        .unwrap();
    let (state, counts) = value[8..].split_at(size_of::<State>());
    (bytemuck::pod_read_unaligned(state), bytemuck::pod_read_unaligned(counts))
}

/// Runs the program on a packet (BPF_PROG_TEST_RUN). Returns the packet as it leaves.
fn pass(object: &mut Object, packet: &[u8]) -> Vec<u8> {
    let mut out = vec![0; packet.len()];
    let program = object.progs_mut().next().unwrap();
    let mut context = CONTEXT;
    let input = ProgramInput {
        context_in: Some(&mut context),
        data_in: Some(packet),
        data_out: Some(&mut out),
        ..ProgramInput::default()
    };
    let result = program.test_run(input);
    // TCX_NEXT
    assert_eq!(result.unwrap().return_value as i32, -1);
    out
}

/// Returns the sum over a header, which is all ones if its checksum is right (RFC 1071).
fn sum(header: &[u8]) -> u16 {
    let words =
        header.chunks(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]]))).sum::<u32>();
    ((words & 0xffff) + (words >> 16)) as u16
}

/// Returns an Ethernet frame of 100 bytes with an IPv4 packet of traffic class 0xb8, this code
/// point and the identification `vary`.
fn ipv4(ecn: u8, vary: u16) -> Vec<u8> {
    let mut packet = [
        &[2; 12][..],
        &[8, 0],
        &[0x45, 0xb8 | ecn, 0, 86],
        &vary.to_be_bytes(),
        &[0x40, 0, 64, 17, 0, 0],
    ]
    .concat();
    packet.extend([10, 0, 0, 1, 10, 0, 0, 2]);
    packet.resize(100, 7);
    let checksum = !sum(&packet[ETHERNET..34]);
    packet[ETHERNET + 10..][..2].copy_from_slice(&checksum.to_be_bytes());
    packet
}

fn ipv6(ecn: u8) -> Vec<u8> {
    let class = 0xb8 | ecn;
    let mut packet = [
        &[2; 12][..],
        &[0x86, 0xdd],
        &[0x60 | class >> 4, class << 4 | 0xa, 0xbc, 0xde, 0, 46, 17, 64],
    ]
    .concat();
    packet.resize(100, 7);
    packet
}

/// For each load and each code point: the code is raised if the router's is higher, never lowered,
/// and not-ECT stays. All other bytes stay as they are.
#[test]
fn packets_leave_with_the_larger_code() {
    if !is_root("packets_leave_with_the_larger_code") {
        return;
    }
    let mut object = program();
    for code in 0..3 {
        for (present, point) in POINTS.into_iter().enumerate() {
            set(&object, code);
            let expected = if present == 0 { 0 } else { POINTS[present.max(code as usize + 1)] };
            for vary in [0, 1, 0x1234, 0x7a39, 0xfffe, 0xffff] {
                let passed = pass(&mut object, &ipv4(point, vary));
                assert_eq!(passed, ipv4(expected, vary), "IPv4, code {code}, {point:02b}");
                assert_eq!(sum(&passed[ETHERNET..34]), 0xffff);
            }
            assert_eq!(
                pass(&mut object, &ipv6(point)),
                ipv6(expected),
                "IPv6, code {code}, {point:02b}"
            );
            let raised = expected != point;
            let (state, counts) = read(&object);
            assert_eq!((counts.packets, counts.bytes, state.arrived), (7, 700, 700));
            assert_eq!(counts.without_code, if present == 0 { 7 } else { 0 });
            assert_eq!(
                (counts.told_high, counts.told_overload),
                (if raised && code == 1 { 7 } else { 0 }, if raised && code == 2 { 7 } else { 0 })
            );
        }
    }
    // Packets other than IP are counted and stay as they are.
    let arp = [&[2; 12][..], &[8, 6], &[0xff; 86]].concat();
    set(&object, 2);
    assert_eq!(pass(&mut object, &arp), arp);
    assert_eq!(read(&object).1.without_code, 1);
}

/// With many packets from two processors, no count is lost, and the queue stays within its buffer.
#[test]
fn counts_hold_with_several_processors() {
    if !is_root("counts_hold_with_several_processors") {
        return;
    }
    const EACH: u32 = 50_000;
    let mut object = program();
    set(&object, 1);
    let packet = ipv4(0b10, 1);
    let mut other = program_with(&object);
    thread::scope(|scope| {
        scope.spawn(|| repeat(&mut other, &packet, EACH));
        repeat(&mut object, &packet, EACH);
    });
    let (state, counts) = read(&object);
    assert_eq!((counts.packets, counts.bytes), (2 * u64::from(EACH), 200 * u64::from(EACH)));
    assert!(state.queue <= constants().buffer, "{state:?}");
}

/// Returns a second program with the same map.
fn program_with(object: &Object) -> Object {
    use std::os::fd::AsFd;
    let mut open = ObjectBuilder::default().open_memory(OBJECT).unwrap();
    open.maps_mut()
        .find(|map| map.name() == ".rodata.constants")
        .unwrap()
        .set_initial_value(bytemuck::bytes_of(&constants()))
        .unwrap();
    let map = object.maps().find(|map| map.name() == "router").unwrap();
    open.maps_mut().find(|map| map.name() == "router").unwrap().reuse_fd(map.as_fd()).unwrap();
    open.load().unwrap()
}

fn repeat(object: &mut Object, packet: &[u8], times: u32) {
    let program = object.progs_mut().next().unwrap();
    let mut context = CONTEXT;
    let input = ProgramInput {
        context_in: Some(&mut context),
        data_in: Some(packet),
        repeat: times,
        ..ProgramInput::default()
    };
    program.test_run(input).unwrap();
}

/// Runs `work` on a thread in its own network namespace, which has an interface "near.7" and ends
/// with the thread.
#[allow(unsafe_code)]
fn apart(work: impl FnOnce() + Send + 'static) {
    let inside = move || {
        // SAFETY: the new thread shares no state that the flag would separate.
        unsafe { unshare_unsafe(UnshareFlags::NEWNET) }.expect("a network namespace");
        for line in [
            "link add name near.7 type veth peer name far",
            "link set dev far up",
            "link set dev near.7 up",
            "address add 10.7.0.1/24 dev near.7",
        ] {
            assert!(
                Command::new("ip")
                    .args(line.split(' '))
                    .status()
                    .expect("ip of iproute2 runs")
                    .success(),
                "{line}"
            );
        }
        work();
    };
    thread::spawn(inside).join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

#[test]
fn pinned_found_and_removed() {
    if !is_root("pinned_found_and_removed") {
        return;
    }
    apart(|| {
        let routed = |interface: &str| {
            Router::route(interface, "vcp?gamma=0.98", &constants()).map(|(router, _)| router)
        };
        let missing = routed("near").err().unwrap();
        assert!(
            matches!(&missing, KernelError::NoInterface { there, .. } if there.contains(&"near.7".to_owned())),
            "{missing}"
        );
        let router = routed("near.7").unwrap_or_else(|error| panic!("{error}"));
        let path = router.path().to_owned();
        let twice = routed("near.7").err().unwrap();
        assert!(
            matches!(&twice, KernelError::RoutedBefore { choice, .. } if choice == "vcp?gamma=0.98"),
            "{twice}"
        );
        drop(router);
        // The router stays and counts packets that leave: 1000 bytes and 42 of headers. The packet
        // is a broadcast, so that no address must be resolved first.
        let found = Router::at("near.7").unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            (found.interface(), found.text(), found.is_here(), found.is_attached()),
            ("near.7", "vcp?gamma=0.98", true, true)
        );
        assert_eq!(found.constants().unwrap(), constants());
        let before = found.measured().unwrap().counts;
        let socket = UdpSocket::bind("10.7.0.1:0").unwrap();
        socket.set_broadcast(true).unwrap();
        socket.send_to(&[0; 1000], "10.7.0.255:9").unwrap();
        let after = found.measured().unwrap().counts;
        assert!(
            after.packets > before.packets && after.bytes >= before.bytes + 1042,
            "{before:?} {after:?}"
        );
        // The router is not listed as a controller.
        assert!(
            narrows_kernel::Pinned::all()
                .unwrap()
                .iter()
                .flatten()
                .all(|one| !one.name().starts_with("router"))
        );
        found.remove().unwrap_or_else(|error| panic!("{error}"));
        assert!(
            !path.exists() && matches!(Router::at("near.7"), Err(KernelError::NotRouted { .. }))
        );
        // Removing an interface removes its router; the pins can still be removed.
        let last = routed("near.7").unwrap_or_else(|error| panic!("{error}"));
        assert!(
            Command::new("ip")
                .args(["link", "delete", "dev", "near.7"])
                .status()
                .unwrap()
                .success()
        );
        assert!(!last.is_attached());
        last.remove().unwrap_or_else(|error| panic!("{error}"));
    });
}
