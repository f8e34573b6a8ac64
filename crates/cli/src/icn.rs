//! What `narrows compare --icn` compares: ways of controlling the rates of a whole information-centric network.

use crate::error::Failure;
use narrows_control::Choice;
use narrows_icn::{ConsumerChoice, Method};
use narrows_params::ParamError;
use narrows_path::LawChoice;
use narrows_scenario::Scenario;
use std::path::Path;

/// A law of the links' rates, a consumer or a congestion controller, with what follows from it.
#[derive(Clone, Debug, PartialEq)]
pub struct IcnWay {
    law: Option<LawChoice>,
    by: Method,
    text: String,
}

impl IcnWay {
    /// Ways compared if none is named.
    pub const DEFAULT: [&str; 3] = ["mircc", "rcp", "newreno"];

    /// Reads "mircc?eta=0.9" or "best-subflow": a law comes with the consumer that follows its classes, a consumer with MIRCC. `None` if it
    /// is neither.
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

    /// A window, and no rates.
    pub fn window(controller: Choice) -> IcnWay {
        IcnWay { law: None, text: controller.text().to_owned(), by: Method::Window(controller) }
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The network of `file`, or a small one of our own, controlled so.
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
            // Windows know no paths: Data that comes by several looks lost to them.
            icn.strategy = "best-route".parse().expect("a strategy of the registry");
        }
        icn.consumers.iter_mut().for_each(|consumer| consumer.by = self.by.clone());
        icn.requests.iter_mut().for_each(|process| process.by = self.by.clone());
        Ok(scenario)
    }
}
