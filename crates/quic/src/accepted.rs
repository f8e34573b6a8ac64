//! Which controllers a library can carry.

use narrows_control::{Choice, kept_object};
use narrows_params::{Need, ParamError};
use std::fmt;
use thiserror::Error;

/// A QUIC library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stack {
    /// noq: packet numbers, pacing.
    Noq,
    /// quinn: windows alone.
    Quinn,
}

impl fmt::Display for Stack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stack::Noq => "noq",
            Stack::Quinn => "quinn",
        })
    }
}

/// Why a controller cannot be used in a library.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Refused {
    /// There is no such controller, or its parameters are wrong.
    #[error(transparent)]
    Choice(#[from] ParamError),
    /// It needs a signal that the library does not give, or does not obey.
    #[error("{controller} cannot run in {stack}: it needs {need}, and {why}; {remedy}")]
    Need {
        /// The controller.
        controller: String,
        /// The library.
        stack: Stack,
        /// The signal.
        need: Need,
        /// The library's behaviour instead.
        why: &'static str,
        /// The remedy.
        remedy: &'static str,
    },
    /// It is not written for a transport that numbers its transmissions.
    #[error("{controller} cannot run in {stack}: {why}; {remedy}")]
    Kind {
        /// The controller.
        controller: String,
        /// The library.
        stack: Stack,
        /// Why.
        why: &'static str,
        /// The remedy.
        remedy: &'static str,
    },
}

/// Refuses a controller that would miss something in this library.
pub(crate) fn check(choice: &Choice, stack: Stack) -> Result<(), Refused> {
    let (entry, controller) = (choice.entry(), choice.text().to_owned());
    let kind =
        |why, remedy| Err(Refused::Kind { controller: controller.clone(), stack, why, remedy });
    if entry.is_guest() {
        return kind("it belongs to a QUIC library already", "take it in that library");
    }
    if kept_object(entry.name()).is_some() {
        return kind(
            "BPF programs read TCP's recovery state in the socket, which QUIC does not have",
            "take a controller of Narrows, such as cubic or copa",
        );
    }
    if entry.numbered() && stack == Stack::Quinn {
        return kind(
            "it sends at rates that it measures packet by packet, and quinn neither paces by a \
             controller's rate nor tells packet numbers",
            "take noq, or cubic",
        );
    }
    for need in choice.needs() {
        if let Some((why, remedy)) = missing(need, stack).filter(|_| !choice.spares(need)) {
            return Err(Refused::Need { controller, stack, need, why, remedy });
        }
    }
    Ok(())
}

/// Why a library does not give a signal, and what would do; `None` if it gives it.
fn missing(need: Need, stack: Stack) -> Option<(&'static str, &'static str)> {
    const ROUTERS: &str = "QUIC packets have no header that routers write into";
    const IN_TCP: &str = "take a controller without routers, such as copa or bbr3";
    const IN_NOQ: &str = "take noq, or a controller that has a window alone, such as cubic";
    match (need, stack) {
        (Need::StampedRate | Need::LoadCode | Need::Delta, _) => Some((ROUTERS, IN_TCP)),
        (Need::EcnCounts, _) => Some((
            "the library tells that something was marked, not how much, and never sends ECT(1)",
            "take cubic, which takes a mark for a loss",
        )),
        (Need::Pacing, Stack::Quinn) => {
            Some(("quinn paces by its window, whatever rate a controller says", IN_NOQ))
        }
        (Need::Tags, Stack::Quinn) => {
            Some(("quinn does not tell which packets were acknowledged or lost", IN_NOQ))
        }
        (Need::RateSample | Need::BroadAppLimits, Stack::Quinn) => {
            Some(("quinn does not tell which packets were acknowledged", IN_NOQ))
        }
        (Need::Outstanding, _) | (_, Stack::Noq) => None,
    }
}
