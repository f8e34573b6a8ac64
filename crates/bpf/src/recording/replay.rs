//! Recorded calls, decided again.

use super::comparable::{Dependence, content, dependences};
use super::layout::Layout;
use super::tally::Tally;
use crate::for_kernel::ForKernel;
use crate::functions::{Stored, World};
use crate::machine::{Callback, Code, Machine};
use crate::program::address;
use crate::socket::{AREA_WORDS, Field, Place, callbacks, signature};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Nanoseconds of a second.
const SECOND: u128 = 1_000_000_000;
/// Ticks are counted from so many seconds before their first wrap (`INITIAL_JIFFIES`,
/// include/linux/jiffies.h).
const BEFORE_WRAP: u64 = 300;
/// The first word of the private area.
const AREA_AT: Field = Field::of("tcp_sock.inet_conn.icsk_ca_priv[0]");
const PORT: Field = Field::of("tcp_sock.inet_conn.icsk_inet.sk.__sk_common.skc_num");
const PEER: Field = Field::of("tcp_sock.inet_conn.icsk_inet.sk.__sk_common.skc_dport");

/// Decides recorded calls again. All that the program may see is in the record of a call, but for
/// its maps: these hold what the calls before left there, and those of sockets by the socket.
pub struct Replay {
    layout: Layout,
    hz: u32,
    machine: Machine,
    /// The sections as they are before each call, with the values that were set.
    sections: Vec<Vec<u8>>,
    /// By the number of the callback in the table, from 1 on.
    known: BTreeMap<u64, Known>,
    sockets: BTreeSet<u64>,
    /// The values of sockets in maps of sockets.
    storage: BTreeMap<Owner, Stored>,
    /// Calls so far.
    number: u64,
    /// Callbacks that write no records.
    unrecorded: Vec<String>,
}

/// A socket, and its ports: another connection may get its place.
type Owner = (u64, u64, u64);

/// Why callbacks may write no records.
const UNDECLARED: &str = "not declared by BPF_PROG, so that it is not recorded";

/// Why a callback is given up that reads other kernel memory.
const UNRECORDED: &str =
    "it reads kernel memory beside the socket by bpf_probe_read_kernel, which is not recorded";

/// The fate of the calls of a callback.
#[derive(Debug, Default)]
struct Outcome {
    calls: u64,
    unequal: u64,
    later: u64,
    /// The first that was not equal: its number, and in words.
    first: Option<(u64, String)>,
}

struct Known {
    name: &'static str,
    callback: Callback,
    /// Which of its parameters is a sample, and of what.
    sample: Option<(usize, bool)>,
    parameters: usize,
    answers: bool,
    dependence: Dependence,
    outcome: Outcome,
}

/// The words of a record, one part after another.
struct Parts<'a> {
    bytes: &'a [u8],
}

impl<'a> Parts<'a> {
    fn words(&mut self, count: usize) -> Vec<u64> {
        let (words, rest) = self.bytes.split_at(8 * count);
        self.bytes = rest;
        words
            .chunks_exact(8)
            .map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes")))
            .collect()
    }
}

/// A record, taken apart.
struct Record<'a> {
    callback: u64,
    socket: u64,
    ticks: u64,
    arguments: Vec<u64>,
    before: Vec<u64>,
    area: Vec<u64>,
    sample: Vec<u64>,
    after: Vec<u64>,
    area_after: Vec<u64>,
    answer: u64,
    globals: &'a [u8],
}

impl Replay {
    /// Of a program with these initial values. The callbacks `unrecorded` write no records.
    pub(super) fn new(
        code: Arc<Code>,
        layout: Layout,
        hz: u32,
        program: &ForKernel,
        unrecorded: &[String],
    ) -> Replay {
        let linked = code.program();
        let mut sections: Vec<Vec<u8>> =
            linked.regions.iter().map(|region| region.bytes.clone()).collect();
        for value in &program.initial {
            let places = linked
                .regions
                .iter()
                .zip(&mut sections)
                .filter(|(region, _)| region.name == value.section);
            places.for_each(|(_, bytes)| {
                bytes[value.offset..value.offset + value.bytes.len()].copy_from_slice(&value.bytes)
            });
        }
        let mut known = BTreeMap::new();
        let mut all = dependences(linked, unrecorded, UNDECLARED);
        for (number, name) in (1..).zip(callbacks()) {
            let (Some(callback), Some((parameters, answers))) =
                (code.callback(name), signature(name))
            else {
                continue;
            };
            let Some(dependence) = all.remove(name) else { continue };
            let sample = parameters
                .iter()
                .position(|one| one.contains("_sample"))
                .map(|at| (at, parameters[at].contains("rate_sample")));
            let outcome = Outcome::default();
            known.insert(
                number,
                Known {
                    name,
                    callback,
                    sample,
                    parameters: parameters.len(),
                    answers,
                    dependence,
                    outcome,
                },
            );
        }
        let sockets = BTreeSet::new();
        let storage = BTreeMap::new();
        Replay {
            machine: Machine::new(code),
            layout,
            hz,
            sections,
            known,
            sockets,
            storage,
            number: 0,
            unrecorded: unrecorded.to_vec(),
        }
    }

    /// Replaces what a section begins with by what the kernel's loader put there: `.kconfig`, the
    /// configuration of the running kernel.
    pub fn section(&mut self, name: &str, bytes: &[u8]) {
        let regions = &self.machine.code().program().regions;
        let found = regions
            .iter()
            .zip(&mut self.sections)
            .find(|(region, own)| region.name == name && own.len() == bytes.len());
        if let Some((_, own)) = found {
            own.copy_from_slice(bytes);
        }
    }

    /// The next record.
    pub fn feed(&mut self, bytes: &[u8]) {
        let Some(bytes) = bytes.get(..self.layout.size()) else { return };
        let record = self.read(bytes);
        let Some(known) = self.known.get_mut(&record.callback) else { return };
        known.outcome.calls += 1;
        if !known.dependence.obstacles.is_empty() {
            return;
        }
        self.sockets.insert(record.socket);
        let number = self.number;
        self.number += 1;
        let callback = known.callback;
        let name = known.name;
        let answers = known.answers;
        let follows = !known.dependence.maps.is_empty();
        let arguments = arguments(known, &record);
        let rate = known.sample.is_some_and(|(_, rate)| rate);
        let of = |field: Field| {
            let place = self.layout.places.iter().position(|place| place.field == field);
            place.map_or(0, |place| record.before[place])
        };
        let owner = (record.socket, of(PORT), of(PEER));
        if follows {
            self.machine.put_storage(self.storage.get(&owner).unwrap_or(&Stored::new()));
        }
        let before = follows.then(|| self.machine.clone());
        let mut first = None;
        let mut after = None;
        for later in 0..2 {
            self.show(&record, rate);
            let mut host = Host { ticks: record.ticks + later, hz: self.hz, could_not_read: false };
            let outcome = self.machine.call(callback, &arguments, &mut host);
            if host.could_not_read {
                self.give_up(record.callback);
                return;
            }
            let difference = match outcome {
                Err(fault) => Some(format!("the kernel went on, and here: {fault}")),
                Ok(answer) => self.difference(&record, answers.then_some(answer)),
            };
            let Some(difference) = difference else {
                self.known.get_mut(&record.callback).expect("it is known").outcome.later += later;
                first = None;
                break;
            };
            first.get_or_insert(difference);
            if let Some(before) = &before {
                // The state that the call left at the recorded tick holds if it is equal at
                // neither.
                let left = std::mem::replace(&mut self.machine, before.clone());
                after.get_or_insert(left);
            }
        }
        if let Some(after) = after.filter(|_| first.is_some()) {
            self.machine = after;
        }
        if follows {
            self.storage.insert(owner, self.machine.take_storage());
        }
        let Some(difference) = first else { return };
        let outcome = &mut self.known.get_mut(&record.callback).expect("it is known").outcome;
        outcome.unequal += 1;
        outcome.first.get_or_insert_with(|| {
            let arguments: Vec<String> = arguments.iter().skip(1).map(|one| format!("{one:#x}")).collect();
            let port = owner.1;
            let peer = (owner.2 as u16).swap_bytes();
            let words = format!(
                "the first: call {number}, {name} (port {port} to {peer}, tick {}, arguments {})\n{difference}",
                record.ticks,
                arguments.join(" ")
            );
            (number, words)
        });
    }

    /// A callback read what no record has: none of its calls is compared, nor those of callbacks
    /// that use its maps.
    fn give_up(&mut self, callback: u64) {
        let Some(one) = self.known.get_mut(&callback) else { return };
        one.dependence.obstacles.insert(UNRECORDED.to_owned());
        let mut lost = one.dependence.maps.clone();
        // A callback that is given up takes those with it that use its other maps.
        loop {
            let of_lost = |known: &&mut Known| {
                known.dependence.obstacles.is_empty() && !known.dependence.maps.is_disjoint(&lost)
            };
            let Some(known) = self.known.values_mut().find(of_lost) else { return };
            let program = self.machine.code().program();
            known.dependence.obstacles.extend(
                known.dependence.maps.intersection(&lost).map(|map| content(program, *map)),
            );
            lost.extend(&known.dependence.maps);
        }
    }

    /// The results, of which so many calls had no room to be recorded: what they left in maps is
    /// not known.
    pub fn finish(self, missed: u64) -> Tally {
        let mut tally =
            Tally { missed, connections: self.sockets.len() as u64, ..Tally::default() };
        tally
            .left
            .extend(self.unrecorded.iter().map(|name| (name.clone(), (0, UNDECLARED.to_owned()))));
        let maps = &self.machine.code().program().maps;
        let mut first: Option<(u64, String)> = None;
        for known in self.known.into_values() {
            let Known { name, dependence: Dependence { obstacles, maps: used }, outcome, .. } =
                known;
            let mut obstacles: Vec<String> = obstacles.into_iter().collect();
            if missed > 0 && obstacles.is_empty() {
                let unknown = |map: usize| {
                    format!(
                        "{missed} calls were not recorded, and what they left in the map {} is not known",
                        maps[map].name
                    )
                };
                obstacles = used.into_iter().map(unknown).collect();
            }
            if !obstacles.is_empty() {
                if outcome.calls > 0 {
                    tally.left.insert(name.to_owned(), (outcome.calls, obstacles.join("; ")));
                }
                continue;
            }
            tally.calls += outcome.calls;
            tally.unequal += outcome.unequal;
            tally.later += outcome.later;
            let earlier = |one: &(u64, String)| first.as_ref().is_none_or(|first| one.0 < first.0);
            if let Some(one) = outcome.first.filter(earlier) {
                first = Some(one);
            }
        }
        Tally { first: first.map(|(_, words)| words), ..tally }
    }

    fn read<'a>(&self, bytes: &'a [u8]) -> Record<'a> {
        let mut parts = Parts { bytes };
        let head = parts.words(3);
        let arguments = parts.words(Layout::ARGUMENTS);
        let before = parts.words(self.layout.places.len());
        let area = parts.words(AREA_WORDS);
        let sample = parts.words(self.layout.samples());
        let after = parts.words(self.layout.writable().count());
        let area_after = parts.words(AREA_WORDS);
        let answer = parts.words(1)[0];
        Record {
            callback: head[0],
            socket: head[1],
            ticks: head[2],
            arguments,
            before,
            area,
            sample,
            after,
            area_after,
            answer,
            globals: parts.bytes,
        }
    }

    /// Lets the machine be as the kernel was.
    fn show(&mut self, record: &Record<'_>, rate: bool) {
        let Replay { layout, machine, sections, .. } = self;
        for (index, bytes) in sections.iter().enumerate() {
            machine.data_mut(index).copy_from_slice(bytes);
        }
        for global in &layout.globals {
            let value = &record.globals[global.at..global.at + global.size];
            machine.data_mut(global.region)[global.offset..global.offset + global.size]
                .copy_from_slice(value);
        }
        let socket = machine.socket_mut();
        socket.fill(0);
        for (place, value) in layout.places.iter().zip(&record.before) {
            place.field.set(socket, *value);
        }
        for (word, value) in record.area.iter().enumerate() {
            socket[AREA_AT.offset() + 8 * word..][..8].copy_from_slice(&value.to_le_bytes());
        }
        let sample = machine.sample_mut();
        for (place, value) in
            if rate { &layout.rate } else { &layout.ack }.iter().zip(&record.sample)
        {
            place.field.set(sample, *value);
        }
    }

    /// The first difference between the machine and the kernel.
    fn difference(&self, record: &Record<'_>, answer: Option<u64>) -> Option<String> {
        let socket = self.machine.socket();
        let line =
            |name: &str, kernel: u64, here: u64| format!("  {name}: kernel {kernel}, here {here}");
        let mut all = Vec::new();
        for (place, kernel) in self.layout.writable().zip(&record.after) {
            let here = place.field.get(socket);
            if here != *kernel {
                let was = self
                    .layout
                    .places
                    .iter()
                    .zip(&record.before)
                    .find(|(one, _)| one.path == place.path)
                    .map_or(0, |(_, was)| *was);
                all.push(format!("{}, was {was}", line(last(place), *kernel, here)));
            }
        }
        for (word, kernel) in record.area_after.iter().enumerate() {
            let here = &socket[AREA_AT.offset() + 8 * word..][..8];
            let here = u64::from_le_bytes(here.try_into().expect("eight bytes"));
            if here != *kernel {
                all.push(format!(
                    "  icsk_ca_priv[{word}]: kernel {kernel:#x}, here {here:#x}, was {:#x}",
                    record.area[word]
                ));
            }
        }
        // Results have 32 bits.
        if let Some(here) = answer.filter(|here| *here as u32 != record.answer as u32) {
            all.push(line("the answer", u64::from(record.answer as u32), u64::from(here as u32)));
        }
        (!all.is_empty()).then(|| all.join("\n"))
    }
}

/// A member's own name.
fn last(place: &Place) -> &str {
    place.path.rsplit('.').next().unwrap_or(&place.path)
}

fn arguments(known: &Known, record: &Record<'_>) -> Vec<u64> {
    let one = |at: usize| match (at, known.sample) {
        (0, _) => address::of(address::SOCKET, 0),
        (at, Some((sample, _))) if at == sample => address::of(address::SAMPLE, 0),
        (at, _) => record.arguments[at],
    };
    (0..known.parameters).map(one).collect()
}

/// The host at a recorded call.
struct Host {
    ticks: u64,
    hz: u32,
    /// The program asked for memory that no record has.
    could_not_read: bool,
}

impl World for Host {
    fn uptime(&self) -> u64 {
        // In the middle of the tick.
        let elapsed = self.ticks.saturating_sub((1 << 32) - BEFORE_WRAP * u64::from(self.hz));
        ((2 * u128::from(elapsed) + 1) * SECOND / (2 * u128::from(self.hz.max(1)))) as u64
    }

    fn hz(&self) -> u32 {
        self.hz
    }

    fn random(&mut self) -> u32 {
        0
    }

    fn print(&mut self, _line: &str) {}

    fn could_not_read(&mut self) {
        self.could_not_read = true;
    }
}
