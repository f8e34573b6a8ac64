//! The native core takes the same decisions as the kernel, bit for bit.
#![cfg(feature = "bpf")]

use crate::common::{is_root, name};
use narrows_control::Choice;
use narrows_control::TWINS;
use narrows_control::cores::Twin;
use narrows_kernel::{Loaded, Replayer};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

#[test]
fn over_the_loopback() {
    if !is_root() {
        return;
    }
    let name = name("replay");
    let usual = TWINS.iter().map(|twin| (*twin, twin.choice));
    // Rate samples exist since Linux 6.10.
    let sampled = ["pcc-vivace?association=delivered", "pcc-allegro?association=delivered"]
        .map(|text| (Twin::read(text).unwrap().0, text));
    for (twin, text) in usual.chain(sampled) {
        let choice: Choice = text.parse().unwrap();
        let constants = twin.constants_of(&choice).unwrap();
        let loaded = Loaded::new(twin, &constants, &name).unwrap_or_else(|error| panic!("{error}"));
        loaded.record(true);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        rustix::net::sockopt::set_tcp_congestion(&stream, &name).unwrap();
        let (mut other, _) = listener.accept().unwrap();
        let reader = thread::spawn(move || {
            let mut buffer = vec![0; 65536];
            while other.read(&mut buffer).unwrap() > 0 {}
        });
        stream.write_all(&vec![0; 3 << 20]).unwrap();
        drop(stream);
        reader.join().unwrap();
        let mut replayer = Replayer::new(twin, &constants);
        let mut samples = 0;
        loaded.records(Duration::from_millis(100), |record| {
            samples += u32::from(record.input.sampled == 1 && record.input.prior_delivered > 0);
            replayer.feed(record);
        });
        let tally = replayer.tally();
        assert_eq!(samples > 4, text.contains("delivered"), "{text}: {samples} rate samples");
        assert!(tally.replayed > 4 && tally.unequal == 0 && tally.missed == 0, "{text}: {tally}");
        assert_eq!(loaded.stats().opened, 1);
    }
}
