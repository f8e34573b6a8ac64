//! NFD's management protocol: commands and datasets under `/localhost/nfd`.
//!
//! Sources: NFD's wiki, pages "ControlCommand", "StatusDataset", "FaceMgmt", "FibMgmt", "RibMgmt", "StrategyChoice", "CsMgmt",
//! "ForwarderStatus". Local faces command; a digest of a command is checked, other signatures are not.

mod datasets;
pub(crate) mod events;
pub(crate) mod faces;
mod response;
mod rib;
mod strategies;
mod tables;

use crate::face::LinkRates;
use crate::face_uri::Remote;
use crate::name::{PacketName, Wire};
use crate::state::State;
use narrows_icn::{Data, FaceId, Interest, Route};
use narrows_ndn as ndn;
use narrows_ndn::management::{CommandForm, ControlParameters, ManagementName, Scope};
use narrows_ndn::signature::SignatureType;
use narrows_units::{Bytes, Span, Time};
use narrows_wire::Rates;
use response::Outcome;

/// Data of the management.
pub(crate) type Reply = Vec<Data<PacketName>>;

/// A command, and who sent it.
pub(crate) struct Command<'a> {
    /// Its whole name: the answer has it too.
    name: &'a PacketName,
    /// The number of the face on which it came.
    from: u64,
    parameters: ControlParameters<'a>,
}

impl Command<'_> {
    /// The face that the command means: that on which it came, unless it names one.
    fn face(&self) -> u64 {
        self.parameters.face_id.filter(|face| *face != 0).unwrap_or(self.from)
    }
}

/// What the daemon must do beside answering.
#[derive(Clone, Debug)]
pub(crate) enum Effect {
    /// Open a face, and tell the end by [`faces::opened`].
    Open {
        /// Stands for the command.
        ticket: u64,
        /// The neighbour.
        remote: Remote,
        /// The rates of its link, if they are known.
        rates: Option<LinkRates>,
    },
    /// Remove a face.
    Close(FaceId),
}

/// The answer to an Interest, and what else is to be done.
pub(crate) type Answer = (Reply, Option<Effect>);

/// Answers an Interest under a name of the management, which came on the face with this number. Unknown names of datasets, and segments that
/// are not stored, get no answer.
pub(crate) fn answer(state: &mut State, now: Time, from: Option<u64>, interest: &Interest<PacketName>) -> Answer {
    const NOTHING: Answer = (Reply::new(), None);
    let view = interest.name.view();
    let (Some(name), Some(from)) = (ManagementName::parse(&view), from) else { return NOTHING };
    if !state.face_of(from).is_some_and(|face| face.setup.is_local) {
        return NOTHING;
    }
    // One hop away, only routes are managed.
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
    match command(from, &interest.name, &name, interest.body.octets()) {
        Err(refused) => (vec![refused.data(&interest.name)], None),
        Ok(command) => {
            let (outcome, effect) = obey(state, now, &name, &command);
            (outcome.map(|outcome| outcome.data(&interest.name)).into_iter().collect(), effect)
        }
    }
}

/// Checks the form of a command.
fn command<'a>(from: u64, whole: &'a PacketName, name: &ManagementName<'a>, octets: &[u8]) -> Result<Command<'a>, Outcome> {
    let refuse = |code, text: &str| Err(Outcome::refuse(code, text));
    let Ok(interest) = ndn::Interest::decode(octets) else { return refuse(400, "the command cannot be read") };
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
        Some(Err(error)) => return refuse(400, &format!("the command's parameters cannot be read: {error}")),
        None => ControlParameters::default(),
    };
    if parameters.name.is_some_and(|prefix| prefix.len() > 32) {
        return refuse(414, "the name has more than 32 components");
    }
    Ok(Command { name: whole, from, parameters })
}

/// Obeys a command. Without an outcome the answer comes later.
fn obey(state: &mut State, now: Time, name: &ManagementName<'_>, command: &Command<'_>) -> (Option<Outcome>, Option<Effect>) {
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

/// Data of the management: signed with a digest, and not for caches.
fn management_data(octets: Vec<u8>) -> Data<PacketName> {
    let decoded = ndn::Data::decode(&octets).expect("Data that was just written");
    let (start, view) = (decoded.name.value().as_ptr() as usize - octets.as_ptr() as usize, decoded.name);
    let shared = octets.as_slice().into();
    Data {
        name: PacketName::within(&shared, &view, start),
        marked: false,
        no_cache: true,
        size: Bytes::new(octets.len() as u64),
        rates: Rates::UNLIMITED,
        freshness: Span::from_millis(decoded.meta.freshness_ms.unwrap_or(0)),
        route: Route::default(),
        token: crate::name::Token::default(),
        body: Wire::data(shared),
    }
}
