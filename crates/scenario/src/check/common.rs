//! Functions that several checks share.

use crate::error::{Checked, Problem};
use crate::text::At;
use narrows_params::{Catalogue, Choice, ParamError};

/// Returns a name that is fit for tables; refuses others.
pub(crate) fn checked_name(name: &At<String>) -> Checked<String> {
    if name.value.trim().is_empty() || name.value.chars().any(char::is_control) {
        return Err(Problem::at(
            &name.span,
            "a name needs at least one visible character, on one line",
            "write for example \"bottleneck\"",
        ));
    }
    Ok(name.value.clone())
}

/// Parses an entry of a registry with its parameters.
pub(crate) fn choice<C: Catalogue>(text: &At<String>) -> Checked<Choice<C>> {
    text.value.parse().map_err(|error| refused_parameters(text, &error))
}

pub(crate) fn refused_parameters(text: &At<String>, error: &ParamError) -> Box<Problem> {
    let said = error.to_string();
    let (message, help) = said.split_once("; ").unwrap_or((&said, "correct the parameters"));
    Problem::at(&text.span, message, help)
}
