//! Routers in the output of `narrows kernel list` and `narrows kernel stats`.

use super::found::age;
use narrows_kernel::{KernelError, Measured, Router};
use narrows_units::Rate;
use serde_json::{Value, json};
use std::time::UNIX_EPOCH;

/// A counter: name, accessor and description.
type Counter = (&'static str, fn(&Measured) -> u64, &'static str);

const COUNTERS: [Counter; 5] = [
    ("packets", |it| it.counts.packets, "that left by the interface"),
    ("bytes", |it| it.counts.bytes, "of these, with the device's header"),
    ("without_code", |it| it.counts.without_code, "packets without ECT, left alone"),
    ("told_high", |it| it.counts.told_high, "packets raised to high load"),
    ("told_overload", |it| it.counts.told_overload, "packets raised to overload"),
];
/// Names of the values of `enum vcp_router_code`.
const CODES: [&str; 3] = ["low", "high", "overload"];
/// Unit of the queue length: one byte (`VCP_ROUTER_BYTE`).
const BYTE: u64 = 8_000_000_000;

/// A router and an earlier reading of its counters.
pub struct Sight<'a> {
    router: &'a Router,
    before: Measured,
}

impl Sight<'_> {
    /// Reads the counters of a router.
    pub fn of(router: &Router) -> Result<Sight<'_>, KernelError> {
        Ok(Sight { router, before: router.measured()? })
    }
}

fn code(measured: &Measured) -> &'static str {
    CODES[measured.state.code.min(2) as usize]
}

/// Returns a note if the interface of a router is gone or in another network namespace.
fn place(router: &Router) -> &'static str {
    match (router.is_attached(), router.is_here()) {
        (false, _) => ", its interface is gone",
        (true, false) => ", in another network namespace",
        (true, true) => "",
    }
}

/// Formats a router as a line of `narrows kernel list`.
pub fn line(router: &Router) -> String {
    let (age, path) = (age(router.since()), router.path().display());
    match router.constants() {
        Ok(constants) => format!(
            "{} of {}, {age}{}, {path}",
            router.text(),
            Rate::from_bps(constants.rate),
            place(router)
        ),
        Err(damaged) => damaged.to_string(),
    }
}

/// Formats a router for `narrows kernel list --json`.
pub fn json(router: &Router) -> Value {
    let since = router
        .since()
        .and_then(|since| since.duration_since(UNIX_EPOCH).ok())
        .map(|since| since.as_secs());
    json!({
        "interface": router.interface(), "router": router.text(), "capacity_bps": router.constants().ok().map(|constants| constants.rate),
        "attached": router.is_attached(), "here": router.is_here(), "since_unix_s": since, "path": router.path().display().to_string(),
    })
}

/// Formats the load of a router, its counters and their rates since the earlier reading, `seconds`
/// ago.
pub fn stats_text(Sight { router, before }: &Sight, seconds: f64) -> Result<String, KernelError> {
    let now = router.measured()?;
    let mut text = format!(
        "{} ({} of {}), {}{}\n",
        router.interface(),
        router.text(),
        Rate::from_bps(router.constants()?.rate),
        age(router.since()),
        place(router)
    );
    text += &format!(
        "  load of the latest period {} %: {}; queue {} B\n",
        now.state.load,
        code(&now),
        now.state.queue / BYTE
    );
    for (name, value, what) in COUNTERS {
        let rate = (value(&now) - value(before)) as f64 / seconds;
        text +=
            &format!("  {name:<17}{:>14}{:>12}/s   {what}\n", value(&now), format!("{rate:.0}"));
    }
    Ok(text)
}

/// Formats the load of a router, its counters and their rates for `narrows kernel stats --json`.
pub fn stats_json(Sight { router, before }: &Sight, seconds: f64) -> Result<Value, KernelError> {
    let now = router.measured()?;
    let total =
        COUNTERS.iter().map(|(name, value, _)| ((*name).to_owned(), Value::from(value(&now))));
    let rates = COUNTERS.iter().map(|(name, value, _)| {
        ((*name).to_owned(), Value::from((value(&now) - value(before)) as f64 / seconds))
    });
    Ok(json!({
        "interface": router.interface(), "router": router.text(), "load_percent": now.state.load, "code": code(&now),
        "queue_bytes": now.state.queue / BYTE, "total": total.collect::<Value>(), "per_second": rates.collect::<Value>(),
    }))
}
