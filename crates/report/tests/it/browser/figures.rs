//! Figures of the model on pages of sweeps, fidelity checks and reproductions.

use super::driver::Browser;
use narrows_measure::metrics::METRICS;
use narrows_measure::{Distance, Gap, Quantity};
use narrows_report::{
    DrawnPlot, Fidelity, FidelityCell, FigureResult, Grid, GridAxis, Metrics, PaperResult,
    Reproduction, Reserved, RunInfo, grid_html, write_fidelity, write_reproduction,
};
use serde_json::json;
use std::fs;
use std::path::Path;

/// A sweep over three rates and two controllers, with two seeds.
fn sweep() -> Grid {
    let axis = |name: &str, labels: &[&str], unit: &str, numbers: Option<Vec<f64>>| GridAxis {
        name: name.to_owned(),
        labels: labels.iter().map(|label| (*label).to_owned()).collect(),
        unit: unit.to_owned(),
        numbers,
    };
    let rates = ["1 Mbit/s", "10 Mbit/s", "100 Mbit/s"];
    let axes = vec![
        axis("link.l.rate", &rates, "Mbit/s", Some(vec![1.0, 10.0, 100.0])),
        axis("flow.f.controller", &["cubic", "<b>&"], "", None),
    ];
    let run = |place: usize| METRICS.iter().map(|_| Some(1.0 + place as f64)).collect();
    let runs = (0..12).map(run).collect();
    let [title, remake, version] = ["Sweep", "narrows sweep", "0"].map(str::to_owned);
    let metrics = Metrics { runs, ..Metrics::default() };
    Grid::new(title, remake, version, (axes, vec![1, 2]), metrics)
}

/// Writes a result and returns its page.
fn page(browser: &Browser, name: &str, write: impl FnOnce(Reserved)) -> String {
    let dir = browser.path(name);
    write(Reserved::new(&dir).expect("a directory"));
    let page = fs::read_to_string(dir.join("report.html")).expect("a page");
    if let Some(kept) = std::env::var_os("NARROWS_PAGES") {
        fs::write(Path::new(&kept).join(format!("{name}.html")), &page).expect("a file");
    }
    page
}

#[test]
fn a_sweep_is_drawn_as_heat_map_and_lines() {
    let Some(mut browser) = Browser::start("browser-sweep") else { return };
    browser.open(&grid_html(&sweep()));
    let drawn = "(() => { const lines = document.getElementById('lines'), [map] = document.getElementById('heat').data; \
                 return [lines.data.filter((t) => t.showlegend).map((t) => t.name), lines.layout.xaxis.type, map.z, map.customdata[0][0]]; })()";
    let names = json!(["cubic", "&lt;b>&amp;"]);
    // Medians of two seeds: cells are 1.5, 3.5 and so on, with the controller as the fastest axis.
    let cells = json!([[1.5, 5.5, 9.5], [3.5, 7.5, 11.5]]);
    let first = browser.value(drawn);
    assert_eq!((&first[0], &first[1], &first[2]), (&names, &json!("log"), &cells));
    assert!(first[3].as_str().is_some_and(|said| said.contains("(1.00 to 2.00)")), "{first}");
    // A reader turns the axes: controllers are categories, so dots stand beside each other.
    browser.value("(() => { const e = document.getElementById('x'); e.value = 1; e.dispatchEvent(new Event('change')); })()");
    let turned = browser.value(
        "(() => { const [line] = document.getElementById('lines').data; return [line.mode, line.x.length, line.error_y.array]; })()",
    );
    assert_eq!(turned, json!(["markers", 2, [0.5, 0.5]]));
    // Without an axis down, a heat map of one row would only repeat the lines.
    let shown = "(() => { const e = document.getElementById('y'), shown = []; for (const own of ['', '0']) { e.value = own; \
                 e.dispatchEvent(new Event('change')); shown.push(document.getElementById('heat').offsetHeight > 0); } return shown; })()";
    assert_eq!(browser.value(shown), json!([false, true]));
    assert_eq!(browser.faults(), [] as [&str; 0]);
}

#[test]
fn both_worlds_of_a_fidelity_check_are_drawn() {
    let Some(mut browser) = Browser::start("browser-fidelity") else { return };
    let cell = |number: u32| FidelityCell {
        number,
        label: format!("cell {number}"),
        scenario_toml: String::new(),
        distances: vec![Distance {
            quantity: Quantity::Throughput,
            reference: 10.0 * f64::from(number),
            other: 11.0 * f64::from(number),
            gap: Gap::Percent(10.0),
        }],
        invalid: (number == 3).then(|| "the machine was busy".to_owned()),
    };
    let fidelity = Fidelity {
        title: "Simulator and kernel".to_owned(),
        remake: "narrows lab fidelity".to_owned(),
        notes: Vec::new(),
        version: "0".to_owned(),
        cells: (1..=3).map(cell).collect(),
        goals: Vec::new(),
    };
    let html = page(&browser, "fidelity", |reserved| {
        write_fidelity(reserved, &fidelity, &RunInfo::default()).expect("it is written");
    });
    browser.open(&html);
    let dots = browser.value(
        "(() => { const [, dots] = document.getElementById('quantity0').data; return [dots.x, dots.y, dots.customdata[1]]; })()",
    );
    assert_eq!((&dots[0], &dots[1]), (&json!([10, 20]), &json!([11, 22])));
    let said = dots[2].as_str().expect("a text");
    assert!(said.starts_with("cell 2: ") && said.contains("20.0 Mbit/s"), "{said}");
    assert_eq!(browser.faults(), [] as [&str; 0]);
}

#[test]
fn plots_of_papers_are_drawn_panel_by_panel() {
    let Some(mut browser) = Browser::start("browser-papers") else { return };
    let plot = |content: serde_json::Value| -> DrawnPlot {
        let mut plot = json!({ "title": "A plot", "x_title": "Time, s", "y_title": "Queue, packets", "log_x": false, "log_y": false });
        plot.as_object_mut().expect("keys").extend(content.as_object().expect("keys").clone());
        serde_json::from_value(plot).expect("a plot")
    };
    let panel = |title: &str| json!({ "title": title, "lines": [{ "name": title, "x0": 0, "dx": 0.5, "y": [1, null, 3] }] });
    let lines = json!([{ "name": "fair", "median": [1, 2, null], "low": [0.5, 2, null], "high": [1.5, 2, null] }]);
    let plots = vec![
        plot(json!({ "kind": "trace", "panels": [panel("one"), panel("two")] })),
        plot(
            json!({ "kind": "lines", "labels": ["a", "b", "c"], "numbers": null, "lines": lines }),
        ),
        plot(json!({ "kind": "cdf", "lines": [{ "name": "runs", "x": [1, 2, 4] }] })),
    ];
    let text = |text: &str| text.to_owned();
    let figure = FigureResult {
        name: text("queue"),
        title: text("Queue"),
        source: text("figure 1"),
        about: text("Ours."),
        scaled: None,
        validity_issues: Vec::new(),
        claims: Vec::new(),
        plots,
    };
    let paper = PaperResult {
        name: text("paper"),
        title: text("A Paper"),
        authors: text("Somebody"),
        published: text("2001"),
        about: text("Something."),
        figures: vec![figure],
        statements: Vec::new(),
    };
    let reproduction = Reproduction {
        remake: text("narrows reproduce"),
        version: text("0"),
        quick: false,
        papers: vec![paper],
    };
    let html = page(&browser, "papers", |reserved| {
        write_reproduction(reserved, &reproduction, &RunInfo::default()).expect("it is written");
    });
    browser.open(&html);
    browser.until("document.querySelectorAll('[data-plot].js-plotly-plot').length === 3");
    let drawn = browser.value(
        "(() => { const [time, names, shares] = [...document.querySelectorAll('[data-plot]')]; return [time.data.map((t) => [t.yaxis, t.x, t.y]), \
         names.data[0].customdata, shares.data[0].x, shares.data[0].y]; })()",
    );
    assert_eq!(
        drawn[0],
        json!([["y", [0, 0.5, 1], [1, null, 3]], ["y2", [0, 0.5, 1], [1, null, 3]]])
    );
    assert_eq!(drawn[1][0], "a: 1.00 packets (0.500 to 1.50)");
    assert_eq!(drawn[2], json!([1, 1, 2, 2, 4, 4]));
    assert_eq!(drawn[3], json!([0, 0.333333, 0.333333, 0.666667, 0.666667, 1]));
    assert_eq!(browser.faults(), [] as [&str; 0]);
}
