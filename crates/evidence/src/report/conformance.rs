//! Conformance to the cases of the BBR draft: table, JSON and page.

use super::rows::{EXPLAINED, table};
use crate::bbr_draft::{Case, Outcome, Verdict, cases};
use maud::{Markup, html};
use narrows_figure::number::short;
use narrows_report::{Document, text_table};
use serde::Serialize;

const CSS: &str = include_str!("check.css");
const READING: &str = include_str!("reading-draft.html");

/// The outcomes of the draft's cases for a controller.
#[derive(Clone, Debug, Serialize)]
pub struct Conformance {
    /// Version of the format.
    pub format: u32,
    /// Version of Narrows.
    pub narrows: String,
    /// Name of the draft.
    pub draft: String,
    /// The controller with its parameters.
    pub controller: String,
    /// The command that repeats the test.
    pub remake: String,
    /// Outcomes of each variant of each case, in order.
    pub outcomes: Vec<Outcome>,
}

impl Conformance {
    /// Returns the verdict line: "30 pass, 2 fail (all explained)".
    pub fn line(&self) -> String {
        let count =
            |verdict: Verdict| self.outcomes.iter().filter(|own| own.verdict == verdict).count();
        let explained = if self.is_explained() { " (all explained)" } else { "" };
        let all = [(Verdict::Pass, "pass", ""), (Verdict::Fail, "fail", explained)];
        let told = all.into_iter().filter(|(verdict, _, _)| count(*verdict) > 0);
        told.map(|(verdict, word, more)| format!("{} {word}{more}", count(verdict)))
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// True if every failure is known for the profile.
    pub fn is_explained(&self) -> bool {
        self.outcomes.iter().filter(|own| own.verdict == Verdict::Fail).all(Outcome::is_explained)
    }

    /// Formats the outcomes as a table.
    pub fn text(&self) -> String {
        let mut rows = vec![["Case", "", "Verdict"].map(str::to_owned).to_vec()];
        rows.extend(
            self.outcomes
                .iter()
                .map(|own| vec![own.case.to_owned(), title(own), word(own).to_owned()]),
        );
        let failures = self.outcomes.iter().filter(|own| own.verdict == Verdict::Fail);
        let reasons: String =
            failures.map(|own| format!("\n{}, {}: {}\n", own.case, title(own), why(own))).collect();
        format!(
            "{} by {}: {}\n\n{}{reasons}",
            self.controller,
            self.draft,
            self.line(),
            text_table(&rows, 3)
        )
    }

    /// Returns the outcomes as JSON.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("its fields are texts and finite numbers") + "\n"
    }

    /// Returns the outcomes as a page that needs no script.
    pub fn html(&self) -> String {
        let heads = ["Case", "Verdict", "The case asks", "Evidence"];
        let main = html! {
            p.line { (self.line()) }
            (table("criteria cases", &heads, self.outcomes.iter().map(row)))
            section {
                h2 { "Made again by" }
                pre { (self.remake) }
            }
        };
        let title = format!("{} by {}", self.controller, self.draft);
        let setup = "Its 22 example cases, on 50 Mbit/s and 40 ms unless the case says otherwise.";
        Document {
            title: &title,
            setup,
            notes: &[],
            css: CSS,
            reading: READING,
            explained: EXPLAINED,
            main,
            version: &self.narrows,
        }
        .html()
    }
}

fn case(own: &Outcome) -> Option<&'static Case> {
    cases().iter().find(|case| case.id == own.case)
}

fn title(own: &Outcome) -> String {
    let title = case(own).map_or("", |case| case.title);
    if own.variant.is_empty() { title.to_owned() } else { format!("{title}: {}", own.variant) }
}

fn word(own: &Outcome) -> &'static str {
    match own.verdict {
        Verdict::Pass => "pass",
        Verdict::Fail if own.is_explained() => "fail, known",
        Verdict::Fail => "fail",
    }
}

fn why(own: &Outcome) -> String {
    if own.is_explained() && !own.known.is_empty() {
        known(own).join("; ")
    } else {
        own.reasons.join("; ")
    }
}

/// Returns the known reasons of an outcome's failures, each reason once.
fn known(own: &Outcome) -> Vec<&'static str> {
    let repeats = |place: &usize| own.known[..*place].contains(&own.known[*place]);
    (0..own.known.len()).filter(|place| !repeats(place)).map(|place| own.known[place]).collect()
}

fn row(own: &Outcome) -> Markup {
    let class = match own.verdict {
        Verdict::Pass => "pass",
        Verdict::Fail if own.is_explained() => "concern",
        Verdict::Fail => "fail",
    };
    let reasons = own.reasons.iter().map(String::as_str).chain(known(own));
    let evidence = own.evidence.iter().map(|(name, value)| format!("{name} {}", short(*value)));
    html! {
        tr {
            th scope="row" { (own.case) small { (title(own)) } }
            td.words {
                span class={ "verdict " (class) } { (word(own)) }
                @for text in reasons { small { (text) } }
            }
            td.words {
                (case(own).map_or("", |case| case.demand))
                @if let Some(text) = own.differs_from_text { small { (text) } }
            }
            td.words { small { (evidence.collect::<Vec<_>>().join("; ")) } }
        }
    }
}
