//! Compressed text that the page's script unpacks: the plotting library and the data.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::{Compression, GzBuilder};
use std::io::Write;

/// The plotting library, compressed.
pub(crate) const PLOTLY: &str = include_str!(concat!(env!("OUT_DIR"), "/plotly.js.gz.base64"));

/// Compresses a text into gzip in base64. Equal texts give equal results.
pub(crate) fn packed(text: &str) -> String {
    let mut packed = GzBuilder::new().write(Vec::new(), Compression::default());
    // Writing to a buffer in memory cannot fail.
    let done = packed.write_all(text.as_bytes()).and_then(|()| packed.finish());
    STANDARD.encode(done.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::GzDecoder;
    use std::io::Read;

    fn unpacked(text: &str) -> String {
        let bytes = STANDARD.decode(text).unwrap();
        let mut text = String::new();
        GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn texts_come_back() {
        let text = "{\"x\":[1,2,3]}</script>é".repeat(1000);
        assert_eq!(unpacked(&packed(&text)), text);
        assert!(packed(&text).len() < 1000 && !packed(&text).contains('<'));
    }

    #[test]
    fn the_script_is_the_plotting_library_and_little_of_it() {
        let script = unpacked(PLOTLY);
        assert!(
            script.contains("plotly.js v")
                && script.contains("name:\"heatmap\"")
                && !script.contains("</script")
        );
        assert!(!script.contains("MathJax.loader") && !script.contains("maplibregl"));
        assert!(PLOTLY.len() < 600_000, "{} bytes", PLOTLY.len());
    }
}
