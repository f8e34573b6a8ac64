//! Helpers of tests for refusals.

use narrows_scenario::{ErrorStyle, ReadFile, ScenarioError, parse};

/// A snapshot without the expression that made it, which is beside it.
macro_rules! shown {
    ($text:expr $(, as $name:literal)?) => {
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!($($name,)? $text) })
    };
}

pub(crate) use shown;

/// Renders the error of parsing `text`, for a terminal without colours.
pub fn refusal(text: &str, files: &ReadFile) -> String {
    let error = match parse(text, "test.toml", files) {
        Err(error) => error,
        Ok(_) => panic!("this should be refused:\n{text}"),
    };
    assert!(error.line().is_some());
    assert!(!error.remedy().is_empty());
    rendered(&error)
}

/// Renders an error for a terminal without colours.
pub fn rendered(error: &ScenarioError) -> String {
    error.rendered(ErrorStyle { unicode: true, colour: false })
}
