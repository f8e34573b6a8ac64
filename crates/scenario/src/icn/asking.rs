//! Algorithms by which consumers send Interests.

use crate::check::{choice, refused_parameters};
use crate::error::{Checked, Problem};
use crate::text::At;
use narrows_control::{Choice, Setup};
use narrows_icn::{Method, OFFERS};
use narrows_path::LawChoice;
use narrows_units::Bytes;
use std::ops::Range;

/// The algorithm of a consumer, as the scenario writes it.
#[derive(Clone, Copy)]
pub(super) struct Asking<'a> {
    pub(super) consumer: Option<&'a At<String>>,
    pub(super) controller: Option<&'a At<String>>,
}

impl Asking<'_> {
    fn is_empty(self) -> bool {
        self.consumer.is_none() && self.controller.is_none()
    }

    /// Returns the algorithm: this one, or else `default`, or else the one that suits the law.
    pub(super) fn resolve(
        self,
        default: Asking,
        law: Option<&LawChoice>,
        data: Bytes,
        span: &Range<usize>,
    ) -> Checked<Method> {
        let chosen = if self.is_empty() { default } else { self };
        match (chosen.consumer, chosen.controller) {
            (Some(consumer), Some(controller)) => Err(Problem::at(
                &controller.span,
                "a consumer has either a controller or a consumer algorithm",
                "keep one of the two",
            )
            .and(&consumer.span, "the other")),
            (None, Some(controller)) => {
                let choice: Choice = choice(controller)?;
                match choice.needs().into_iter().find(|need| !OFFERS.contains(need)) {
                    Some(need) => Err(Problem::at(
                        &controller.span,
                        format!(
                            "{} needs {need}, which Interests and Data do not give",
                            choice.entry().name()
                        ),
                        "take another controller, or a consumer that follows rates",
                    )),
                    None => Ok(Method::Window(buildable(controller, choice, data)?)),
                }
            }
            (Some(consumer), None) => {
                let checked: narrows_icn::ConsumerChoice = choice(consumer)?;
                let (needed, given) =
                    (checked.entry().classes, law.map_or(0, |law| law.entry().classes));
                if needed > given {
                    let message = match law {
                        None => format!(
                            "{} follows advertised rates, but the links advertise none",
                            checked.entry().name
                        ),
                        Some(law) => {
                            format!(
                                "{} needs rates of {needed} classes, but {} has {given}",
                                checked.entry().name,
                                law.entry().name
                            )
                        }
                    };
                    return Err(Problem::at(
                        &consumer.span,
                        message,
                        "choose another law in [icn], or another consumer",
                    ));
                }
                Ok(Method::Rates(checked))
            }
            (None, None) => match law.map_or(0, |law| law.entry().classes) {
                0 => Err(Problem::at(
                    span,
                    "nothing sets its rate: the links advertise no rates",
                    "add controller = \"cubic\", or choose a law in [icn]",
                )),
                1 => Ok(Method::Rates("single".parse().expect("a consumer of the registry"))),
                _ => Ok(Method::Rates("mircc".parse().expect("a consumer of the registry"))),
            },
        }
    }
}

/// Returns the controller. Refuses parameters that contradict each other.
fn buildable(text: &At<String>, chosen: Choice, data: Bytes) -> Checked<Choice> {
    let setup = Setup { mss: data, headers: Bytes::ZERO, ..Setup::default() };
    match chosen.build(&setup) {
        Ok(_) => Ok(chosen),
        Err(error) => Err(refused_parameters(text, &error)),
    }
}
