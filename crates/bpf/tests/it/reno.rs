//! A whole controller as a user writes it, tests/programs/reno.bpf.c, linked and executed: against
//! its arithmetic in Rust, and with a fault that names the line.

use crate::assembled::{Host, SOCKET};
use crate::objects::object;
use narrows_bpf::socket::Field;
use narrows_bpf::socket::fields::{
    CWND as WINDOW, CWND_CLAMP as CLAMP, CWND_CNT as COUNT, CWND_LIMITED as LIMITED,
    PRIOR_CWND as PRIOR, PRIVATE, SSTHRESH as THRESHOLD,
};
use narrows_bpf::{Code, Machine, Settings, SimulatedKernel, link};
use narrows_units::Random;
use std::sync::Arc;

/// The controller with a parameter of its own.
pub fn reno(gain: i32) -> Machine {
    let mut program = link("reno.bpf.o", &object("reno"), &Settings::default(), &SimulatedKernel)
        .unwrap_or_else(|error| panic!("{error}"));
    let variable = program
        .variables
        .iter()
        .find(|variable| variable.name == "gain")
        .expect("a parameter")
        .clone();
    program.regions[variable.region].bytes[variable.offset..variable.offset + 4]
        .copy_from_slice(&gain.to_le_bytes());
    let mut machine = Machine::new(Arc::new(
        Code::new(Arc::new(program)).unwrap_or_else(|refusal| panic!("{refusal}")),
    ));
    CLAMP.set(machine.socket_mut(), u32::MAX as u64);
    machine
}

/// Reno in Rust.
#[derive(Debug, PartialEq)]
struct Model {
    window: u32,
    threshold: u32,
    count: u32,
    losses: u32,
    largest: u32,
}

impl Model {
    fn avoid(&mut self, mut acked: u32, limited: bool, gain: u32) {
        if !limited {
            return;
        }
        if self.window < self.threshold {
            let step = acked.min(self.threshold - self.window);
            self.window += step;
            acked -= step;
            if acked == 0 {
                return;
            }
        }
        let width = self.window * 100 / gain;
        if self.count >= width {
            self.count = 0;
            self.window += 1;
        }
        self.count += acked;
        self.window += self.count / width;
        self.count %= width;
        self.largest = self.largest.max(self.window);
    }

    /// The state that the socket shows.
    fn of(machine: &Machine) -> Model {
        let socket = machine.socket();
        let get = |field: Field| field.get(socket) as u32;
        let private = PRIVATE.get(socket);
        Model {
            window: get(WINDOW),
            threshold: get(THRESHOLD),
            count: get(COUNT),
            losses: private as u32,
            largest: (private >> 32) as u32,
        }
    }
}

#[test]
fn it_decides_what_its_arithmetic_says() {
    let mut random = Random::stream(3, "reno");
    let mut host = Host::default();
    for gain in [100, 50, 300] {
        let mut machine = reno(gain);
        let [init, avoid, threshold, undo] = ["init", "cong_avoid", "ssthresh", "undo_cwnd"]
            .map(|name| machine.code().callback(name).expect("it has it"));
        WINDOW.set(machine.socket_mut(), 10);
        THRESHOLD.set(machine.socket_mut(), 0x7fff_ffff);
        machine.call(init, &[SOCKET], &mut host).unwrap();
        let mut model =
            Model { window: 10, threshold: 0x7fff_ffff, count: 0, losses: 0, largest: 10 };
        for _ in 0..10_000 {
            match random.below(40) {
                0 => {
                    // The window left: half, at least 2.
                    let left = machine.call(threshold, &[SOCKET], &mut host).unwrap() as u32;
                    assert_eq!(left, (model.window * 128 / 256).max(2));
                    model.losses += 1;
                    let before = model.window;
                    (model.window, model.threshold, model.count) = (left, left, 0);
                    for (field, value) in
                        [(WINDOW, left), (THRESHOLD, left), (COUNT, 0), (PRIOR, before)]
                    {
                        field.set(machine.socket_mut(), value as u64);
                    }
                    let back = machine.call(undo, &[SOCKET], &mut host).unwrap() as u32;
                    assert_eq!(back, before.max(left));
                }
                _ => {
                    let acked = 1 + random.below(20) as u32;
                    let limited = random.chance(0.8);
                    LIMITED.set(machine.socket_mut(), limited as u64);
                    machine.call(avoid, &[SOCKET, 0, acked as u64], &mut host).unwrap();
                    model.avoid(acked, limited, gain as u32);
                }
            }
            assert_eq!(Model::of(&machine), model);
        }
    }
}

#[test]
fn a_fault_names_the_line_of_the_source() {
    // The step in percent is so large that the width becomes 0.
    let mut machine = reno(1_000_000);
    for (field, value) in [(WINDOW, 10), (THRESHOLD, 5), (LIMITED, 1)] {
        field.set(machine.socket_mut(), value);
    }
    let avoid = machine.code().callback("cong_avoid").unwrap();
    let fault = machine.call(avoid, &[SOCKET, 0, 1], &mut Host::default()).unwrap_err();
    insta::assert_snapshot!(fault);
}
