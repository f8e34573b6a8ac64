//! Structures shared by the program and the agent: `bpf/deploy.h`.

// Rust bindings of the header, which build.rs writes.
include!(concat!(env!("OUT_DIR"), "/deploy.rs"));

/// Most periods of a policy (`DEPLOY_PERIODS`).
pub const PERIODS: usize = 1024;
/// Classes of round trips (`DEPLOY_CLASSES`).
pub const CLASSES: usize = 160;
/// Arms (`DEPLOY_ARMS`): control, treated, and the rest.
pub const ARMS: usize = 3;
/// Accepted connections take part (`DEPLOY_ACCEPTED`).
pub const ACCEPTED: u32 = 1;
/// Opened connections take part (`DEPLOY_OPENED`).
pub const OPENED: u32 = 2;

/// Bit of a threshold (`DEPLOY_BESIDE`).
const BESIDE: u32 = 1 << 31;

/// The treatment of a period.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Share {
    /// Share of the connections that are drawn as treated.
    pub treated: f64,
    /// True if these have the control, too.
    pub is_beside: bool,
}

impl Share {
    /// Returns the number that the program compares with draws.
    pub(super) fn threshold(self) -> u32 {
        let drawn = (self.treated.clamp(0.0, 1.0) * 65536.0).round() as u32;
        if self.is_beside { drawn | BESIDE } else { drawn }
    }
}

impl From<f64> for Share {
    fn from(treated: f64) -> Share {
        Share { treated, is_beside: false }
    }
}

impl Counts {
    /// Adds other counts.
    pub fn add(&mut self, other: &Counts) {
        let sums: &mut [u64] = bytemuck::cast_slice_mut(std::slice::from_mut(self));
        let others: &[u64] = bytemuck::cast_slice(std::slice::from_ref(other));
        sums.iter_mut().zip(others).for_each(|(sum, own)| *sum += own);
    }
}

/// Returns the name of a controller as the program has it; `None` if it has more than 15 bytes.
pub fn name_bytes(name: &str) -> Option<[u64; 2]> {
    let mut bytes = [0_u8; 16];
    (name.len() < bytes.len()).then(|| {
        bytes[..name.len()].copy_from_slice(name.as_bytes());
        bytemuck::cast(bytes)
    })
}

/// Returns the text of a name that the program has written.
pub fn name_text(name: [u64; 2]) -> String {
    let bytes: [u8; 16] = bytemuck::cast(name);
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// Returns the ends of a class of round trips in microseconds: the first value in it, and the first
/// above it. The first class has all below 16 us too, the last all above.
pub fn class_ends(class: usize) -> (u64, u64) {
    let start = |class: usize| (8 + class as u64 % 8) << (1 + class / 8);
    (start(class), start(class + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_classes() {
        assert_eq!(name_text(name_bytes("bbr").expect("it is short")), "bbr");
        assert_eq!(name_bytes("sixteen_letters_"), None);
        assert_eq!(
            [0, 1, 7, 8, 16].map(class_ends),
            [(16, 18), (18, 20), (30, 32), (32, 36), (64, 72)]
        );
    }

    #[test]
    fn counts_add_up() {
        let mut sum = Counts { assigned: 1, again: 2, ..Counts::default() };
        sum.add(&Counts { assigned: 3, again: 4, ..Counts::default() });
        assert_eq!((sum.assigned, sum.again, sum.closed), (4, 6, 0));
    }
}
