//! Scenarios in which published versions of QUIC stacks show known faults. Arguments name the rows
//! to run; each prints its numbers, and the program fails if one is not as expected.

use narrows_measure::Record;
use narrows_sim::SimError;

/// A row: its name, and what it says. An error says what is not as expected.
type Row = (&'static str, fn() -> Result<String, String>);

const ROWS: &[Row] = &[
    ("bbr3-panics", bbr3_panics),
    ("bbr3-loses", bbr3_loses),
    ("bbr3-forgets", bbr3_forgets),
    ("bbr3-limited", bbr3_limited),
    ("cubic-reduces-twice", || cubic_reduces(true)),
    ("cubic-reduces-once", || cubic_reduces(false)),
];

fn main() {
    let session = narrows_control::Session::default();
    for entry in narrows_guests::entries() {
        session.register(entry).expect("a name of its own");
    }
    let _session = session.enter();
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let mut failed = false;
    for (name, row) in ROWS.iter().filter(|(name, _)| wanted.iter().any(|other| other == name)) {
        match row() {
            Ok(text) => println!("{name}: {text}"),
            Err(text) => {
                println!("{name}: NOT AS EXPECTED: {text}");
                failed = true;
            }
        }
    }
    std::process::exit(failed.into());
}

/// A network with one flow.
struct Plan {
    controller: &'static str,
    seconds: u32,
    rate: u32,
    /// Round trip in milliseconds.
    rtt: u32,
    /// Buffer in bandwidth-delay products.
    bdp: f64,
    /// More keys of the link, and of the flow.
    link: &'static str,
    flow: &'static str,
}

const STANDARD: Plan =
    Plan { controller: "", seconds: 60, rate: 100, rtt: 30, bdp: 1.0, link: "", flow: "" };

impl Plan {
    fn run(&self) -> Result<Record, SimError> {
        let Plan { controller, seconds, rate, rtt, bdp, link, flow } = self;
        let buffer = (f64::from(*rate) * 1e6 / 8.0 * f64::from(*rtt) / 1e3 * bdp) as u64;
        let text = format!(
            "duration = \"{seconds} s\"\nwarmup = \"{} ms\"\nseed = 1\n[[link]]\nname = \"bottleneck\"\n\
             between = [\"a\", \"b\"]\nrate = \"{rate} Mbit/s\"\ndelay = \"{} us\"\n\
             buffer = \"{buffer} B\"\n{link}\n[[flow]]\nfrom = \"a\"\nto = \"b\"\n\
             controller = \"{controller}\"\n{flow}\n",
            seconds * 1000 / 6,
            rtt * 500,
        );
        let scenario = narrows_scenario::parse(&text, "history.toml", &|path| panic!("{path:?}"))
            .unwrap_or_else(|error| panic!("{error}"));
        narrows_sim::run(&scenario)
    }

    fn record(&self) -> Result<Record, String> {
        self.run().map_err(|error| error.to_string())
    }
}

fn utilisation(record: &Record, rate: u32) -> f64 {
    let seconds = record.duration.as_secs_f64() - record.warmup.as_secs_f64();
    record.flows[0].steady.arrived_wire.get() as f64 * 800.0 / seconds / (f64::from(rate) * 1e6)
}

fn expect(fine: bool, text: String) -> Result<String, String> {
    if fine { Ok(text) } else { Err(text) }
}

/// noq before 1.2.0 subtracts without care at its first losses: noq#768.
fn bbr3_panics() -> Result<String, String> {
    let mut told = Vec::new();
    for bdp in [0.25, 1.0] {
        let plan = Plan { controller: "noq:bbr3", bdp, ..STANDARD };
        let error = plan.run().err().map_or("no error".to_owned(), |error| error.to_string());
        told.push(format!("{bdp} bdp: {error}"));
    }
    expect(told.iter().all(|text| text.contains("bbr3/mod.rs:626")), told.join("; "))
}

/// Without overflow checks, as deployed, the same wraps and floods the link. Only flow control
/// holds it back: with a window of 1.25 MB, noq's own, it floods less than with 64 MB.
fn bbr3_loses() -> Result<String, String> {
    let mut told = Vec::new();
    let mut fine = true;
    for (bdp, least) in [(0.25, 0.5), (1.0, 0.3)] {
        for controller in ["noq:bbr3", "noq:bbr3?window=1.25"] {
            let record = Plan { controller, bdp, seconds: 30, ..STANDARD }.record()?;
            let total = record.flows[0].total;
            let share = total.dropped as f64 / total.sent as f64;
            told.push(format!("{controller}, {bdp} bdp: {} of {} packets dropped", total.dropped, total.sent));
            fine &= share > least;
        }
    }
    expect(fine, told.join("; "))
}

/// noq from 1.2.0 on forgets its bandwidth between probes. Narrows' `bbr3` has 96.8 to 97.3 % on
/// these networks.
fn bbr3_forgets() -> Result<String, String> {
    let mut told = Vec::new();
    let mut fine = true;
    for (rate, bdp) in [(100, 0.5), (100, 1.0), (100, 4.0), (10, 2.0), (50, 2.0), (200, 2.0)] {
        let record = Plan { controller: "noq:bbr3", rate, bdp, ..STANDARD }.record()?;
        let share = utilisation(&record, rate);
        told.push(format!("{rate} Mbit/s, {bdp} bdp: {share:.1} %"));
        fine &= (82.0..94.0).contains(&share);
    }
    expect(fine, told.join("; "))
}

/// noq#800: limited by its application, it never leaves start-up and is never paced.
fn bbr3_limited() -> Result<String, String> {
    let mut told = Vec::new();
    let mut fine = true;
    for (size, least, most) in [(24_000, 200.0, 400.0), (12_000, 5.0, 20.0)] {
        let flow = match size {
            24_000 => "workload = { frame = \"33 ms\", rate = \"5818 kbit/s\" }",
            _ => "workload = { frame = \"33 ms\", rate = \"2909 kbit/s\" }",
        };
        // 25 packets of 1500 B.
        let bdp = 37_500.0 / (50e6 / 8.0 * 0.04);
        let plan = Plan {
            controller: "noq:bbr3",
            seconds: 30,
            rate: 50,
            rtt: 40,
            bdp,
            flow,
            ..STANDARD
        };
        let record = plan.record()?;
        let last = record.flows[0].samples.iter().rev().find_map(|sample| sample.pacing);
        let pacing = last.map_or(0.0, |rate| rate.as_mbps());
        told.push(format!("{size} B each 33 ms: it paces at {pacing:.2} Mbit/s at the end"));
        fine &= (least..most).contains(&pacing);
    }
    expect(fine, told.join("; "))
}

/// quinn#2640: before 0.11.15 CUBIC reduces for fast convergence twice over.
fn cubic_reduces(twice: bool) -> Result<String, String> {
    let plan = Plan {
        controller: "quinn:cubic?window=20",
        seconds: 120,
        bdp: 2.0,
        link: "loss = \"0.01 %\"",
        ..STANDARD
    };
    let record = plan.record()?;
    let windows = || record.flows[0].samples.iter().map(|sample| sample.cwnd).filter(|w| *w > 0.0);
    let (mut far, mut near) = (0, 0);
    for (before, after) in windows().zip(windows().skip(1)) {
        match after / before {
            ratio if (0.57..0.62).contains(&ratio) => far += 1,
            ratio if (0.67..0.72).contains(&ratio) => near += 1,
            _ => {}
        }
    }
    // A reduction after one at a larger window is to 0.7 of it in either version.
    let fine = if twice { far > 5 && near > 2 } else { far == 0 && near > 5 };
    expect(fine, format!("{far} reductions to 0.57-0.62 of the window, {near} to 0.67-0.72"))
}
