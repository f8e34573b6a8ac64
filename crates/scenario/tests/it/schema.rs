//! The committed JSON Schema is the one that the code describes.

use std::path::Path;

#[test]
fn is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenario.schema.json");
    let schema = serde_json::to_string_pretty(&narrows_scenario::schema()).expect("JSON") + "\n";
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(&path, &schema).expect("the crate's folder");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == schema,
        "scenario.schema.json is out of date; run UPDATE_SCHEMA=1 cargo test -p narrows-scenario --test it schema"
    );
}

#[test]
fn describes_every_key() {
    let schema = narrows_scenario::schema();
    let tables =
        std::iter::once(&schema).chain(schema["$defs"].as_object().expect("definitions").values());
    for table in tables {
        for (key, value) in table["properties"].as_object().into_iter().flatten() {
            assert!(value["description"].is_string(), "{key} has no description");
        }
    }
}
