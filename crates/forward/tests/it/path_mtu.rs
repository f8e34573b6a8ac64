//! Two daemons in network namespaces, on a link with a small MTU: objects cross the link both ways,
//! whatever fits one packet. Needs root. The tests remove everything that they make.

use super::namespaces::{ALONE, CONFIG, run};
use narrows_forward::{Client, Consumer, Name, Object, Place, Producer};
use narrows_ndn::management::{ControlParameters, FaceStatus, Scope, entries};
use rustix::process::geteuid;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Octets of the object sent each way.
const CONTENT: usize = 20_000_000;

/// Two namespaces, and a link between them.
struct Link {
    names: [String; 2],
    directory: PathBuf,
    daemons: Vec<Child>,
    /// Networks are made one after another, because daemons of several would wait for processors.
    _alone: MutexGuard<'static, ()>,
}

impl Link {
    /// Makes the namespaces and the link.
    ///
    /// # Errors
    /// The reason why this host cannot make them.
    fn make() -> Result<Link, String> {
        if !geteuid().is_root() {
            return Err("making network namespaces needs root".to_owned());
        }
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let id = format!("{}-{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let names = ["a", "b"].map(|end| format!("nrm-{id}-{end}"));
        let directory = std::env::temp_dir().join(format!("nrm-{id}"));
        std::fs::create_dir_all(&directory).map_err(|error| error.to_string())?;
        // From here on, everything is removed whatever fails.
        let link = Link { names, directory, daemons: Vec::new(), _alone: alone };
        let [a, b] = &link.names;
        for command in [
            format!("ip netns add {a}"),
            format!("ip netns add {b}"),
            format!("ip -n {a} link add near type veth peer name far netns {b}"),
        ] {
            run(&command)?;
        }
        for (name, device, own) in [(a, "near", 1), (b, "far", 2)] {
            // Without duplicate address detection, IPv6 addresses are ready at once.
            run(&format!("ip netns exec {name} sysctl -qw net.ipv6.conf.{device}.accept_dad=0"))?;
            run(&format!("ip -n {name} addr add 10.9.0.{own}/24 dev {device}"))?;
            run(&format!("ip -n {name} addr add fd00:9::{own}/64 dev {device} nodad"))?;
            run(&format!("ip -n {name} link set lo up"))?;
            run(&format!("ip -n {name} link set {device} up"))?;
        }
        Ok(link)
    }

    fn set_mtu(&self, mtu: usize) {
        for (name, device) in self.names.iter().zip(["near", "far"]) {
            run(&format!("ip -n {name} link set {device} mtu {mtu}")).expect("an MTU");
        }
    }

    /// Switches segmentation, receive and checksum offload of both devices, if ethtool is
    /// available.
    fn set_device_offload(&self, on: bool) {
        let state = if on { "on" } else { "off" };
        for (name, device) in self.names.iter().zip(["near", "far"]) {
            let features = ["tx", "rx", "sg", "tso", "gso", "gro"]
                .map(|feature| format!(" {feature} {state}"))
                .concat();
            if let Err(reason) = run(&format!("ip netns exec {name} ethtool -K {device}{features}"))
            {
                println!("the offload of devices was not changed: {reason}");
            }
        }
    }

    fn socket(&self, end: usize) -> PathBuf {
        self.directory.join(format!("{end}.sock"))
    }

    fn place(&self, end: usize) -> Place {
        Place::Unix(self.socket(end))
    }

    /// Command that runs a daemon as a separate process.
    fn command(&self, end: usize, config: &str) -> Command {
        let file = self.directory.join(format!("{end}.toml"));
        let log = self.directory.join(format!("{end}.log"));
        let text = format!(
            "[log]\nfile = \"{}\"\n[tables]\ncontent_store = 0\n[listen]\nunix = \"{}\"\ntcp = []\n{config}",
            log.display(),
            self.socket(end).display()
        );
        std::fs::write(&file, text).expect("a file");
        let mut command = Command::new("ip");
        command
            .args(["netns", "exec", &self.names[end]])
            .arg(std::env::current_exe().expect("this program"));
        command
            .args(["--exact", "namespaces::daemon_process", "--ignored", "--nocapture"])
            .env(CONFIG, &file);
        command
    }

    fn start(&mut self, end: usize, config: &str) {
        let child = self.command(end, config).stdout(Stdio::null()).spawn().expect("a process");
        self.daemons.push(child);
        let began = Instant::now();
        while UnixStream::connect(self.socket(end)).is_err() {
            assert!(
                began.elapsed() < Duration::from_secs(60),
                "the daemon of end {end} does not start"
            );
            sleep(Duration::from_millis(10));
        }
    }

    /// Ends the daemons and removes their logs.
    fn stop(&mut self) {
        for mut daemon in self.daemons.drain(..) {
            // An error means that the daemon has already ended.
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
        for end in [0, 1] {
            let _ = std::fs::remove_file(self.directory.join(format!("{end}.log")));
        }
    }

    /// Log of the daemon of one end.
    fn log(&self, end: usize) -> String {
        std::fs::read_to_string(self.directory.join(format!("{end}.log"))).unwrap_or_default()
    }

    /// Number, MTU and losses of the face to a neighbour, as the daemon of one end reports them.
    fn face(&self, end: usize, remote: &str) -> Option<(u64, u64, u64)> {
        let content = Client::connect(&self.place(end))
            .expect("a connection")
            .dataset("/localhost/nfd/faces/list")
            .expect("faces");
        entries::<FaceStatus<'_>>(&content)
            .map(|face| face.expect("a face"))
            .find(|face| face.uri.starts_with(remote))
            .map(|face| (face.face_id, face.mtu.unwrap_or(0), face.out_dropped.unwrap_or(0)))
    }

    /// Sends 20 MB each way at once and compares them. The far end knows the near end only by its
    /// packets.
    fn exchange(&self, near: &str) {
        let content: Arc<Vec<u8>> = Arc::new(
            (0..CONTENT as u32)
                .map(|number| (number.wrapping_mul(2_654_435_761) >> 13) as u8)
                .collect(),
        );
        let go_on = Arc::new(AtomicBool::new(true));
        let names: [Name; 2] =
            ["/near/object", "/far/object"].map(|name| name.parse().expect("a name"));
        let producers: Vec<_> = names
            .iter()
            .enumerate()
            .map(|(end, name)| {
                let mut producer = Producer::connect(&self.place(end)).expect("a connection");
                producer
                    .serve(Object::new(name.clone(), content.to_vec(), 8000, 1))
                    .expect("a route");
                let go_on = go_on.clone();
                std::thread::spawn(move || {
                    producer.run(&mut || go_on.load(Ordering::Relaxed)).expect("an end in order")
                })
            })
            .collect();
        // A first Interest creates the face at the far end, which then gets a route.
        let mut first = Consumer::connect(&self.place(0)).expect("a connection");
        first
            .ping(&"/far".parse().expect("a name"), 1, narrows_units::Span::from_millis(100))
            .expect("a connection");
        let (face, ..) = self.face(1, near).expect("the packets of the near end make a face");
        let prefix: Name = "/near".parse().expect("a name");
        let parameters = ControlParameters {
            name: Some(prefix.as_ref()),
            face_id: Some(face),
            ..ControlParameters::default()
        };
        Client::connect(&self.place(1))
            .expect("a connection")
            .command(Scope::Localhost, "rib", "register", &parameters)
            .expect("a route");
        let consumers: Vec<_> = [(0, names[1].clone()), (1, names[0].clone())]
            .into_iter()
            .map(|(end, name)| {
                let (place, content) = (self.place(end), content.clone());
                std::thread::spawn(move || {
                    let mut got = Vec::new();
                    let fetched = Consumer::connect(&place).expect("a connection").fetch(
                        &name,
                        &mut got,
                        &mut |_| (),
                    );
                    let fetched =
                        fetched.unwrap_or_else(|error| panic!("{}: {error}", name.as_ref()));
                    assert!(got == *content, "{}: other content", name.as_ref());
                    fetched.took
                })
            })
            .collect();
        let took: Vec<_> = consumers.into_iter().map(|consumer| consumer.join()).collect();
        go_on.store(false, Ordering::Relaxed);
        producers.into_iter().for_each(|producer| producer.join().expect("a producer"));
        let took: Vec<String> =
            took.into_iter().map(|took| took.expect("a consumer").to_string()).collect();
        println!("{}: 20 MB each way in {}", near, took.join(" and "));
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.stop();
        for name in &self.names {
            let _ = run(&format!("ip netns del {name}"));
        }
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// A link. `None` if this host cannot make it.
fn link() -> Option<Link> {
    Link::make().map_err(|reason| println!("skipped: {reason}")).ok()
}

/// Exchanges objects on a link with this MTU, with and without offload by the devices and by the
/// forwarder. No MTU is configured: the faces find it out.
fn crosses(link: &mut Link, mtu: usize, near: &str, far: &str, headers: usize) {
    link.set_mtu(mtu);
    for offload in [true, false] {
        link.set_device_offload(offload);
        let own = |address: &str| format!("udp = [\"{address}:6363\"]\noffload = {offload}\n");
        let (near_uri, far_uri) = (format!("udp://{near}"), format!("udp://{far}"));
        link.start(1, &own(far));
        link.start(
            0,
            &format!("{}[[face]]\nremote = \"{far_uri}\"\nroutes = [\"/far\"]\n", own(near)),
        );
        let of_kind = |address: &str| {
            format!("udp{}://{address}", if address.starts_with('[') { 6 } else { 4 })
        };
        link.exchange(&of_kind(near));
        for (end, remote) in [(0, far), (1, near)] {
            let (_, told, dropped) = link.face(end, &of_kind(remote)).expect("a face");
            assert_eq!(told as usize, (mtu - headers).min(1400), "end {end} of {near_uri}");
            // Packets that find the neighbour's queue full are requested again. The test only
            // forbids packets that the kernel refuses.
            assert!(!link.log(end).contains("\"problem\""), "{dropped} lost: {}", link.log(end));
        }
        link.stop();
    }
}

#[test]
fn objects_cross_links_of_ipv4_with_small_mtus_both_ways() {
    let Some(mut link) = link() else { return };
    for mtu in [1420, 1280, 600] {
        crosses(&mut link, mtu, "10.9.0.1", "10.9.0.2", 28);
    }
}

#[test]
fn objects_cross_links_of_ipv6_with_small_mtus_both_ways() {
    let Some(mut link) = link() else { return };
    for mtu in [1420, 1280] {
        crosses(&mut link, mtu, "[fd00:9::1]", "[fd00:9::2]", 48);
    }
}

/// Linux removes IPv6 from a device with an MTU below 1280 octets.
#[test]
fn a_link_that_is_too_small_for_ipv6_is_reported() {
    let Some(mut link) = link() else { return };
    link.set_mtu(600);
    let face = "[[face]]\nremote = \"udp6://[fd00:9::2]\"\nroutes = [\"/far\"]\n";
    let ended = link.command(0, &format!("udp = []\n{face}")).output().expect("a process");
    let told = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(
        !ended.status.success()
            && told.contains("below 1280 octets")
            && told.contains("use IPv4 or a larger MTU"),
        "{told}"
    );
    // With a listening socket, the daemon makes the face, because a route may appear later. The log
    // tells why no packet leaves.
    link.start(0, &format!("udp = [\"[::]:6363\"]\n{face}"));
    let mut consumer = Consumer::connect(&link.place(0)).expect("a connection");
    consumer
        .ping(&"/far".parse().expect("a name"), 1, narrows_units::Span::from_millis(300))
        .expect("a connection");
    let (_, _, dropped) = link.face(0, "udp6://[fd00:9::2]").expect("a face");
    assert!(dropped > 0, "the loss is counted");
    assert!(
        link.log(0).contains("\"face-losses\"") && link.log(0).contains("unreachable"),
        "{}",
        link.log(0)
    );
}

/// On a face with an `mtu` above the link's MTU, IP fragments the datagrams. A link whose MTU
/// shrinks while it is in use is noticed.
#[test]
fn a_larger_mtu_is_cut_by_ip_and_a_link_that_shrinks_is_noticed() {
    let Some(mut link) = link() else { return };
    link.set_mtu(1420);
    link.start(1, "udp = [\"10.9.0.2:6363\"]\nmtu = 3000\n");
    link.start(0, "udp = [\"10.9.0.1:6363\"]\n[[face]]\nremote = \"udp4://10.9.0.2\"\nroutes = [\"/far\"]\nmtu = 8000\n");
    link.exchange("udp4://10.9.0.1");
    assert_eq!(link.face(0, "udp4://10.9.0.2").map(|(_, mtu, _)| mtu), Some(8000));
    assert_eq!(link.face(1, "udp4://10.9.0.1").map(|(_, mtu, _)| mtu), Some(3000));
    link.stop();
    link.start(1, "udp = [\"10.9.0.2:6363\"]\n");
    link.start(
        0,
        "udp = [\"10.9.0.1:6363\"]\n[[face]]\nremote = \"udp4://10.9.0.2\"\nroutes = [\"/far\"]\n",
    );
    assert_eq!(link.face(0, "udp4://10.9.0.2").map(|(_, mtu, _)| mtu), Some(1392));
    link.set_mtu(900);
    link.exchange("udp4://10.9.0.1");
    for (end, remote) in [(0, "udp4://10.9.0.2"), (1, "udp4://10.9.0.1")] {
        assert!(
            link.face(end, remote)
                .is_some_and(|(_, mtu, _)| mtu == 900 - 28 || !link.log(end).contains("face-mtu")),
            "end {end}"
        );
    }
    assert!(
        (0..2).any(|end| link.log(end).contains("\"face-mtu\"")),
        "an end that sends several datagrams at once notices"
    );
}

/// Faces to link-local addresses, to a socket for both IP versions, and to one socket for each
/// version.
#[test]
fn addresses_of_a_link_and_both_kinds_of_ip_are_told_apart() {
    let Some(mut link) = link() else { return };
    let told = run(&format!("ip -n {} -6 -o addr show dev far scope link", link.names[1]))
        .expect("an address");
    let local = told
        .split("inet6 ")
        .nth(1)
        .and_then(|rest| rest.split('/').next())
        .expect("an address of the link")
        .to_owned();
    link.start(1, "udp = [\"0.0.0.0:6363\", \"[::]:6363\"]\n");
    let face = |remote: &str, route: &str| {
        format!("[[face]]\nremote = \"{remote}\"\nroutes = [\"{route}\"]\n")
    };
    let zone = face(&format!("udp6://[{local}%near]"), "/zone");
    link.start(
        0,
        &format!(
            "udp = [\"[::]:6363\"]\n{}{}{zone}",
            face("udp4://10.9.0.2", "/v4"),
            face("udp6://[fd00:9::2]", "/v6")
        ),
    );
    let mut producer = Producer::connect(&link.place(1)).expect("a connection");
    for prefix in ["/v4", "/v6", "/zone"] {
        producer.answer_pings(&prefix.parse().expect("a name")).expect("a route");
    }
    let go_on = Arc::new(AtomicBool::new(true));
    let running = go_on.clone();
    let producing = std::thread::spawn(move || {
        producer.run(&mut || running.load(Ordering::Relaxed)).expect("an end in order")
    });
    let mut consumer = Consumer::connect(&link.place(0)).expect("a connection");
    for prefix in ["/v4", "/v6", "/zone"] {
        let pong = consumer
            .ping(&prefix.parse().expect("a name"), 1, narrows_units::Span::from_secs(4))
            .expect("a connection");
        assert!(matches!(pong, narrows_forward::PingOutcome::Answered(_)), "{prefix}: {pong:?}");
    }
    go_on.store(false, Ordering::Relaxed);
    producing.join().expect("a producer");
    assert!(
        link.face(0, &format!("udp6://[{local}%near]:6363")).is_some(),
        "the interface is named"
    );
    // The far end has two sockets. It knows the near end by an address of each IP version.
    assert!(
        link.face(1, "udp4://10.9.0.1:6363").is_some()
            && link.face(1, "udp6://[fd00:9::1]:6363").is_some()
    );
    assert!(link.face(1, "udp6://[fe80:").is_some());
    link.stop();
    // A socket for both IP versions shows IPv4 neighbours with IPv4 addresses.
    link.start(1, "udp = [\"[::]:6363\"]\n");
    link.start(0, &format!("udp = []\n{}", face("udp4://10.9.0.2", "/v4")));
    let mut consumer = Consumer::connect(&link.place(0)).expect("a connection");
    consumer
        .ping(&"/v4".parse().expect("a name"), 1, narrows_units::Span::from_millis(100))
        .expect("a connection");
    assert!(link.face(1, "udp4://10.9.0.1:").is_some());
}
