//! Two daemons in network namespaces, on a link of 10 Mbit/s made by the kernel's token bucket
//! filter. Needs root. The tests remove everything that they make.
//!
//! A phase in which a daemon waited for a processor is not judged, because late Interests tell
//! nothing about the rate law.

use narrows_forward::{Client, Config, Consumer, Daemon, Object, Place, Producer};
use narrows_ndn::management::{FaceStatus, entries};
use narrows_ndn::tlv::{MAX_PACKET, frame_length};
use narrows_ndn::{Data, InterestDraft, Name};
use rustix::process::{Pid, Signal, geteuid, kill_process};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{JoinHandle, sleep};
use std::time::{Duration, Instant};

/// Environment variable with the configuration of a daemon in a separate process.
pub const CONFIG: &str = "NARROWS_TEST_CONFIG";
/// Content of a segment, and upper limit of its overhead on the wire: name, signature, link fields,
/// MIRCC fields, and 42 octets for IP and below.
const SEGMENT: usize = 1000;
const OVERHEAD: f64 = 230.0;
const LINK: f64 = 10e6;
/// Largest share of time in which a daemon may wait for a processor. Our choice.
const MOST_WAITING: f64 = 0.1;

#[test]
#[ignore = "the process of a daemon, which other tests start in a namespace"]
fn daemon_process() {
    let path = std::env::var(CONFIG).expect("the path of a configuration");
    let text = std::fs::read_to_string(&path).expect("a configuration");
    let (daemon, _stopper) =
        Daemon::start(&Config::parse(&text, &path).expect("a configuration")).expect("a daemon");
    daemon.run().expect("an end in order");
}

pub fn run(command: &str) -> Result<String, String> {
    let mut words = command.split(' ');
    let output = Command::new(words.next().unwrap_or_default())
        .args(words)
        .output()
        .map_err(|error| format!("{command}: {error}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("{command}: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}

/// Two namespaces, a link between them, and a daemon in each.
struct Network {
    names: [String; 2],
    directory: PathBuf,
    daemons: Vec<Child>,
    /// Networks are made one after another, because daemons of several would wait for processors.
    _alone: MutexGuard<'static, ()>,
}

pub static ALONE: Mutex<()> = Mutex::new(());

impl Network {
    /// Makes the namespaces and the link.
    ///
    /// # Errors
    /// The reason why this host cannot make them.
    fn make() -> Result<Network, String> {
        if !geteuid().is_root() {
            return Err("making network namespaces needs root".to_owned());
        }
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let id = std::process::id();
        let names = ["a", "b"].map(|end| format!("nrl-{id}-{end}"));
        let directory = std::env::temp_dir().join(format!("nrl-{id}"));
        std::fs::create_dir_all(&directory).map_err(|error| error.to_string())?;
        // From here on, everything is removed whatever fails.
        let network = Network { names, directory, daemons: Vec::new(), _alone: alone };
        let [a, b] = &network.names;
        for command in [
            format!("ip netns add {a}"),
            format!("ip netns add {b}"),
            format!("ip -n {a} link add near type veth peer name far netns {b}"),
            format!("ip -n {a} addr add 10.9.0.1/24 dev near"),
            format!("ip -n {b} addr add 10.9.0.2/24 dev far"),
            format!("ip -n {a} link set near up"),
            format!("ip -n {b} link set far up"),
            format!("tc -n {a} qdisc add dev near root tbf rate 10mbit burst 4kb latency 300ms"),
            format!("tc -n {b} qdisc add dev far root tbf rate 10mbit burst 4kb latency 300ms"),
        ] {
            run(&command)?;
        }
        Ok(network)
    }

    fn socket(&self, end: usize) -> PathBuf {
        self.directory.join(format!("{end}.sock"))
    }

    /// Starts the daemon of one end, with a face to the other end.
    fn start(&mut self, end: usize, face: &str) {
        let config = self.directory.join(format!("{end}.toml"));
        let (own, other) = (end + 1, 2 - end);
        let text = format!(
            "[listen]\nunix = \"{}\"\nudp = [\"10.9.0.{own}:6363\"]\ntcp = []\n[tables]\ncontent_store = 0\n[[face]]\nremote = \"udp4://10.9.0.{other}\"\n{face}\n",
            self.socket(end).display()
        );
        std::fs::write(&config, text).expect("a file");
        let program = std::env::current_exe().expect("this program");
        let child = Command::new("ip")
            .args(["netns", "exec", &self.names[end]])
            .arg(program)
            .args(["--exact", "namespaces::daemon_process", "--ignored", "--nocapture"])
            .env(CONFIG, &config)
            .stdout(Stdio::null())
            .spawn()
            .expect("a process");
        self.daemons.push(child);
        let patience = Instant::now();
        while UnixStream::connect(self.socket(end)).is_err() {
            assert!(
                patience.elapsed() < Duration::from_secs(60),
                "the daemon of end {end} does not start"
            );
            sleep(Duration::from_millis(20));
        }
    }

    /// Octets of Data that wait for the link.
    fn queue(&self) -> f64 {
        let told = run(&format!("tc -n {} -s qdisc show dev far", self.names[1])).expect("a queue");
        let backlog = told
            .split("backlog ")
            .nth(1)
            .and_then(|rest| rest.split('b').next())
            .expect("its length")
            .trim()
            .to_owned();
        match backlog.strip_suffix('K') {
            Some(thousands) => 1024.0 * thousands.parse::<f64>().expect("a number"),
            None => backlog.parse().expect("a number"),
        }
    }

    /// Packets that the link has dropped, in both directions.
    fn dropped(&self) -> u64 {
        let ends = [(&self.names[0], "near"), (&self.names[1], "far")];
        let told = ends.map(|(name, device)| {
            run(&format!("tc -n {name} -s qdisc show dev {device}")).expect("a queue")
        });
        let dropped = told.iter().map(|told| {
            told.split("dropped ").nth(1).and_then(|rest| rest.split(',').next()).expect("a count")
        });
        dropped.map(|count| count.parse::<u64>().expect("a number")).sum()
    }

    /// Time in nanoseconds in which the threads of each daemon were ready to run and waited for a
    /// processor.
    fn waited(&self) -> Vec<u64> {
        let of = |daemon: &Child| {
            let threads = std::fs::read_dir(format!("/proc/{}/task", daemon.id()))
                .into_iter()
                .flatten()
                .flatten();
            let told = threads
                .filter_map(|thread| std::fs::read_to_string(thread.path().join("schedstat")).ok());
            told.filter_map(|told| told.split(' ').nth(1)?.parse::<u64>().ok()).sum()
        };
        self.daemons.iter().map(of).collect()
    }

    /// Changes the rate of the link towards the near end.
    fn slow_down(&self, rate: &str) {
        run(&format!(
            "tc -n {} qdisc change dev far root tbf rate {rate} burst 4kb latency 300ms",
            self.names[1]
        ))
        .expect("a slower link");
    }

    /// Suspect seconds of the face at the near end.
    fn suspect_seconds(&self) -> u64 {
        self.of_faces(0, |face| face.suspect_s).into_iter().sum()
    }

    /// Values that the faces of one end report. Faces without the value are left out.
    fn of_faces(&self, end: usize, told: impl Fn(&FaceStatus<'_>) -> Option<u64>) -> Vec<u64> {
        let content = Client::connect(&Place::Unix(self.socket(end)))
            .expect("a connection")
            .dataset("/localhost/nfd/faces/list")
            .expect("faces");
        entries::<FaceStatus<'_>>(&content)
            .filter_map(|face| told(&face.expect("a face")))
            .collect()
    }

    fn signal(&self, end: usize, signal: Signal) {
        kill_process(Pid::from_child(&self.daemons[end]), signal).expect("it lives");
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        for daemon in &mut self.daemons {
            // An error means that the daemon has already ended.
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
        for name in &self.names {
            let _ = run(&format!("ip netns del {name}"));
        }
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// Applications. Dropping this ends them.
struct Apps {
    go_on: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Apps {
    fn new() -> Apps {
        Apps { go_on: Arc::new(AtomicBool::new(true)), threads: Vec::new() }
    }

    /// Serves 100 MB at the far end.
    fn serve(&mut self, network: &Network, name: &str) -> Name {
        let name: Name = name.parse().expect("a name");
        let object = Object::new(name, vec![7; 100_000_000], SEGMENT, 1);
        let base = object.base().clone();
        let mut producer =
            Producer::connect(&Place::Unix(network.socket(1))).expect("a connection");
        producer.serve(object).expect("a route");
        let go_on = self.go_on.clone();
        self.threads.push(std::thread::spawn(move || {
            // The daemon may end first.
            let _ = producer.run(&mut || go_on.load(Ordering::Relaxed));
        }));
        base
    }

    /// Fetches with MIRCC. The result counts the octets that have arrived.
    fn fetch(&mut self, network: &Network, base: Name) -> Arc<AtomicU64> {
        let octets = Arc::new(AtomicU64::new(0));
        let (told, go_on, socket) = (octets.clone(), self.go_on.clone(), network.socket(0));
        self.threads.push(std::thread::spawn(move || {
            let mut consumer = Consumer::connect(&Place::Unix(socket)).expect("a connection");
            let mut out = Until(go_on);
            // The fetch ends with an error when it is told to stop.
            let _ = consumer.fetch(&base, &mut out, &mut |progress| {
                told.store(progress.octets, Ordering::Relaxed)
            });
        }));
        octets
    }

    /// Fetches with a window of 100 Interests and no MIRCC field. The result counts the octets that
    /// have arrived.
    fn window(&mut self, network: &Network, base: Name) -> Arc<AtomicU64> {
        let octets = Arc::new(AtomicU64::new(0));
        let (told, go_on, socket) = (octets.clone(), self.go_on.clone(), network.socket(0));
        self.threads.push(std::thread::spawn(move || keep_a_window(&socket, &base, &told, &go_on)));
        octets
    }
}

impl Drop for Apps {
    fn drop(&mut self) {
        self.go_on.store(false, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// A sink that accepts everything until it is told to stop.
struct Until(Arc<AtomicBool>);

impl Write for Until {
    fn write(&mut self, octets: &[u8]) -> std::io::Result<usize> {
        if self.0.load(Ordering::Relaxed) {
            Ok(octets.len())
        } else {
            Err(std::io::Error::other("enough"))
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn keep_a_window(socket: &Path, base: &Name, told: &AtomicU64, go_on: &AtomicBool) {
    let mut stream = UnixStream::connect(socket).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_millis(100))).expect("a timeout");
    let (mut next, mut inbox, mut room) = (0u64, Vec::new(), vec![0; 65_536]);
    let mut ask = |stream: &mut UnixStream| {
        let mut octets = Vec::new();
        let name = base.clone().segment(next);
        InterestDraft { nonce: Some(next as u32 ^ 0x5555), ..InterestDraft::new(name.as_ref()) }
            .write(&mut octets);
        next += 1;
        stream.write_all(&octets).expect("sent");
    };
    (0..100).for_each(|_| ask(&mut stream));
    while go_on.load(Ordering::Relaxed) {
        let Ok(read) = stream.read(&mut room) else { continue };
        if read == 0 {
            return;
        }
        inbox.extend_from_slice(&room[..read]);
        while let Some(length) = frame_length(&inbox, MAX_PACKET)
            .expect("a packet")
            .filter(|length| *length <= inbox.len())
        {
            let packet: Vec<u8> = inbox.drain(..length).collect();
            let fragment = narrows_ndn::lp::LpPacket::decode(&packet)
                .expect("a packet")
                .fragment
                .expect("a fragment")
                .to_vec();
            let data = Data::decode(&fragment).expect("Data, and no Nack");
            told.fetch_add(data.content.map_or(0, <[u8]>::len) as u64, Ordering::Relaxed);
            ask(&mut stream);
        }
    }
}

/// Runs a phase and judges its findings, unless a daemon had to wait for a processor.
fn phase(network: &Network, name: &str, run: impl FnOnce() -> Vec<(String, bool)>) {
    let (began, before) = (Instant::now(), network.waited());
    let findings = run();
    let waited = network
        .waited()
        .iter()
        .zip(before)
        .map(|(after, before)| after - before)
        .max()
        .unwrap_or(0);
    let share = waited as f64 / began.elapsed().as_nanos() as f64;
    for (finding, holds) in findings {
        println!("{name}: {finding}: {}", if holds { "holds" } else { "does not hold" });
        if share > MOST_WAITING {
            println!(
                "{name}: not judged, a daemon waited for a processor in {:.0} % of the time",
                100.0 * share
            );
        } else {
            assert!(
                holds,
                "{name}: {finding}; a daemon waited for a processor in {:.1} % of the time",
                100.0 * share
            );
        }
    }
}

/// Content received over `span`, in bits per second.
fn rate(octets: &AtomicU64, span: Duration) -> f64 {
    let (before, began) = (octets.load(Ordering::Relaxed), Instant::now());
    sleep(span);
    8.0 * (octets.load(Ordering::Relaxed) - before) as f64 / began.elapsed().as_secs_f64()
}

/// Busy processes, four per processor. Dropping this ends them.
struct Load(Vec<Child>);

impl Load {
    fn begin() -> Load {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let busy =
            || Command::new("sh").args(["-c", "while :; do :; done"]).spawn().expect("a process");
        Load((0..4 * processors).map(|_| busy()).collect())
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for process in &mut self.0 {
            // An error means that the process has already ended.
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// Longest delay of a thread that sleeps for a millisecond again and again.
fn latest_waking(go_on: &AtomicBool) -> Duration {
    let mut latest = Duration::ZERO;
    while go_on.load(Ordering::Relaxed) {
        let began = Instant::now();
        sleep(Duration::from_millis(1));
        latest = latest.max(began.elapsed().saturating_sub(Duration::from_millis(1)));
    }
    latest
}

/// Windows of measurement: ten seconds of a busy host at most. Other programs may make the host
/// even busier, so the best window counts.
const WINDOWS: usize = 4;
const WINDOW: Duration = Duration::from_millis(2500);

/// Measurements in one window of a busy host.
struct Busy {
    /// Octets of content that arrived.
    octets: u64,
    /// Rate that the node computed, in bits per second: mean and coefficient of variation.
    rate: f64,
    variation: f64,
    /// Packets lost in this window: by the daemons, and by the link.
    dropped: (u64, u64),
    /// Longest delay of a thread after its sleep of a millisecond.
    latest: Duration,
    /// Share of time in which a daemon waited for a processor.
    waited: f64,
}

impl Busy {
    fn watch(network: &Network, octets: &AtomicU64) -> Busy {
        let dropped = || -> (u64, u64) {
            let by_daemons =
                [0, 1].iter().flat_map(|end| network.of_faces(*end, |face| face.out_dropped)).sum();
            (by_daemons, network.dropped())
        };
        let (before, lost, waited) = (octets.load(Ordering::Relaxed), dropped(), network.waited());
        let go_on = Arc::new(AtomicBool::new(true));
        let probe = std::thread::spawn({
            let go_on = go_on.clone();
            move || latest_waking(&go_on)
        });
        let (began, mut rates) = (Instant::now(), Vec::new());
        while began.elapsed() < WINDOW {
            rates.extend(
                network.of_faces(0, |face| face.primary_bps).into_iter().map(|rate| rate as f64),
            );
            sleep(Duration::from_millis(50));
        }
        go_on.store(false, Ordering::Relaxed);
        let latest = probe.join().expect("a probe");
        let waited = network
            .waited()
            .iter()
            .zip(waited)
            .map(|(after, before)| after - before)
            .max()
            .unwrap_or(0);
        let rate = rates.iter().sum::<f64>() / rates.len() as f64;
        let deviation =
            (rates.iter().map(|one| (one - rate).powi(2)).sum::<f64>() / rates.len() as f64).sqrt();
        let now = dropped();
        Busy {
            octets: octets.load(Ordering::Relaxed) - before,
            rate,
            variation: deviation / rate,
            dropped: (now.0 - lost.0, now.1 - lost.1),
            latest,
            waited: waited as f64 / began.elapsed().as_nanos() as f64,
        }
    }
}

/// Data and rates on a host that is four times too busy. Packets that arrive while a daemon is late
/// leave as a burst. The burst may last 20 ms in addition to the 32 datagrams of 1400 octets that
/// leave at once, which are 36 ms at this rate. A window counts if the host wakes threads within
/// this time, and one window without a loss is enough. The rates are only printed: they depend on
/// the delays of the host, and the tests of the law judge them with given delays.
#[test]
fn a_busy_host_drops_no_data() {
    const ROOM: Duration = Duration::from_millis(20 + 36);
    let mut network = match Network::make() {
        Ok(network) => network,
        Err(reason) => return println!("skipped: {reason}"),
    };
    network.start(1, "link_rate = \"10 Mbit/s\"");
    network.start(0, "link_rate = \"10 Mbit/s\"\nroutes = [\"/p\"]");
    let mut apps = Apps::new();
    let octets = {
        let base = apps.serve(&network, "/p/one");
        apps.fetch(&network, base)
    };
    sleep(Duration::from_secs(2));
    let load = Load::begin();
    sleep(Duration::from_secs(1));
    let mut windows = Vec::new();
    for _ in 0..WINDOWS {
        let window = Busy::watch(&network, &octets);
        println!(
            "a busy host: {:.2} Mbit/s, a rate of {:.2} Mbit/s with a coefficient of variation of {:.3}, {} packets dropped by daemons and {} by the \
             link; a daemon waited for a processor in {:.0} % of the time, and a thread woke up to {} ms late",
            8.0 * window.octets as f64 / WINDOW.as_secs_f64() / 1e6,
            window.rate / 1e6,
            window.variation,
            window.dropped.0,
            window.dropped.1,
            100.0 * window.waited,
            window.latest.as_millis(),
        );
        windows.push(window);
    }
    drop(load);
    assert!(windows.iter().any(|window| window.octets > 0), "Data still arrives");
    let judged: Vec<&Busy> = windows.iter().filter(|window| window.latest <= ROOM).collect();
    if judged.is_empty() {
        return println!(
            "a busy host: not judged, the delays of the host exceeded the room of a burst"
        );
    }
    assert!(
        judged.iter().any(|window| window.dropped == (0, 0)),
        "Data was dropped in each window"
    );
}

/// Tests that `make long` runs.
mod long {
    use super::*;

    #[test]
    #[ignore = "long: make long"]
    fn rates_hold_on_a_link_of_the_kernel() {
        let mut network = match Network::make() {
            Ok(network) => network,
            Err(reason) => return println!("skipped: {reason}"),
        };
        network.start(1, "link_rate = \"10 Mbit/s\"");
        network.start(0, "link_rate = \"10 Mbit/s\"\nroutes = [\"/p\"]");
        // Lower limit of the share of content in the octets that cross the link.
        let content = SEGMENT as f64 / (SEGMENT as f64 + OVERHEAD);
        phase(&network, "one consumer", || {
            let mut apps = Apps::new();
            let base = apps.serve(&network, "/p/one");
            let octets = apps.fetch(&network, base);
            sleep(Duration::from_secs(2));
            let (before, began) = (octets.load(Ordering::Relaxed), Instant::now());
            let mut queues: Vec<f64> = Vec::new();
            while began.elapsed() < Duration::from_secs(5) {
                queues.push(network.queue() * 8.0 / LINK * 1e3);
                sleep(Duration::from_millis(50));
            }
            let goodput = 8.0 * (octets.load(Ordering::Relaxed) - before) as f64
                / began.elapsed().as_secs_f64();
            queues.sort_by(f64::total_cmp);
            let queue = queues[queues.len() * 95 / 100];
            network.signal(0, Signal::STOP);
            sleep(Duration::from_secs(1));
            network.signal(0, Signal::CONT);
            sleep(Duration::from_secs(2));
            let after = rate(&octets, Duration::from_secs(3));
            vec![
                (
                    format!("goodput of {:.2} Mbit/s", goodput / 1e6),
                    goodput >= 0.9 * 0.95 * LINK * content,
                ),
                (format!("95 % of the queue's samples below {queue:.1} ms"), queue < 10.0),
                (
                    format!("{:.2} Mbit/s 2 s after a second of standstill", after / 1e6),
                    after >= 0.9 * goodput,
                ),
            ]
        });
        phase(&network, "beside a window of 100", || {
            let mut apps = Apps::new();
            let (one, other) = (apps.serve(&network, "/p/two"), apps.serve(&network, "/p/three"));
            let (window, follower) = (apps.window(&network, one), apps.fetch(&network, other));
            sleep(Duration::from_secs(3));
            let (began, before) = (Instant::now(), window.load(Ordering::Relaxed));
            let of_follower = rate(&follower, Duration::from_secs(6));
            let of_window = 8.0 * (window.load(Ordering::Relaxed) - before) as f64
                / began.elapsed().as_secs_f64();
            let share = of_follower / (of_follower + of_window);
            let told = format!(
                "{:.2} Mbit/s by MIRCC, {:.2} by the window",
                of_follower / 1e6,
                of_window / 1e6
            );
            vec![
                (told.clone(), (0.4..0.6).contains(&share)),
                (
                    format!("{told} together"),
                    of_follower + of_window >= 0.9 * 0.95 * LINK * content,
                ),
            ]
        });
        phase(&network, "on a path of half the rate", || {
            let mut apps = Apps::new();
            let base = apps.serve(&network, "/p/four");
            let octets = apps.fetch(&network, base);
            sleep(Duration::from_secs(2));
            let before = network.suspect_seconds();
            network.slow_down("5mbit");
            sleep(Duration::from_secs(2));
            let goodput = rate(&octets, Duration::from_secs(4));
            println!("{:.2} Mbit/s on 5 Mbit/s that are said to be 10", goodput / 1e6);
            let suspect = network.suspect_seconds() - before;
            vec![(format!("{suspect} of 6 s are suspect"), suspect >= 1)]
        });
    }

    #[test]
    #[ignore = "long: make long"]
    fn a_measured_rate_follows_a_link_of_the_kernel() {
        let mut network = match Network::make() {
            Ok(network) => network,
            Err(reason) => return println!("skipped: {reason}"),
        };
        network.start(1, "link_rate = \"auto\"");
        let told = network.of_faces(1, |face| face.in_capacity_bps);
        let [capacity] = told[..] else { panic!("one face has a rate: {told:?}") };
        // Packets of 1100 octets are assumed until some arrive, with 42 octets more on the link.
        assert!(
            (capacity as f64 - LINK * 1100.0 / 1142.0).abs() < 2.0,
            "the rate of the device's token bucket: {capacity}"
        );
        let a = &network.names[0];
        for command in [
            "qdisc replace dev near root handle 1: htb default 1",
            "class add dev near parent 1: classid 1:1 htb rate 8mbit",
        ] {
            run(&format!("tc -n {a} {command}")).expect("a hierarchy of token buckets");
        }
        network.start(0, "link_rate = \"measured\"\nroutes = [\"/p\"]");
        assert_eq!(
            network.of_faces(0, |face| face.in_capacity_bps),
            [8_000_000],
            "the first guess is the device's rate, and at most 10 Mbit/s"
        );
        let content = SEGMENT as f64 / (SEGMENT as f64 + OVERHEAD);
        let mut apps = Apps::new();
        let octets = {
            let base = apps.serve(&network, "/p/one");
            apps.fetch(&network, base)
        };
        let measured = |network: &Network| {
            network.of_faces(0, |face| face.in_capacity_bps).into_iter().sum::<u64>() as f64
        };
        let judge = |network: &Network, mbps: f64| {
            let goodput = rate(&octets, Duration::from_secs(6));
            let told = format!(
                "{:.2} Mbit/s of content on {mbps} Mbit/s, taken for {:.2}",
                goodput / 1e6,
                measured(network) / 1e6
            );
            vec![(told, goodput >= 0.8 * mbps * 1e6 * content)]
        };
        network.slow_down("5mbit");
        sleep(Duration::from_secs(3));
        phase(&network, "less than the guess", || judge(&network, 5.0));
        network.slow_down("10mbit");
        sleep(Duration::from_secs(10));
        phase(&network, "ten seconds after it is twice as fast", || judge(&network, 10.0));
        network.slow_down("5mbit");
        sleep(Duration::from_secs(3));
        phase(&network, "three seconds after it is half as fast", || judge(&network, 5.0));
    }
}
