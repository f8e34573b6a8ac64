//! Controllers chosen by text.

use narrows_control::cores::Twin;
use narrows_control::{
    Basis, Build, Choice, Controllers, ENTRIES, Entry, EntryRef, FileForm, KeptFile, OwnedEntry,
    Session, Setup, TWINS,
};
use narrows_params::{Catalogue, ParamKind};
use narrows_units::Segments;
use std::sync::Arc;

fn error(text: &str) -> String {
    text.parse::<Choice>().unwrap_err().to_string()
}

/// A program without the stacks, such as this one, names the feature that has them.
#[test]
fn a_stack_that_the_program_lacks_is_refused_with_the_feature() {
    for name in ["noq:bbr3", "copa@noq", "quinn:cubic?mtu=1452"] {
        let error = name.parse::<Choice>().unwrap_err().to_string();
        assert!(
            error.ends_with("build it with --features quic, which is a default feature"),
            "{error}"
        );
    }
    let error = "other:cubic".parse::<Choice>().unwrap_err().to_string();
    assert!(!error.contains("feature"), "{error}");
}

#[test]
fn what_is_wrong_and_what_would_be_right() {
    for (written, near) in
        [("cubik", "cubic"), ("bbr2", "bbr3"), ("new-reno", "newreno"), ("BBR3", "bbr3")]
    {
        assert_eq!(
            error(written),
            format!(r#"there is no controller "{written}"; did you mean "{near}"?"#)
        );
    }
    assert!(
        error("tahoe")
            .starts_with(r#"there is no controller "tahoe"; known controllers: newreno, cubic, "#),
        "{}",
        error("tahoe")
    );
    insta::assert_snapshot!(error("cubic?beta=0.7"), @r#"cubic has no parameter "beta"; known parameters: profile, hz, fast_convergence, hystart, friendliness, ecn, start, start_again, search_version, search_threshold, search_limited, drain, rapid_threshold, rapid_k, css, resume, resume_beta, max_jump, growth"#);
    insta::assert_snapshot!(error("cubic?hz=250&hz=250"), @r#"parameter "hz" of cubic is set twice; keep one"#);
    insta::assert_snapshot!(error("cubic?profile=rfc8312"), @"cubic: profile=rfc8312 is not allowed; it must be one of linux, rfc9438");
    insta::assert_snapshot!(error("cubic?hz=10"), @"cubic: hz=10 is not allowed; it must be a number from 100 to 1000 Hz");
    insta::assert_snapshot!(error("cubic?hystart=maybe"), @"cubic: hystart=maybe is not allowed; it must be true or false");
    insta::assert_snapshot!(error("bbr?era=linux-2.6"), @"bbr: era=linux-2.6 is not allowed; it must be one of linux-4.15, linux-6");
}

#[test]
fn other_names_mean_one_entry_and_former_names_tell_the_new_one() {
    for (other, own) in Controllers::other_names() {
        let choice: Choice = other.parse().unwrap();
        assert_eq!((choice.entry().name(), choice.text()), (*own, *own));
        assert!(ENTRIES.iter().all(|entry| entry.name != *other), "{other} is a name of its own");
    }
    assert_eq!("bbrv3?ecn=off".parse::<Choice>().unwrap().text(), "bbr3?ecn=off");
    // The kernel's names of controllers that it gets from here.
    for twin in TWINS {
        assert_eq!(twin.kernel, twin.entry.name.replace('-', "_"));
        assert_eq!(Twin::named(twin.kernel), Ok(*twin));
    }
    assert_eq!(
        error("pcc-kernel?fixed"),
        r#"the controller "pcc-kernel" is now called "pcc-vivace"; write that"#
    );
    assert!(
        Controllers::former_names()
            .iter()
            .all(|(_, now)| ENTRIES.iter().any(|entry| entry.name == *now))
    );
    assert_eq!(
        Twin::named("fast").unwrap_err().to_string(),
        r#"there is no kernel controller "fast"; did you mean "fast-kernel"?"#
    );
    let linux = r#"there is no loadable kernel controller "cubic"; Linux has it, built in or as a module: `narrows live` takes it as it is"#;
    assert_eq!(Twin::named("cubic").unwrap_err().to_string(), linux);
}

#[test]
fn parameters_that_a_profile_has_no_use_for_are_refused() {
    let error = |text: &str| {
        text.parse::<Choice>().unwrap().build(&Setup::default()).map(drop).unwrap_err()
    };
    insta::assert_snapshot!(error("cubic?profile=rfc9438&hz=1000"), @"cubic: hz=1000 is not allowed; it must be left out with profile=rfc9438, which has no ticks");
    insta::assert_snapshot!(error("hstcp?profile=linux&limited_slow_start=100"), @"hstcp: limited_slow_start=100 is not allowed; it must be left out with profile=linux, which has no such limit");
    insta::assert_snapshot!(error("bbr3?ecn"), @"bbr3: ecn=true is not allowed; it must be left out with profile=draft, which has no answer to marks");
    insta::assert_snapshot!(error("scalable?low_window=38&profile=linux"), @"scalable: low_window=38 is not allowed; it must be left out with profile=linux, which has no legacy window");
}

#[test]
fn a_start_that_cannot_be_exchanged_is_refused_with_the_reason() {
    let own = "its start is the controller's own and cannot be exchanged; leave it out, or take a controller that lists it";
    for name in ["bbr", "bbr3", "copa", "vegas", "fast", "ledbatpp", "prague", "screamv2", "vcp"] {
        for param in ["start", "resume", "growth"] {
            assert_eq!(
                error(&format!("{name}?{param}=search")),
                format!(r#"{name} has no parameter "{param}": {own}"#)
            );
        }
    }
    let error = |text: &str| {
        text.parse::<Choice>().unwrap().build(&Setup::default()).map(drop).unwrap_err()
    };
    insta::assert_snapshot!(error("hstcp?profile=linux&start=search"), @"hstcp: start=search is not allowed; it must be left out with profile=linux, whose slow start is in its core");
    insta::assert_snapshot!(error("scalable?profile=linux&growth=free"), @"scalable: growth=free is not allowed; it must be left out with profile=linux, whose slow start is in its core");
    insta::assert_snapshot!(error("cubic?start=search&hystart=true"), @"cubic: hystart=true is not allowed; it must be left out beside start");
    insta::assert_snapshot!(error("newreno?drain=third"), @"newreno: drain=third is not allowed; it must be left out without start=search");
    insta::assert_snapshot!(error("newreno?start=search&css=mended"), @"newreno: css=mended is not allowed; it must be left out without start=hystart++");
    insta::assert_snapshot!(error("dctcp?resume_beta=0.7"), @"dctcp: resume_beta=0.7 is not allowed; it must be left out without resume");
}

#[test]
fn parameters_are_taken_in_any_order_and_flags_without_value_are_true() {
    for text in [
        "cubic",
        "cubic?",
        "cubic?ecn",
        "cubic?ecn&profile=rfc9438",
        "cubic?hystart=off&hz=1000",
        "bbr?era=linux-4.15",
        "newreno?ecn=no",
    ] {
        let choice: Choice = text.parse().unwrap();
        assert_eq!(choice.text(), text);
        choice.build(&Setup::default()).unwrap();
    }
}

#[test]
fn every_entry_is_complete() {
    for entry in ENTRIES {
        assert!(
            entry
                .name
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'),
            "{}",
            entry.name
        );
        // Octets that the kernel allows in the name of a congestion control module.
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.';
        assert!(
            entry.kernel.is_none_or(|kernel| kernel.len() <= 15 && kernel.bytes().all(allowed)),
            "{}",
            entry.name
        );
        assert!(!entry.summary.is_empty() && !entry.source.is_empty());
        assert_eq!(
            ENTRIES.iter().filter(|other| other.name == entry.name).count(),
            1,
            "{} twice",
            entry.name
        );
        for param in entry.params {
            assert!(!param.help.is_empty());
            assert_eq!(
                entry.params.iter().filter(|other| other.name == param.name).count(),
                1,
                "{} twice",
                param.name
            );
            if let ParamKind::NumberOr { word, .. } = param.kind {
                assert!(word.parse::<f64>().is_err(), "{}", param.name);
            }
        }
        entry.name.parse::<Choice>().unwrap().build(&Setup::default()).unwrap();
    }
}

/// Like newreno, with a window of `segments` at first whatever the connection says.
fn entry(name: &str, segments: f64) -> OwnedEntry {
    let newreno = newreno();
    let build = move |setup: &Setup, _: &narrows_params::Params| {
        newreno.build.make(
            &Setup { initial_window: Segments::new(segments), ..*setup },
            &"newreno".parse::<Choice>().unwrap().params(),
        )
    };
    OwnedEntry {
        name: name.to_owned(),
        summary: "for this test".to_owned(),
        source: "this file".to_owned(),
        basis: Basis::Loss,
        needs: Vec::new(),
        params: Vec::new(),
        build: Build::Shared(Arc::new(build)),
    }
}

fn newreno() -> &'static Entry {
    ENTRIES.iter().find(|entry| entry.name == "newreno").unwrap()
}

#[test]
fn a_controller_added_at_run_time_is_chosen_and_listed_after_the_others() {
    let session = Session::default();
    let _session = session.enter();
    for name in ["added-first", "Added.2_nd"] {
        session.register(entry(name, 7.0)).unwrap();
        let controller = name.parse::<Choice>().unwrap().build(&Setup::default()).unwrap();
        assert_eq!(controller.decision().window, Segments::new(7.0));
    }
    let all = Controllers::all();
    let names: Vec<&str> = all.iter().map(EntryRef::name).collect();
    let expected = ENTRIES.iter().map(|entry| entry.name).chain(["added-first", "Added.2_nd"]);
    assert!(names.iter().copied().eq(expected), "{names:?}");
    assert_eq!(
        error("added-frist"),
        r#"there is no controller "added-frist"; did you mean "added-first"?"#
    );
}

/// Commands that run at the same time do not see each other's controllers.
#[test]
fn a_controller_is_there_in_the_threads_of_its_session_only() {
    let session = Session::default();
    session.register(entry("mine", 7.0)).unwrap();
    assert!("mine".parse::<Choice>().is_err());
    let entered = session.enter();
    "mine".parse::<Choice>().unwrap();
    assert!(std::thread::spawn(|| "mine".parse::<Choice>().is_err()).join().unwrap());
    drop(entered);
    assert!("mine".parse::<Choice>().is_err());
}

fn file(object: Vec<u8>) -> Arc<KeptFile> {
    Arc::new(KeptFile { form: FileForm::Policy, object, source: None, notes: Vec::new() })
}

/// A search makes a hundred thousand policies in one process.
#[test]
fn what_a_session_has_loaded_is_freed_with_it_and_its_last_choice() {
    let mut entries = Vec::new();
    let mut files = Vec::new();
    let mut choice = None;
    for number in 0..1000 {
        let session = Session::default();
        let _session = session.enter();
        let file = file(vec![0; 1000]);
        let stem = format!("policy-{number}");
        let loaded = session.register_file(&stem, "policy", |name| entry(&name, 7.0), &file);
        let EntryRef::Owned(loaded) = loaded.unwrap() else { unreachable!("it is of a file") };
        entries.push(Arc::downgrade(&loaded));
        files.push(Arc::downgrade(&file));
        choice = Some(stem.parse::<Choice>().unwrap());
    }
    let alive = || entries.iter().filter(|entry| entry.upgrade().is_some()).count();
    assert_eq!((alive(), files.iter().filter(|file| file.upgrade().is_some()).count()), (1, 0));
    let made = choice.take().unwrap().build(&Setup::default()).unwrap();
    assert_eq!((made.decision().window, alive()), (Segments::new(7.0), 0));
}

#[test]
fn a_name_that_another_controller_has_is_refused() {
    let session = Session::default();
    let _session = session.enter();
    let refused = |name: &str| session.register(entry(name, 7.0)).unwrap_err().to_string();
    insta::assert_snapshot!(refused("dctcp"), @r#"the controller "dctcp" (for this test) cannot be added: "dctcp" is there already (Data Center TCP: reduces once per window by half of the average share of marked packets; for queues that mark at a threshold); give it another name in its Entry"#);
    insta::assert_snapshot!(refused("reno"), @r#"the controller "reno" cannot be added: "reno" is another name of "newreno"; give it another name in its Entry"#);
    insta::assert_snapshot!(refused("pcc-kernel"), @r#"the controller "pcc-kernel" cannot be added: "pcc-kernel" is another name of "pcc-vivace"; give it another name in its Entry"#);
    insta::assert_snapshot!(refused("a?b"), @r#"the controller "a?b" cannot be added: a name has letters, digits, '-', '_' and '.'; give it such a name in its Entry"#);
    insta::assert_snapshot!(refused(""), @r#"the controller "" cannot be added: a name has letters, digits, '-', '_' and '.'; give it such a name in its Entry"#);
    // The user of a file has no entry to change.
    let refused_file = session
        .register_file("my grad", "bpf", |name| entry(&name, 7.0), &file(Vec::new()))
        .err()
        .unwrap()
        .to_string();
    insta::assert_snapshot!(refused_file, @r#"the file's name gives the controller's, "my grad", and the name of a controller has letters, digits, '-', '_' and '.': rename the file"#);
    session.register(entry("twice", 7.0)).unwrap();
    insta::assert_snapshot!(refused("twice"), @r#"the controller "twice" (for this test) cannot be added: "twice" is there already (for this test); give it another name in its Entry"#);
    assert_eq!(Controllers::all().iter().filter(|entry| entry.name() == "twice").count(), 1);
}
