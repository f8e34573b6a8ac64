//! A forwarding daemon: the node of `narrows-icn` on sockets. [`Producer`] and [`Consumer`] are for
//! applications that use it.
//!
//! ```no_run
//! use narrows_forward::{Consumer, Name, Object, Place, Producer};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let (forwarder, name): (Place, Name) = (Place::of_user()?, "/example/greeting".parse()?);
//! let mut producer = Producer::connect(&forwarder)?;
//! producer.serve(Object::new(name.clone(), b"Hello, NDN".to_vec(), 8000, 1))?;
//! std::thread::spawn(move || producer.run(&mut || true));
//! let mut content = Vec::new();
//! Consumer::connect(&forwarder)?.fetch(&name, &mut content, &mut |_| ())?;
//! # Ok(())
//! # }
//! ```

mod app;
mod client;
mod config;
mod daemon;
mod departure;
mod device;
mod egress;
mod event;
mod face;
mod face_uri;
mod forwarder;
mod handover;
mod inbox;
mod io;
mod link;
mod link_rates;
mod log;
mod management;
mod marker;
mod memory;
mod name;
mod numbers;
mod octets;
mod place;
mod readers;
mod reconnect;
mod rib;
mod shard;
mod sharding;
mod shared;
mod sockets;
mod state;
mod stored;
mod thread;
mod wait;
mod wall;

pub use app::answer::Answer;
pub use app::armour::{CertificateFileError, encode_certificate_file};
pub use app::asker::{Request, RequestLoop};
pub use app::consumer::{Consumer, PingOutcome, Received};
pub use app::content::Segments;
pub use app::fetch::{Fetched, Progress};
pub use app::fetch_error::FetchError;
pub use app::filler::LoadProducer;
pub use app::identity::{Identity, IdentityError};
pub use app::object::Object;
pub use app::path::{FoundPath, PathPingOutcome};
pub use app::producer::{Connection, Producer};
pub use app::trust::{SignatureStatus, Trust, TrustError};
pub use client::{Client, ClientError};
pub use config::{
    Config, ConfigError, FaceEntry, LinkRate, Listen, LogFile, Mircc, MirccSupport, Rates, Tables,
    Text,
};
pub use daemon::{Daemon, DaemonError, Stopper, Watcher, raise_descriptor_limit};
pub use event::Event;
pub use face::FaceSetup;
pub use face_uri::{FaceUri, NDN_PORT, Remote, RemoteError, Transport};
pub use forwarder::{Forwarder, Opened, Sockets, TooManyFaces};
pub use handover::{Handover, Handovers};
pub use link_rates::LinkRates;
pub use name::{PacketName, Token, Wire};
pub use narrows_ndn::{Data, Interest, InterestDraft, Name};
pub use place::Place;
pub use rib::{Change, Hop, Rib, Route};
pub use shared::Shared;
