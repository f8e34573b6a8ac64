//! The core of VCP's sender: `cores/vcp.h`. What the fields mean stands there.
#![allow(missing_docs)]

use bytemuck::{Pod, Zeroable};

/// `struct vcp_constants`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct Constants {
    pub t_rho: u32,
    pub growth: u32,
    pub alpha: u32,
    pub beta: u32,
    pub pacing: u32,
    pub reserved: u32,
}

/// `struct vcp_state`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct State {
    pub window: u64,
    pub prior: u64,
    pub until: u64,
    pub heard: u64,
    pub rest: u32,
    pub code: u32,
    pub recovery: u32,
    pub delivered: u32,
    pub ect0_bytes: u32,
    pub ect1_bytes: u32,
    pub ce_bytes: u32,
    pub reserved: u32,
}

// `cores/native.c` asserts the same sizes.
const _: () = assert!(size_of::<Constants>() == 24 && size_of::<State>() == 64);
