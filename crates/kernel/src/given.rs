//! Checks names that users give to controllers.

use crate::error::KernelError;
use crate::names::available;

/// Checks the form of a name (`bpf_obj_name_cpy`, `TCP_CA_NAME_MAX`).
pub(crate) fn check(name: &str) -> Result<(), KernelError> {
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.';
    match (1..=15).contains(&name.len()) && name.bytes().all(legal) {
        true => Ok(()),
        false => Err(KernelError::BadName { name: name.to_owned() }),
    }
}

/// Returns a free name that resembles this one.
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
