//! Data that a page draws.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use serde_json::Value;

/// Returns the data in a page.
pub fn data(page: &str) -> Result<Value, String> {
    let (_, rest) = page.split_once("id=\"data\"").ok_or("the page has no data")?;
    let (packed, _) = rest
        .split_once('>')
        .and_then(|(_, rest)| rest.split_once("</script>"))
        .ok_or("the page's data have no end")?;
    let packed = STANDARD.decode(packed).map_err(|error| format!("the page's data: {error}"))?;
    serde_json::from_reader(GzDecoder::new(&packed[..]))
        .map_err(|error| format!("the page's data: {error}"))
}
