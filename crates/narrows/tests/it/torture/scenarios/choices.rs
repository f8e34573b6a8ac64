//! Controllers and queue disciplines with parameters, in combinations that work together.

use crate::torture::draw::Draw;
use narrows_control::{ENTRIES, Entry, EntryRef, Setup};
use narrows_params::{Catalogue, Choice, ParamKind, Registered};
use narrows_path::{DISCIPLINES, DisciplineChoice, offering};
use narrows_units::Random;

/// Controllers and queue disciplines from which the flows and links of a network choose.
pub struct Choices {
    controllers: Vec<String>,
    queues: Vec<String>,
}

impl Choices {
    /// Draws a family: controllers without routers and queues that are not routers, or one
    /// controller with its router.
    pub fn draw(random: &mut Random) -> Choices {
        let routed: Vec<_> = ENTRIES
            .iter()
            .copied()
            .filter(|entry| entry.needs.iter().any(|need| offering(*need).is_some()))
            .collect();
        if random.chance(0.25) {
            let controller: narrows_control::Choice =
                random.pick(&routed).name.parse().expect("a controller of the registry");
            return Choices {
                queues: vec![router_for(&controller)],
                controllers: vec![controller.text().to_owned()],
            };
        }
        let plain = |entry: &&Entry| !routed.iter().any(|other| other.name == entry.name);
        let controllers: Vec<_> = ENTRIES.iter().copied().filter(plain).collect();
        let queues: Vec<_> =
            DISCIPLINES.iter().copied().filter(|entry| entry.offers.is_empty()).collect();
        let many = |random: &mut Random| random.between(1, 3);
        Choices {
            controllers: (0..many(random)).map(|_| controller(&controllers, random)).collect(),
            queues: (0..many(random))
                .map(|_| with_parameters::<narrows_path::DisciplineEntry>(&queues, random))
                .collect(),
        }
    }

    pub fn controller(&self, random: &mut Random) -> &str {
        &self.controllers[random.below(self.controllers.len() as u64) as usize]
    }

    pub fn queue(&self, random: &mut Random) -> &str {
        &self.queues[random.below(self.queues.len() as u64) as usize]
    }
}

/// Returns the router that a controller needs, with the same meaning of codes.
fn router_for(controller: &narrows_control::Choice) -> String {
    let entry =
        controller.needs().into_iter().find_map(offering).expect("a controller with a router");
    let queue: DisciplineChoice = entry.name.parse().expect("a discipline of the registry");
    match controller.params().text("codes").filter(|_| queue.params().text("codes").is_some()) {
        Some(codes) => format!("{}?codes={codes}", entry.name),
        None => entry.name.to_owned(),
    }
}

/// Draws one of these controllers, with parameters if they fit together.
pub fn controller(entries: &[&'static Entry], random: &mut Random) -> String {
    let entries: Vec<EntryRef> = entries.iter().copied().map(EntryRef::from).collect();
    let text = with_parameters::<narrows_control::Controllers>(&entries, random);
    let choice: narrows_control::Choice = text.parse().expect("parameters in their ranges");
    if choice.build(&Setup::default()).is_ok() { text } else { choice.entry().name().to_owned() }
}

/// Draws an entry of a registry, with up to two of its parameters set.
pub fn with_parameters<C: Catalogue>(entries: &[C::Entry], random: &mut Random) -> String {
    let entry = random.pick(entries);
    let mut text = entry.name().to_owned();
    let mut mark = '?';
    for _ in 0..random.below(3) {
        let Some(param) =
            entry.params().get(random.below(entry.params().len() as u64 + 1) as usize)
        else {
            continue;
        };
        let number = |min: f64, max: f64, random: &mut Random| {
            let within = min + (max - min) * random.uniform();
            random.pick(&[min, max, within])
        };
        let value = match param.kind {
            ParamKind::Flag { .. } => random.pick(&["true", "false"]).to_string(),
            ParamKind::Choice { options, .. } => {
                random.pick(&options.iter().collect::<Vec<_>>()).to_string()
            }
            // Values near the default are more frequent than the ends of the range.
            ParamKind::Number { default, min, max, .. } if random.chance(0.7) => {
                (default * random.scaled(0.3, 3.0)).clamp(min, max).to_string()
            }
            ParamKind::Number { min, max, .. } => number(min, max, random).to_string(),
            ParamKind::NumberOr { word, .. } if random.chance(0.5) => word.to_owned(),
            ParamKind::NumberOr { min, max, .. } => number(min, max, random).to_string(),
        };
        let longer = format!("{text}{mark}{}={value}", param.name);
        if longer.parse::<Choice<C>>().is_ok() {
            (text, mark) = (longer, '&');
        }
    }
    text
}
