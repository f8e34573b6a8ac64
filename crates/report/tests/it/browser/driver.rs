//! A headless Chromium, driven over two pipes by its DevTools protocol.

use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
/// How long a page may take to become what a test waits for, on a machine that has other things to
/// do.
const PATIENCE: Duration = Duration::from_secs(180);

/// A page in a browser of its own.
pub struct Browser {
    child: Child,
    to: File,
    from: BufReader<File>,
    session: Option<String>,
    asked: u64,
    faults: Vec<String>,
    dir: PathBuf,
}

impl Browser {
    /// Starts it in an empty directory; `None`, with a message, where none is installed.
    pub fn start(name: &str) -> Option<Browser> {
        let there = |name: &&&str| {
            Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
        };
        let Some(program) = NAMES.iter().find(there) else {
            eprintln!("skipped: no Chromium is installed; on Debian, apt-get install chromium");
            return None;
        };
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(dir.join("saved")).expect("a directory");
        let pipes = ["to", "from"].map(|name| dir.join(name));
        assert!(Command::new("mkfifo").args(&pipes).status().expect("mkfifo runs").success());
        let profile = format!("--user-data-dir={}", dir.join("profile").display());
        let child = Command::new("sh")
            .args(["-c", "to=$1 from=$2; shift 2; exec \"$@\" 3<\"$to\" 4>\"$from\"", "sh"])
            .args(&pipes)
            .args([
                program,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--remote-debugging-pipe",
                "--window-size=1200,1600",
                &profile,
            ])
            .stderr(Stdio::null())
            .spawn()
            .expect("sh runs");
        // The shell opens the pipes in this order, and waits for the other end of each.
        let to = File::options().write(true).open(&pipes[0]).expect("a pipe");
        let from = BufReader::new(File::open(&pipes[1]).expect("a pipe"));
        let mut browser =
            Browser { child, to, from, session: None, asked: 0, faults: Vec::new(), dir };
        let target =
            browser.ask("Target.createTarget", json!({ "url": "about:blank" }))["targetId"].clone();
        let session =
            browser.ask("Target.attachToTarget", json!({ "targetId": target, "flatten": true }));
        browser.session = session["sessionId"].as_str().map(str::to_owned);
        for domain in ["Runtime.enable", "Log.enable", "Page.enable"] {
            browser.ask(domain, json!({}));
        }
        let saved = browser.path("saved");
        browser.ask(
            "Browser.setDownloadBehavior",
            json!({ "behavior": "allow", "downloadPath": saved }),
        );
        Some(browser)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Opens a page and waits until its plots are drawn.
    pub fn open(&mut self, html: &str) {
        self.open_until(html, "'drawn' in document.documentElement.dataset");
    }

    /// Opens a page and waits until this is true.
    pub fn open_until(&mut self, html: &str, done: &str) {
        let path = self.path("page.html");
        fs::write(&path, html).expect("a file");
        self.visit(&format!("file://{}", path.display()), done);
    }

    /// Opens the page at an address and waits until this is true.
    pub fn visit(&mut self, url: &str, done: &str) {
        self.ask("Page.navigate", json!({ "url": url }));
        self.until(&format!("document.readyState === 'complete' && ({done})"));
    }

    /// Has the protocol do something and answers with its result.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        self.try_to(method, params).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// Has the protocol do something and answers with its result, or with the browser's error.
    fn try_to(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        self.asked += 1;
        let mut message = json!({ "id": self.asked, "method": method, "params": params });
        if let Some(session) = self.session.as_ref().filter(|_| !method.starts_with("Browser.")) {
            message["sessionId"] = json!(session);
        }
        self.to
            .write_all(message.to_string().as_bytes())
            .and_then(|()| self.to.write_all(b"\0"))
            .expect("the browser reads");
        loop {
            let mut bytes = Vec::new();
            self.from.read_until(0, &mut bytes).expect("the browser writes");
            assert!(!bytes.is_empty(), "the browser has ended");
            let mut message: Value =
                serde_json::from_slice(&bytes[..bytes.len() - 1]).expect("JSON");
            if message["id"] == self.asked {
                return if message["error"].is_null() {
                    Ok(message["result"].take())
                } else {
                    Err(message["error"].take())
                };
            }
            self.note(&message);
        }
    }

    /// Keeps what the page complains of.
    fn note(&mut self, message: &Value) {
        let params = &message["params"];
        let fault = match message["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Runtime.consoleAPICalled") => params["type"] == "error",
            Some("Log.entryAdded") => params["entry"]["level"] == "error",
            _ => false,
        };
        if fault {
            self.faults.push(params.to_string());
        }
    }

    /// Evaluates an expression on the page.
    pub fn value(&mut self, expression: &str) -> Value {
        let asked =
            json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let mut answer = loop {
            match self.try_to("Runtime.evaluate", asked.clone()) {
                Ok(answer) => break answer,
                // The page gave way to another while it was asked: that one is asked.
                Err(error) if error["message"] == "Inspected target navigated or closed" => {
                    continue;
                }
                Err(error) => panic!("{expression}: {error}"),
            }
        };
        assert!(
            answer["exceptionDetails"].is_null(),
            "{expression}: {}",
            answer["exceptionDetails"]
        );
        answer["result"]["value"].take()
    }

    /// Waits until an expression is true.
    pub fn until(&mut self, expression: &str) {
        let begun = Instant::now();
        while self.value(expression) != true {
            assert!(
                begun.elapsed() < PATIENCE,
                "never true: {expression}; complaints: {:?}",
                self.faults
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Moves the mouse along these points of the page, with the button down from the first to the
    /// last if it drags.
    pub fn mouse(&mut self, points: &[(f64, f64)], drags: bool) {
        let mut event = |kind: &str, (x, y): (f64, f64)| {
            let button = if drags { "left" } else { "none" };
            let event = json!({ "type": kind, "x": x, "y": y, "button": button, "buttons": u8::from(drags), "clickCount": u8::from(drags) });
            self.ask("Input.dispatchMouseEvent", event);
        };
        for (index, point) in points.iter().enumerate() {
            event("mouseMoved", *point);
            if drags && index == 0 {
                event("mousePressed", *point);
            }
        }
        if let (true, Some(last)) = (drags, points.last()) {
            event("mouseReleased", *last);
        }
    }

    /// The files that the page has had saved, when there are as many.
    pub fn saved(&self, count: usize) -> Vec<PathBuf> {
        let begun = Instant::now();
        loop {
            let entries = fs::read_dir(self.path("saved")).expect("a directory");
            let mut files: Vec<PathBuf> =
                entries.map(|entry| entry.expect("an entry").path()).collect();
            files
                .retain(|path| path.extension().is_some_and(|extension| extension != "crdownload"));
            if files.len() >= count {
                files.sort();
                return files;
            }
            assert!(
                begun.elapsed() < PATIENCE,
                "only {files:?} were saved; complaints: {:?}",
                self.faults
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Returns the errors of the page so far.
    pub fn faults(&mut self) -> &[String] {
        // The answer comes after all earlier events.
        self.value("0");
        &self.faults
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if !std::thread::panicking() {
            let _ = fs::remove_dir_all(&self.dir);
        }
    }
}
