//! A producer, or an impostor, that withholds, invents, damages or delays Data. `get` ends with the
//! object or with a refusal.

use crate::torture::campaign::{Case, Class, End, Verdict, campaign};
use crate::torture::draw::Draw;
use crate::torture::program::Program;
use narrows_ndn::lp::{Header, LpPacket, Mircc, NackReason};
use narrows_ndn::signature::Signer;
use narrows_ndn::tlv::{MAX_PACKET, frame_length};
use narrows_ndn::{DataDraft, Interest, MetaInfo, Name, number};
use narrows_units::Random;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};

const CLASS: Class = Class {
    name: "producers",
    title: "`get` from producers that withhold, invent or damage Data",
    full: 400,
};

/// Behaviour of the producer.
#[derive(Clone, Debug)]
struct Answers {
    /// Last segment that exists, and the last segment that the producer announces.
    last: u64,
    told: Option<u64>,
    size: usize,
    missing: Option<u64>,
    rate: Option<u64>,
    damage: Damage,
    /// Probability that an answer is damaged.
    part: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Damage {
    None,
    Flip,
    Truncate,
    OtherName,
    Nack,
    Noise,
    Close,
    Twice,
}

#[test]
fn producers() {
    campaign(&CLASS, |case| {
        let answers = drawn(&mut case.random);
        one(case, &answers).map_err(|problem| format!("{answers:?}: {problem}"))
    });
}

fn drawn(random: &mut Random) -> Answers {
    let rate = random.pick(&[None, None, Some(0), Some(1), Some(50_000_000), Some(u64::MAX)]);
    // On a link with a rate of zero or one, `get` sends one Interest per second.
    let most = if matches!(rate, Some(0 | 1)) { 8 } else { 3000 };
    let last = if random.chance(0.5) { random.below(30.min(most)) } else { random.below(most) };
    let kinds = [
        Damage::None,
        Damage::Flip,
        Damage::Truncate,
        Damage::OtherName,
        Damage::Nack,
        Damage::Noise,
        Damage::Close,
        Damage::Twice,
    ];
    Answers {
        last,
        told: random.pick(&[
            Some(last),
            Some(last),
            Some(last),
            Some(u64::MAX),
            Some(1 << 40),
            Some(100_000),
            Some(0),
            None,
        ]),
        size: random.pick(&[0, 1, 1000, 8000]),
        missing: random.chance(0.3).then(|| random.below(last + 1)),
        rate,
        damage: if random.chance(0.5) { Damage::None } else { random.pick(&kinds) },
        part: random.pick(&[0.01, 0.3, 1.0]),
    }
}

fn content(segment: u64, size: usize) -> Vec<u8> {
    (0..size as u64).map(|at| (segment * 31 + at) as u8).collect()
}

/// Answers Interests on a connection until it ends.
fn serve(mut stream: UnixStream, answers: &Answers, random: &mut Random) {
    let (mut inbox, mut room) = (Vec::new(), vec![0; 1 << 17]);
    while let Ok(read @ 1..) = stream.read(&mut room) {
        inbox.extend_from_slice(&room[..read]);
        let (mut taken, mut out) = (0, Vec::new());
        while let Ok(Some(length)) = frame_length(&inbox[taken..], MAX_PACKET)
            && length <= inbox.len() - taken
        {
            answer(&inbox[taken..taken + length], answers, random, &mut out);
            taken += length;
        }
        inbox.drain(..taken);
        let closes = answers.damage == Damage::Close && random.chance(answers.part / 10.0);
        // `get` may have closed the connection.
        if stream.write_all(&out).is_err() || closes {
            return;
        }
    }
}

fn answer(packet: &[u8], answers: &Answers, random: &mut Random, out: &mut Vec<u8>) {
    let Some(fragment) = LpPacket::decode(packet).ok().and_then(|packet| packet.fragment) else {
        return;
    };
    let Ok(interest) = Interest::decode(fragment) else { return };
    let Some(segment) = interest.name.last().and_then(|last| last.nni_of(number::SEGMENT)) else {
        return;
    };
    let end = answers.told.unwrap_or(answers.last).max(answers.last);
    if answers.missing == Some(segment) || segment > end {
        return;
    }
    let damaged = answers.damage != Damage::None && random.chance(answers.part);
    let last = answers.told.map(|told| Name::new().segment(told));
    let meta = MetaInfo {
        final_block: last.as_ref().and_then(|last| last.as_ref().last()),
        ..MetaInfo::default()
    };
    let other = Name::new().generic(b"other");
    let name =
        if damaged && answers.damage == Damage::OtherName { other.as_ref() } else { interest.name };
    let mut data = Vec::new();
    DataDraft { name, meta, content: Some(&content(segment, answers.size)) }
        .write(&Signer::DIGEST, &mut data);
    let mircc =
        Mircc { primary_bps: answers.rate, secondary_bps: answers.rate, ..Mircc::default() };
    let before = out.len();
    match answers.damage {
        Damage::Nack if damaged => {
            Header { nack: Some(NackReason::Congestion), ..Header::default() }
                .write_packet(Some(fragment), out)
        }
        _ => Header { mircc, ..Header::default() }.write_packet(Some(&data), out),
    }
    match answers.damage {
        Damage::Flip if damaged => {
            let at = before + random.below((out.len() - before) as u64) as usize;
            out[at] ^= 1 << random.below(8);
        }
        Damage::Truncate if damaged => {
            out.truncate(before + random.below((out.len() - before) as u64) as usize)
        }
        Damage::Noise if damaged => {
            out.extend((0..random.below(300)).map(|_| random.below(256) as u8))
        }
        Damage::Twice if damaged => out.extend_from_within(before..),
        _ => {}
    }
}

fn one(case: &mut Case, answers: &Answers) -> Verdict {
    let path = case.place.path("p.sock");
    let listener = UnixListener::bind(&path).expect("a socket");
    let (own, mut random) = (answers.clone(), case.random.clone());
    let serving = std::thread::spawn(move || {
        while let Ok((stream, _)) = listener.accept() {
            // A connection that closes without sending data ends the listener.
            let mut first = [0; 1];
            if matches!(
                rustix::net::recv(&stream, &mut first, rustix::net::RecvFlags::PEEK),
                Ok((_, 0)) | Err(_)
            ) {
                return;
            }
            serve(stream, &own, &mut random);
        }
    });
    let at = format!("unix://{}", path.display());
    let arguments =
        ["ndn", "get", "/film/v=7", "-o", "out", "--quiet", "--patience", "3 s", "--at", &at];
    // Up to 64 MiB of segments may wait for an earlier one.
    let ended = Program::under(&case.place, "ulimit -v 400000 && exec", &arguments).run();
    // Ends the listener.
    drop(UnixStream::connect(&path));
    serving.join().map_err(|_| "the producer of the test panicked".to_owned())?;
    let ended = ended?;
    ended.decent()?;
    let out = case.place.path("work").join("out");
    if ended.code() != 0 {
        let left: Vec<_> = fs::read_dir(case.place.path("work"))
            .expect("a directory")
            .flatten()
            .map(|entry| entry.file_name())
            .collect();
        return if left.is_empty() {
            Ok(End::Refused)
        } else {
            Err(format!("a refusal leaves {left:?}: {}", ended.told()))
        };
    }
    let expected: Vec<u8> = (0..=answers.told.unwrap_or(0))
        .flat_map(|segment| content(segment, answers.size))
        .collect();
    if fs::read(out).map_err(|error| format!("no object: {error}"))? != expected {
        return Err("another object than what was served".to_owned());
    }
    Ok(End::Accepted)
}
