//! The cores of controllers that have the window of Linux: `cores/hstcp.h` and `cores/scalable.h`. What the fields mean stands there.
#![allow(missing_docs)]

use bytemuck::{Pod, Zeroable};

/// `struct hstcp_constants`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Hstcp {
    pub reserved: u64,
}

/// `struct hstcp_state`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct HstcpState {
    pub credit: u32,
    pub row: u32,
}

/// `struct scalable_constants`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct Scalable {
    pub ai_count: u32,
    pub reserved: u32,
}

/// `struct scalable_state`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct ScalableState {
    pub credit: u32,
    pub reserved: u32,
}

// `cores/native.c` asserts the same sizes.
const _: () = assert!(size_of::<Hstcp>() == 8 && size_of::<HstcpState>() == 8);
const _: () = assert!(size_of::<Scalable>() == 8 && size_of::<ScalableState>() == 8);
