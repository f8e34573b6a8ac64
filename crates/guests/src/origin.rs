//! The crates of the stacks, for the records of runs.

/// A stack as it was built into the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The stack's name in those of controllers.
    pub stack: &'static str,
    /// Its crate.
    pub package: &'static str,
    /// The version of the crate.
    pub version: &'static str,
    /// SHA-256 of the crate in the lock file; `None` in a workspace of another program.
    pub sha256: Option<&'static str>,
    /// Dependencies that are replaced, and by what.
    pub replaced: Vec<&'static str>,
}

/// The stacks that the program has.
pub fn origins() -> Vec<Origin> {
    let all: &[(&str, &str, &str, &str, bool)] = &[
        #[cfg(feature = "noq")]
        ("noq", "noq-proto", "1.4.0", env!("NOQ_ORIGIN"), crate::noq::is_seeded()),
        #[cfg(feature = "quinn")]
        ("quinn", "quinn-proto", "0.11.19", env!("QUINN_ORIGIN"), crate::quinn::is_seeded()),
    ];
    all.iter()
        .map(|(stack, package, pinned, locked, replaced)| {
            let (version, sha256) = locked.split_once(' ').unwrap_or((pinned, ""));
            Origin {
                stack,
                package,
                version,
                sha256: Some(sha256).filter(|sum| !sum.is_empty()),
                replaced: replaced
                    .then_some("rand_pcg by Narrows' crates/pcg, seeded by the flow's seed")
                    .into_iter()
                    .collect(),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_file_tells_versions_and_checksums() {
        for origin in origins() {
            let sum = origin.sha256.expect("a checksum");
            assert!(sum.len() == 64 && sum.bytes().all(|byte| byte.is_ascii_hexdigit()), "{sum}");
            assert!(origin.package.starts_with(origin.stack));
            assert_eq!(origin.replaced.len(), 1, "the workspace replaces rand_pcg");
        }
        // Documents name these versions: a renewal repeats their measurements.
        let versions: Vec<&str> = origins().iter().map(|origin| origin.version).collect();
        assert_eq!(versions, ["1.4.0", "0.11.19"]);
    }
}
