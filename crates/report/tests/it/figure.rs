//! Figures drawn without a browser.

use crate::common;
use narrows_measure::{Distance, Gap, Quantity};
use narrows_report::{
    Fidelity, FidelityCell, Figure, Reserved, RunInfo, Selection, Style, fidelity_figures, figures,
    read_fidelity, read_plots, write_fidelity,
};
use std::fs;

fn names(made: &[Figure]) -> Vec<String> {
    made.iter().map(Figure::name).collect()
}

#[test]
fn each_plot_of_a_page_is_a_figure_of_another_name() {
    let all = figures(&common::three_by_three(), &Selection::default());
    let names = names(&all);
    for name in [
        "goodput-against-delay",
        "throughput",
        "round-trip",
        "congestion-window",
        "queue-at-bottleneck",
        "distribution-of-round-trip",
    ] {
        assert!(names.iter().any(|own| own == name), "{name} is not among {names:?}");
    }
    let mut apart = names.clone();
    apart.sort();
    apart.dedup();
    assert_eq!(apart.len(), names.len(), "{names:?}");
    // A scatter of one run says nothing.
    assert!(
        !self::names(&figures(&common::single(), &Selection::default()))
            .contains(&"goodput-against-delay".to_owned())
    );
}

#[test]
fn figures_have_title_setup_legend_colours_and_the_limits_of_the_page() {
    let made = common::three_by_three();
    let all = figures(&made, &Selection::default());
    let drawn = |name: &str| {
        all.iter()
            .find(|figure| figure.name() == name)
            .map(|own| own.svg(&Style::SCREEN))
            .expect(name)
    };
    let queue = drawn("queue-at-bottleneck");
    for said in [
        "Queue at bottleneck, kB",
        &made.title,
        "newreno",
        "cubic",
        "bbr",
        "Time, s",
        "buffer: 250 kB",
        "#0072b2",
        "#d55e00",
        "#009e73",
    ] {
        assert!(queue.contains(said), "{said} is not in {}", &queue[..2000.min(queue.len())]);
    }
    assert_eq!(queue, drawn("queue-at-bottleneck"));
    // Nine runs, a mark each, and one for each case in the legend: circles of the first case,
    // polygons of the others.
    let scatter = drawn("goodput-against-delay");
    let marks = |shape: &str| scatter.matches(shape).count();
    assert_eq!((marks("<ellipse"), marks("<polygon")), (4, 8));
}

#[test]
fn pictures_have_twice_the_size_and_letters_without_a_font_of_the_system() {
    let made = common::three_by_three();
    let all = figures(&made, &Selection::default());
    let figure = all.iter().find(|figure| figure.name() == "queue-at-bottleneck").expect("a queue");
    let png = figure.png(&Style::SCREEN).expect("pixels");
    let side = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().expect("four bytes"));
    assert!(png.starts_with(b"\x89PNG"));
    assert_eq!(side(16), 1800);
    assert!((900..1100).contains(&side(20)), "{}", side(20));
    assert_eq!(png, figure.png(&Style::SCREEN).expect("pixels"));
    // Without its letters a picture has other pixels, and needs fewer bytes.
    let mute = narrows_report::figures(
        &{
            let mut made = made.clone();
            made.title = String::new();
            made
        },
        &Selection::default(),
    );
    let mute = mute
        .iter()
        .find(|figure| figure.name() == "queue-at-bottleneck")
        .and_then(|own| own.png(&Style::SCREEN))
        .expect("pixels");
    assert!(mute.len() < png.len(), "{} and {} bytes", mute.len(), png.len());
}

#[test]
fn a_figure_for_a_paper_has_its_width_and_no_title() {
    let made = common::three_by_three();
    let all = figures(&made, &Selection::default());
    let figure = all.iter().find(|figure| figure.name() == "queue-at-bottleneck").expect("a queue");
    let style = Style::paper(85.0);
    // 85 mm are 321.26 pixels of CSS and 240.94 points; 300 dots per inch are 1004 pixels.
    let svg = figure.svg(&style);
    assert!(svg.contains("width=\"321.26\"") && !svg.contains(&made.title), "{svg}");
    assert!(svg.contains("Queue at bottleneck, kB"), "the axis says it");
    let pdf = figure.pdf(&style);
    let text = String::from_utf8_lossy(&pdf);
    assert!(text.starts_with("%PDF-") && text.contains("/MediaBox [0 0 240.94"), "{text}");
    assert_eq!(pdf, figure.pdf(&style), "it is the same each time");
    let png = figure.png(&style).expect("pixels");
    assert_eq!(u32::from_be_bytes(png[16..20].try_into().expect("four bytes")), 1004);
}

#[test]
fn flows_and_seeds_are_chosen() {
    let made = common::three_by_three();
    let flow = made.cases[0].runs[0].flows[0].name.clone();
    let seed = made.cases[0].runs[1].seed;
    let selection = Selection { seed: Some(seed), flows: vec![flow.clone()] };
    let all = figures(&made, &selection);
    let window = all.iter().find(|own| own.name() == "congestion-window").expect("a window");
    assert!(window.caption.ends_with(&format!("Seed {seed} is drawn.")), "{}", window.caption);
    assert!(window.legend().iter().any(|name| name.ends_with(&flow)), "{:?}", window.legend());
    let other = Selection { seed: Some(u64::MAX), ..Selection::default() };
    assert!(figures(&made, &other).iter().all(|own| own.name() != "congestion-window"));
}

#[test]
fn a_fidelity_check_is_drawn_from_its_directory_without_what_does_not_count() {
    let distance = |quantity, reference: f64| Distance {
        quantity,
        reference,
        other: 1.1 * reference,
        gap: Gap::Percent(10.0),
    };
    let cell = |number: u32, invalid: Option<&str>| FidelityCell {
        number,
        label: format!("cell {number}"),
        scenario_toml: String::new(),
        distances: vec![
            distance(Quantity::Throughput, 10.0 * f64::from(number)),
            distance(Quantity::QueueingP95, f64::from(number.pow(4))),
        ],
        invalid: invalid.map(str::to_owned),
    };
    let fidelity = Fidelity {
        title: "Simulator and kernel".to_owned(),
        remake: "narrows lab fidelity".to_owned(),
        notes: Vec::new(),
        version: "0".to_owned(),
        cells: vec![
            cell(1, None),
            cell(2, None),
            cell(3, None),
            cell(4, Some("the machine was busy")),
        ],
        goals: Vec::new(),
    };
    let dir = std::env::temp_dir().join(format!("narrows-figures-{}", std::process::id()));
    let _ = fs::remove_dir_all(&dir);
    write_fidelity(Reserved::new(&dir).expect("a directory"), &fidelity, &RunInfo::default())
        .expect("it is written");
    let files = narrows_report::open(&dir).expect("a result");
    assert!(read_plots(&files).expect("no plots").is_none());
    let made = fidelity_figures(&read_fidelity(&files).expect("JSON").expect("a fidelity check"));
    fs::remove_dir_all(&dir).expect("it is removed");
    assert_eq!(names(&made), ["throughput", "queueing-p95"]);
    for (figure, unit) in made.iter().zip(["Mbit/s", "ms"]) {
        let svg = figure.svg(&Style::SCREEN);
        for said in [unit, "in the kernel", "in the simulator", "3 networks that count", "equal"] {
            assert!(svg.contains(said), "{said} is not in {svg}");
        }
        // Three networks and the legend.
        assert_eq!(svg.matches("<ellipse").count(), 4);
    }
}
