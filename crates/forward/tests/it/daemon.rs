//! The daemon on real sockets of this host.

use super::bench::{data, header, interest, name, with_data};
use narrows_forward::{Config, Daemon, Stopper};
use narrows_ndn::lp::{Fragmenter, Header, LpPacket, NackReason};
use narrows_ndn::management::{ControlParameters, ControlResponse, ManagementName, Scope};
use narrows_ndn::signature::Signer;
use narrows_ndn::tlv::{MAX_PACKET, frame_length};
use narrows_ndn::{InterestDraft, SigningFields};
use quinn_udp::{EcnCodepoint, RecvMeta, Transmit, UdpSocketState};
use std::io::{IoSliceMut, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::Duration;

pub const PATIENCE: Option<Duration> = Some(Duration::from_secs(20));

/// A daemon with its own directory and ports.
pub struct Running {
    pub directory: PathBuf,
    udp: Option<SocketAddr>,
    /// Configuration of the daemon.
    text: String,
    stopper: Option<Stopper>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    pub fn start(label: &str, more: &str) -> Running {
        Running::listening(label, "udp = [\"127.0.0.1:0\"]\ntcp = [\"127.0.0.1:0\"]", more)
    }

    /// A daemon that only listens on its UNIX socket.
    pub fn only_unix(label: &str, more: &str) -> Running {
        Running::listening(label, "udp = []\ntcp = []", more)
    }

    fn listening(label: &str, addresses: &str, more: &str) -> Running {
        let directory =
            std::env::temp_dir().join(format!("narrows-forward-{}-{label}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("a directory");
        let text =
            format!("[listen]\nunix = \"{}/n.sock\"\n{addresses}\n{more}", directory.display());
        let mut running = Running { directory, udp: None, text, stopper: None, thread: None };
        running.begin();
        running
    }

    fn begin(&mut self) {
        let config = Config::parse(&self.text, "test").expect("a configuration");
        let (daemon, stopper) = Daemon::start(&config).expect("a daemon");
        self.udp = daemon.udp_addresses().first().copied();
        self.stopper = Some(stopper);
        self.thread = Some(std::thread::spawn(move || daemon.run().expect("an end in order")));
    }

    /// Stops the daemon and starts another one with the same configuration.
    pub fn restart(&mut self) {
        self.stop();
        self.begin();
    }

    /// UDP address on which the daemon listens.
    pub fn udp(&self) -> SocketAddr {
        self.udp.expect("it listens")
    }

    /// Path of the UNIX socket.
    pub fn socket(&self) -> PathBuf {
        self.directory.join("n.sock")
    }

    pub fn connect(&self) -> Client<UnixStream> {
        let stream = UnixStream::connect(self.socket()).expect("a connection");
        stream.set_read_timeout(PATIENCE).expect("a timeout");
        Client::new(stream)
    }

    fn stop(&mut self) {
        if let Some(stopper) = self.stopper.take() {
            stopper.stop();
        }
        if let Some(thread) = self.thread.take() {
            thread.join().expect("no panic");
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
        std::fs::remove_dir_all(&self.directory).expect("the directory");
    }
}

/// An application on a stream.
pub struct Client<S> {
    stream: S,
    inbox: Vec<u8>,
}

impl Client<UnixStream> {
    /// The next packet. `None` if none arrives within this time.
    pub fn receive_within(&mut self, patience: Duration) -> Option<Vec<u8>> {
        self.stream.set_read_timeout(Some(patience)).expect("a timeout");
        let mut room = [0; 9000];
        let read = self.stream.read(&mut room).ok();
        self.stream.set_read_timeout(PATIENCE).expect("a timeout");
        read.map(|read| room[..read].to_vec())
    }
}

impl<S: Read + Write> Client<S> {
    pub fn new(stream: S) -> Client<S> {
        Client { stream, inbox: Vec::new() }
    }

    pub fn send(&mut self, octets: &[u8]) {
        self.stream.write_all(octets).expect("sent");
    }

    pub fn receive(&mut self) -> Vec<u8> {
        loop {
            if let Some(length) = frame_length(&self.inbox, MAX_PACKET).expect("a packet")
                && length <= self.inbox.len()
            {
                return self.inbox.drain(..length).collect();
            }
            let mut room = [0; 65_536];
            let read = self.stream.read(&mut room).expect("more in time");
            assert!(read > 0, "the daemon closed the stream");
            self.inbox.extend_from_slice(&room[..read]);
        }
    }

    pub fn command(&mut self, module: &str, verb: &str, parameters: &ControlParameters<'_>) -> u64 {
        let name = ManagementName::command(Scope::Localhost, module, verb, parameters);
        let mut octets = Vec::new();
        let nonce = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .expect("a time")
            .as_nanos() as u32;
        let fields =
            SigningFields { nonce: Some(&[1; 8]), time_ms: Some(u64::from(nonce)), sequence: None };
        InterestDraft { nonce: Some(nonce), ..InterestDraft::new(name.as_ref()) }.write_signed(
            &Signer::DIGEST,
            &fields,
            &mut octets,
        );
        self.send(&octets);
        let reply = self.receive();
        with_data(&reply, |data| {
            ControlResponse::decode(data.content.expect("content")).expect("a response").code
        })
    }

    pub fn register(&mut self, prefix: &str) {
        let prefix = name(prefix);
        let parameters =
            ControlParameters { name: Some(prefix.as_ref()), ..ControlParameters::default() };
        assert_eq!(self.command("rib", "register", &parameters), 200);
    }
}

#[test]
fn applications_on_streams_and_datagrams_reach_each_other() {
    let running = Running::start("reach", "");
    let mut producer = running.connect();
    producer.register("/p");
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    socket.set_read_timeout(PATIENCE).expect("a timeout");
    socket.connect(running.udp()).expect("connected");
    for number in 0..1000u32 {
        let uri = format!("/p/{number}");
        let asked = interest(&uri, number);
        socket.send(&asked).expect("sent");
        assert_eq!(producer.receive(), asked);
        let answer = data(&uri, &vec![number as u8; number as usize * 8]);
        producer.send(&answer);
        let mut room = [0; 9000];
        let length = socket.recv(&mut room).expect("an answer");
        assert_eq!(room[..length], answer);
    }
}

#[test]
fn many_packets_at_once_are_all_answered() {
    let running = Running::start("many", "");
    let (mut producer, mut consumer) = (running.connect(), running.connect());
    producer.register("/p");
    let count = 20_000u32;
    let uri = |number| format!("/p/{number}");
    let serving = std::thread::spawn(move || {
        for _ in 0..count {
            let asked = producer.receive();
            let uri = super::bench::with_interest(&asked, |interest| interest.name.to_string());
            producer.send(&data(&uri, &[7; 1000]));
        }
        producer
    });
    let mut came = 0;
    for number in 0..count {
        consumer.send(&interest(&uri(number), number));
        if number >= 64 {
            with_data(&consumer.receive(), |data| {
                assert_eq!(data.content.map(<[u8]>::len), Some(1000))
            });
            came += 1;
        }
    }
    while came < count {
        consumer.receive();
        came += 1;
    }
    serving.join().expect("served");
}

#[test]
fn tcp_faces_are_made_by_command_and_ends_are_noticed() {
    let (near, far) = (Running::start("near", ""), Running::start("far", ""));
    let mut producer = far.connect();
    producer.register("/far");
    let mut consumer = near.connect();
    let uri = format!("udp4://{}", far.udp());
    let create = ControlParameters { uri: Some(&uri), ..ControlParameters::default() };
    assert_eq!(consumer.command("faces", "create", &create), 200);
    assert_eq!(consumer.command("faces", "create", &create), 409);
    let closed = TcpStream::connect("127.0.0.1:1").is_err();
    assert!(closed, "the daemon does not listen there");
    let refused =
        ControlParameters { uri: Some("tcp4://127.0.0.1:1"), ..ControlParameters::default() };
    assert_eq!(consumer.command("faces", "create", &refused), 504);
    let prefix = name("/far");
    let route = ControlParameters {
        name: Some(prefix.as_ref()),
        face_id: Some(257),
        ..ControlParameters::default()
    };
    assert_eq!(consumer.command("rib", "register", &route), 200);
    let asked = interest("/far/1", 1);
    consumer.send(&asked);
    let came = producer.receive();
    let came = LpPacket::decode(&came).expect("a packet").fragment.expect("a fragment").to_vec();
    assert_eq!(came, asked);
    producer.send(&data("/far/1", &[5; 8000]));
    with_data(&consumer.receive(), |data| assert_eq!(data.content.map(<[u8]>::len), Some(8000)));
    drop(producer);
    for nonce in 2.. {
        assert!(nonce < 1000, "the route goes with the application");
        let mut short = Vec::new();
        let wanted = name("/far/2");
        InterestDraft {
            nonce: Some(nonce),
            lifetime_ms: Some(50),
            ..InterestDraft::new(wanted.as_ref())
        }
        .write(&mut short);
        let mut direct = far.connect();
        direct.send(&short);
        direct.stream.set_read_timeout(Some(Duration::from_millis(200))).expect("a timeout");
        let mut room = [0; 9000];
        if let Ok(length) = direct.stream.read(&mut room)
            && header(&room[..length]).nack == Some(NackReason::NoRoute)
        {
            break;
        }
    }
}

#[test]
fn a_stream_without_packets_is_closed_and_the_daemon_ends_in_order() {
    let mut running = Running::start("order", "");
    let mut client = running.connect();
    client.send(&[0x05, 0xfd, 0xff, 0xff, 1]);
    assert_eq!(client.stream.read(&mut [0; 10]).expect("closed"), 0);
    let socket = running.directory.join("n.sock");
    assert!(socket.exists());
    running.stop();
    assert!(!socket.exists(), "the daemon removes its socket");
}

#[test]
fn a_second_daemon_is_refused_and_a_dead_ones_socket_is_taken() {
    let running = Running::start("twice", "");
    let path = running.directory.join("n.sock");
    let config = |path: &std::path::Path| {
        Config::parse(
            &format!("[listen]\nunix = \"{}\"\nudp = []\ntcp = []", path.display()),
            "test",
        )
        .expect("a configuration")
    };
    let refused = Daemon::start(&config(&path)).err().expect("refused").to_string();
    assert!(refused.contains("the program that listens there"), "{refused}");
    let dead = running.directory.join("dead.sock");
    drop(std::os::unix::net::UnixListener::bind(&dead).expect("a socket"));
    assert!(dead.exists());
    Daemon::start(&config(&dead)).expect("the daemon replaces the stale socket");
}

#[test]
fn a_permanent_face_over_tcp_comes_back() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a listener");
    let remote = listener.local_addr().expect("an address");
    let running = Running::start(
        "again",
        &format!("[[face]]\nremote = \"tcp4://{remote}\"\npermanent = true\nroutes = [\"/far\"]\n"),
    );
    drop(listener.accept().expect("the first connection"));
    let (mut second, _) = listener.accept().expect("another one");
    second.set_read_timeout(Some(Duration::from_millis(100))).expect("a timeout");
    let mut app = running.connect();
    for nonce in 1.. {
        assert!(nonce < 200, "Interests reach the neighbour again");
        app.send(&interest(&format!("/far/{nonce}"), nonce));
        if second.read(&mut [0; 9000]).is_ok_and(|read| read > 0) {
            break;
        }
    }
}

/// Datagrams that the kernel dropped because the buffer of a socket on this host was full.
pub fn drops(socket: &UdpSocket) -> u64 {
    let port = format!(":{:04X}", socket.local_addr().expect("an address").port());
    // The list may lack a socket while other sockets come and go.
    std::iter::repeat_with(|| {
        std::fs::read_to_string("/proc/net/udp").expect("the sockets of this host")
    })
    .find_map(|told| {
        let mut lines = told.lines().map(str::split_whitespace);
        let mut line =
            lines.find(|line| line.clone().nth(1).is_some_and(|local| local.ends_with(&port)))?;
        line.next_back()?.parse().ok()
    })
    .expect("an endless search")
}

/// A neighbour with the kernel's default socket buffer requests 200 Data packets, which an
/// application sends all at once. They need more than twice that buffer. The number of lost packets
/// depends on when the neighbour's process runs, and is printed. Every lost packet must be counted.
#[test]
fn a_burst_for_a_neighbour_with_a_default_buffer_arrives_or_is_counted() {
    const COUNT: u32 = 200;
    let running = Running::start("burst", "");
    let mut producer = running.connect();
    producer.register("/p");
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    socket.connect(running.udp()).expect("connected");
    let (mut lost, mut room) = (Vec::new(), [0; 9000]);
    for round in 0..20 {
        let (mut answers, before) = (Vec::new(), drops(&socket));
        for number in 0..COUNT {
            let uri = format!("/p/{round}/{number}");
            socket.send(&interest(&uri, round * COUNT + number)).expect("sent");
            // The test's own buffer holds fewer.
            producer.receive();
            answers.extend(data(&uri, &[7; 1000]));
        }
        producer.send(&answers);
        socket.set_read_timeout(PATIENCE).expect("a timeout");
        let mut came = 0;
        while came + drops(&socket) - before < u64::from(COUNT) {
            let length = socket.recv(&mut room).expect("more in time");
            with_data(&room[..length], |data| {
                assert_eq!(data.content.map(<[u8]>::len), Some(1000))
            });
            came += 1;
        }
        lost.push(drops(&socket) - before);
    }
    println!("lost of bursts of {COUNT}: {lost:?}");
}

/// Data that a queue has marked on the path arrives marked at the application, if the daemon uses
/// ECN. This holds for whole Data and for Data with one marked fragment.
#[test]
fn marks_of_ip_arrive_at_applications() {
    for ecn in [false, true] {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a socket");
        let remote = socket.local_addr().expect("an address");
        // The first text is a later key of the same table. The face follows.
        let running = Running::start(
            &format!("ecn-{ecn}"),
            &format!("ecn = {ecn}\n[[face]]\nremote = \"udp4://{remote}\"\nroutes = [\"/far\"]\n"),
        );
        let mut app = running.connect();
        let state = UdpSocketState::new((&socket).into()).expect("its options");
        socket.set_nonblocking(false).expect("a socket that waits");
        socket.set_read_timeout(PATIENCE).expect("a timeout");
        let answer = |octets: &[u8], ecn| {
            let transmit = Transmit {
                destination: running.udp(),
                ecn,
                contents: octets,
                segment_size: None,
                src_ip: None,
            };
            state.try_send((&socket).into(), &transmit).expect("sent");
        };
        let mut is_marked = |uri: &str, nonce, answer: &dyn Fn(&[u8])| {
            app.send(&interest(uri, nonce));
            let (mut room, mut meta) = ([0; 9000], [RecvMeta::default()]);
            state
                .recv((&socket).into(), &mut [IoSliceMut::new(&mut room)], &mut meta)
                .expect("an Interest in time");
            assert_eq!(
                meta[0].ecn,
                ecn.then_some(EcnCodepoint::Ect0),
                "the packets of the daemon are ECN-capable"
            );
            answer(&data(uri, &[7; 2000]));
            header(&app.receive()).is_marked()
        };
        assert!(!is_marked("/far/1", 1, &|data| answer(data, Some(EcnCodepoint::Ect0))));
        assert_eq!(is_marked("/far/2", 2, &|data| answer(data, Some(EcnCodepoint::Ce))), ecn);
        let in_pieces = |marked: usize| {
            move |answer: &dyn Fn(&[u8], Option<EcnCodepoint>), data: &[u8]| {
                let (mut fragmenter, header) = (Fragmenter::default(), Header::default());
                let mut pieces = fragmenter.pieces(&header, data, 1000).expect("pieces");
                let mut piece = Vec::new();
                for number in 0.. {
                    piece.clear();
                    if !pieces.write_next(&mut piece) {
                        break;
                    }
                    answer(&piece, (number == marked).then_some(EcnCodepoint::Ce));
                }
            }
        };
        for marked in 0..3 {
            let uri = format!("/far/pieces/{marked}");
            assert_eq!(
                is_marked(&uri, 10 + marked as u32, &|data| in_pieces(marked)(&answer, data)),
                ecn,
                "piece {marked}"
            );
        }
    }
}
