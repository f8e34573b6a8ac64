//! Prices of connections: the core gets the prices for the socket's priority, and decides by them.
#![cfg(feature = "bpf")]

use crate::common::{is_root, name};
use narrows_control::cores::Twin;
use narrows_kernel::{KernelError, Pinned, Price};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

/// Type of service, and the priority that Linux gives a socket for it (`rt_tos2priority`:
/// interactive).
const INTERACTIVE: (u8, u32) = (0x10, 6);

fn load(text: &str, name: &str) -> Pinned {
    let (twin, choice) = Twin::read(text).unwrap();
    let constants = twin.constants_of(&choice).unwrap();
    Pinned::load(twin, &choice, &constants, name).unwrap_or_else(|error| panic!("{error}")).0
}

/// Sends a megabyte over a connection with this controller and type of service. Returns the port of
/// the sender.
fn transfer(controller: &str, service: u8) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut sender = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    rustix::net::sockopt::set_ip_tos(&sender, service).unwrap();
    rustix::net::sockopt::set_tcp_congestion(&sender, controller).unwrap();
    let (mut receiver, _) = listener.accept().unwrap();
    let received = thread::spawn(move || {
        let mut received = Vec::new();
        receiver.read_to_end(&mut received).unwrap();
        received.len()
    });
    sender.write_all(&vec![0; 1_000_000]).unwrap();
    let port = sender.local_addr().unwrap().port();
    drop(sender);
    assert_eq!(received.join().unwrap(), 1_000_000);
    port
}

#[test]
fn connections_of_a_priority_have_its_prices() {
    if !is_root() {
        return;
    }
    let name = name("price");
    let pinned = load("pcc-vivace", &name);
    assert_eq!(pinned.prices().unwrap(), []);
    let price = Price { is_set: 1, loss: 50, latency: 0 };
    pinned.set_price(INTERACTIVE.1, price).unwrap();
    assert!(pinned.set_price(16, price).is_err(), "there are 16 priorities");
    let found = Pinned::named(&name).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(found.prices().unwrap(), [(INTERACTIVE.1, price)], "another process finds them");
    let watching = found.watch().unwrap_or_else(|error| panic!("{error}"));
    watching.records(Duration::ZERO, drop);
    let (priced, ordinary) = (transfer(&name, INTERACTIVE.0), transfer(&name, 0));
    let mut seen: BTreeMap<u16, (u64, u64)> = BTreeMap::new();
    watching.records(Duration::from_millis(500), |record| {
        let input = &record.input;
        let (own, other) = seen.entry(record.port).or_default();
        match (input.priority, input.priced, input.price_of_loss, input.price_of_latency) {
            (6, 1, 50, 0) => *own += 1,
            (0, 0, 0, 0) => *other += 1,
            odd => panic!("{odd:?}"),
        }
    });
    let (one, other) = (seen[&priced], seen[&ordinary]);
    assert!(one.0 > 10 && one.1 == 0 && other.0 == 0 && other.1 > 10, "{seen:?}");
    drop(watching);
    pinned.set_price(INTERACTIVE.1, Price::default()).unwrap();
    assert_eq!(pinned.prices().unwrap(), []);
    pinned.unload().unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn controllers_without_prices_say_so() {
    if !is_root() {
        return;
    }
    let pinned = load("hstcp", &name("unpriced"));
    assert!(matches!(pinned.prices(), Err(KernelError::NoPrices { .. })));
    assert!(matches!(
        pinned.set_price(0, Price { is_set: 1, loss: 1, latency: 1 }),
        Err(KernelError::NoPrices { .. })
    ));
    pinned.unload().unwrap_or_else(|error| panic!("{error}"));
}
