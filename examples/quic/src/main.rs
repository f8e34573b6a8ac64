//! Copies a file over noq, with a congestion controller of Narrows:
//!
//! ```sh
//! cargo run --release -- receive 127.0.0.1:4433 cert.der copy.bin             # on one terminal
//! cargo run --release -- send 127.0.0.1:4433 cert.der original.bin copa       # on another
//! ```
//!
//! The receiver writes its certificate to `cert.der`, which the sender trusts.

use noq::{ClientConfig, Endpoint, ServerConfig, TransportConfig, VarInt};
use rustls::RootCertStore;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;
use tokio::fs::{self, File};
use tokio::io::{AsyncWriteExt, copy};

type Outcome = Result<(), Box<dyn Error + Send + Sync>>;

const USAGE: &str = "quic-copy receive ADDRESS CERTIFICATE FILE\n\
    quic-copy send ADDRESS CERTIFICATE FILE [CONTROLLER, such as copa or bbr3]";

#[tokio::main]
async fn main() -> Outcome {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["receive", address, certificate, file] => {
            receive(address.parse()?, certificate, file).await
        }
        ["send", address, certificate, file] => {
            send(address, certificate, file, "copa").await
        }
        ["send", address, certificate, file, controller] => {
            send(address, certificate, file, controller).await
        }
        _ => Err(USAGE.into()),
    }
}

/// Receives one file, and ends.
async fn receive(address: SocketAddr, certificate: &str, file: &str) -> Outcome {
    let own = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()])?;
    let der = CertificateDer::from(own.cert);
    fs::write(certificate, &der).await?;
    let key = PrivatePkcs8KeyDer::from(own.signing_key.serialize_der());
    let config = ServerConfig::with_single_cert(vec![der], key.into())?;
    let endpoint = Endpoint::server(config, address)?;
    let connection = endpoint.accept().await.ok_or("the endpoint is closed")?.await?;
    let mut stream = connection.accept_uni().await?;
    let mut copied = File::create(file).await?;
    let bytes = copy(&mut stream, &mut copied).await?;
    copied.flush().await?;
    println!("{bytes} bytes received");
    // The sender closes the connection when all is acknowledged.
    connection.closed().await;
    Ok(())
}

/// Sends a file with a controller of Narrows to a host, by name or address, and port.
async fn send(address: &str, certificate: &str, file: &str, controller: &str) -> Outcome {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(fs::read(certificate).await?))?;
    let mut config = ClientConfig::with_root_certificates(Arc::new(roots))?;

    // These lines are all that Narrows needs.
    let mut transport = TransportConfig::default();
    narrows_quic::prepare(&mut transport, narrows_quic::Factory::new(controller)?);
    config.transport_config(Arc::new(transport));

    let mut found = tokio::net::lookup_host(address).await?;
    let address = found.find(SocketAddr::is_ipv4).ok_or("the host has no IPv4 address")?;
    let endpoint = Endpoint::client((Ipv4Addr::UNSPECIFIED, 0).into())?;
    endpoint.set_default_client_config(config);
    let connection = endpoint.connect(address, "localhost")?.await?;
    let began = Instant::now();
    let mut stream = connection.open_uni().await?;
    let bytes = copy(&mut File::open(file).await?, &mut stream).await?;
    stream.finish()?;
    stream.stopped().await?;
    let seconds = began.elapsed().as_secs_f64();
    println!("{bytes} bytes sent with {controller}: {:.1} Mbit/s", bytes as f64 * 8e-6 / seconds);
    connection.close(VarInt::from_u32(0), b"done");
    endpoint.wait_all_draining().await;
    Ok(())
}
