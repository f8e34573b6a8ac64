//! Runs watched in a browser: values arrive during the run, then the report. Results equal those of
//! runs that nobody watches.

#[allow(dead_code)]
#[path = "../../../report/tests/it/browser/driver.rs"]
mod driver;

use crate::host::{alone, capable};
use crate::scratch::{PROGRAM, Scratch, code, stderr, stdout};
use driver::Browser;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

/// Two flows on a link that take some seconds to simulate.
const LONG: &str = r#"name = "Long <enough>"
duration = "400 s"

[[link]]
name = "bottleneck"
between = ["left", "right"]
rate = "100 Mbit/s"
delay = "5 ms"
buffer = "1 bdp"

[[flow]]
name = "first"
from = "left"
to = "right"
controller = "cubic"
count = 2
"#;

/// A command that serves its page.
struct Watched {
    child: Child,
    stderr: BufReader<ChildStderr>,
    port: u16,
}

impl Watched {
    /// Starts a command, and waits until it prints its address.
    fn start(place: &Scratch, arguments: &[&str]) -> Watched {
        let mut child = place
            .command(PROGRAM)
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("narrows runs");
        let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut line = String::new();
        stderr.read_line(&mut line).expect("text");
        let port = line
            .strip_prefix("Watch it at http://127.0.0.1:")
            .and_then(|rest| rest.strip_suffix("/\n"))
            .map(str::parse);
        let Some(Ok(port)) = port else {
            stderr.read_to_string(&mut line).expect("text");
            panic!("no address: {line}");
        };
        Watched { child, stderr, port }
    }

    /// Sends a request with header fields.
    fn ask(&self, request: &str, fields: &str) -> BufReader<TcpStream> {
        let mut connection = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        connection.set_read_timeout(Some(Duration::from_secs(120))).expect("a socket");
        connection
            .write_all(format!("{request} HTTP/1.1\r\n{fields}\r\n").as_bytes())
            .expect("it reads");
        BufReader::new(connection)
    }

    fn get(&self, path: &str) -> BufReader<TcpStream> {
        self.ask(&format!("GET {path}"), &format!("Host: 127.0.0.1:{}\r\n", self.port))
    }

    /// Returns the status of the answer to a request.
    fn status(&self, request: &str, fields: &str) -> u16 {
        let mut first = String::new();
        self.ask(request, fields).read_line(&mut first).expect("an answer");
        first
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok())
            .unwrap_or_else(|| panic!("{first}"))
    }

    /// Waits for the end. Returns the exit status, the standard output, and the rest of the
    /// standard error.
    fn end(mut self) -> (Option<i32>, String, String) {
        let (mut told, mut failed) = (String::new(), String::new());
        self.child.stdout.take().expect("a pipe").read_to_string(&mut told).expect("text");
        self.stderr.read_to_string(&mut failed).expect("text");
        (self.child.wait().expect("it ends").code(), told, failed)
    }
}

/// Returns the header and the body of an answer.
fn answered(mut answer: BufReader<TcpStream>) -> (String, Vec<u8>) {
    let (mut head, mut body) = (String::new(), Vec::new());
    while !head.ends_with("\r\n\r\n") {
        assert!(answer.read_line(&mut head).expect("a head") > 0, "cut off after {head}");
    }
    answer.read_to_end(&mut body).expect("a body");
    (head, body)
}

/// Returns the states in a stream of events, and whether the stream ended with the end event.
fn heard(stream: BufReader<TcpStream>) -> (Vec<Value>, bool) {
    let lines: Vec<String> = stream.lines().map_while(Result::ok).collect();
    assert!(
        lines.first().is_some_and(|line| line.contains(" 200 "))
            && lines.contains(&"Content-Type: text/event-stream".to_owned())
    );
    let data = lines.iter().filter_map(|line| line.strip_prefix("data: "));
    let states = data
        .map(|data| serde_json::from_str(data).expect("JSON"))
        .filter(|state: &Value| !state.is_null());
    (states.collect(), lines.iter().any(|line| line == "event: end"))
}

/// Returns run and time of each state. Asserts that time increases within each run.
fn times(states: &[Value]) -> Vec<(u64, f64)> {
    let times: Vec<(u64, f64)> = states
        .iter()
        .map(|s| (s["run"].as_u64().expect("a run"), s["at"].as_f64().expect("a time")))
        .collect();
    assert!(times.windows(2).all(|pair| pair[0] < pair[1]), "{times:?}");
    times
}

/// Counts the numbers in the curves of the panel with this title.
fn drawn(state: &Value, title: &str) -> usize {
    let panels = state["panels"].as_array().expect("panels");
    let panel = panels.iter().position(|panel| panel["title"] == title);
    let lines = state["lines"]
        .as_array()
        .expect("lines")
        .iter()
        .filter(|line| line["panel"].as_u64().map(|own| own as usize) == panel);
    lines
        .map(|line| {
            line["y"].as_array().expect("values").iter().filter(|value| !value.is_null()).count()
        })
        .sum()
}

#[test]
fn values_arrive_then_the_report_and_the_result_is_that_of_a_run_without() {
    let place = Scratch::new("watch-run");
    let file = place.write("long.toml", LONG);
    let shared = ["--seeds", "2", "--json"];
    let watched = Watched::start(
        &place,
        &[&["run", &file, "--watch", "--out", "watched"], &shared[..]].concat(),
    );
    let stream = watched.get("/events");

    // Requests from other origins are refused, and the server serves only the page.
    let own = format!("Host: localhost:{}\r\n", watched.port);
    assert_eq!(watched.status("GET /", &own), 200);
    assert_eq!(watched.status("GET /", "Host: evil.example\r\n"), 403);
    assert_eq!(
        watched.status("GET /events", &format!("Host: evil.example:{}\r\n", watched.port)),
        403
    );
    assert_eq!(watched.status("GET /", &format!("{own}Origin: http://evil.example\r\n")), 403);
    assert_eq!(watched.status("GET /", ""), 403);
    assert_eq!(watched.status("POST /", &own), 405);
    assert_eq!(watched.status("GET /../../../etc/passwd", &own), 404);
    assert_eq!(watched.status("GET /watched/report.html", &own), 404);
    let (_, page) = answered(watched.get("/"));
    let page = String::from_utf8(page).expect("text");
    assert!(
        page.contains("<title>Long &lt;enough&gt;</title>")
            && page.contains("new EventSource(\"events\")")
    );

    let (states, ended) = heard(stream);
    assert!(ended, "the stream says that the runs are over");
    let told = times(&states);
    assert!(
        told.len() >= 3
            && told.iter().any(|(run, _)| *run == 1)
            && told.iter().any(|(run, _)| *run == 2),
        "{told:?}"
    );
    assert!(told.iter().all(|(_, at)| *at <= 400.0));
    let last = states.last().expect("a state");
    for title in ["Throughput", "Round trip", "Congestion window", "Queue at {}"] {
        assert!(drawn(last, title) > 0, "{title} is empty: {}", last["panels"]);
    }
    assert_eq!(
        (&last["runs"], &last["name"], &last["end"]),
        (&json!(2), &json!("seed 2"), &json!(400))
    );
    assert_eq!(last["cases"], json!(["Long <enough>"]));

    let (head, report) = answered(watched.get("/"));
    assert!(
        head.starts_with("HTTP/1.1 200 ") && head.contains("Cache-Control: no-store"),
        "{head}"
    );
    let (status, table, _) = watched.end();
    assert_eq!(status, Some(0));
    assert_eq!(report, place.read("watched/report.html"));

    let without = place.narrows([&["run", &file, "--out", "without"], &shared[..]].concat());
    assert_eq!(stdout(&without), table);
    let names = place.files_of("without");
    assert_eq!(place.files_of("watched"), names);
    // run.json contains the command and its duration.
    for name in names.iter().filter(|name| *name != "run.json") {
        assert!(
            place.read(&format!("watched/{name}")) == place.read(&format!("without/{name}")),
            "{name} differs"
        );
    }
}

#[test]
fn without_a_browser_the_command_ends_as_always() {
    let place = Scratch::new("watch-alone");
    let file = place.write("short.toml", &LONG.replace("400 s", "2 s"));
    let watched = place.narrows(["run", &file, "--watch", "--out", "watched", "--quiet"]);
    assert_eq!(code(&watched), 0, "{}", stderr(&watched));
    assert!(stderr(&watched).starts_with("Watch it at http://127.0.0.1:"));
    let without = place.narrows(["run", &file, "--out", "without", "--quiet"]);
    assert_eq!((stdout(&watched), stderr(&without).as_str()), (stdout(&without), ""));
    // Captures and logs are written too.
    let logged =
        place.narrows(["run", &file, "--watch", "--out", "logged", "--quiet", "--acks", "all"]);
    assert_eq!((code(&logged), stdout(&logged)), (0, stdout(&without)), "{}", stderr(&logged));
    assert!(place.files_of("logged").contains(&"acks.parquet".to_owned()));
}

#[test]
fn a_browser_that_reads_nothing_holds_up_nothing_for_long() {
    let place = Scratch::new("watch-slow");
    let file = place.write("long.toml", &LONG.replace("400 s", "100 s"));
    let watched = Watched::start(&place, &["run", &file, "--watch", "--out", "result", "--quiet"]);
    let (silent, unread) = (
        TcpStream::connect(("127.0.0.1", watched.port)).expect("it listens"),
        watched.get("/events"),
    );
    let (status, table, _) = watched.end();
    assert!(status == Some(0) && table.contains("cubic"), "{table}");
    drop((silent, unread));
}

#[test]
fn a_port_that_is_taken_is_refused_before_anything_is_run() {
    let place = Scratch::new("watch-taken");
    let file = place.write("long.toml", LONG);
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port();
    let refused = place.narrows(["run", &file, &format!("--watch={port}")]);
    assert_eq!((code(&refused), stdout(&refused).as_str()), (2, ""));
    let said = stderr(&refused);
    assert!(
        said.contains(&format!("port {port} of 127.0.0.1"))
            && said.contains("another program has it")
            && said.contains("--watch without"),
        "{said}"
    );
    assert_eq!(place.listing(), ["long.toml"]);
}

#[test]
fn an_interruption_ends_it_at_once() {
    let place = Scratch::new("watch-interrupted");
    let file = place.write("long.toml", &LONG.replace("400 s", "100000 s"));
    let watched = Watched::start(&place, &["run", &file, "--watch", "--out", "result", "--quiet"]);
    let stream = watched.get("/events");
    std::thread::sleep(Duration::from_secs(1));
    let begun = Instant::now();
    assert!(
        Command::new("kill")
            .args(["-INT", &watched.child.id().to_string()])
            .status()
            .expect("kill runs")
            .success()
    );
    let (status, table, said) = watched.end();
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert_eq!((status, table.as_str()), (Some(2), ""));
    assert!(said.contains("stopped"), "{said}");
    assert!(!heard(stream).1, "nothing is over");
}

#[test]
fn a_live_run_tells_of_its_values_as_they_come() {
    if !capable("a_live_run_tells_of_its_values_as_they_come") {
        return;
    }
    let (_alone, place) = (alone(), Scratch::new("watch-live"));
    let file =
        place.write("live.toml", &LONG.replace("400 s", "4 s").replace("100 Mbit/s", "20 Mbit/s"));
    let watched = Watched::start(
        &place,
        &["live", &file, "--watch", "--out", "result", "--beside-sim", "--quiet"],
    );
    let (states, ended) = heard(watched.get("/events"));
    assert!(ended);
    let told = times(&states);
    // About four states arrive per second if the machine has nothing else to do.
    let live = told.iter().filter(|(run, at)| *run == 1 && *at > 0.0).count();
    assert!(live >= 4, "{told:?}");
    let last = states.iter().rfind(|state| state["run"] == 1).expect("a state");
    assert_eq!((&last["name"], &last["runs"]), (&json!("kernel"), &json!(2)));
    for title in ["Throughput", "Round trip", "Congestion window", "Queue at {}"] {
        assert!(drawn(last, title) > 0, "{title} is empty: {}", last["panels"]);
    }
    let (_, report) = answered(watched.get("/"));
    let (status, ..) = watched.end();
    assert!(matches!(status, Some(0 | 3)), "{status:?}");
    assert_eq!(report, place.read("result/report.html"));
}

#[test]
fn a_browser_sees_points_and_then_the_report() {
    let Some(mut browser) = Browser::start("browser-watch") else { return };
    let place = Scratch::new("watch-browser");
    let file = place.write("long.toml", &LONG.replace("400 s", "6000 s"));
    let watched = Watched::start(&place, &["run", &file, "--watch", "--out", "result", "--quiet"]);
    browser.visit(
        &format!("http://127.0.0.1:{}/", watched.port),
        "'drawn' in document.documentElement.dataset",
    );
    browser.until(
        "/The run goes on: [0-9]+ s of 6000 s/.test(document.getElementById('state').textContent)",
    );
    let points = "(document.getElementById('time').data ?? []).filter((t) => t.legendgroup).reduce((n, t) => n + t.y.filter((y) => y !== null).length, 0)";
    browser.until(&format!("({points}) > 20"));
    let before = browser.value(points).as_f64().expect("a number");
    browser.until(&format!("({points}) > {before}"));
    assert!(
        browser
            .value("document.getElementById('reached').value")
            .as_f64()
            .is_some_and(|at| at > 0.0)
    );
    // The reader's selection stays when new values arrive.
    browser.value("(() => { const f = document.getElementById('flows'); f.value = ''; f.dispatchEvent(new Event('change')); })()");
    let at = browser.value("document.getElementById('reached').value");
    browser.until(&format!("document.getElementById('reached')?.value !== {at}"));
    assert_eq!(browser.value("document.getElementById('flows').value"), json!(""));
    browser.until("document.querySelector('#cdf0.js-plotly-plot') !== null && document.getElementById('state') === null");
    let (status, ..) = watched.end();
    assert_eq!(status, Some(0));
    assert_eq!(browser.faults(), [] as [&str; 0]);
}
