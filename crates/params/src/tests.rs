use crate::{Catalogue, Choice, Need, Param, ParamError, ParamKind, Registered, Spec, Words, word};
use narrows_units::Span;
use std::borrow::Cow;

struct Entry {
    name: &'static str,
    params: &'static [Spec],
}

impl Registered for &'static Entry {
    const WHAT: &'static str = "thing";
    fn name(&self) -> &str {
        self.name
    }
    fn params(&self) -> &[Spec] {
        self.params
    }
    fn kept(&self) -> (Cow<'static, str>, Cow<'static, [Spec]>) {
        (Cow::Borrowed(self.name), Cow::Borrowed(self.params))
    }
}

impl Catalogue for Entry {
    type Entry = &'static Entry;
    fn built_in() -> Vec<&'static Entry> {
        vec![
            &Entry {
                name: "full",
                params: &[FLAG.spec, NUMBER.spec, WHOLE.spec, TIME.spec, MAYBE.spec, FORM.spec],
            },
            &Entry { name: "other", params: &[OTHER_FORM.spec] },
        ]
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Round,
    Square,
}

const FLAG: Param<bool> = Param::flag("flag", false, "").needing(Need::Pacing);
const NUMBER: Param<f64> = Param::number("number", 0.5, (0.0, 1.0), "Hz", "").sparing(Need::Pacing);
const WHOLE: Param<u32> = Param::whole("whole", 3, (1, u32::MAX), "packets", "");
const TIME: Param<Span> = Param::millis("time", 0.8, (0.0, 100.0), "");
const MAYBE: Param<Option<f64>> = Param::number_or("maybe", "never", (1.0, 9.0), "s", "");
const FORM: Param<Form> =
    Param::choice("form", "square", &[("round", Form::Round), ("square", Form::Square)], "");
const OTHER_FORM: Param<Form> = Param::choice("form", "round", &[("round", Form::Round)], "");

fn choice(text: &str) -> Choice<Entry> {
    text.parse().unwrap()
}

#[test]
fn a_parameter_that_is_not_set_has_its_default() {
    let params = choice("full").params();
    assert_eq!((params.get(&FLAG), params.get(&NUMBER), params.get(&WHOLE)), (false, 0.5, 3));
    assert_eq!(
        (params.get(&TIME), params.get(&MAYBE), params.get(&FORM)),
        (Span::from_micros(800), None, Form::Square)
    );
}

#[test]
fn a_parameter_that_is_set_has_its_value_with_its_type() {
    let choice = choice("full?flag&number=1&whole=4294967295&time=0.1&maybe=2&form=round");
    let params = choice.params();
    assert_eq!((params.get(&FLAG), params.get(&NUMBER), params.get(&WHOLE)), (true, 1.0, u32::MAX));
    assert_eq!(
        (params.get(&TIME), params.get(&MAYBE), params.get(&FORM)),
        (Span::from_micros(100), Some(2.0), Form::Round)
    );
    assert_eq!(self::choice("full?maybe=never").params().get(&MAYBE), None);
    assert_eq!(
        (choice.set("time").as_deref(), self::choice("full").set("time")),
        (Some("0.1"), None)
    );
}

#[test]
fn all_values_are_shown_as_they_would_be_written() {
    let params = choice("full?flag=on&form=round").params();
    let texts: Vec<(&str, String)> = params.texts().map(|(spec, text)| (spec.name, text)).collect();
    let expected = [
        ("flag", "true"),
        ("number", "0.5"),
        ("whole", "3"),
        ("time", "0.8"),
        ("maybe", "never"),
        ("form", "round"),
    ];
    assert_eq!(texts, expected.map(|(name, text)| (name, text.to_owned())));
    assert_eq!((params.text("maybe").as_deref(), params.text("none")), (Some("never"), None));
}

#[test]
fn values_that_are_not_allowed_are_refused() {
    let refused = |text: &str| text.parse::<Choice<Entry>>().unwrap_err().to_string();
    assert_eq!(
        refused("full?whole=1.5"),
        "full: whole=1.5 is not allowed; it must be a whole number"
    );
    assert_eq!(
        refused("full?whole=0"),
        "full: whole=0 is not allowed; it must be a number from 1 to 4294967295 packets"
    );
    assert_eq!(
        refused("full?time=-1"),
        "full: time=-1 is not allowed; it must be a number from 0 to 100 ms"
    );
    assert_eq!(
        refused("full?maybe=0"),
        "full: maybe=0 is not allowed; it must be never, or a number from 1 to 9 s"
    );
    assert_eq!(
        refused("full?form=flat"),
        "full: form=flat is not allowed; it must be one of round, square"
    );
}

#[test]
fn only_what_was_changed_is_needed_or_refused() {
    assert_eq!(choice("full?flag=no").needs(), []);
    assert_eq!(choice("full?flag").needs(), [Need::Pacing]);
    assert_eq!(
        ["full", "full?number=0.5", "full?number=0.25"]
            .map(|text| choice(text).spares(Need::Pacing)),
        [false, false, true]
    );
    assert_eq!(choice("full?number=0.5").params().refuse(&NUMBER, "left out"), Ok(()));
    let error = ParamError::Value {
        entry: "full".to_owned(),
        name: "number",
        value: "0.25".to_owned(),
        allowed: "left out".to_owned(),
    };
    assert_eq!(choice("full?number=0.25").params().refuse(&NUMBER, "left out"), Err(error));
}

#[test]
fn a_parameter_of_another_entry_is_not_there() {
    let params = choice("other").params();
    assert_eq!((params.optional(&FLAG), params.optional(&OTHER_FORM)), (None, Some(Form::Round)));
    // A parameter of equal name with other words is another parameter.
    assert_eq!(params.optional(&FORM), None);
    let unlisted = std::panic::catch_unwind(|| choice("other").params().get(&NUMBER));
    assert_eq!(unlisted.is_err(), cfg!(debug_assertions));
}

#[test]
fn words_are_listed_in_their_order() {
    let ParamKind::Choice { default, options } = FORM.spec.kind else { unreachable!("a choice") };
    assert_eq!((default, options.iter().collect::<Vec<_>>()), ("square", vec!["round", "square"]));
}

#[test]
fn words_known_at_run_time_are_kept_once() {
    assert!(std::ptr::eq(word("gain"), word(&["ga", "in"].concat())));
    let listed = |words: &[&str]| Words::listed(words.iter().map(|one| word(one)).collect());
    assert!(listed(&["own", "none"]) == listed(&["own", "none"]));
    assert!(listed(&["own", "none"]) != listed(&["none", "own"]));
}
