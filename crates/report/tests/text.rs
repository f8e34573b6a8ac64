//! What the terminal and `summary.json` show.

mod common;

use narrows_report::{summary_json, table};

#[test]
fn the_table_of_a_comparison() {
    insta::assert_snapshot!(table(&common::three_by_three()));
}

#[test]
fn the_table_of_one_run() {
    insta::assert_snapshot!(table(&common::single()));
}

#[test]
fn the_table_of_a_varying_link() {
    insta::assert_snapshot!(table(&common::varying()));
}

#[test]
fn the_summary() {
    insta::assert_snapshot!(summary_json(&common::single()));
}

#[test]
fn no_line_is_too_wide() {
    for made in [common::three_by_three(), common::single()] {
        assert!(table(&made).lines().all(|line| line.chars().count() <= 120));
    }
}
