//! The pages of controllers show the table of cases that a command prints, and draw its flows.
//! `UPDATE_DOCS=1 cargo test -p narrows --test it curves` rewrites both.
//!
//! A page contains `<!-- curve: narrows compare NAME ... -->`. Everything up to
//! `<!-- end of curve -->` comes from that command.

use crate::blocks::{is_stale, pages, rewritten, root};
use crate::scratch::{PROGRAM, Scratch, code, stderr, stdout};
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

#[test]
fn pages_of_controllers_show_what_their_commands_give() {
    let place = Scratch::new("curves");
    let (mut stale, mut shown) = (Vec::<PathBuf>::new(), Vec::new());
    for page in pages("docs/reference/controllers") {
        let mut files = Vec::new();
        let text = rewritten(&page, "curve", &mut |command| {
            let controller = command.split_whitespace().nth(2).unwrap_or_default().to_owned();
            let name = format!(
                "curves/{}.svg",
                controller.replace(|c: char| !c.is_ascii_alphanumeric() && c != '-', "-")
            );
            let (table, picture) = run(&place, command);
            let table = table.split("\n\nFlow").next().unwrap_or_default().trim_end();
            let block = format!(
                "![Rates of the flows and queue of the bottleneck over time under {controller}]({name})\n\n\
                 `{command}` prints:\n\n```text\n{table}\n```"
            );
            files.push((page.with_file_name(name), picture));
            shown.push(controller);
            block
        });
        files.push((page, text));
        stale.extend(
            files.into_iter().filter(|(path, text)| is_stale(path, text)).map(|(path, _)| path),
        );
    }
    assert!(
        stale.is_empty(),
        "UPDATE_DOCS=1 cargo test -p narrows --test it curves rewrites {stale:#?}"
    );
    assert!(!shown.is_empty());
}

/// Runs a command. Returns its output and the picture of what it recorded.
fn run(place: &Scratch, command: &str) -> (String, String) {
    let directory = place.path("result");
    let _ = fs::remove_dir_all(&directory);
    let out = directory.to_str().expect("a path of characters");
    let words = command.split_whitespace().skip(1).chain(["--quiet", "--out", out]);
    let ran =
        place.command(PROGRAM).current_dir(root()).args(words).output().expect("narrows runs");
    assert_eq!(code(&ran), 0, "{command}: {}", stderr(&ran));
    assert_eq!(code(&place.narrows(["export", "result"])), 0, "{command}");
    let rates = series(place, "flow_samples", "flow_index", "throughput_mbps");
    let queues = series(place, "link_samples", "link_index", "queue_packets");
    (stdout(&ran), picture(&rates, &queues[0]))
}

/// Returns times in seconds and the values of a column, one series for each `index`.
fn series(place: &Scratch, table: &str, index: &str, value: &str) -> Vec<Vec<(f64, f64)>> {
    let text = String::from_utf8(place.read(&format!("result/csv/{table}.csv"))).expect("text");
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<&str>>());
    let heads = lines.next().expect("heads");
    let column = |name: &str| {
        heads
            .iter()
            .position(|head| *head == name)
            .unwrap_or_else(|| panic!("no {name} in {table}"))
    };
    let (index, time, value) = (column(index), column("time_s"), column(value));
    let mut all: Vec<Vec<(f64, f64)>> = Vec::new();
    for line in lines {
        let number = |column: usize| line[column].parse::<f64>().unwrap_or(0.0);
        let place = number(index) as usize;
        all.resize(all.len().max(place + 1), Vec::new());
        all[place].push((number(time), number(value)));
    }
    all
}

const WIDTH: f64 = 720.0;
/// Margins left of the plots, where the labels of the axes stand, and right of them.
const MARGIN: (f64, f64) = (52.0, 20.0);
const COLOURS: [&str; 4] = ["#0b6fb8", "#d1570c", "#2b8a3e", "#8a2b82"];
/// Number of samples averaged for each point of the rates.
const MEAN_OF: usize = 5;

/// Draws the rates above and the queue below.
fn picture(rates: &[Vec<(f64, f64)>], queue: &[(f64, f64)]) -> String {
    let end = queue.last().map_or(1.0, |(time, _)| *time);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} 310\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"{WIDTH}\" height=\"310\" fill=\"#fff\"/>\n"
    );
    let means: Vec<Vec<(f64, f64)>> =
        rates.iter().map(|rates| rates.chunks(MEAN_OF).map(mean).collect()).collect();
    plot(
        &mut svg,
        (24.0, 150.0),
        end,
        &means,
        &format!(
            "Throughput of each flow, Mbit/s, means over {:.1} s",
            queue[0].0 * MEAN_OF as f64
        ),
    );
    plot(&mut svg, (204.0, 78.0), end, &[queue.to_vec()], "Queue of the bottleneck, packets");
    for tick in 0..=6 {
        let time = end * f64::from(tick) / 6.0;
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"298\" text-anchor=\"middle\">{time:.0}{}</text>",
            x(time, end),
            if tick == 6 { " s" } else { "" }
        );
    }
    svg + "</svg>\n"
}

fn mean(points: &[(f64, f64)]) -> (f64, f64) {
    let count = points.len() as f64;
    (
        points.iter().map(|(time, _)| time).sum::<f64>() / count,
        points.iter().map(|(_, value)| value).sum::<f64>() / count,
    )
}

fn x(time: f64, end: f64) -> f64 {
    MARGIN.0 + time / end * (WIDTH - MARGIN.0 - MARGIN.1)
}

/// Draws one plot. `place` is its top and its height.
fn plot(
    svg: &mut String,
    (top, height): (f64, f64),
    end: f64,
    lines: &[Vec<(f64, f64)>],
    title: &str,
) {
    let most = round_up(lines.iter().flatten().map(|(_, value)| *value).fold(1.0, f64::max));
    let y = |value: f64| top + height * (1.0 - value / most);
    let _ = writeln!(svg, "<text x=\"{}\" y=\"{:.1}\">{title}</text>", MARGIN.0, top - 7.0);
    for part in 0..=2 {
        let value = most * f64::from(part) / 2.0;
        let (left, right, at) = (MARGIN.0, WIDTH - MARGIN.1, y(value));
        let _ = writeln!(
            svg,
            "<path d=\"M{left} {at:.1}H{right}\" stroke=\"#ccc\" stroke-width=\"0.7\"/>"
        );
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>",
            left - 5.0,
            at + 4.0
        );
    }
    for (line, colour) in lines.iter().zip(COLOURS.iter().cycle()) {
        let points: Vec<String> = line
            .iter()
            .map(|(time, value)| format!("{:.1},{:.1}", x(*time, end), y(*value)))
            .collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.2\"/>",
            points.join(" ")
        );
    }
}

/// Rounds up to the end of an axis for values up to `value`, which may exceed it by one per cent.
fn round_up(value: f64) -> f64 {
    let mut scale = 1.0;
    let value = value / 1.01;
    while scale * 10.0 < value {
        scale *= 10.0;
    }
    [1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0]
        .into_iter()
        .map(|step| step * scale)
        .find(|step| *step >= value)
        .unwrap_or(value)
}
