//! Pages in a real browser: they draw, answer to the reader, save figures and complain of nothing.

mod driver;
mod figures;

use crate::common;
use driver::Browser;
use narrows_measure::{FlowSample, LinkSample};
use narrows_report::{Comparison, Group, html};
use narrows_units::{Bytes, Random, Span, Time};
use serde_json::{Value, json};
use std::fs;

/// Bytes that the page of a default comparison may have; three cases with three seeds and two flows
/// each are as large.
const LARGEST: usize = 2_000_000;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Middle and size of an element on the page, scrolled into view.
fn place(browser: &mut Browser, selector: &str) -> [f64; 4] {
    let found = browser.value(&format!(
        "(() => {{ const e = document.querySelector({selector:?}); e.scrollIntoView({{ block: 'center' }}); const r = e.getBoundingClientRect(); \
         return [r.x + r.width / 2, r.y + r.height / 2, r.width, r.height]; }})()"
    ));
    [0, 1, 2, 3].map(|index| number(&found[index]))
}

#[test]
fn a_reader_toggles_zooms_points_and_saves() {
    let Some(mut browser) = Browser::start("browser-reader") else { return };
    let made = common::three_by_three();
    let page = html(&made);
    assert!(page.len() < LARGEST, "{} bytes", page.len());
    browser.open(&page);

    // A case that is switched off is grey in the table and gone from the plots.
    let of_cubic =
        "document.getElementById('time').data.filter((t) => /cubic/.test(t.name)).length";
    assert!(number(&browser.value(of_cubic)) > 0.0);
    let [x, y, ..] = place(&mut browser, "#cases input[data-case='1']");
    browser.mouse(&[(x, y)], true);
    browser.until(&format!("{of_cubic} === 0 && document.querySelectorAll('tr.off').length > 0"));
    browser.mouse(&[(x, y)], true);
    browser.until(&format!("{of_cubic} > 0 && document.querySelectorAll('tr.off').length === 0"));

    // Zooming changes the time axis of all panels, and each vertical axis follows what is shown.
    let ranges = "(() => { const l = document.getElementById('time').layout; return [l.xaxis.range, l.yaxis.range, l.yaxis3.range].flat(); })()";
    let before = browser.value(ranges);
    let [x, y, wide, _] = place(&mut browser, "#time .bglayer rect, #time .nsewdrag");
    let drag: Vec<(f64, f64)> =
        (0..=8).map(|step| (x - 0.1 * wide + 0.02 * wide * f64::from(step), y)).collect();
    browser.mouse(&drag, true);
    browser.until("document.getElementById('time').layout.xaxis.range[0] > 10");
    let zoomed = browser.value(ranges);
    assert!(
        number(&zoomed[1]) - number(&zoomed[0]) < 0.3 * (number(&before[1]) - number(&before[0])),
        "{before} became {zoomed}"
    );
    assert_ne!(
        (&before[4], &before[5]),
        (&zoomed[4], &zoomed[5]),
        "the window's axis did not follow"
    );

    // Pointing at a mark says its numbers with their units.
    let [x, y, ..] = place(&mut browser, "#scatter .scatterlayer .trace path.point");
    browser.mouse(&[(x - 40.0, y), (x - 5.0, y), (x, y)], false);
    browser.until(
        "/Mbit\\/s, p95 .* ms/.test(document.querySelector('#scatter .hoverlayer')?.textContent)",
    );

    // Each plot is saved in both formats, with legend and caption.
    let plots =
        number(&browser.value("[...document.querySelectorAll('.save')].filter((bar) => !bar.hidden && bar.offsetParent).length")) as usize;
    assert_eq!(plots, 4);
    browser.value("[...document.querySelectorAll('.save')].filter((bar) => bar.offsetParent).forEach((bar) => bar.querySelectorAll('button').forEach((b) => b.click()))");
    for path in browser.saved(2 * plots) {
        let bytes = fs::read(&path).expect("a file");
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("svg") => {
                let text = String::from_utf8(bytes).expect("text");
                assert!(
                    text.starts_with("<svg") && text.contains(&made.title),
                    "{}",
                    path.display()
                );
                assert!(
                    ["newreno", "cubic", "bbr"].iter().all(|case| text.contains(case)),
                    "{} has no legend",
                    path.display()
                );
            }
            _ => {
                let side = |at: usize| {
                    u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
                };
                assert!(
                    bytes.starts_with(b"\x89PNG") && side(16) >= 1000 && side(20) >= 700,
                    "{}: {} x {}",
                    path.display(),
                    side(16),
                    side(20)
                );
            }
        }
    }
    assert_eq!(browser.faults(), [] as [&str; 0]);
}

#[test]
fn a_reader_chooses_a_group() {
    let Some(mut browser) = Browser::start("browser-groups") else { return };
    let mut made = common::three_by_three();
    let group = |title: &str, cases| Group {
        title: title.to_owned(),
        notes: vec![format!("{title} was examined")],
        cases,
    };
    made.groups = vec![group("The first", 1), group("The others", 2)];
    browser.open(&html(&made));
    let shown = "[[...document.querySelectorAll('#cases label')].filter((l) => !l.hidden).length, document.querySelectorAll('tr.off').length > 0, \
                 new Set(document.getElementById('scatter').data.map((t) => t.marker.color)).size, document.getElementById('scatter').data[0].marker.color]";
    let first = browser.value(shown);
    assert_eq!((&first[0], &first[1], &first[2]), (&json!(1), &json!(true), &json!(1)));
    let select = "(() => { const e = document.getElementById('group'); e.value = 1; e.dispatchEvent(new Event('change')); })()";
    browser.value(select);
    let second = browser.value(shown);
    assert_eq!((&second[0], &second[2]), (&json!(2), &json!(2)));
    assert_eq!(first[3], second[3], "each group begins with the first colour");
    assert!(number(&browser.value("document.querySelectorAll('tr.group .note').length")) == 2.0);
    assert_eq!(browser.faults(), [] as [&str; 0]);
}

#[test]
fn pages_round_numbers_as_tables_do() {
    let Some(mut browser) = Browser::start("browser-numbers") else { return };
    browser.open(&html(&common::three_by_three()));
    let mut random = Random::stream(1, "numbers");
    // Halves of the last digit, which are exact in binary, and numbers of every size.
    let halves = (0..4000).map(|n| f64::from(n) / 32.0).chain((0..40).map(|n| 99.5 + f64::from(n)));
    let sizes = (0..4000).map(|n| random.uniform() * 10f64.powi(n % 9 - 4));
    let edges = [0.0, 0.0005, 0.9995, 9.995, 99.95, 16.95, 16.950_000_4, 1e6];
    let all: Vec<f64> = halves.chain(sizes).chain(edges).flat_map(|v| [v, -v]).collect();
    let drawn = browser.value(&format!("{}.map(short)", json!(all)));
    let differ: Vec<_> = all
        .iter()
        .zip(drawn.as_array().expect("a list"))
        .filter(|(value, drawn)| drawn.as_str() != Some(&narrows_figure::number::short(**value)))
        .collect();
    assert!(differ.is_empty(), "{} of {}: {:?}", differ.len(), all.len(), &differ[..5]);
}

#[test]
fn pages_fit_phones_dark_rooms_and_paper() {
    let Some(mut browser) = Browser::start("browser-phone") else { return };
    browser.ask(
        "Emulation.setDeviceMetricsOverride",
        json!({ "width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": true }),
    );
    browser.ask(
        "Emulation.setEmulatedMedia",
        json!({ "features": [{ "name": "prefers-color-scheme", "value": "dark" }] }),
    );
    browser.open(&html(&common::three_by_three()));
    assert!(number(&browser.value("document.documentElement.scrollWidth")) <= 390.0);
    let [dark, ink] = [
        "getComputedStyle(document.body).backgroundColor",
        "document.getElementById('time').layout.font.color",
    ];
    assert_eq!(
        (browser.value(dark), browser.value(ink)),
        (json!("rgb(20, 23, 27)"), json!("#e6e9ed"))
    );
    browser.ask("Page.printToPDF", json!({ "paperWidth": 8.27, "paperHeight": 11.69 }));
    // Printed in ink on white, and as it was afterwards.
    browser.value("window.dispatchEvent(new Event('beforeprint'))");
    assert_eq!(
        (browser.value(dark), browser.value(ink)),
        (json!("rgb(255, 255, 255)"), json!("#1b1f24"))
    );
    browser.value("window.dispatchEvent(new Event('afterprint'))");
    assert_eq!(browser.value(ink), json!("#e6e9ed"));
    assert_eq!(browser.faults(), [] as [&str; 0]);
}

#[test]
fn without_decompression_the_page_says_so_and_keeps_its_tables() {
    let Some(mut browser) = Browser::start("browser-old") else { return };
    browser.ask(
        "Page.addScriptToEvaluateOnNewDocument",
        json!({ "source": "delete window.DecompressionStream;" }),
    );
    browser.open_until(&html(&common::single()), "!document.getElementById('missing').hidden");
    let said = browser.value("document.getElementById('missing').textContent");
    assert!(said.as_str().is_some_and(|said| said.contains("DecompressionStream")), "{said}");
    assert!(number(&browser.value("document.querySelectorAll('tbody tr').length")) >= 1.0);
}

/// One flow sampled each millisecond for a thousand seconds.
fn a_million_samples() -> Comparison {
    let mut made = common::single();
    let run = &mut made.cases[0].runs[0];
    (run.interval, run.duration) = (Span::from_millis(1), Span::from_secs(1000));
    run.flows.truncate(1);
    let flow = run.flows[0].samples[0];
    let link = run.links[0].samples[0];
    let at = |index: u64| Time::ZERO + Span::from_millis(1) * (index + 1);
    run.flows[0].samples = (0..1_000_000u64)
        .map(|index| FlowSample {
            at: at(index),
            rtt: Some(Span::from_micros(40_000 + index * 7919 % 10_007)),
            cwnd: 100.0 + (index * 104_729 % 1_009) as f64 / 10.0,
            arrived_wire: Bytes::new(index * 6250),
            ..flow
        })
        .collect();
    let sample = |index: u64| LinkSample {
        at: at(index),
        queue: Bytes::new(index * 7919 % 250_007),
        ..link
    };
    run.links[0].samples = (0..1_000_000).map(sample).collect();
    made
}

/// Curves of the plot over time, and everything on the page.
const WORK: &str = "[document.getElementById('time').data.reduce((sum, t) => sum + t.y.length, 0), document.getElementsByTagName('*').length]";

/// Points in all curves of the plot over time, and nodes on the page, however long the run was.
const POINTS: f64 = 60_000.0;
const NODES: f64 = 2_000.0;

#[test]
fn a_million_samples_are_drawn_as_finely_as_they_can_be_seen() {
    let Some(mut browser) = Browser::start("browser-million") else { return };
    browser.open(&html(&a_million_samples()));
    let step = "document.getElementById('time').data.find((t) => t.yaxis === 'y2').dx";
    let coarse = number(&browser.value(step));
    // Work for the browser does not grow with the samples, at any zoom: that is what keeps it fast
    // on any machine.
    let mut finest = coarse;
    for span in [1000.0, 300.0, 100.0, 30.0, 10.0, 3.0, 1.0] {
        browser.value(&format!(
            "void Plotly.relayout('time', {{ 'xaxis.range': [500, {}] }})",
            f64::min(500.0 + span, 1000.0)
        ));
        browser.until("document.getElementById('time').layout.xaxis.range[0] === 500");
        let work = browser.value(WORK);
        println!("{span} s: {} points, {} nodes", work[0], work[1]);
        assert!(
            (100.0..POINTS).contains(&number(&work[0])) && number(&work[1]) < NODES,
            "{span} s: {work}"
        );
        let now = number(&browser.value(step));
        assert!(now <= finest, "{span} s is drawn in steps of {now} s");
        finest = now;
    }
    assert!(coarse > 20.0 * finest, "{coarse} s became {finest} s");
    assert_eq!(browser.faults(), [] as [&str; 0]);
}

/// Seconds of work that a page may need before it is drawn, and frames per second while it is
/// panned.
const OPENS_WITHIN: f64 = 2.0;
const FRAMES: f64 = 30.0;

/// For people, on an idle machine: `make page-speed`.
#[test]
#[ignore = "times say nothing on a busy machine"]
fn page_speed_of_a_million_samples() {
    let Some(mut browser) = Browser::start("browser-speed") else { return };
    browser.ask("Performance.enable", json!({}));
    let page = html(&a_million_samples());
    browser.open(&page);
    let drawn = number(&browser.value("performance.now()")) / 1000.0;
    let metrics = browser.ask("Performance.getMetrics", json!({}));
    let metric = |name: &str| {
        let mut all = metrics["metrics"].as_array().into_iter().flatten();
        number(
            &all.find(|metric| metric["name"] == name).unwrap_or_else(|| panic!("no {name}"))["value"],
        )
    };
    let worked =
        metric("ScriptDuration") + metric("LayoutDuration") + metric("RecalcStyleDuration");
    println!(
        "{} bytes, drawn {drawn:.2} s after the page began to load, {worked:.2} s of it scripts, styles and layout",
        page.len()
    );

    browser.value("void Plotly.relayout('time', { 'xaxis.range': [400, 600], dragmode: 'pan' })");
    browser.until("document.getElementById('time').layout.xaxis.range[0] === 400");
    let [x, y, wide, _] = place(&mut browser, "#time .nsewdrag");
    browser.value("window.shown = []; (function frame(at) { shown.push(at ?? performance.now()); requestAnimationFrame(frame); })();");
    let drag: Vec<(f64, f64)> =
        (0..=120).map(|step| (x + wide * (0.2 - 0.4 * f64::from(step) / 120.0), y)).collect();
    browser.mouse(&drag, true);
    let frames = browser.value("(() => { const gaps = shown.slice(2).map((at, k) => at - shown[k + 1]); return [1000 * gaps.length / gaps.reduce((a, b) => a + b, 0), Math.max(...gaps)]; })()");
    let [rate, longest] = [0, 1].map(|index| number(&frames[index]));
    println!("panned at {rate:.0} frames per second, the longest after {longest:.0} ms");
    assert!(worked <= OPENS_WITHIN && rate >= FRAMES, "{worked} s, {rate} frames per second");
    assert_eq!(browser.faults(), [] as [&str; 0]);
}
