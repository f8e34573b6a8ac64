//! The flows of a scenario as kernel connections.

use crate::clock::Clock;
use crate::error::LiveError;
use crate::hosts::Host;
use crate::tcp_info::{INFINITE_SSTHRESH, TcpInfo};
use crate::terms::{Plan, Terms, port};
use narrows_measure::FlowSample;
use narrows_scenario::{Scenario, Workload};
use narrows_units::{Bytes, Rate, Span, Time};
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, accept_with, bind, connect, ipproto, listen, recv, send, socket_with,
};
use rustix::time::Timespec;
use std::io;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;

/// The port where the receiver of the first flow listens; the others follow.
pub const FIRST_PORT: u16 = 5001;

/// What is written or read at once.
const CHUNK: usize = 256 * 1024;

/// A flow's ends.
struct Connection {
    start: Time,
    stop: Time,
    to: SocketAddr,
    sender: OwnedFd,
    listener: OwnedFd,
    receiver: Option<OwnedFd>,
    begun: bool,
    /// Payload yet to write; `None` without end.
    left: Option<u64>,
    size: Option<u64>,
    read: u64,
    finished_at: Option<Time>,
    completed: bool,
    samples: Vec<FlowSample>,
    last: TcpInfo,
    /// At the end of the warm-up.
    at_warmup: TcpInfo,
}

/// What became of a flow's connection.
pub struct Outcome {
    pub samples: Vec<FlowSample>,
    pub info: TcpInfo,
    pub at_warmup: TcpInfo,
    pub goodput: u64,
    pub finished_at: Option<Time>,
    pub completed: bool,
}

/// All connections of a run.
pub struct Sockets {
    epoll: OwnedFd,
    connections: Vec<Connection>,
    zeros: Vec<u8>,
}

impl Sockets {
    /// Opens the sockets of all flows; none is connected yet.
    pub fn open(scenario: &Scenario, hosts: &[Host], ends: &[(usize, usize)], plan: &Plan) -> Result<Sockets, LiveError> {
        let epoll =
            epoll::create(CreateFlags::CLOEXEC).map_err(|error| LiveError::system("epoll", "see `narrows doctor`")(error.into()))?;
        let mut connections = Vec::new();
        for (index, flow) in scenario.flows.iter().enumerate() {
            let ((from, to), terms) = (ends[index], &plan.flows[index]);
            let address = SocketAddr::new(hosts[to].address(terms.class, terms.v6), port(index));
            let failed =
                |error| LiveError::system(format!("flow \"{}\": its sockets cannot be opened", flow.name), "see `narrows doctor`")(error);
            let listener = hosts[to].namespace.enter(|| listening(address, terms)).map_err(failed)?;
            let sender = hosts[from].namespace.enter(|| stream(terms)).map_err(failed)?;
            let size = match flow.workload {
                Workload::Size(size) => Some(size.get()),
                _ => None,
            };
            epoll::add(&epoll, &listener, EventData::new_u64(key(index, Role::Listener)), EventFlags::IN)
                .map_err(|error| failed(error.into()))?;
            connections.push(Connection {
                start: flow.start,
                stop: flow.stop.unwrap_or(Time::NEVER),
                to: address,
                sender,
                listener,
                receiver: None,
                begun: false,
                left: size,
                size,
                read: 0,
                finished_at: None,
                completed: false,
                samples: Vec::new(),
                last: TcpInfo::default(),
                at_warmup: TcpInfo::default(),
            });
        }
        Ok(Sockets { epoll, connections, zeros: vec![0; CHUNK] })
    }

    /// Runs all connections until the scenario ends, with a sample at each interval.
    pub fn run(&mut self, clock: Clock, scenario: &Scenario, go_on: &dyn Fn() -> bool) -> io::Result<()> {
        let (end, interval) = (Time::ZERO + scenario.duration, scenario.interval);
        let mut sample_at = Time::ZERO + interval;
        let mut events = Vec::with_capacity(64);
        loop {
            let now = clock.now();
            if now >= end || !go_on() {
                return Ok(());
            }
            if now >= sample_at {
                self.sample(sample_at, Time::ZERO + scenario.warmup);
                sample_at += interval;
                continue;
            }
            let mut next = sample_at.min(end);
            for index in 0..self.connections.len() {
                let connection = &mut self.connections[index];
                if !connection.begun {
                    if connection.start <= now {
                        connection.begin(&self.epoll, index)?;
                    } else {
                        next = next.min(connection.start);
                    }
                }
                if connection.begun && connection.finished_at.is_none() {
                    if connection.stop <= now {
                        connection.finished_at = Some(now);
                        connection.left = Some(0);
                        rustix::net::shutdown(&connection.sender, rustix::net::Shutdown::Write).ok();
                    } else {
                        next = next.min(connection.stop);
                    }
                }
            }
            events.clear();
            let wait = next.since(clock.now().min(next)).as_nanos();
            let timeout = Timespec { tv_sec: (wait / 1_000_000_000) as i64, tv_nsec: (wait % 1_000_000_000) as i64 };
            epoll::wait(&self.epoll, rustix::buffer::spare_capacity(&mut events), Some(&timeout))?;
            for event in &events {
                let (index, role) = split(event.data.u64());
                self.serve(index, role, clock.now())?;
            }
        }
    }

    fn serve(&mut self, index: usize, role: Role, now: Time) -> io::Result<()> {
        let connection = &mut self.connections[index];
        match role {
            Role::Listener => {
                let receiver = accept_with(&connection.listener, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC)?;
                epoll::add(&self.epoll, &receiver, EventData::new_u64(key(index, Role::Receiver)), EventFlags::IN)?;
                connection.receiver = Some(receiver);
            }
            Role::Sender => connection.write(&self.zeros, &self.epoll, index)?,
            Role::Receiver => connection.read(&mut self.zeros, now)?,
        }
        Ok(())
    }

    fn sample(&mut self, at: Time, warmup: Time) {
        for connection in &mut self.connections {
            connection.sample(at);
            if at <= warmup {
                connection.at_warmup = connection.last;
            }
        }
    }

    /// What came of each flow.
    pub fn finish(self) -> Vec<Outcome> {
        self.connections
            .into_iter()
            .map(|mut connection| {
                connection.ask();
                Outcome {
                    samples: connection.samples,
                    info: connection.last,
                    at_warmup: connection.at_warmup,
                    goodput: connection.read,
                    finished_at: connection.finished_at,
                    completed: connection.completed,
                }
            })
            .collect()
    }
}

impl Connection {
    fn begin(&mut self, epoll: &OwnedFd, index: usize) -> io::Result<()> {
        self.begun = true;
        match connect(&self.sender, &self.to) {
            Ok(()) | Err(Errno::INPROGRESS) => {}
            Err(error) => return Err(error.into()),
        }
        epoll::add(epoll, &self.sender, EventData::new_u64(key(index, Role::Sender)), EventFlags::OUT)?;
        Ok(())
    }

    fn write(&mut self, zeros: &[u8], epoll: &OwnedFd, index: usize) -> io::Result<()> {
        while self.left != Some(0) {
            let most = self.left.map_or(zeros.len(), |left| zeros.len().min(left as usize));
            match send(&self.sender, &zeros[..most], SendFlags::NOSIGNAL) {
                Ok(count) => self.left = self.left.map(|left| left - count as u64),
                Err(Errno::AGAIN) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
        // Nothing more to write: it need not be told of room any more.
        epoll::modify(epoll, &self.sender, EventData::new_u64(key(index, Role::Sender)), EventFlags::empty())?;
        Ok(())
    }

    fn read(&mut self, buffer: &mut [u8], now: Time) -> io::Result<()> {
        let Some(receiver) = &self.receiver else { return Ok(()) };
        loop {
            // The payload is thrown away in the kernel.
            match recv(receiver, &mut *buffer, RecvFlags::TRUNC) {
                Ok((_, 0)) => {
                    self.receiver = None;
                    return Ok(());
                }
                Ok((_, count)) => self.read += count as u64,
                Err(Errno::AGAIN) => break,
                Err(error) => return Err(error.into()),
            }
        }
        if self.size == Some(self.read) && self.finished_at.is_none() {
            (self.finished_at, self.completed) = (Some(now), true);
        }
        Ok(())
    }

    fn ask(&mut self) {
        if self.begun
            && let Ok(info) = TcpInfo::of(&self.sender)
        {
            self.last = info;
        }
    }

    fn sample(&mut self, at: Time) {
        self.ask();
        let info = &self.last;
        self.samples.push(FlowSample {
            at,
            goodput: Bytes::new(self.read),
            rtt: (info.rtt > 0).then(|| Span::from_micros(info.rtt.into())),
            cwnd: info.snd_cwnd.into(),
            ssthresh: (info.snd_ssthresh < INFINITE_SSTHRESH && self.begun).then(|| info.snd_ssthresh.into()),
            in_flight: (info.unacked + info.retrans).saturating_sub(info.sacked + info.lost),
            connections: u32::from(self.begun && self.finished_at.is_none()),
            pacing: (info.pacing_rate != u64::MAX && info.pacing_rate > 0).then(|| Rate::from_bps(info.pacing_rate.saturating_mul(8))),
            ..FlowSample::default()
        });
    }
}

/// Which end of a flow an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Listener,
    Sender,
    Receiver,
}

fn key(index: usize, role: Role) -> u64 {
    (index as u64) << 2 | role as u64
}

fn split(key: u64) -> (usize, Role) {
    let role = match key & 3 {
        0 => Role::Listener,
        1 => Role::Sender,
        _ => Role::Receiver,
    };
    ((key >> 2) as usize, role)
}

fn listening(address: SocketAddr, terms: &Terms) -> io::Result<OwnedFd> {
    let listener = stream(terms)?;
    bind(&listener, &address)?;
    listen(&listener, 1024)?;
    Ok(listener)
}

fn stream(terms: &Terms) -> io::Result<OwnedFd> {
    let family = if terms.v6 { AddressFamily::INET6 } else { AddressFamily::INET };
    let socket = socket_with(family, SocketType::STREAM, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC, Some(ipproto::TCP))?;
    terms.apply(&socket)?;
    Ok(socket)
}
