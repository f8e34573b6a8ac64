//! Figures drawn without a browser.

use crate::common;
use narrows_measure::{Distance, Gap, Quantity};
use narrows_report::{
    Fidelity, FidelityCell, Figure, Reserved, RunInfo, fidelity_figures, figures, read_fidelity,
    read_plots, write_fidelity,
};
use std::fs;

fn names(made: &[Figure]) -> Vec<String> {
    made.iter().map(Figure::name).collect()
}

#[test]
fn each_plot_of_a_page_is_a_figure_of_another_name() {
    let all = figures(&common::three_by_three());
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
        !self::names(&figures(&common::single())).contains(&"goodput-against-delay".to_owned())
    );
}

#[test]
fn figures_have_title_setup_legend_colours_and_the_limits_of_the_page() {
    let made = common::three_by_three();
    let all = figures(&made);
    let drawn =
        |name: &str| all.iter().find(|figure| figure.name() == name).map(Figure::svg).expect(name);
    let queue = drawn("queue-at-bottleneck");
    for said in [
        "Queue at bottleneck, kB",
        &made.title,
        "newreno",
        "cubic",
        "bbr",
        "Time, s",
        "buffer: 250 kB",
        "#0072B2",
        "#D55E00",
        "#009E73",
    ] {
        assert!(queue.contains(said), "{said} is not in {}", &queue[..2000.min(queue.len())]);
    }
    assert_eq!(queue, drawn("queue-at-bottleneck"));
    // Nine runs, a mark each, and one for each case in the legend: circles of the first case, polygons of the others.
    let scatter = drawn("goodput-against-delay");
    let marks = |shape: &str| scatter.matches(shape).count();
    assert_eq!((marks("<circle"), marks("<polygon")), (4, 8));
}

#[test]
fn pictures_have_twice_the_size_and_letters_without_a_font_of_the_system() {
    let made = common::three_by_three();
    let all = figures(&made);
    let figure = all.iter().find(|figure| figure.name() == "queue-at-bottleneck").expect("a queue");
    let png = figure.png().expect("pixels");
    let side = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().expect("four bytes"));
    assert!(png.starts_with(b"\x89PNG"));
    assert_eq!((side(16), side(20)), (1800, 1040));
    assert_eq!(png, figure.png().expect("pixels"));
    // Without its letters a picture has other pixels, and needs fewer bytes.
    let mute = narrows_report::figures(&{
        let mut made = made.clone();
        made.title = String::new();
        made
    });
    let mute = mute
        .iter()
        .find(|figure| figure.name() == "queue-at-bottleneck")
        .and_then(Figure::png)
        .expect("pixels");
    assert!(mute.len() < png.len(), "{} and {} bytes", mute.len(), png.len());
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
        remake: "narrows fidelity".to_owned(),
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
        let svg = figure.svg();
        for said in [unit, "in the kernel", "in the simulator", "3 networks that count", "equal"] {
            assert!(svg.contains(said), "{said} is not in {svg}");
        }
        // Three networks and the legend.
        assert_eq!(svg.matches("<circle").count(), 4);
    }
}
