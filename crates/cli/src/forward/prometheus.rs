//! Counters of a forwarder in the Prometheus text format, version 0.0.4.

use super::asked::{all, refused};
use crate::counters;
use narrows_forward::{Client, Place};
use narrows_ndn::management::{CsInfo, FaceStatus, GeneralStatus, RibEntry, TableStatus};
use narrows_workbench::Failure;
use std::fmt::Write as _;
use std::net::TcpListener;

/// A family of samples, with one sample for the forwarder or one for each face or table.
struct Family<'a>(&'a mut String, &'static str);

impl<'a> Family<'a> {
    fn new(text: &'a mut String, name: &'static str, kind: &str, help: &str) -> Family<'a> {
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        Family(text, name)
    }

    fn sample(&mut self, labels: &str, value: u64) {
        let _ = writeln!(self.0, "{}{labels} {value}", self.1);
    }
}

/// Escapes backslashes, quotes and line ends in the value of a label.
fn quoted(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// Formats the labels of a face's sample, followed by `more`.
fn of_face(face: &FaceStatus<'_>, more: &str) -> String {
    let more = if more.is_empty() { String::new() } else { format!(",{more}") };
    format!("{{face=\"{}\",remote=\"{}\"{more}}}", face.face_id, quoted(face.uri))
}

/// True if the status is from a version of narrows that has the dataset of tables.
pub(super) fn status_is_ours(general: &[u8]) -> bool {
    GeneralStatus::decode(general).is_ok_and(|status| status.faces_refused.is_some())
}

/// Reads all counters of the forwarder at the other end of a connection, and formats them.
pub(super) fn text(client: &mut Client) -> Result<String, Failure> {
    let general = client.dataset("/localhost/nfd/status/general").map_err(refused)?;
    let store = client.dataset("/localhost/nfd/cs/info").map_err(refused)?;
    let faces = client.dataset("/localhost/nfd/faces/list").map_err(refused)?;
    let routes = client.dataset("/localhost/nfd/rib/list").map_err(refused)?;
    // Other forwarders do not have this dataset and would not answer.
    let tables = if status_is_ours(&general) {
        client.dataset("/localhost/nfd/tables/list").map_err(refused)?
    } else {
        Vec::new()
    };
    let tables = all::<TableStatus<'_>>(&tables, "tables")?;
    let malformed =
        |error| Failure::Other(format!("the forwarder's status cannot be read: {error}"));
    let status = GeneralStatus::decode(&general).map_err(malformed)?;
    let (faces, routes) =
        (all::<FaceStatus<'_>>(&faces, "faces")?, all::<RibEntry<'_>>(&routes, "routes")?);
    let store = all::<CsInfo>(&store, "content store")?.into_iter().next();
    let mut text = String::new();
    let mut one =
        |name, kind, help, value| Family::new(&mut text, name, kind, help).sample("", value);
    one(
        "narrows_start_time_seconds",
        "gauge",
        "When the forwarder started, in seconds since 1970.",
        status.start_ms / 1000,
    );
    one(
        "narrows_satisfied_interests_total",
        "counter",
        "Pending Interests that Data has answered.",
        status.satisfied_interests,
    );
    one(
        "narrows_unsatisfied_interests_total",
        "counter",
        "Pending Interests that have expired.",
        status.unsatisfied_interests,
    );
    one("narrows_pending_interests", "gauge", "Pending Interests.", status.pit_entries);
    one("narrows_prefixes", "gauge", "Prefixes with routes.", status.fib_entries);
    one(
        "narrows_routes",
        "gauge",
        "Routes.",
        routes.iter().map(|entry| entry.routes.len() as u64).sum(),
    );
    one("narrows_faces", "gauge", "Faces.", faces.len() as u64);
    one("narrows_cached_packets", "gauge", "Data packets in the content store.", status.cs_entries);
    if let Some(store) = store {
        one(
            "narrows_cache_capacity_packets",
            "gauge",
            "Data packets that the content store holds at most.",
            store.capacity,
        );
        one(
            "narrows_cache_hits_total",
            "counter",
            "Interests that the content store has answered.",
            store.hits,
        );
        one("narrows_cache_misses_total", "counter", "Interests that it has not.", store.misses);
    }
    if let Some(lost) = status.lost_between_threads {
        let help = "Packets that one forwarding thread had for another and dropped, because too many waited.";
        one("narrows_lost_between_threads_total", "counter", help, lost);
    }
    for (name, help, value) in [
        (
            "narrows_dropped_total",
            "Packets that did not leave by their faces, also by those that are gone.",
            status.dropped,
        ),
        (
            "narrows_faces_refused_total",
            "Faces that were not made, because there were too many or no descriptor was left.",
            status.faces_refused,
        ),
        (
            "narrows_faces_evicted_total",
            "Faces that were idle and gave way to others.",
            status.faces_evicted,
        ),
    ] {
        if let Some(value) = value {
            one(name, "counter", help, value);
        }
    }
    type OfTable = for<'t> fn(&'t TableStatus<'t>) -> u64;
    let of_tables: [(&'static str, &str, &str, OfTable); 3] = [
        ("narrows_table_octets", "gauge", "Octets that a table holds.", |table| table.used),
        ("narrows_table_limit_octets", "gauge", "Octets that a table may hold.", |table| {
            table.limit
        }),
        (
            "narrows_table_refused_total",
            "counter",
            "How often a table had no room, or dropped something for something newer.",
            |table| table.refused,
        ),
    ];
    for (name, kind, help, read) in of_tables {
        let mut family = Family::new(&mut text, name, kind, help);
        for table in &tables {
            family.sample(&format!("{{table=\"{}\"}}", quoted(table.name)), read(table));
        }
    }
    type Count = for<'f> fn(&'f FaceStatus<'f>) -> u64;
    type Labelled = (&'static str, Count);
    let counters: [(&'static str, &str, &[Labelled]); 5] = [
        (
            "narrows_face_packets_total",
            "Packets of a face by direction and kind, since the face was made.",
            &[
                ("direction=\"in\",kind=\"interest\"", |face| face.in_interests),
                ("direction=\"in\",kind=\"data\"", |face| face.in_data),
                ("direction=\"in\",kind=\"nack\"", |face| face.in_nacks),
                ("direction=\"out\",kind=\"interest\"", |face| face.out_interests),
                ("direction=\"out\",kind=\"data\"", |face| face.out_data),
                ("direction=\"out\",kind=\"nack\"", |face| face.out_nacks),
            ],
        ),
        (
            "narrows_face_octets_total",
            "Octets of a face by direction.",
            &[
                ("direction=\"in\"", |face| face.in_bytes),
                ("direction=\"out\"", |face| face.out_bytes),
            ],
        ),
        (
            "narrows_face_malformed_total",
            "Packets received on a face that were malformed or broke a rule of the link.",
            &[("", |face| face.in_malformed.unwrap_or(0))],
        ),
        (
            "narrows_face_long_names_total",
            "Malformed packets received on a face whose names have more than 64 components.",
            &[("", |face| face.in_long_names.unwrap_or(0))],
        ),
        (
            "narrows_face_dropped_total",
            "Packets that did not leave: too large, or not taken by the socket.",
            &[("", |face| face.out_dropped.unwrap_or(0))],
        ),
    ];
    type Known = for<'f> fn(&'f FaceStatus<'f>) -> Option<u64>;
    type Perhaps = (&'static str, Known);
    let of_some: [(&'static str, &str, &str, &[Perhaps]); 5] = [
        (
            "narrows_face_capacity_bits_per_second",
            "gauge",
            "Rate available to packets of a face by direction, where it is known.",
            &[
                ("direction=\"in\"", |face| face.in_capacity_bps),
                ("direction=\"out\"", |face| face.out_capacity_bps),
            ],
        ),
        (
            "narrows_face_rate_bits_per_second",
            "gauge",
            "Rate that the law of a face grants, by class.",
            &[
                ("class=\"primary\"", |face| face.primary_bps),
                ("class=\"secondary\"", |face| face.secondary_bps),
            ],
        ),
        (
            "narrows_face_shaper_interests",
            "gauge",
            "Interests that wait in the shaper of a face.",
            &[("", |face| face.shaped)],
        ),
        (
            "narrows_face_suspect_seconds_total",
            "counter",
            "Seconds in which the path behind a face seemed slower than its rate.",
            &[("", |face| face.suspect_s)],
        ),
        (
            "narrows_face_policed_total",
            "counter",
            "Primary Interests received on a policed face and refused, because they asked for more than its rate.",
            &[("", |face| face.in_policed)],
        ),
    ];
    for (name, kind, help, samples) in of_some {
        let mut family = Family::new(&mut text, name, kind, help);
        for face in &faces {
            for (labels, read) in samples {
                if let Some(value) = read(face) {
                    family.sample(&of_face(face, labels), value);
                }
            }
        }
    }
    for (name, help, samples) in counters {
        let mut family = Family::new(&mut text, name, "counter", help);
        for face in &faces {
            for (labels, read) in samples {
                family.sample(&of_face(face, labels), read(face));
            }
        }
    }
    Ok(text)
}

/// Answers GET /metrics until the process ends. It requests the counters from the forwarder like
/// any other application.
pub(super) fn serve(listener: &TcpListener, forwarder: &Place) {
    let forwarder = forwarder.clone();
    counters::serve(listener, move || {
        let text =
            Client::connect(&forwarder).map_err(refused).and_then(|mut client| text(&mut client));
        text.map_err(|_| "the forwarder does not answer; try again")
    });
}
