//! The cores of the PCC kernel module: `cores/pcc.h`, `cores/pcc_vivace.h` and `cores/pcc_allegro.h`. What the fields mean stands there.
#![allow(missing_docs)]

use bytemuck::{Pod, Zeroable};

/// `struct pcc_interval`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Interval {
    pub rate: u64,
    pub utility: i64,
    pub send: [u64; 2],
    pub receive: [u64; 2],
    pub rtt: [u32; 2],
    pub base: u32,
    pub end: u32,
    pub lost: u32,
    pub delivered: u32,
}

/// `struct pcc_state`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct State {
    pub rate: i64,
    pub last_rate: i64,
    pub accounted: u32,
    pub spare: u32,
    pub bases: [u32; 2],
    pub sending: u32,
    pub receiving: u32,
    pub waiting: u32,
    pub in_loss: u32,
    pub phase: u32,
    pub last_decision: u32,
    pub amplifier: i32,
    pub swing_buffer: i32,
    pub change_bound: i32,
    pub epsilon: u32,
    pub intervals: [Interval; 4],
}

/// `struct pcc_vivace_constants`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct Vivace {
    pub first_rate: u32,
    pub interval_packets: u32,
    pub ignore: u32,
    pub probe: u32,
    pub latency: u32,
    pub loss: u32,
    pub latency_filter: i32,
    pub min_difference: i32,
    pub step: u32,
    pub amplifier: i32,
    pub swing_buffer: i32,
    pub change_bound: i32,
    pub change_step: i32,
    pub floor_packets: u32,
    pub fixed: u32,
    pub pair_bug: u32,
}

/// `struct pcc_allegro_constants`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct Allegro {
    pub first_rate: u32,
    pub interval_packets: u32,
    pub ignore: u32,
    pub epsilon_min: u32,
    pub epsilon_max: u32,
    pub loss_margin: u32,
    pub fixed: u32,
    pub reserved: u32,
}

// The headers and `cores/native.c` assert the same sizes.
const _: () = assert!(size_of::<Interval>() == 72 && size_of::<State>() == 360 && size_of::<Vivace>() == 64 && size_of::<Allegro>() == 32);
