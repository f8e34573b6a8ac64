//! The state of a forwarder, as text and as JSON.

use super::asked::{all, connect, refused};
use super::prometheus;
use crate::cli::{ForwarderArgs, StatusArgs};
use crate::terminal;
use narrows_ndn::management::{
    CsInfo, FacePersistency, FaceScope, FaceStatus, GeneralStatus, RibEntry, StrategyChoice,
    TableStatus, route_flags,
};
use narrows_workbench::Failure;
use narrows_workbench::Outcome;
use serde_json::{Value, json};

fn show(args: &ForwarderArgs, value: &Value, text: &str) -> Result<Outcome, Failure> {
    let shown = if args.json { format!("{value:#}\n") } else { text.to_owned() };
    terminal::print(&shown)?;
    Ok(Outcome::Ok)
}

/// Shows packet counters, tables and the content store.
pub fn status(asked: &StatusArgs) -> Result<Outcome, Failure> {
    let args = &asked.forwarder;
    let mut client = connect(args)?;
    if asked.prometheus {
        terminal::print(&prometheus::text(&mut client)?)?;
        return Ok(Outcome::Ok);
    }
    let general = client.dataset("/localhost/nfd/status/general").map_err(refused)?;
    let store = client.dataset("/localhost/nfd/cs/info").map_err(refused)?;
    let malformed =
        |error| Failure::Other(format!("the forwarder's status cannot be read: {error}"));
    let status = GeneralStatus::decode(&general).map_err(malformed)?;
    let store = all::<CsInfo>(&store, "content store")?.into_iter().next();
    let seconds = status.current_ms.saturating_sub(status.start_ms) / 1000;
    let mut rows = vec![
        ("interests in", status.in_interests),
        ("interests out", status.out_interests),
        ("data in", status.in_data),
        ("data out", status.out_data),
        ("nacks in", status.in_nacks),
        ("nacks out", status.out_nacks),
        ("satisfied", status.satisfied_interests),
        ("unsatisfied", status.unsatisfied_interests),
        ("pending", status.pit_entries),
        ("prefixes", status.fib_entries),
        ("cached", status.cs_entries),
        ("cache capacity", store.map_or(0, |store| store.capacity)),
        ("cache hits", store.map_or(0, |store| store.hits)),
        ("cache misses", store.map_or(0, |store| store.misses)),
    ];
    rows.extend(status.dropped.map(|count| ("dropped", count)));
    rows.extend(status.faces_refused.map(|count| ("faces refused", count)));
    rows.extend(status.faces_evicted.map(|count| ("faces evicted", count)));
    // Only forwarders with several threads report this counter.
    rows.extend(status.lost_between_threads.map(|lost| ("lost in queues", lost)));
    let mut text = format!(
        "{}, up {} h {} min {} s\n",
        status.version,
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    );
    rows.iter().for_each(|(name, value)| text += &format!("  {name:<16}{value:>12}\n"));
    let mut value = json!({ "version": status.version, "up_s": seconds });
    rows.iter().for_each(|(name, count)| value[name.replace(' ', "_")] = json!(count));
    if prometheus::status_is_ours(&general) {
        let tables = client.dataset("/localhost/nfd/tables/list").map_err(refused)?;
        let tables = all::<TableStatus<'_>>(&tables, "tables")?;
        text += &format!("  {:<16}{:>12}{:>12}{:>12}\n", "table", "octets", "limit", "refused");
        for TableStatus { name, used, limit, refused } in tables {
            text += &format!("  {name:<16}{used:>12}{limit:>12}{refused:>12}\n");
            value["tables"][name] =
                json!({ "bytes": used, "limit_bytes": limit, "refused": refused });
        }
    }
    show(args, &value, &text)
}

/// Shows the faces with their packets and octets.
pub fn faces(args: &ForwarderArgs) -> Result<Outcome, Failure> {
    let content = connect(args)?.dataset("/localhost/nfd/faces/list").map_err(refused)?;
    let faces = all::<FaceStatus<'_>>(&content, "faces")?;
    let persistency = |face: &FaceStatus<'_>| match face.persistency {
        FacePersistency::Persistent => "persistent",
        FacePersistency::OnDemand => "on-demand",
        FacePersistency::Permanent => "permanent",
    };
    let width = faces.iter().map(|face| face.uri.len()).max().unwrap_or(0).max(6);
    let mut text = format!(
        "{:>5}  {:<width$}  {:<10}  {:>10}  {:>10}  {:>10}  {:>10}  {:>9}  {:>9}  {:>11}  {:>7}  {:>7}\n",
        "face",
        "remote",
        "ends",
        "interests",
        "data",
        "in kB",
        "out kB",
        "malformed",
        "dropped",
        "rate Mbit/s",
        "suspect",
        "policed"
    );
    for face in &faces {
        text += &format!(
            "{:>5}  {:<width$}  {:<10}  {:>10}  {:>10}  {:>10}  {:>10}  {:>9}  {:>9}  {:>11}  {:>7}  {:>7}\n",
            face.face_id,
            face.uri,
            persistency(face),
            face.in_interests + face.out_interests,
            face.in_data + face.out_data,
            face.in_bytes / 1000,
            face.out_bytes / 1000,
            face.in_malformed.unwrap_or(0),
            face.out_dropped.unwrap_or(0),
            face.primary_bps.map_or("-".to_owned(), |bps| format!("{:.2}", bps as f64 / 1e6)),
            face.suspect_s.map_or("-".to_owned(), |seconds| format!("{seconds} s")),
            face.in_policed.map_or("-".to_owned(), |count| count.to_string())
        );
    }
    let rows = faces.iter().map(|face| {
        json!({
            "id": face.face_id, "remote": face.uri, "local": face.local_uri, "persistency": persistency(face),
            "is_local": face.scope == FaceScope::Local, "mtu_bytes": face.mtu,
            "interests_in": face.in_interests, "interests_out": face.out_interests, "data_in": face.in_data, "data_out": face.out_data,
            "nacks_in": face.in_nacks, "nacks_out": face.out_nacks, "bytes_in": face.in_bytes, "bytes_out": face.out_bytes,
            "malformed_in": face.in_malformed, "long_names_in": face.in_long_names, "dropped_out": face.out_dropped,
            "capacity_in_bps": face.in_capacity_bps, "capacity_out_bps": face.out_capacity_bps, "primary_bps": face.primary_bps,
            "secondary_bps": face.secondary_bps, "shaper_interests": face.shaped, "suspect_s": face.suspect_s,
            "policed_in": face.in_policed,
        })
    });
    show(args, &Value::Array(rows.collect()), &text)
}

/// Shows the routes, and the strategies of prefixes.
pub fn routes(args: &ForwarderArgs) -> Result<Outcome, Failure> {
    let mut client = connect(args)?;
    let (rib, choices) = (
        client.dataset("/localhost/nfd/rib/list").map_err(refused)?,
        client.dataset("/localhost/nfd/strategy-choice/list").map_err(refused)?,
    );
    let (rib, choices) =
        (all::<RibEntry<'_>>(&rib, "routes")?, all::<StrategyChoice<'_>>(&choices, "strategies")?);
    let width = rib.iter().map(|entry| entry.name.to_string().len()).max().unwrap_or(0).max(6);
    let mut text =
        format!("{:<width$}  {:>5}  {:>6}  {:>6}  flags\n", "prefix", "face", "cost", "origin");
    let flags = |flags: u64| {
        let words =
            [(route_flags::CHILD_INHERIT, "child-inherit"), (route_flags::CAPTURE, "capture")];
        words
            .iter()
            .filter(|(bit, _)| flags & bit != 0)
            .map(|(_, word)| *word)
            .collect::<Vec<_>>()
            .join(" ")
    };
    for entry in &rib {
        for route in &entry.routes {
            let ends =
                route.expiration_ms.map_or(String::new(), |ms| format!(" ends in {} s", ms / 1000));
            text += &format!(
                "{:<width$}  {:>5}  {:>6}  {:>6}  {}{ends}\n",
                entry.name.to_string(),
                route.face_id,
                route.cost,
                route.origin,
                flags(route.flags)
            );
        }
    }
    choices.iter().for_each(|choice| {
        text += &format!("strategy of {}: {}\n", choice.name, choice.strategy.0)
    });
    let routes: Vec<Value> = rib
        .iter()
        .flat_map(|entry| {
            let prefix = entry.name.to_string();
            entry.routes.iter().map(move |route| {
                json!({ "prefix": prefix, "face": route.face_id, "cost": route.cost, "origin": route.origin, "flags": route.flags, "ends_in_ms": route.expiration_ms })
            })
        })
        .collect();
    let choices: Vec<Value> =
        choices.iter().map(|choice| json!({ "prefix": choice.name.to_string(), "strategy": choice.strategy.0.to_string() })).collect();
    show(args, &json!({ "routes": routes, "strategies": choices }), &text)
}
