//! Packs the plotting script that pages carry: compressed, as text.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::{Compression, GzBuilder};
use std::io::Write;
use std::path::PathBuf;
use std::{env, fs};

/// The script, which `ci/plotly.sh` makes.
const SCRIPT: &str = "src/page/assets/plotly.min.js";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={SCRIPT}");
    let script = fs::read(SCRIPT).expect("the script is a part of the repository");
    let mut packed = GzBuilder::new().write(Vec::new(), Compression::best());
    packed.write_all(&script).expect("memory takes it");
    let packed = STANDARD.encode(packed.finish().expect("memory takes it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("plotly.js.gz.base64"), packed).expect("OUT_DIR can be written");
}
