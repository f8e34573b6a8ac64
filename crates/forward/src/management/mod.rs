//! NFD's management protocol: commands and datasets under `/localhost/nfd`.
//!
//! Sources: NFD's wiki, pages "ControlCommand", "StatusDataset", "FaceMgmt", "FibMgmt", "RibMgmt",
//! "StrategyChoice", "CsMgmt", "ForwarderStatus". Only local faces may send commands. The digest of
//! a command is checked; other signatures are not.

mod command;
mod datasets;
pub(crate) mod events;
pub(crate) mod faces;
pub(crate) mod reply;
mod response;
mod rib;
mod strategies;
mod tables;

use crate::name::PacketName;
use crate::state::State;
use command::Command;
pub(crate) use command::Effect;
use narrows_icn::Interest;
use narrows_ndn as ndn;
use narrows_ndn::management::{CommandForm, ControlParameters, ManagementName, Scope};
use narrows_ndn::signature::SignatureType;
use narrows_units::Time;
pub(crate) use reply::Reply;
use response::Outcome;

/// The answer to an Interest, and the action that the daemon must take.
pub(crate) type Answer = (Reply, Option<Effect>);

/// Answers an Interest under the management's prefix. The face with the number `from` received it.
/// Names of unknown datasets, and of segments that are not stored, get no answer.
pub(crate) fn answer(
    state: &mut State,
    now: Time,
    from: Option<u64>,
    interest: &Interest<PacketName>,
) -> Answer {
    const NOTHING: Answer = (Reply::new(), None);
    let view = interest.name.view();
    let (Some(name), Some(from)) = (ManagementName::parse(&view), from) else { return NOTHING };
    if !state.face_of(from).is_some_and(|face| face.setup.is_local) {
        return NOTHING;
    }
    // From one hop away, only routes can be managed.
    let is_route = matches!((name.module, name.verb), (b"rib", b"register" | b"unregister"));
    if name.scope == Scope::Localhop && !is_route {
        return NOTHING;
    }
    if let Some(stored) = state.memory.stored.find(now, interest) {
        return (vec![stored], None);
    }
    if events::is_stream(&name) {
        return NOTHING;
    }
    if let Some(reply) = datasets::answer(state, now, &name, &interest.name) {
        return (reply, None);
    }
    match command(from, &interest.name, &name, interest.body.octets(&interest.name)) {
        Err(refused) => (vec![refused.data(&interest.name)], None),
        Ok(command) => {
            let (outcome, effect) = execute(state, now, &name, &command);
            (outcome.map(|outcome| outcome.data(&interest.name)).into_iter().collect(), effect)
        }
    }
}

/// Decodes and checks a command.
fn command<'a>(
    from: u64,
    whole: &'a PacketName,
    name: &ManagementName<'a>,
    octets: &[u8],
) -> Result<Command<'a>, Outcome> {
    let refuse = |code, text: &str| Err(Outcome::refuse(code, text));
    let Ok(interest) = ndn::Interest::decode(octets) else {
        return refuse(400, "the command cannot be read");
    };
    if CommandForm::of(&interest).is_err() || interest.check_parameters().is_err() {
        return refuse(403, "the command's digest of parameters is wrong");
    }
    if let Ok(Some(signature)) = interest.signature()
        && signature.info.signature_type == SignatureType::DigestSha256
        && signature.check_digest().is_err()
    {
        return refuse(403, "the command's signature is wrong");
    }
    let parameters = match name.parameters() {
        Some(Ok(parameters)) => parameters,
        Some(Err(error)) => {
            return refuse(400, &format!("the command's parameters cannot be read: {error}"));
        }
        None => ControlParameters::default(),
    };
    if parameters.name.is_some_and(|prefix| prefix.len() > 32) {
        return refuse(414, "the name has more than 32 components");
    }
    Ok(Command { name: whole, from, parameters })
}

/// Executes a command. Without an outcome, the answer follows later.
fn execute(
    state: &mut State,
    now: Time,
    name: &ManagementName<'_>,
    command: &Command<'_>,
) -> (Option<Outcome>, Option<Effect>) {
    let outcome = match (name.module, name.verb) {
        (b"faces", b"create") => return faces::create(state, command),
        (b"faces", b"destroy") => return faces::destroy(state, command),
        (b"faces", b"update") => faces::update(state, command),
        (b"rib", b"register") => rib::register(state, now, command),
        (b"rib", b"unregister") => rib::unregister(state, command),
        (b"fib", b"add-nexthop") => rib::add_next_hop(state, command),
        (b"fib", b"remove-nexthop") => rib::remove_next_hop(state, command),
        (b"strategy-choice", b"set") => strategies::set(state, command),
        (b"strategy-choice", b"unset") => strategies::unset(state, command),
        (b"cs", b"config") => tables::configure_store(state, command),
        (b"cs", b"erase") => tables::erase(state, command),
        _ => Outcome::refuse(501, "there is no such command"),
    };
    (Some(outcome), None)
}
