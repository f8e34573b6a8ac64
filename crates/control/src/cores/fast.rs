//! The core of FAST: `cores/fast.h`. What the fields mean stands there.
#![allow(missing_docs)]

use bytemuck::{Pod, Zeroable};

/// `struct fast_constants`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct Fast {
    pub alpha: u64,
    pub gamma: u32,
    pub loss_beta: u32,
    pub free_queue: u32,
    pub free_share: u32,
    pub mi_threshold: u32,
    pub base_window: u32,
    pub published: u32,
    pub ns2_weight: u32,
    pub spread: u32,
    pub packet_pacing: u32,
}

/// `struct fast_state`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct State {
    pub mean: u64,
    pub increase: u64,
    pub base: [[u32; 2]; 3],
    pub fraction: u32,
    pub least: u32,
    pub least_before: u32,
    pub flight: u32,
    pub first: u32,
    pub delivered: u32,
    pub began: u32,
    pub packets: u32,
    pub counted: u32,
    pub updated: u32,
    pub line: u32,
    pub flags: u32,
}

// `cores/native.c` asserts the same sizes.
const _: () = assert!(size_of::<Fast>() == 48 && size_of::<State>() == 88);
