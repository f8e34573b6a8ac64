//! Both ends of a connection, whatever the stack.

use crate::application::Applications;
use crate::clock;
use crate::held::{Account, Held};
use crate::settings::Settings;
use crate::watch::Watch;
use narrows_control::{
    Datagram, End, GUEST_HEADERS, Guest, GuestCounts, GuestEnd, GuestSample, LogSink,
};
use narrows_units::{Rate, Time};
use std::sync::Arc;
use std::time::Instant;

/// One end of a connection: an endpoint of a stack with one connection. Both stacks are driven so.
pub(crate) trait Host: Send {
    /// Writes the stack's own log to `out`; called first. The error says why it cannot.
    fn log(&mut self, out: LogSink) -> Result<(), String>;

    /// A datagram arrives. The endpoint may answer it by itself.
    fn receive(&mut self, now: Instant, datagram: Datagram, answer: &mut dyn FnMut(Datagram));

    /// Lets the end accept a connection.
    fn listen(&mut self);

    /// Opens the connection.
    fn open(&mut self, now: Instant);

    /// Fires timers that are due, lets the applications write and read, and sends all that may be
    /// sent now.
    fn act(
        &mut self,
        now: Instant,
        applications: &mut Applications,
        send: &mut dyn FnMut(Datagram),
    );

    /// When its next timer is due.
    fn due(&mut self) -> Option<Instant>;

    /// The cause that keeps it from sending more. Of a stack without anything to send it is
    /// [`Held::Application`].
    fn held(&self) -> Held;

    /// The state of its controller.
    fn state(&self) -> State;

    /// Packets declared lost, if the controller is not told of each.
    fn lost_packets(&self) -> Option<u64> {
        None
    }

    /// How the connection has ended.
    fn ended(&self) -> Option<GuestEnd<'_>>;

    /// Streams of the end that the peer has acknowledged up to their end.
    fn acknowledged(&self) -> u64;
}

/// The state of a controller, in bytes of UDP payload.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct State {
    pub(crate) window: u64,
    pub(crate) ssthresh: Option<u64>,
    /// Per second, if the stack obeys it.
    pub(crate) pacing: Option<u64>,
    /// A full datagram.
    pub(crate) mtu: u64,
}

/// A connection.
pub(crate) struct Connection<H> {
    /// In the order of [`End`].
    hosts: [H; 2],
    dues: [Time; 2],
    /// The end that has opened the connection.
    opener: Option<End>,
    /// Datagrams with which endpoints answered by themselves; they leave when the end acts.
    answers: [Vec<Datagram>; 2],
    applications: Applications,
    watch: Arc<Watch>,
    account: Account,
    /// The seed of generators that the stack makes by itself.
    seed: u64,
}

impl<H: Host> Connection<H> {
    /// `watch`: of the sender's controller.
    pub(crate) fn new(hosts: [H; 2], watch: Arc<Watch>, settings: &Settings) -> Connection<H> {
        Connection {
            hosts,
            dues: [Time::NEVER; 2],
            opener: None,
            answers: Default::default(),
            applications: Applications::new(settings.ordered),
            watch,
            account: Account::new(),
            seed: settings.seed,
        }
    }
}

impl<H: Host> Guest for Connection<H> {
    fn log(&mut self, out: LogSink) -> Result<(), String> {
        self.hosts[End::Sender as usize].log(out)
    }

    fn receive(&mut self, now: Time, end: End, datagram: Datagram) {
        let (host, answers) = (&mut self.hosts[end as usize], &mut self.answers[end as usize]);
        // A server makes its controller when a client calls.
        narrows_dice::seeded(self.seed, || {
            host.receive(clock::instant(now), datagram, &mut |answer| answers.push(answer));
        });
    }

    fn due(&self, end: End) -> Time {
        self.dues[end as usize]
    }

    fn act(&mut self, now: Time, end: End, send: &mut dyn FnMut(Datagram)) {
        let opens = self.opener.is_none();
        if opens {
            self.opener = Some(end);
            self.hosts[1 - end as usize].listen();
        }
        self.answers[end as usize].drain(..).for_each(&mut *send);
        let host = &mut self.hosts[end as usize];
        let applications = &mut self.applications;
        let instant = clock::instant(now);
        narrows_dice::seeded(self.seed, || {
            if opens {
                host.open(instant);
            }
            host.act(instant, applications, send);
        });
        if end == End::Sender {
            let held = match self.hosts[end as usize].held() {
                Held::Application if self.applications.has_unwritten() => Held::FlowControl,
                held => held,
            };
            self.account.turn(now, held);
        }
        let host = &mut self.hosts[end as usize];
        self.dues[end as usize] = host.due().map_or(Time::NEVER, clock::time);
    }

    fn write(&mut self, bytes: u64) {
        self.applications.write(bytes);
    }

    fn message(&mut self, bytes: u64, last: bool) -> u64 {
        self.applications.message(bytes, last)
    }

    fn completed(&mut self) -> Option<u64> {
        self.applications.completed()
    }

    fn ask(&mut self, bytes: u64) {
        self.applications.ask(bytes);
    }

    fn asked(&mut self) -> bool {
        self.applications.asked()
    }

    fn stop(&mut self) {
        self.applications.stop();
    }

    fn delivered(&self) -> u64 {
        self.applications.delivered()
    }

    fn finished(&self) -> bool {
        self.applications.finished(self.hosts[End::Sender as usize].acknowledged())
    }

    fn counts(&self, now: Time) -> GuestCounts {
        let counts = self.watch.counts();
        let lost = self.hosts[End::Sender as usize].lost_packets();
        let counts = GuestCounts { lost: lost.unwrap_or(counts.lost), ..counts };
        self.account.count(now, counts)
    }

    fn sample(&self) -> GuestSample {
        let State { window, ssthresh, pacing, mtu } = self.hosts[End::Sender as usize].state();
        let full = mtu.max(1) as f64;
        let packet = full + GUEST_HEADERS.get() as f64;
        GuestSample {
            window: window as f64 / full,
            ssthresh: ssthresh.map(|bytes| bytes as f64 / full),
            pacing: pacing.map(|bytes| Rate::from_bytes_per_sec(bytes as f64 * packet / full)),
            in_flight: self.watch.in_flight().div_ceil(mtu.max(1)) as u32,
        }
    }

    fn ended(&self) -> Option<GuestEnd<'_>> {
        // An end whose peer has timed out is reset by it.
        let idle = self.hosts.iter().any(|host| host.ended() == Some(GuestEnd::Idle));
        if idle { Some(GuestEnd::Idle) } else { self.hosts.iter().find_map(Host::ended) }
    }
}
