//! Contenders of `narrows compare --icn`: ways to control the rates of a whole information-centric
//! network.

use crate::error::Failure;
use narrows_control::Choice;
use narrows_icn::{ConsumerChoice, Method};
use narrows_params::ParamError;
use narrows_path::LawChoice;
use narrows_scenario::Scenario;
use std::path::Path;

/// A way of control: a rate law of the links with a consumer that follows it, or a congestion
/// controller with a window.
#[derive(Clone, Debug, PartialEq)]
pub struct IcnWay {
    law: Option<LawChoice>,
    by: Method,
    text: String,
}

impl IcnWay {
    /// Default contenders.
    pub const DEFAULT: [&str; 3] = ["mircc", "rcp", "newreno"];

    /// Parses a rate law ("mircc?eta=0.9") or a consumer ("best-subflow"). A law implies the
    /// consumer that follows its classes, a consumer implies the law MIRCC. Returns `None` for
    /// other names.
    pub fn read(text: &str) -> Result<Option<IcnWay>, String> {
        let way = |law, by| {
            Ok(Some(IcnWay { law: Some(law), by: Method::Rates(by), text: text.to_owned() }))
        };
        match text.parse::<LawChoice>() {
            Ok(law) => {
                let consumer = if law.entry().classes > 1 { "mircc" } else { "single" };
                return way(law, consumer.parse().expect("a consumer of the registry"));
            }
            Err(ParamError::UnknownName { .. }) => {}
            Err(error) => return Err(error.to_string()),
        }
        match text.parse::<ConsumerChoice>() {
            Ok(consumer) => way("mircc".parse().expect("a law of the registry"), consumer),
            Err(ParamError::UnknownName { .. }) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Creates a way of control with a window and without rates.
    pub fn window(controller: Choice) -> IcnWay {
        IcnWay { law: None, text: controller.text().to_owned(), by: Method::Window(controller) }
    }

    /// Returns the text of the choice as the user wrote it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the network of `file`, or a small built-in network, under this way of control.
    pub fn network(&self, file: Option<&Path>) -> Result<Scenario, Failure> {
        let mut scenario = match file {
            Some(file) => narrows_scenario::load(file)?,
            None => {
                let text = include_str!("../../../scenarios/icn.toml");
                narrows_scenario::parse(text, "icn.toml", &narrows_scenario::read_named)?
            }
        };
        let Some(icn) = &mut scenario.icn else {
            return Err(Failure::Other(
                "this network is not information-centric; leave --icn out, or add an [icn] table"
                    .to_owned(),
            ));
        };
        icn.law = self.law.clone();
        if icn.law.is_none() {
            (icn.proxy, icn.police) = (false, false);
            // Windows do not distinguish paths: Data that arrives over several paths looks lost to
            // them.
            icn.strategy = "best-route".parse().expect("a strategy of the registry");
        }
        icn.consumers.iter_mut().for_each(|consumer| consumer.by = self.by.clone());
        icn.requests.iter_mut().for_each(|process| process.by = self.by.clone());
        Ok(scenario)
    }
}
