//! Replays the kernel's decisions in native code.

use crate::shared::Record;
use narrows_control::cores::{Replay, Twin};
use narrows_cores::Output;
use std::collections::BTreeMap;
use std::fmt;

/// Replays the records of a controller through its native core, connection by connection, and
/// compares decisions and states bit for bit.
///
/// After lost records, the next record of the connection gives the state from which the replay
/// continues. This record is not compared.
pub struct Replayer {
    twin: &'static Twin,
    constants: Vec<u8>,
    connections: BTreeMap<u64, Connection>,
    tally: Tally,
}

struct Connection {
    core: Box<dyn Replay>,
    /// Number of the next call.
    next: u64,
}

/// The results of a replay.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Replayed calls.
    pub replayed: u64,
    /// Calls without a record before the last record of each connection, and the call after each
    /// gap, which is not compared.
    pub missed: u64,
    /// Connections.
    pub connections: u64,
    /// Replayed calls that differed.
    pub unequal: u64,
    /// First difference.
    pub first: Option<Box<Difference>>,
}

/// A call in which the kernel and the native core differ.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The kernel's call.
    pub kernel: Record,
    /// Decision of the native core.
    pub output: Output,
    /// State of the native core after the call.
    pub state: Vec<u8>,
    /// State of both before the call.
    pub before: Vec<u8>,
}

impl Replayer {
    /// Makes a replayer for a controller that was registered with these constants.
    pub fn new(twin: &'static Twin, constants: &[u8]) -> Replayer {
        Replayer {
            twin,
            constants: constants.to_vec(),
            connections: BTreeMap::new(),
            tally: Tally::default(),
        }
    }

    /// Takes the next record of any connection. Records of a connection must come in order.
    pub fn feed(&mut self, record: Record) {
        let connection = self.connections.entry(record.connection).or_insert_with(|| {
            self.tally.connections += 1;
            Connection { core: (self.twin.replay)(&self.constants), next: 0 }
        });
        if record.sequence != connection.next {
            self.tally.missed += (record.sequence + 1).saturating_sub(connection.next);
            connection.core.set_state(&record.state);
            connection.next = record.sequence + 1;
            return;
        }
        let before = connection.core.state().to_vec();
        let output = connection.core.decide(&record.input);
        connection.next += 1;
        self.tally.replayed += 1;
        if output != record.output || connection.core.state() != record.state {
            self.tally.unequal += 1;
            let state = connection.core.state().to_vec();
            connection.core.set_state(&record.state);
            self.tally.first.get_or_insert_with(|| {
                Box::new(Difference { kernel: record, output, state, before })
            });
        }
    }

    /// Returns the results so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let several = |count: u64, one: &str| {
            if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
        };
        write!(
            f,
            "{} of {} replayed, ",
            several(self.replayed, "call"),
            several(self.connections, "connection")
        )?;
        match self.unequal {
            0 => write!(f, "all equal")?,
            unequal => write!(f, "{unequal} NOT EQUAL")?,
        }
        if self.missed > 0 {
            write!(f, "; {} could not be recorded", self.missed)?;
        }
        self.first.as_ref().map_or(Ok(()), |first| write!(f, "\n{first}"))
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Record { connection, sequence, port, peer, input, output, state } = &self.kernel;
        writeln!(
            f,
            "the first: call {sequence} of connection {connection} (port {port} to {peer})"
        )?;
        writeln!(f, "  shown    {input:?}")?;
        writeln!(f, "  kernel   {output:?}")?;
        write!(f, "  native   {:?}", self.output)?;
        let words = |bytes: &[u8]| bytes.chunks(4).map(<[u8]>::to_vec).collect::<Vec<_>>();
        let number = |word: &[u8]| word.try_into().map_or(0, u32::from_ne_bytes);
        for (at, (theirs, ours)) in words(state)
            .iter()
            .zip(words(&self.state))
            .enumerate()
            .filter(|(_, (theirs, ours))| *theirs != ours)
        {
            let before = number(self.before.get(4 * at..4 * at + 4).unwrap_or_default());
            write!(
                f,
                "\n  state    at byte {}: was {before:#x}, kernel {:#x}, native {:#x}",
                4 * at,
                number(theirs),
                number(&ours)
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_control::Choice;
    use narrows_control::TWINS;
    use narrows_cores::{Event, Input};

    fn constants(twin: &Twin) -> Vec<u8> {
        twin.constants_of(&twin.choice.parse::<Choice>().unwrap()).unwrap()
    }

    /// Makes records of a correct kernel for acknowledgements of a connection.
    fn records(twin: &'static Twin, connection: u64, count: u64) -> Vec<Record> {
        let mut core = (twin.replay)(&constants(twin));
        let mut output = Output { pacing_rate: 100_000, cwnd: 10, ssthresh: i32::MAX as u32 };
        let record = |sequence| {
            let counted = sequence as u32 * 7;
            let Output { pacing_rate, cwnd, ssthresh } = output;
            let input = Input {
                now: 1_000_000 + sequence * 2_000,
                pacing_rate,
                cwnd,
                ssthresh,
                event: if sequence == 0 { Event::Init } else { Event::Ack } as u32,
                sent: counted + 7,
                delivered: counted,
                acked: 7,
                srtt: 20_000,
                max_pacing_rate: u64::MAX,
                cwnd_clamp: u32::MAX,
                cwnd_limited: 1,
                mss: 1448,
                ..Input::default()
            };
            output = core.decide(&input);
            Record {
                connection,
                sequence,
                port: 1,
                peer: 2,
                input,
                output,
                state: core.state().to_vec(),
            }
        };
        (0..count).map(record).collect()
    }

    fn replayed(twin: &'static Twin, records: Vec<Record>) -> Tally {
        let mut replayer = Replayer::new(twin, &constants(twin));
        records.into_iter().for_each(|record| replayer.feed(record));
        replayer.tally().clone()
    }

    #[test]
    fn of_connections_in_turn_all_is_equal() {
        for twin in TWINS {
            let both = records(twin, 3, 200)
                .into_iter()
                .zip(records(twin, 4, 200))
                .flat_map(|(a, b)| [a, b])
                .collect();
            let tally = replayed(twin, both);
            assert_eq!(
                (tally.replayed, tally.connections, tally.missed, tally.unequal),
                (400, 2, 0, 0),
                "{tally}"
            );
            assert_eq!(tally.to_string(), "400 calls of 2 connections replayed, all equal");
        }
    }

    #[test]
    fn lost_records_end_the_replay_and_the_next_takes_it_up() {
        for twin in TWINS {
            let mut some = records(twin, 0, 200);
            some.drain(50..60);
            let tally = replayed(twin, some);
            // Ten records are lost, and the next one only restores the state.
            assert_eq!((tally.replayed, tally.missed, tally.unequal), (189, 11, 0), "{tally}");
            let late = replayed(twin, records(twin, 0, 200).split_off(20));
            assert_eq!((late.replayed, late.missed, late.unequal), (179, 21, 0), "{late}");
        }
    }

    #[test]
    fn one_bit_is_noticed_once() {
        for twin in TWINS {
            let mut records = records(twin, 0, 200);
            records[100].output.cwnd ^= 1;
            let first = replayed(twin, records.clone());
            assert_eq!(
                (first.replayed, first.unequal, first.first.as_ref().unwrap().kernel.sequence),
                (200, 1, 100),
                "{first}"
            );
            records[100].output.cwnd ^= 1;
            let mut other = records[100].state.clone();
            other[0] ^= 4;
            records[100].state = other;
            let tally = replayed(twin, records);
            assert!(tally.unequal >= 1, "{tally}");
            let text = tally.to_string();
            assert!(
                text.contains("call 100 of connection 0 (port 1 to 2)")
                    && text.contains("at byte 0: was"),
                "{text}"
            );
        }
    }
}
