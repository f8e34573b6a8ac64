//! The stack noq, the QUIC implementation of iroh (github.com/n0-computer/noq).

mod config;
mod crypto;
mod host;
mod streams;
mod watched;

use crate::connection::Connection;
use crate::dice;
use crate::settings::{ACK_EVERY, MTU, ORDERED, Settings, WINDOW};
use crate::watch::Watch;
use host::NoqHost;
use narrows_control::{Basis, Build, End, Entry, Guest, Setup};
use narrows_params::{ParamError, Params, Spec};
use noq_proto::congestion::{Bbr3Config, ControllerFactory, CubicConfig, NewRenoConfig};
use std::sync::Arc;
use std::time::Instant;
use watched::WatchedFactory;

/// The entries, in the order of lists.
pub(crate) static ENTRIES: [&Entry; 3] = [&NEWRENO, &CUBIC, &BBR3];

static PARAMS: &[Spec] = &[MTU.spec, WINDOW.spec, ACK_EVERY.spec, ORDERED.spec];

static NEWRENO: Entry = Entry {
    name: "noq:newreno",
    kernel: None,
    summary: "NewReno of the QUIC stack noq 1.4.0, in its own transport",
    source: "crate noq-proto 1.4.0, src/congestion/new_reno.rs",
    basis: Basis::Loss,
    needs: &[],
    numbered: false,
    params: PARAMS,
    build: Build::Guest(|setup, params| make(setup, params, Arc::new(NewRenoConfig::default()))),
};

static CUBIC: Entry = Entry {
    name: "noq:cubic",
    summary: "CUBIC of the QUIC stack noq 1.4.0, in its own transport; without HyStart",
    source: "crate noq-proto 1.4.0, src/congestion/cubic.rs",
    build: Build::Guest(|setup, params| make(setup, params, Arc::new(CubicConfig::default()))),
    ..NEWRENO
};

static BBR3: Entry = Entry {
    name: "noq:bbr3",
    summary: "BBRv3 of the QUIC stack noq 1.4.0, in its own transport",
    source: "crate noq-proto 1.4.0, src/congestion/bbr3/mod.rs",
    basis: Basis::Model,
    build: Build::Guest(|setup, params| {
        dice::check(params.entry(), draw)?;
        make(setup, params, Arc::new(Bbr3Config::default()))
    }),
    ..NEWRENO
};

/// Makes a controller that makes a generator.
fn draw() {
    drop(Arc::new(Bbr3Config::default()).build(Instant::now(), 1200));
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
        NoqHost::new(End::Sender, &settings, watched, Some(Arc::clone(&watch))),
        NoqHost::new(End::Receiver, &settings, factory, None),
    ];
    Ok(Box::new(Connection::new(hosts, watch, &settings)))
}
