//! What controllers are called in the kernel.

#[cfg(feature = "bpf")]
pub(crate) use given::{check, proposal};

use std::fs;
use std::io;
use std::path::PathBuf;

/// What the kernel lists, for all of its network namespaces.
pub fn available() -> Vec<String> {
    let text = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap_or_default();
    text.split_whitespace().map(str::to_owned).collect()
}

/// The controller that new connections of this network namespace take unless they ask for another (`net.ipv4.tcp_congestion_control`).
pub fn default() -> String {
    fs::read_to_string("/proc/sys/net/ipv4/tcp_congestion_control").unwrap_or_default().trim().to_owned()
}

/// A network namespace other than that of this process.
#[derive(Debug)]
pub struct Elsewhere {
    /// Where it can be entered, `/proc/12/ns/net`.
    pub path: PathBuf,
    /// Whose it is, for people: `process 12 (sleep)`, or the path.
    pub whose: String,
    /// As [`default`] there, or why it cannot be told.
    pub default: io::Result<String>,
}

/// Names that users give.
#[cfg(feature = "bpf")]
mod given {
    use super::available;
    use crate::KernelError;

    /// What the kernel takes for a name (`bpf_obj_name_cpy`, `TCP_CA_NAME_MAX`).
    pub(crate) fn check(name: &str) -> Result<(), KernelError> {
        let legal = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.';
        match (1..=15).contains(&name.len()) && name.bytes().all(legal) {
            true => Ok(()),
            false => Err(KernelError::BadName { name: name.to_owned() }),
        }
    }

    /// A name like this one that is free.
    pub(crate) fn proposal(name: &str) -> String {
        let taken = available();
        let numbered = |number: u32| {
            let number = number.to_string();
            format!("{}{number}", &name[..name.len().min(15 - number.len())])
        };
        (2..).map(numbered).find(|one| !taken.contains(one)).expect("some number is free")
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn names() {
            for good in ["a", "pcc_vivace", "x.y", "abcdefghijklmno"] {
                assert!(check(good).is_ok(), "{good}");
            }
            for bad in ["", "abcdefghijklmnop", "pcc-vivace", "a b", "a/b", "ü"] {
                assert!(check(bad).is_err(), "{bad}");
            }
        }

        #[test]
        fn proposals_fit() {
            assert_eq!(proposal("none_like_it"), "none_like_it2");
            assert_eq!(proposal("abcdefghijklmno"), "abcdefghijklmn2");
        }
    }
}
