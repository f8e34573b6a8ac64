//! The page is whole, small enough and the same each time.

mod common;

use narrows_report::html;

const PLOTLY: usize = 4_700_000;

#[test]
fn the_page_is_the_same_each_time_and_needs_nothing_else() {
    let page = html(&common::three_by_three());
    assert!(page == html(&common::three_by_three()));
    let own: String = page.split("<script>").enumerate().filter(|(index, _)| *index != 1).map(|(_, part)| part).collect();
    for outside in ["src=", "href=", "@import", "url(", "http://", "https://"] {
        assert!(!own.contains(outside), "{outside}");
    }
}

#[test]
fn the_data_stays_below_2_mb() {
    let seeds: Vec<u64> = (1..=30).collect();
    for made in
        [common::three_by_three(), common::comparison("many seeds", &seeds, 2, None), common::comparison("many flows", &[1, 2], 40, None)]
    {
        let own = html(&made).len() - PLOTLY;
        assert!(own < 2_000_000, "{}: {own} bytes", made.title);
    }
}

#[test]
fn names_cannot_break_the_page() {
    let mut made = common::single();
    made.title = "<script>alert(1)</script>".to_owned();
    made.cases[0].label = "</script><b>\"x\" & y".to_owned();
    made.cases[0].scenario_toml = "# {{js}} <i>".to_owned();
    let page = html(&made);
    assert!(!page.contains("<script>alert") && !page.contains("</script><b>") && page.contains("# {{js}} &lt;i&gt;"));
}

/// Writes the pages of the made-up measurements where `NARROWS_PAGES` says, to be looked at.
#[test]
fn pages_to_look_at() {
    let Some(dir) = std::env::var_os("NARROWS_PAGES").map(std::path::PathBuf::from) else { return };
    std::fs::create_dir_all(&dir).unwrap();
    for (name, made) in [
        ("three", common::three_by_three()),
        ("single", common::single()),
        ("varying", common::varying()),
        ("eight", common::comparison("Eight flows", &[1, 2], 8, None)),
    ] {
        std::fs::write(dir.join(format!("{name}.html")), html(&made)).unwrap();
    }
}
