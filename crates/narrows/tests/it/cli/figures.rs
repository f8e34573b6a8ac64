//! `narrows figure`.

use crate::scratch::{SHORT, Scratch, code, stderr, stdout};

#[test]
fn figures_are_listed_and_drawn() {
    let place = Scratch::new("figures");
    let file = place.write("short.toml", SHORT);
    assert_eq!(code(&place.narrows(["run", &file, "--quiet", "--out", "result"])), 0);
    let listed = stdout(&place.narrows(["figure", "result"]));
    assert!(
        listed.lines().any(|line| line.starts_with("congestion-window")
            && line.ends_with("Congestion window, segments")),
        "{listed}"
    );
    // Every listed figure can be drawn.
    for name in listed.lines().filter_map(|line| line.split_whitespace().next()) {
        let output = place.narrows(["figure", "result", name, "--svg", "drawn.svg"]);
        assert_eq!(
            (code(&output), stdout(&output)),
            (0, "drawn.svg\n".to_owned()),
            "{name}: {}",
            stderr(&output)
        );
        let svg = String::from_utf8(place.read("drawn.svg")).expect("text");
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{name}");
    }
    // PNG alone, and both.
    assert_eq!(
        stdout(&place.narrows(["figure", "result", "round-trip", "--png", "drawn.png"])),
        "drawn.png\n"
    );
    assert!(place.read("drawn.png").starts_with(b"\x89PNG"));
    assert!(!place.path("round-trip.svg").exists());
    let both =
        place.narrows(["figure", "result", "round-trip", "--png", "both.png", "--svg", "both.svg"]);
    assert_eq!(stdout(&both), "both.svg\nboth.png\n");
    assert_eq!(place.read("both.png"), place.read("drawn.png"));
    let refused = place.narrows(["figure", "result", "congestion-windows"]);
    assert_eq!(code(&refused), 2);
    assert!(
        stderr(&refused).contains("did you mean \"congestion-window\"?"),
        "{}",
        stderr(&refused)
    );
}

/// Draws each figure that is listed for a result. Returns names and pictures.
fn drawn(place: &Scratch, result: &str) -> Vec<(String, String)> {
    let listed = stdout(&place.narrows(["figure", result]));
    let names = listed.lines().filter_map(|line| line.split_whitespace().next());
    let draw = |name: &str| {
        let output = place.narrows(["figure", result, name, "--svg", "drawn.svg"]);
        assert_eq!(code(&output), 0, "{name}: {}", stderr(&output));
        (name.to_owned(), String::from_utf8(place.read("drawn.svg")).expect("text"))
    };
    names.map(draw).collect()
}

#[test]
fn reproductions_have_each_plot_with_what_was_published() {
    let place = Scratch::new("figures-of-papers");
    let made = place.narrows([
        "reproduce",
        "vivace",
        "--quick",
        "--figure",
        "changes",
        "--quiet",
        "--out",
        "result",
    ]);
    assert!(place.path("result").exists(), "{}", stderr(&made));
    let all = drawn(&place, "result");
    let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        ["vivace-changes-1", "vivace-changes-2", "vivace-changes-3", "vivace-changes-4"]
    );
    for (name, svg) in &all {
        for said in ["PCC Vivace", "published", "measured", "Throughput, Mbit/s", "Time, s"] {
            assert!(svg.contains(said), "{name} does not say {said}");
        }
        assert!(svg.matches("<polyline").count() > 0, "{name} has no curve");
    }
}

#[test]
fn scorecards_have_each_number_with_its_interval() {
    let place = Scratch::new("figures-of-scorecards");
    let made = place.narrows([
        "compare",
        "cubic",
        "bbr3",
        "--traffic",
        "bulk,call",
        "--beside",
        "cubic",
        "--duration",
        "4s",
        "--seeds",
        "2",
        "--quiet",
        "--out",
        "result",
    ]);
    assert_eq!(code(&made), 0, "{}", stderr(&made));
    let all = drawn(&place, "result");
    for name in
        ["bulk-goodput", "bulk-standing-queue", "call-delay-p95", "call-harm-to-goodput-of-cubic"]
    {
        let (_, svg) = all.iter().find(|(own, _)| own == name).expect(name);
        assert!(
            ["cubic", "bbr3", "Medians over 2 seeds"].iter().all(|said| svg.contains(said)),
            "{name}: {svg}"
        );
        // A mark for each controller in the legend, and at least one on a track.
        assert!(svg.matches("<circle").count() + svg.matches("<polygon").count() > 2, "{name}");
    }
}
