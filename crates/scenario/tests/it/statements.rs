//! The statements of a document and the claims that judge them.

use narrows_scenario::paper::{Figure, Paper, Standing};

/// A figure with claims on three statements: one claim on "full", which holds; two on "fast", of
/// which one holds; one on "slow", which does not hold; and one claim of our own.
const FIGURE: &str = r#"duration = "1 s"
[[link]]
name = "l"
between = ["a", "b"]
rate = "1 Mbit/s"
[[flow]]
from = "a"
to = "b"
controller = "cubic"
[figure]
title = "t"
source = "s"
about = "a"
"#;

const STATEMENTS: &str = r#"[[statement]]
name = "full"
says = "The link is full"
source = "slide 1"

[[statement]]
name = "fast"
says = "It is fast"
source = "slide 2"
why = "a link is slow"

[[statement]]
name = "slow"
says = "It is slow"
source = "slide 3"
why = "a link is fast"
experiment = "why/rates"

[[statement]]
name = "shown"
says = "It was shown on the spot"
source = "slide 4"
why = "nobody can see it again"
"#;

fn figure() -> String {
    let claim = |(statement, known): &(&str, &str)| {
        format!(
            "[[claim]]\nsays = \"c\"\npublished = \"p\"\nsource = \"s\"\nmetric = \"goodput\"\nmin = 1\ntolerance = \"t\"\n{statement}{known}"
        )
    };
    let of = |name: &str| format!("statement = \"{name}\"\n");
    let known = "known = \"k\"\n";
    let claims = [
        (of("full"), ""),
        (of("fast"), ""),
        (of("fast"), known),
        (of("slow"), known),
        (String::new(), ""),
    ];
    FIGURE.to_owned()
        + &claims.iter().map(|(statement, known)| claim(&(statement, known))).collect::<String>()
}

/// Returns a paper with these statements.
fn paper(statements: &str) -> Result<Paper, String> {
    let about = "title = \"t\"\nauthors = \"a\"\npublished = \"p\"\nabout = \"w\"";
    let parse = |file: &str| {
        Figure::parse(&figure(), file).unwrap_or_else(|error| panic!("{}", error.short()))
    };
    let mut experiment = parse("rates.toml");
    experiment.name = "why/rates".to_owned();
    let mut paper =
        Paper::parse("test", about, "paper.toml", vec![parse("f.toml")], vec![experiment])
            .expect("a paper");
    paper
        .state(statements, "statements.toml")
        .map_err(|error| format!("{} {}", error.short(), error.remedy()))?;
    Ok(paper)
}

#[test]
fn a_statement_holds_as_far_as_its_claims_do() {
    let paper = paper(STATEMENTS).unwrap_or_else(|error| panic!("{error}"));
    let found: Vec<Standing> =
        paper.statements.iter().map(|statement| paper.standing(&statement.name)).collect();
    assert_eq!(found, [Standing::Held, Standing::InPart, Standing::NotHeld, Standing::NotJudged]);
    assert_eq!(paper.statements[2].experiment.as_deref(), Some("why/rates"));
    // Claims of experiments do not judge statements.
    assert_eq!(paper.judging("fast").count(), 2);
    paper.figures[0]
        .check_statements(&paper.statements, &figure(), "f.toml")
        .unwrap_or_else(|error| panic!("{}", error.short()));
}

#[test]
fn no_statement_stands_without_claims_or_a_reason() {
    let edits = [
        (
            "why = \"a link is slow\"\n",
            "",
            "statements.toml:7: the statement is held in part, and why is missing",
        ),
        (
            "why = \"a link is fast\"\n",
            "",
            "statements.toml:13: the statement is not held, and why is missing",
        ),
        (
            "why = \"nobody can see it again\"\n",
            "",
            "statements.toml:20: no claim judges the statement, and why is missing",
        ),
        (
            "source = \"slide 1\"",
            "source = \"slide 1\"\nwhy = \"luck\"",
            "statements.toml:5: all claims of the statement hold: there is no why",
        ),
        (
            "name = \"fast\"",
            "name = \"full\"",
            "statements.toml:7: two statements are called \"full\"",
        ),
        ("why/rates", "why/rate", "statements.toml:17: there is no experiment \"why/rate\""),
        ("says = \"It is fast\"\n", "", "statements.toml"),
    ];
    for (from, to, wanted) in edits {
        assert!(STATEMENTS.contains(from), "{from}");
        let refused = paper(&STATEMENTS.replacen(from, to, 1))
            .err()
            .unwrap_or_else(|| panic!("this should be refused: {from} -> {to}"));
        assert!(refused.starts_with(wanted) && refused.len() > wanted.len() + 10, "{refused}");
    }
}

#[test]
fn a_claim_names_a_statement_that_there_is() {
    let paper = paper(STATEMENTS).unwrap_or_else(|error| panic!("{error}"));
    let refused = paper.figures[0]
        .check_statements(&paper.statements[1..], &figure(), "f.toml")
        .expect_err("\"full\" is not among them");
    assert_eq!(
        (refused.line(), refused.message()),
        (Some(21), "statements.toml has no statement \"full\"")
    );
}
