//! Controllers of Narrows in noq over UDP sockets of the loopback, by the wall clock and with TLS,
//! through a bottleneck of 50 Mbit/s and 40 ms. On an idle machine:
//! `cargo test --release -- --ignored`.

use noq::{ClientConfig, Endpoint, ServerConfig, TransportConfig, VarInt};
use rustls::RootCertStore;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Rate of the bottleneck, delay of each way, and buffer: 1 bdp.
const BITS_PER_SECOND: f64 = 50e6;
const DELAY: Duration = Duration::from_millis(20);
const BUFFER: Duration = Duration::from_millis(40);

/// Headers of IP and UDP, which the link carries too.
const HEADERS: usize = 28;

/// Seconds of a run, and how many of them are left out at its beginning.
const SECONDS: f64 = 12.0;
const WARMUP: f64 = 3.0;

type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Packets on their way: when each arrives, and its content.
type Way = VecDeque<(Instant, Vec<u8>)>;

/// Carries datagrams between whoever sends to `left` and the server, until `stop` is set.
fn bottleneck(left: &UdpSocket, server: SocketAddr, stop: &AtomicBool) -> std::io::Result<()> {
    let right = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    right.connect(server)?;
    left.set_nonblocking(true)?;
    right.set_nonblocking(true)?;
    let (mut forth, mut back): (Way, Way) = Default::default();
    let (mut free_at, mut client) = (Instant::now(), None);
    let mut buffer = [0; 65_536];
    while !stop.load(Ordering::Relaxed) {
        let mut idle = true;
        while let Ok((length, from)) = left.recv_from(&mut buffer) {
            (idle, client) = (false, Some(from));
            let now = Instant::now();
            let begins = free_at.max(now);
            if begins - now <= BUFFER {
                let bits = (length + HEADERS) as f64 * 8.0;
                free_at = begins + Duration::from_secs_f64(bits / BITS_PER_SECOND);
                forth.push_back((free_at + DELAY, buffer[..length].to_vec()));
            }
        }
        while let Ok(length) = right.recv(&mut buffer) {
            idle = false;
            back.push_back((Instant::now() + DELAY, buffer[..length].to_vec()));
        }
        let now = Instant::now();
        while forth.front().is_some_and(|(at, _)| *at <= now) {
            let _ = right.send(&forth.pop_front().unwrap().1);
        }
        while back.front().is_some_and(|(at, _)| *at <= now) {
            let content = back.pop_front().unwrap().1;
            let _ = client.map(|client| left.send_to(&content, client));
        }
        if idle {
            std::thread::sleep(Duration::from_micros(100));
        }
    }
    Ok(())
}

/// Share of the bottleneck that a bulk flow uses, headers included.
async fn utilisation(controller: &str) -> Outcome<f64> {
    let own = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()])?;
    let der = CertificateDer::from(own.cert);
    let key = PrivatePkcs8KeyDer::from(own.signing_key.serialize_der());
    let server = ServerConfig::with_single_cert(vec![der.clone()], key.into())?;
    let server = Endpoint::server(server, (Ipv4Addr::LOCALHOST, 0).into())?;
    let far = server.local_addr()?;

    let left = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    let near = left.local_addr()?;
    let stop = Arc::new(AtomicBool::new(false));
    let stops = Arc::clone(&stop);
    let middle = std::thread::spawn(move || bottleneck(&left, far, &stops));

    let mut roots = RootCertStore::empty();
    roots.add(der)?;
    let mut config = ClientConfig::with_root_certificates(Arc::new(roots))?;
    let mut transport = TransportConfig::default();
    narrows_quic::prepare(&mut transport, narrows_quic::Factory::new(controller)?);
    config.transport_config(Arc::new(transport));
    let client = Endpoint::client((Ipv4Addr::LOCALHOST, 0).into())?;
    client.set_default_client_config(config);

    let reader = tokio::spawn(async move {
        let connection = server.accept().await.ok_or("the endpoint is closed")?.await?;
        let mut stream = connection.accept_uni().await?;
        let (began, mut counted) = (Instant::now(), 0);
        let mut buffer = vec![0; 1 << 16];
        while began.elapsed().as_secs_f64() < SECONDS {
            let Some(length) = stream.read(&mut buffer).await? else { break };
            if began.elapsed().as_secs_f64() >= WARMUP {
                counted += length;
            }
        }
        Outcome::Ok(counted as f64 * 8.0 / (SECONDS - WARMUP))
    });
    let connection = client.connect(near, "localhost")?.await?;
    let mut stream = connection.open_uni().await?;
    let writer = tokio::spawn(async move {
        let block = vec![7; 1 << 16];
        while stream.write_all(&block).await.is_ok() {}
    });
    let payload = reader.await??;
    connection.close(VarInt::from_u32(0), b"done");
    writer.await?;
    stop.store(true, Ordering::Relaxed);
    middle.join().expect("a bottleneck that runs to its end")?;
    // A full datagram has some 1424 B of payload in 1480 B of packet.
    Ok(payload * 1480.0 / 1424.0 / BITS_PER_SECOND)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a minute by the wall clock, on an idle machine: cargo test --release -- --ignored"]
async fn controllers_use_a_bottleneck_of_the_loopback() -> Outcome<()> {
    for (controller, least) in [("cubic", 0.95), ("copa", 0.90), ("bbr3", 0.90), ("pcc-vivace", 0.88)] {
        let share = utilisation(controller).await?;
        println!("{controller}: {:.1} %", share * 100.0);
        assert!(share >= least, "{controller}: {:.1} % of the bottleneck", share * 100.0);
    }
    Ok(())
}
