//! A producer and a consumer on the forwarder of this host. Run `narrows ndn forward &`, then
//! `cargo run -p narrows-forward --example object`.

use narrows_forward::{Consumer, Name, Object, Place, Producer};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    share(&Place::of_user()?)
}

/// Serves an object from one thread and fetches it from another, at MIRCC rates where links compute
/// them.
pub fn share(forwarder: &Place) -> Result<(), Box<dyn Error>> {
    let name: Name = "/example/greeting".parse()?;
    let mut producer = Producer::connect(forwarder)?;
    producer.serve(Object::new(name.clone(), b"Hello, NDN".repeat(10_000), 8000, 1))?;
    std::thread::spawn(move || producer.run(&mut || true));

    let mut content = Vec::new();
    let fetched = Consumer::connect(forwarder)?.fetch(&name, &mut content, &mut |_| ())?;
    println!("{}: {} octets in {}", fetched.name, content.len(), fetched.took);
    assert!(content == b"Hello, NDN".repeat(10_000));
    Ok(())
}
