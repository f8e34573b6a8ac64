//! What tests of refusals share.

use miette::{GraphicalReportHandler, GraphicalTheme};
use narrows_scenario::{ReadFile, parse};

/// A snapshot without the expression that made it, which is beside it.
macro_rules! shown {
    ($text:expr $(, as $name:literal)?) => {
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!($($name,)? $text) })
    };
}

pub(crate) use shown;

/// What is said of `text`, as on a terminal of 100 columns without colours.
pub fn refusal(text: &str, files: &ReadFile) -> String {
    let error = match parse(text, "test.toml", files) {
        Err(error) => error,
        Ok(_) => panic!("this should be refused:\n{text}"),
    };
    assert!(error.line().is_some());
    assert!(!error.remedy().is_empty());
    let mut out = String::new();
    GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor())
        .with_width(100)
        .render_report(&mut out, &error)
        .expect("writing to a string");
    out
}
