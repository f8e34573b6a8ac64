//! Files of a run for other programs, read as those programs read them.

use crate::scratch::{Scratch, code, stderr, stdout};
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Command;

const LOSSY: &str = r#"
duration = "8 s"
warmup = "0 s"
seed = 3
[[link]]
name = "bottleneck"
between = ["left", "right"]
rate = "20 Mbit/s"
delay = "15 ms"
buffer = "0.7 bdp"
loss = "0.5 %"
[[flow]]
name = "endless"
from = "left"
to = "right"
controller = "cubic"
[[flow]]
name = "file"
from = "left"
to = "right"
controller = "newreno"
start = "1 s"
workload = { size = "5 MB" }
[[flow]]
name = "unasked"
from = "left"
to = "right"
workload = { rate = "500 kbit/s" }
"#;

/// Returns the output of tshark, or `None` with a message if tshark is not installed.
fn tshark(scratch: &Scratch, arguments: &[&str]) -> Option<String> {
    if Command::new("tshark").arg("--version").output().is_err() {
        eprintln!("skipped: tshark is not installed; `make tools` as root does it");
        return None;
    }
    let output = scratch.command("tshark").args(arguments).output().expect("tshark runs");
    assert!(output.status.success(), "{}", stderr(&output));
    Some(stdout(&output))
}

/// Returns the number of frames in a capture that pass a display filter. tshark verifies every
/// checksum.
fn frames(scratch: &Scratch, file: &str, filter: &str) -> Option<usize> {
    let check = [
        "-o",
        "tcp.check_checksum:TRUE",
        "-o",
        "udp.check_checksum:TRUE",
        "-o",
        "ip.check_checksum:TRUE",
    ];
    let arguments = [&["-r", file][..], &check, &["-Y", filter]].concat();
    tshark(scratch, &arguments).map(|text| text.lines().count())
}

fn narrows(scratch: &Scratch, arguments: &[&str]) -> String {
    let output = scratch.narrows(arguments.iter().copied());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    stdout(&output)
}

/// Exports a table of a result directory as CSV. Returns its rows by column.
fn table(scratch: &Scratch, directory: &str, name: &str) -> Vec<BTreeMap<String, String>> {
    let text =
        String::from_utf8(scratch.read(&format!("{directory}/csv/{name}.csv"))).expect("text");
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let head = lines.next().expect("a head");
    lines.map(|row| head.iter().cloned().zip(row).collect()).collect()
}

fn number(row: &BTreeMap<String, String>, column: &str) -> usize {
    row[column].parse().unwrap_or_else(|error| panic!("{column} is {:?}: {error}", row[column]))
}

#[test]
fn tshark_finds_no_fault_and_as_many_retransmissions_as_were_sent() {
    let scratch = Scratch::new("capture");
    scratch.write("lossy.toml", LOSSY);
    let points = ["--at", "sender", "--at", "receiver", "--at", "bottleneck", "--at", "dropped"];
    narrows(
        &scratch,
        &[
            &["run", "lossy.toml", "--pcap", "all", "--snaplen", "65535", "--out", "out"][..],
            &points,
        ]
        .concat(),
    );
    narrows(&scratch, &["run", "lossy.toml", "--pcap", "endless", "--out", "short"]);
    narrows(&scratch, &["export", "out"]);
    let flows = table(&scratch, "out", "flows");
    let [endless, file, unasked] = &flows[..] else { panic!("{} flows", flows.len()) };

    let Some(all) = frames(&scratch, "out/sender.pcapng", "ip") else { return };
    for name in ["sender", "receiver", "link-bottleneck", "dropped"] {
        let file = format!("out/{name}.pcapng");
        let faults = "_ws.malformed || _ws.short || ip.checksum.status != 1 || (tcp && tcp.checksum.status != 1) || (udp && udp.checksum.status != 1)";
        assert_eq!(frames(&scratch, &file, faults), Some(0), "{name}");
        assert_eq!(frames(&scratch, &file, "tcp.analysis.ack_lost_segment"), Some(0), "{name}");
    }
    // Each handshake has three more segments, and the flow that ended has three at its end.
    let sent: usize = flows.iter().map(|flow| number(flow, "total_sent_packets")).sum();
    let acks = frames(
        &scratch,
        "out/sender.pcapng",
        "tcp.srcport == 40000 && tcp.flags.syn == 0 && tcp.flags.fin == 0",
    )
    .expect("tshark");
    assert_eq!(all, sent + acks + 2 * 3 + 3);
    assert_eq!(
        frames(&scratch, "out/sender.pcapng", "udp"),
        Some(number(unasked, "total_sent_packets"))
    );

    for (port, flow) in [(20_000, endless), (20_001, file)] {
        let (resent, dropped) =
            (number(flow, "total_retransmitted_packets"), number(flow, "total_dropped_packets"));
        assert!(resent > 10, "{resent} retransmissions test little");
        let at = |name: &str, filter: &str| {
            frames(
                &scratch,
                &format!("out/{name}.pcapng"),
                &format!("tcp.srcport == {port} && {filter}"),
            )
        };
        assert_eq!(at("sender", "tcp.analysis.retransmission"), Some(resent));
        assert_eq!(
            at("sender", "(tcp.analysis.lost_segment || tcp.analysis.out_of_order)"),
            Some(0)
        );
        assert_eq!(at("dropped", "tcp"), Some(dropped));
        let gaps = at("receiver", "tcp.analysis.lost_segment").expect("tshark");
        assert!(gaps > 0 && gaps <= dropped, "{gaps} gaps, {dropped} packets dropped");
    }
    // The headers alone give the same number.
    let resent = number(endless, "total_retransmitted_packets");
    assert_eq!(
        frames(&scratch, "short/sender.pcapng", "tcp.analysis.retransmission"),
        Some(resent)
    );
    assert_eq!(
        frames(&scratch, "short/sender.pcapng", "_ws.malformed || tcp.srcport == 20001 || udp"),
        Some(0)
    );
    assert!(
        scratch.read("short/sender.pcapng").len() < scratch.read("out/sender.pcapng").len() / 4
    );
}

#[test]
fn without_loss_tshark_measures_every_round_trip_to_the_nanosecond() {
    let scratch = Scratch::new("capture-rtt");
    let lossless = LOSSY
        .replace("loss = \"0.5 %\"", "")
        .replace("0.7 bdp", "4 MB")
        .replace("controller = \"cubic\"", "controller = \"bbr\"");
    scratch.write("lossless.toml", &lossless);
    narrows(&scratch, &["run", "lossless.toml", "--pcap", "all", "--out", "out"]);
    narrows(&scratch, &["export", "out"]);
    for (port, flow) in [(20_000, 0), (20_001, 1)] {
        let filter = format!(
            "tcp.dstport == {port} && tcp.analysis.ack_rtt && tcp.ack > 1 && tcp.flags.fin == 0 && tcp.flags.syn == 0"
        );
        let arguments = [
            "-r",
            "out/sender.pcapng",
            "-Y",
            &filter,
            "-T",
            "fields",
            "-e",
            "tcp.analysis.ack_rtt",
        ];
        let Some(text) = tshark(&scratch, &arguments) else { return };
        let nanoseconds =
            |line: &str| line.replace('.', "").parse::<u64>().expect("seconds to nine digits");
        let measured: Vec<u64> = text.lines().map(nanoseconds).collect();
        let row = &table(&scratch, "out", "flows")[flow];
        assert_eq!(number(row, "total_dropped_packets"), 0);
        assert_eq!(measured.iter().sum::<u64>(), number(row, "rtt_sum_ns") as u64);
        let ms = |column: &str| row[column].parse::<f64>().expect("a number");
        let seen = |ns: Option<&u64>| *ns.expect("some") as f64 / 1e6;
        assert_eq!(
            (seen(measured.iter().min()), seen(measured.iter().max())),
            (ms("rtt_min_ms"), ms("rtt_max_ms"))
        );
        assert!(measured.len() > 1000);
    }
}

#[test]
fn a_watched_run_has_the_same_tables_and_is_made_again_from_its_directory() {
    let scratch = Scratch::new("watched");
    scratch.write("lossy.toml", LOSSY);
    narrows(&scratch, &["run", "lossy.toml", "--out", "alone"]);
    let watch = ["--pcap", "file", "--at", "bottleneck", "--qlog", "endless"];
    narrows(&scratch, &[&["run", "lossy.toml", "--out", "watched"][..], &watch].concat());
    for table in ["flows", "links", "flow_samples", "link_samples", "histograms"] {
        assert!(
            scratch.read(&format!("alone/{table}.parquet"))
                == scratch.read(&format!("watched/{table}.parquet")),
            "{table}"
        );
    }
    let remake = "run watched/scenario.toml --seed 3 --pcap file --at bottleneck --snaplen 128 --qlog endless --out again";
    narrows(&scratch, &remake.split(' ').collect::<Vec<_>>());
    for file in ["link-bottleneck.pcapng", "endless.sqlog"] {
        assert!(
            scratch.read(&format!("watched/{file}")) == scratch.read(&format!("again/{file}")),
            "{file}"
        );
    }
    assert!(scratch.listing().iter().all(|name| !name.starts_with('.')), "{:?}", scratch.listing());
}

#[test]
fn a_senders_log_has_the_form_that_qvis_reads_and_every_packet() {
    let scratch = Scratch::new("qlog");
    scratch.write("lossy.toml", LOSSY);
    narrows(&scratch, &["run", "lossy.toml", "--qlog", "file", "--out", "out"]);
    narrows(&scratch, &["export", "out"]);
    let text = String::from_utf8(scratch.read("out/file.sqlog")).expect("text");
    // RFC 7464: each record is between a record separator and a line feed.
    let records = text.split('\x1e').skip(1).map(|record| {
        serde_json::from_str(record.strip_suffix('\n').expect("a line")).expect("JSON")
    });
    let mut records = records.collect::<Vec<Value>>().into_iter();
    let head = records.next().expect("a head");
    assert_eq!(
        (head["qlog_version"].as_str(), head["qlog_format"].as_str()),
        (Some("0.3"), Some("JSON-SEQ"))
    );
    assert_eq!(
        (head["trace"]["title"].as_str(), head["trace"]["vantage_point"]["type"].as_str()),
        (Some("file"), Some("server"))
    );
    let (mut count, mut time, mut sent, mut acked) = (BTreeMap::new(), 0.0, 0, 0);
    for event in records {
        let now = event["time"].as_f64().expect("a time");
        assert!(now >= time, "{now} after {time}");
        time = now;
        let data = &event["data"];
        let name = event["name"].as_str().expect("a name");
        *count.entry(name.to_owned()).or_insert(0) += 1;
        match name {
            "transport:packet_sent" => {
                assert_eq!(data["header"]["packet_number"], sent);
                sent += 1;
            }
            "transport:packet_received" => {
                let ranges = data["frames"][0]["acked_ranges"].as_array().expect("ranges");
                acked += ranges
                    .iter()
                    .map(|range| range[1].as_u64().unwrap() - range[0].as_u64().unwrap() + 1)
                    .sum::<u64>();
            }
            "recovery:packet_lost" => {
                assert!(data["header"]["packet_number"].as_u64().unwrap() < sent)
            }
            "recovery:congestion_state_updated" => assert!(data["new"] != data["old"]),
            "recovery:metrics_updated" => assert!(!data.as_object().unwrap().is_empty()),
            other => panic!("{other}"),
        }
    }
    let row = &table(&scratch, "out", "flows")[1];
    assert_eq!(count["transport:packet_sent"], number(row, "total_sent_packets"));
    assert_eq!(count["recovery:packet_lost"], number(row, "total_declared_lost_packets"));
    // 5 MB are 3454 segments. All of them are acknowledged.
    assert_eq!(acked, 3454);
}

#[test]
fn what_cannot_be_watched_is_refused_with_what_can() {
    let scratch = Scratch::new("watch-refused");
    scratch.write("lossy.toml", LOSSY);
    for (arguments, expected) in [
        ("--pcap fil", "there is no flow \"fil\"; give all, or one of: endless, file, unasked"),
        (
            "--pcap all --at bottle",
            "there is no link \"bottle\"; give sender, receiver, dropped, or one of: bottleneck, bottleneck.back",
        ),
        (
            "--qlog unasked",
            "flow \"unasked\" has no controller, so there is nothing to log; choose a flow that has one",
        ),
        (
            "--pcap all --at sender --at sender",
            "sender.pcapng would be written twice; give each flow and capture point once",
        ),
        ("--pcap all --seeds 2", "cannot be used with"),
    ] {
        let words = ["run", "lossy.toml"].into_iter().chain(arguments.split(' '));
        let output = scratch.narrows(words);
        assert_eq!(code(&output), 2, "{arguments}");
        assert!(stderr(&output).contains(expected), "{arguments}: {}", stderr(&output));
        assert_eq!(scratch.listing(), ["lossy.toml"], "{arguments}");
    }
}

/// A field of a protocol buffer as encoded on the wire.
enum Field<'a> {
    Number(u64),
    Double(f64),
    Bytes(&'a [u8]),
}

/// Returns the fields of a message with their numbers (protobuf.dev, Encoding). The parser is
/// independent of the library with which the program wrote the message.
fn fields(mut rest: &[u8]) -> Vec<(u64, Field<'_>)> {
    fn varint(rest: &mut &[u8]) -> u64 {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = rest[0];
            *rest = &rest[1..];
            value |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return value;
            }
        }
    }
    let mut all = Vec::new();
    while !rest.is_empty() {
        let key = varint(&mut rest);
        let field = match key & 7 {
            0 => Field::Number(varint(&mut rest)),
            1 => {
                let (value, after) = rest.split_at(8);
                rest = after;
                Field::Double(f64::from_le_bytes(value.try_into().expect("eight bytes")))
            }
            2 => {
                let length = varint(&mut rest) as usize;
                let (value, after) = rest.split_at(length);
                rest = after;
                Field::Bytes(value)
            }
            kind => panic!("wire type {kind}"),
        };
        all.push((key >> 3, field));
    }
    all
}

#[test]
fn a_perfetto_trace_has_the_samples_of_the_tables() {
    let scratch = Scratch::new("perfetto");
    scratch.write("lossy.toml", LOSSY);
    narrows(&scratch, &["run", "lossy.toml", "--out", "out"]);
    narrows(&scratch, &["export", "out"]);
    narrows(&scratch, &["export", "out", "--format", "perfetto"]);
    let bytes = scratch.read("out/run.perfetto-trace");
    let (mut tracks, mut values, mut slices) =
        (BTreeMap::new(), BTreeMap::<u64, Vec<(u64, f64)>>::new(), 0);
    for (number, packet) in fields(&bytes) {
        let (1, Field::Bytes(packet)) = (number, packet) else {
            panic!("field {number} of a trace")
        };
        let mut time = 0;
        for (number, field) in fields(packet) {
            match (number, field) {
                (8, Field::Number(at)) => time = at,
                (11, Field::Bytes(event)) => {
                    let (mut kind, mut track, mut value) = (0, 0, None);
                    for (number, field) in fields(event) {
                        match (number, field) {
                            (9, Field::Number(own)) => kind = own,
                            (11, Field::Number(own)) => track = own,
                            (44, Field::Double(own)) => value = Some(own),
                            _ => {}
                        }
                    }
                    slices += i32::from(kind == 1);
                    if let (4, Some(value)) = (kind, value) {
                        values.entry(track).or_default().push((time, value));
                    }
                }
                (60, Field::Bytes(track)) => {
                    let (mut uuid, mut name, mut parent) = (0, String::new(), 0);
                    for (number, field) in fields(track) {
                        match (number, field) {
                            (1, Field::Number(own)) => uuid = own,
                            (2, Field::Bytes(own)) => {
                                name = String::from_utf8(own.to_vec()).expect("text")
                            }
                            (5, Field::Number(own)) => parent = own,
                            _ => {}
                        }
                    }
                    tracks.insert(uuid, (name, parent));
                }
                _ => {}
            }
        }
    }
    let parent = |track: u64| tracks[&track].1;
    let goodput = tracks
        .keys()
        .find(|track| tracks[track].0 == "goodput" && tracks[&parent(**track)].0 == "file")
        .expect("the flow's goodput");
    let run = &tracks[&parent(parent(*goodput))];
    assert_eq!((run.0.as_str(), run.1), ("lossy, seed 3", 0));
    let rows = table(&scratch, "out", "flow_samples");
    let real = |row: &BTreeMap<String, String>, column: &str| row[column].parse::<f64>().ok();
    let expected: Vec<(u64, f64)> = rows
        .iter()
        .filter(|row| row["flow"] == "file")
        .filter_map(|row| {
            Some(((real(row, "time_s")? * 1e9).round() as u64, real(row, "goodput_mbps")?))
        })
        .collect();
    assert!(expected.len() > 100);
    assert_eq!(values[goodput], expected);
    assert_eq!(
        slices,
        table(&scratch, "out", "transfers")
            .iter()
            .filter(|row| !row["completion_ms"].is_empty())
            .count() as i32
    );
}
