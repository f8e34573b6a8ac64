//! `narrows figure`.

use crate::scratch::{SHORT, Scratch, code, stderr, stdout};

#[test]
fn figures_are_listed_and_drawn() {
    let place = Scratch::new("figures");
    let file = place.write("short.toml", SHORT);
    assert_eq!(code(&place.narrows(["run", &file, "--quiet", "--out", "result"])), 0);
    let listed = stdout(&place.narrows(["figure", "result"]));
    assert!(listed.lines().any(|line| line.starts_with("congestion-window") && line.ends_with("Congestion window, segments")), "{listed}");
    // Every figure that is listed can be drawn.
    for name in listed.lines().filter_map(|line| line.split_whitespace().next()) {
        let output = place.narrows(["figure", "result", name, "--svg", "drawn.svg"]);
        assert_eq!((code(&output), stdout(&output)), (0, "drawn.svg\n".to_owned()), "{name}: {}", stderr(&output));
        let svg = String::from_utf8(place.read("drawn.svg")).expect("text");
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{name}");
    }
    let refused = place.narrows(["figure", "result", "congestion-windows"]);
    assert_eq!(code(&refused), 2);
    assert!(stderr(&refused).contains("did you mean \"congestion-window\"?"), "{}", stderr(&refused));
}
