//! How exact an emulated run was.

use narrows_units::Span;

/// The measurements that the emulator of a live run made of itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Emulation {
    /// How late packets were handed to the host at the end of their way, against the time that
    /// their links gave them: the median.
    pub late_p50: Span,
    /// The lateness that 99 of 100 did not exceed.
    pub late_p99: Span,
    /// The greatest lateness.
    pub late_max: Span,
    /// The longest time in which the emulator looked at no device while packets were under way.
    pub gap_max: Span,
    /// How much of such times a packet would have been read later than [is
    /// sound](Emulation::sound_lateness).
    pub overlooked: Span,
    /// How long the emulator's thread was ready to run and did not; zero where the kernel does not
    /// tell.
    pub waited: Span,
    /// How often it was given a core.
    pub turns: u64,
    /// How late the thread of the flows' sockets was for what was due: what 99 of 100 times did not
    /// exceed.
    pub wake_p99: Span,
    /// The greatest delay of a wake-up.
    pub wake_max: Span,
    /// Packets of wire size that hosts sent into the network.
    pub packets: u64,
    /// Reads and writes of devices that carried them; fewer than twice the packets where segments
    /// crossed a device together.
    pub crossings: u64,
    /// Packets of no flow of the scenario, which are thrown away.
    pub unknown: u64,
    /// Packets that a host's device dropped before the emulator took them.
    pub overrun: u64,
    /// Packets that a host's kernel did not take.
    pub refused: u64,
    /// Packets in which a host's kernel found a wrong checksum or header: they were spoiled on the
    /// way.
    pub spoiled: u64,
    /// How long the emulator was at work, not waiting.
    pub busy: Span,
    /// CPU time of the thread that writes to and reads from the flows' sockets; that of other
    /// programs does not count.
    pub talking: Span,
    /// How long it ran.
    pub wall: Span,
    /// The shortest round trip of a flow without queues.
    pub base_rtt: Span,
    /// Share of the time in which the machine's cores were idle or ran programs of lower priority
    /// (`nice`), 0 to 1.
    pub idle: f64,
    /// The limits of flows that always had data.
    pub limits: Vec<Limit>,
    /// The results of native code on the recorded calls, if they were recorded.
    pub replays: Vec<Replayed>,
}

/// The calls of a controller that the kernel was given, decided again: by the native core of one of
/// ours, by the machine that simulates it of one from a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// The kernel's name of the controller.
    pub controller: String,
    /// Calls decided again.
    pub calls: u64,
    /// Connections that they belong to.
    pub connections: u64,
    /// Calls that came too fast to be recorded.
    pub missed: u64,
    /// Calls in which kernel and core, or kernel and machine, decided or remember different things,
    /// in any bit.
    pub unequal: u64,
    /// The first of these, in words; empty if all were equal.
    pub first: String,
    /// For a controller from a file, in words: calls that were equal one tick later, and recorded
    /// calls that cannot be decided again, with the reason. Empty if all can.
    pub beside: String,
}

/// The limits of a flow besides the network.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limit {
    /// The flow's name.
    pub flow: String,
    /// Share of the time with data to send in which the sender's socket buffer was too small, 0 to
    /// 1.
    pub send_buffer: f64,
    /// The part of the time in which the receiver's window was the limit.
    pub receive_window: f64,
}

/// The latest that one of 100 packets may be, whatever the round trip.
const LATE: Span = Span::from_millis(2);
/// The limit of lateness as a part of the shortest round trip: a tenth. Later packets are seen by
/// delay-based control.
const LATE_PART: u64 = 10;
/// The least limit: a timer and a scheduler cannot do better.
const LATE_LEAST: Span = Span::from_micros(500);
/// Share of time in which packets may be read later than that: as 1 of 100 may be handed over
/// later.
const OVERLOOKED: f64 = 0.01;
/// The time that it takes to give a sleeping thread a core, in a virtual machine.
const WAKING: Span = Span::from_micros(50);
/// Share of time that the emulator may wait for a core besides.
const WAITED: f64 = 0.02;
/// How late the thread of the flows' sockets may be 1 of 100 times: sockets that take little ahead
/// ask for more so long before they are empty.
const WAKE: Span = Span::from_millis(4);
/// Share of time that a flow may be held back by a buffer: twice the deviation in throughput that
/// is looked for.
const HELD_BACK: f64 = 0.05;
/// Share of time above which a thread's work is taken to have waited for its turn.
const BUSY: f64 = 0.95;
/// Share of idle time of all cores below which work has waited for a core.
const IDLE: f64 = 0.02;

impl Emulation {
    /// The latest that one of 100 packets may be where the shortest round trip without queues is
    /// this.
    pub fn sound_lateness(base_rtt: Span) -> Span {
        LATE.min((base_rtt / LATE_PART).max(LATE_LEAST))
    }

    /// The reasons why the results of this run are not valid, because they say more of the machine
    /// than of the controllers; empty if they are.
    pub fn validity_issues(&self) -> Vec<String> {
        let mut issues = Vec::new();
        let late = Emulation::sound_lateness(self.base_rtt);
        let part = |time: Span| time.as_secs_f64() / self.wall.as_secs_f64().max(1e-9);
        if self.late_p99 > late {
            let ms = self.late_p99.as_secs_f64() * 1e3;
            issues.push(format!("p99 emulator lateness is {ms:.2} ms (limit {late})"));
        }
        if part(self.overlooked) > OVERLOOKED {
            let share = part(self.overlooked) * 100.0;
            let ms = self.gap_max.as_secs_f64() * 1e3;
            issues.push(format!("packets were read more than {late} late in {share:.1} % of the time (limit 1 %), up to {ms:.2} ms"));
        }
        let waited = self.waited.saturating_sub(WAKING * self.turns);
        if part(waited) > WAITED {
            issues.push(format!(
                "the emulator waited for a core for {:.1} % of the time (limit 2 %)",
                part(waited) * 100.0
            ));
        }
        if self.wake_p99 > WAKE {
            let ms = self.wake_p99.as_secs_f64() * 1e3;
            issues.push(format!(
                "p99 lateness of the flows' socket thread is {ms:.2} ms (limit {WAKE})"
            ));
        }
        if self.overrun > 0 {
            issues.push(format!(
                "{} packets were dropped by devices before the emulator took them",
                self.overrun
            ));
        }
        if self.refused > 0 {
            issues.push(format!("{} packets were not taken by a host's kernel", self.refused));
        }
        if self.spoiled > 0 {
            issues.push(format!(
                "{} packets reached a host's kernel with a wrong checksum or header",
                self.spoiled
            ));
        }
        for (time, what) in
            [(self.busy, "the emulator"), (self.talking, "the thread of the flows' sockets")]
        {
            if part(time) > BUSY {
                issues.push(format!(
                    "{what} was at work for {:.0} % of the time",
                    part(time) * 100.0
                ));
            }
        }
        if self.idle < IDLE {
            issues.push(format!(
                "the cores were idle for {:.1} % of the time only: work has waited for a core",
                self.idle * 100.0
            ));
        }
        issues.extend(self.held_back("the sender's socket buffer", |limit| limit.send_buffer));
        issues.extend(self.held_back("the receiver's window", |limit| limit.receive_window));
        issues
    }

    /// The flows that `what` held back for longer than is sound, in words.
    fn held_back(&self, what: &str, share: impl Fn(&Limit) -> f64) -> Option<String> {
        let held: Vec<&Limit> =
            self.limits.iter().filter(|limit| share(limit) > HELD_BACK).collect();
        let most = held.iter().copied().max_by(|a, b| share(a).total_cmp(&share(b)))?;
        let flows = match held.len() {
            1 => format!("flow \"{}\" back", most.flow),
            many => format!("{many} flows back, the most \"{}\"", most.flow),
        };
        let percent = share(most) * 100.0;
        Some(format!("{what} held {flows} for {percent:.0} % of the time it had data to send"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The issues of a sound run of 10 s and 30 ms, but for the test's change.
    fn issues(change: impl FnOnce(&mut Emulation)) -> Vec<String> {
        let mut emulation = Emulation {
            wall: Span::from_secs(10),
            base_rtt: Span::from_millis(30),
            idle: 0.5,
            ..Emulation::default()
        };
        change(&mut emulation);
        emulation.validity_issues()
    }

    fn ms(ms: u64) -> Span {
        Span::from_millis(ms)
    }

    #[test]
    fn packets_read_late_are_told() {
        assert!(
            issues(|run| (run.gap_max, run.overlooked) = (ms(90), ms(88))).is_empty(),
            "a single gap"
        );
        let told = issues(|run| (run.gap_max, run.overlooked) = (ms(9), ms(130)));
        assert!(
            told.len() == 1 && told[0].contains("1.3 % of the time (limit 1 %), up to 9.00 ms"),
            "{told:?}"
        );
    }

    /// 20,000 turns may take 1 s. Time beyond that may be 0.2 s.
    #[test]
    fn waiting_for_a_core_is_told_but_not_waking() {
        assert!(issues(|run| (run.waited, run.turns) = (ms(1_190), 20_000)).is_empty());
        let told = issues(|run| (run.waited, run.turns) = (ms(1_210), 20_000));
        assert!(told.len() == 1 && told[0].contains("2.1 %"), "{told:?}");
        assert_eq!(issues(|run| (run.waited, run.turns) = (ms(300), 100)).len(), 1, "long waits");
    }

    #[test]
    fn flows_held_back_are_told_in_one_line() {
        let limit = |flow: &str, receive_window| Limit {
            flow: flow.to_owned(),
            receive_window,
            ..Limit::default()
        };
        let limits = vec![limit("a", 0.06), limit("b", 0.31), limit("c", 0.04)];
        let told = issues(|run| run.limits = limits.clone());
        assert_eq!(
            told,
            [
                "the receiver's window held 2 flows back, the most \"b\" for 31 % of the time it had data to send"
            ]
        );
        let told = issues(|run| run.limits = limits[..1].to_vec());
        assert!(told[0].contains("held flow \"a\" back for 6 %"), "{told:?}");
    }

    #[test]
    fn sockets_served_late_are_told() {
        assert!(issues(|run| (run.wake_p99, run.wake_max) = (ms(4), ms(50))).is_empty());
        let told = issues(|run| run.wake_p99 = ms(6));
        assert!(told.len() == 1 && told[0].contains("6.00 ms (limit"), "{told:?}");
    }
}
