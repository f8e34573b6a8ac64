//! The stack quinn (github.com/quinn-rs/quinn).

mod config;
mod crypto;
mod host;
mod streams;
mod watched;

use crate::connection::Connection;
use crate::dice;
use crate::settings::{ACK_EVERY, MTU, ORDERED, Settings, WINDOW};
use crate::watch::Watch;
use host::QuinnHost;
use narrows_control::{Basis, Build, End, Entry, Guest, Setup};
use narrows_params::{ParamError, Params, Spec};
use quinn_proto::congestion::{BbrConfig, ControllerFactory, CubicConfig, NewRenoConfig};
use std::sync::Arc;
use std::time::Instant;
use watched::WatchedFactory;

/// The entries, in the order of lists.
pub(crate) static ENTRIES: [&Entry; 3] = [&NEWRENO, &CUBIC, &BBR];

static PARAMS: &[Spec] = &[MTU.spec, WINDOW.spec, ACK_EVERY.spec, ORDERED.spec];

static NEWRENO: Entry = Entry {
    name: "quinn:newreno",
    kernel: None,
    summary: "NewReno of the QUIC stack quinn 0.11.19, in its own transport",
    source: "crate quinn-proto 0.11.19, src/congestion/new_reno.rs",
    basis: Basis::Loss,
    needs: &[],
    numbered: false,
    params: PARAMS,
    build: Build::Guest(|setup, params| make(setup, params, Arc::new(NewRenoConfig::default()))),
};

static CUBIC: Entry = Entry {
    name: "quinn:cubic",
    summary: "CUBIC of the QUIC stack quinn 0.11.19, in its own transport; without HyStart",
    source: "crate quinn-proto 0.11.19, src/congestion/cubic.rs",
    build: Build::Guest(|setup, params| make(setup, params, Arc::new(CubicConfig::default()))),
    ..NEWRENO
};

static BBR: Entry = Entry {
    name: "quinn:bbr",
    summary: "BBR (v1) of the QUIC stack quinn 0.11.19, in its own transport, which does not pace by its rate",
    source: "crate quinn-proto 0.11.19, src/congestion/bbr/mod.rs",
    basis: Basis::Model,
    build: Build::Guest(|setup, params| {
        dice::check(params.entry(), draw)?;
        make(setup, params, Arc::new(BbrConfig::default()))
    }),
    ..NEWRENO
};

/// Makes a controller that makes a generator.
fn draw() {
    drop(Arc::new(BbrConfig::default()).build(Instant::now(), 1200));
}

/// True if the generators of the stack's controllers can be seeded.
pub(crate) fn is_seeded() -> bool {
    dice::takes_seed(draw)
}

/// Both ends of a connection whose controllers `factory` makes.
pub(crate) fn make(
    setup: &Setup,
    params: &Params,
    factory: Arc<dyn ControllerFactory + Send + Sync>,
) -> Result<Box<dyn Guest>, ParamError> {
    let settings = Settings::new(setup, params);
    let watch = Arc::new(Watch::default());
    let watched =
        Arc::new(WatchedFactory { inner: Arc::clone(&factory), watch: Arc::clone(&watch) });
    let hosts = [
        QuinnHost::new(End::Sender, &settings, watched, Some(Arc::clone(&watch))),
        QuinnHost::new(End::Receiver, &settings, factory, None),
    ];
    Ok(Box::new(Connection::new(hosts, watch, &settings)))
}
