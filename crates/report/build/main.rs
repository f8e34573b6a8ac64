//! Packs the plotting script that pages carry: without the kinds of plots that no page has, compressed, as text.

mod bundle;
mod literals;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::{Compression, GzBuilder};
use std::io::Write;
use std::path::PathBuf;
use std::{env, fs};

/// The kinds of plots that pages have beside lines, which are always there.
const KINDS: [&str; 1] = ["heatmap"];

fn main() {
    println!("cargo::rerun-if-changed=build");
    // The crate delivers a typesetting script behind the plotting script.
    let sources = plotly::Plot::offline_js_sources();
    let script = sources
        .split_once('>')
        .and_then(|(_, after)| after.split_once("</script>"))
        .expect("a script between its tags")
        .0
        .trim();
    let reduced = bundle::reduced(script, &KINDS);
    if reduced.is_none() {
        println!(
            "cargo::warning=the modules of the plotting script are not found; pages carry all of it and are 1.4 MB larger"
        );
    }
    let mut packed = GzBuilder::new().write(Vec::new(), Compression::best());
    packed.write_all(reduced.as_deref().unwrap_or(script).as_bytes()).expect("memory takes it");
    let packed = STANDARD.encode(packed.finish().expect("memory takes it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("plotly.js.gz.base64"), packed).expect("OUT_DIR can be written");
}
