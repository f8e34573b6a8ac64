//! `narrows kernel list`.

use super::found::{age, connections};
use super::routers;
use crate::cli::KernelListArgs;
use crate::terminal;
use narrows_control::Choice;
use narrows_control::TWINS;
use narrows_kernel::{Damaged, KernelError, Pinned, Router, available, of_bpf};
use narrows_workbench::Failure;
use narrows_workbench::Outcome;
use serde_json::{Value, json};
use std::time::UNIX_EPOCH;

/// Lists the controllers and routers of the kernel, and the controllers that can be loaded.
pub fn list(args: KernelListArgs) -> Result<Outcome, Failure> {
    let (mut pinned, mut damaged) = (Vec::new(), Vec::new());
    for one in Pinned::all()? {
        match one {
            Ok(one) => pinned.push(one),
            Err(one) => damaged.push(one),
        }
    }
    let default = narrows_kernel::default();
    let rows: Vec<Row> =
        available().into_iter().map(|name| Row::new(name, &pinned, &damaged, &default)).collect();
    let routers = Router::all()?;
    terminal::print(&if args.json {
        as_json(&rows, &damaged, &routers, &default)
    } else {
        as_text(&rows, damaged, &routers)
    })?;
    Ok(Outcome::Ok)
}

/// One controller of the kernel.
struct Row<'a> {
    name: String,
    default: bool,
    pinned: Option<&'a Pinned>,
    /// True if narrows loaded the controller and its pins are incomplete.
    damaged: bool,
    /// True if the controller is a BPF program that narrows has not pinned.
    foreign: bool,
}

impl Row<'_> {
    fn new<'a>(name: String, all: &'a [Pinned], damaged: &[Damaged], default: &str) -> Row<'a> {
        let pinned = all.iter().find(|one| one.name() == name);
        let damaged = damaged.iter().any(|one| one.name() == name);
        let foreign = pinned.is_none() && !damaged && of_bpf(&name);
        Row { default: name == default, pinned, damaged, foreign, name }
    }

    fn what(&self) -> String {
        let Some(pinned) = self.pinned else {
            let whose = match (self.damaged, self.foreign) {
                (true, _) => "loaded by narrows, with damaged pins",
                (false, true) => "a BPF program's, not pinned by narrows",
                (false, false) => "built in",
            };
            return whose.to_owned();
        };
        let open = connections(pinned.open());
        let whose = if pinned.known().is_some() || pinned.is_file() {
            "narrows"
        } else {
            "another version of narrows"
        };
        format!(
            "{}, loaded by {whose} {}, {open} open, {}",
            pinned.text(),
            age(pinned.since()),
            pinned.path().display()
        )
    }

    fn json(&self) -> Value {
        let by = match (self.pinned.is_some() || self.damaged, self.foreign) {
            (true, _) => "narrows",
            (false, true) => "bpf",
            (false, false) => "kernel",
        };
        let mut row = json!({ "name": self.name, "default": self.default, "by": by });
        if let Some(pinned) = self.pinned {
            let since = pinned
                .since()
                .and_then(|since| since.duration_since(UNIX_EPOCH).ok())
                .map(|since| since.as_secs());
            row["controller"] = pinned.text().into();
            if let Some((twin, choice)) = pinned.known() {
                row["simulated"] = twin.choice.into();
                row["params"] = changed(choice);
            }
            row["since_unix_s"] = since.into();
            row["open"] = pinned.open().into();
            row["path"] = pinned.path().display().to_string().into();
        }
        row
    }
}

/// Returns the parameters that differ from their defaults.
fn changed(choice: &Choice) -> Value {
    let params = choice.params();
    let changed = params.texts().filter(|(param, value)| *value != param.default_text());
    changed.map(|(param, value)| (param.name.to_owned(), Value::from(value))).collect()
}

fn as_text(rows: &[Row], damaged: Vec<Damaged>, routers: &[Router]) -> String {
    let mut text =
        "Controllers of this host's kernel (* is the default for new connections):\n".to_owned();
    for row in rows {
        text +=
            &format!("{} {:<16} {}\n", if row.default { '*' } else { ' ' }, row.name, row.what());
    }
    if !damaged.is_empty() {
        text += "\n";
    }
    for one in damaged {
        text += &format!("{}\n", KernelError::from(one));
    }
    if !routers.is_empty() {
        text += "\nInterfaces at which this host is a router:\n";
    }
    for router in routers {
        text += &format!("  {:<16} {}\n", router.interface(), routers::line(router));
    }
    text += "\nLoadable with narrows kernel load NAME, beside BPF sources and objects by their files:\n";
    for twin in TWINS {
        let simulated = if twin.choice == twin.entry.name {
            String::new()
        } else {
            format!("; simulated as {}", twin.choice)
        };
        text += &format!("  {:<16} {}{simulated}\n", twin.entry.name, twin.entry.summary);
    }
    text
}

fn as_json(rows: &[Row], damaged: &[Damaged], routers: &[Router], default: &str) -> String {
    let damaged: Vec<Value> = damaged
        .iter()
        .map(|one| json!({ "name": one.name(), "path": one.path().display().to_string(), "problem": one.problem() }))
        .collect();

    let loadable: Vec<Value> =
        TWINS.iter().map(|twin| json!({ "name": twin.entry.name, "kernel": twin.kernel, "simulated": twin.choice })).collect();
    let rows: Vec<Value> = rows.iter().map(Row::json).collect();
    let routers: Vec<Value> = routers.iter().map(routers::json).collect();
    format!(
        "{:#}\n",
        json!({ "default": default, "controllers": rows, "damaged": damaged, "routers": routers, "loadable": loadable })
    )
}
