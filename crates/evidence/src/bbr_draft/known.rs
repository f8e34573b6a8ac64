//! The known differences of Linux from the draft, by the demand that they break.

use super::subject::Profile;

/// Case, beginning of the variant, demand, and the reason.
const LINUX: &[(&str, &str, &str, &str)] = &[];

/// Why a `profile` does not meet the demand of this name in this variant of a case, if that is known.
pub(super) fn known(profile: Profile, case: &str, variant: &str, demand: &str) -> Option<&'static str> {
    let rules = if profile == Profile::Linux { LINUX } else { &[] };
    rules.iter().find(|rule| rule.0 == case && variant.starts_with(rule.1) && rule.2 == demand).map(|rule| rule.3)
}
