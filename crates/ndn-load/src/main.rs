//! Measures the cost of an NDN forwarder per exchange: one Interest and its Data through it.
//!
//! ```text
//! narrows-ndn-load udp:127.0.0.1:6363|unix:PATH PID [window=32] [rate=N] [content=1000]
//!      [warmup=2] [seconds=3] [bare=1]
//! ```
//!
//! One socket registers `/load` and answers. Another socket sends Interests for names that are
//! never repeated. By default, `window` Interests are pending at any time. With `rate`, that many
//! Interests are sent per second, and at most `window` are pending. Interests have a PIT token of
//! six octets unless `bare` is set. An Interest without an answer after half a second is lost. PID
//! is the process whose CPU time and memory are read.
//!
//! The program shares no code with Narrows' forwarder, so that it cannot favour that forwarder.

mod channel;
mod failure;
mod packets;

use channel::Channel;
use failure::Failure;
use nix::poll::{PollTimeout, poll};
use std::collections::VecDeque;
use std::fs;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Time after which an Interest without an answer is lost.
const PATIENCE: Duration = Duration::from_millis(500);

/// Pending Interests.
#[derive(Default)]
struct PendingInterests {
    /// Send time of each Interest until it is answered, number of the first Interest, and number of
    /// pending Interests.
    sent: VecDeque<Option<Instant>>,
    first: u32,
    waiting: usize,
    /// Data received, Interests lost, and the sum of round trips.
    data: u64,
    lost: u64,
    round_trips: Duration,
}

impl PendingInterests {
    fn next(&mut self, now: Instant) -> u32 {
        self.sent.push_back(Some(now));
        self.waiting += 1;
        self.first + self.sent.len() as u32 - 1
    }

    fn answered(&mut self, now: Instant, number: u32) {
        if let Some(sent) =
            self.sent.get_mut(number.wrapping_sub(self.first) as usize).and_then(Option::take)
        {
            self.waiting -= 1;
            self.data += 1;
            self.round_trips += now - sent;
        }
    }

    fn expire(&mut self, now: Instant) {
        while let Some(sent) =
            self.sent.front().copied().filter(|sent| sent.is_none_or(|sent| now - sent > PATIENCE))
        {
            self.sent.pop_front();
            self.first += 1;
            self.waiting -= usize::from(sent.is_some());
            self.lost += u64::from(sent.is_some());
        }
    }
}

/// CPU time of all threads of a process (proc(5): fields 14 and 15 of `stat`, in hundredths of a
/// second).
fn cpu(pid: &str) -> Result<Duration, Failure> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))
        .map_err(|error| format!("process {pid}: {error}"))?;
    let fields =
        stat.rsplit_once(')').map_or("", |(_, fields)| fields).split_whitespace().skip(11).take(2);
    Ok(Duration::from_millis(
        fields.filter_map(|ticks| ticks.parse::<u64>().ok()).sum::<u64>() * 10,
    ))
}

/// Peak resident memory of a process in MB.
fn peak_memory(pid: &str) -> Result<f64, Failure> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let kib = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:")?.strip_suffix("kB"))
        .unwrap_or("0");
    Ok(kib.trim().parse::<f64>()? * 1024.0 / 1e6)
}

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [place, pid, options @ ..] = &words[..] else {
        return Err("usage: narrows-ndn-load udp:ADDRESS|unix:PATH PID [OPTION=VALUE]...".into());
    };
    let option = |name: &str, default: f64| {
        let given = options.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
        given.map_or(Ok(default), str::parse).map_err(|error| format!("{name}: {error}"))
    };
    let (window, rate, content) = (
        option("window", 32.0)? as usize,
        option("rate", f64::INFINITY)?,
        option("content", 1000.0)? as usize,
    );
    let (warmup, seconds, bare) =
        (option("warmup", 2.0)?, option("seconds", 3.0)?, option("bare", 0.0)? != 0.0);

    let (mut producer, mut consumer) = (Channel::connect(place)?, Channel::connect(place)?);
    producer.command("register")?;
    let interest =
        packets::interest(SystemTime::now().duration_since(UNIX_EPOCH)?.as_nanos() as u64, bare);
    let (tail, mut asked) = (packets::data_tail(content), PendingInterests::default());
    // Start of the measurement, and the counters and CPU times at that moment.
    let mut began = None;
    let (start, mut sent) = (Instant::now(), 0);
    let (since, before, used) = loop {
        let now = Instant::now();
        if began.is_none() && (now - start).as_secs_f64() >= warmup {
            began =
                Some((now, (asked.data, asked.lost, asked.round_trips), [cpu(pid)?, cpu("self")?]));
        }
        if let Some(began) = began.filter(|(since, ..)| (now - *since).as_secs_f64() >= seconds) {
            break began;
        }
        asked.expire(now);
        let due = ((now - start).as_secs_f64() * rate) as u64;
        while asked.waiting < window && sent < due {
            sent += 1;
            packets::put_interest(&mut consumer.outbox, &interest, asked.next(now));
            consumer.end_packet();
        }
        consumer.flush()?;
        poll(
            &mut [producer.poll_fd(), consumer.poll_fd()],
            PollTimeout::from(if rate.is_finite() { 1u8 } else { 100 }),
        )?;
        producer.receive(|packet, out| {
            let asked = packets::read(packet).filter(|(kind, ..)| *kind == 5);
            asked.map(|(_, name, token)| packets::put_data(out, name, token, &tail)).is_some()
        })?;
        producer.flush()?;
        let now = Instant::now();
        consumer.receive(|packet, _| {
            let data = packets::read(packet).filter(|(kind, ..)| *kind == 6);
            data.inspect(|(_, name, _)| asked.answered(now, packets::number(name)));
            false
        })?;
    };
    let (lasted, used_now) = (since.elapsed().as_secs_f64(), [cpu(pid)?, cpu("self")?]);
    producer.command("unregister")?;
    let (data, lost) = (asked.data - before.0, asked.lost - before.1);
    let spans = [used_now[0] - used[0], used_now[1] - used[1], asked.round_trips - before.2];
    let [theirs, own, rtt] = spans.map(|span| span.as_secs_f64() * 1e6 / data as f64);
    let (rate, percent, peak) =
        (data as f64 / lasted, 100.0 * lost as f64 / (data + lost) as f64, peak_memory(pid)?);
    print!(
        "us_per_exchange={theirs:.2} data_per_s={rate:.0} lost={lost} lost_percent={percent:.3} "
    );
    println!("rtt_us={rtt:.0} tool_us={own:.2} peak_mb={peak:.1}");
    Ok(())
}
