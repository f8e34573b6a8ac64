//! The JSON Schema of scenario files, for editors.

use crate::raw::RawScenario;
use schemars::transform::transform_subschemas;
use schemars::{Schema, generate::SchemaSettings};
use serde_json::{Value, json};

/// Returns the JSON Schema of a scenario file, which an editor uses to complete and explain keys.
/// The schema knows keys and types only. [`parse`](crate::parse) checks the rest, for example that
/// a route is connected.
pub fn schema() -> Value {
    SchemaSettings::draft2020_12()
        .with_transform(as_toml)
        .into_generator()
        .into_root_schema_for::<RawScenario>()
        .to_value()
}

/// Adapts the schema to TOML, which has no null: an optional key is left out. Removes the line
/// breaks of the source from descriptions.
fn as_toml(schema: &mut Schema) {
    transform_subschemas(&mut as_toml, schema);
    if let Some(Value::String(description)) = schema.get_mut("description") {
        *description = description.replace('\n', " ");
    }
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [single] = types.as_slice() {
            let single = single.clone();
            schema.insert("type".to_owned(), single);
        }
    }
    if let Some(Value::Array(choices)) = schema.get_mut("anyOf") {
        choices.retain(|choice| *choice != json!({ "type": "null" }));
        if let [Value::Object(single)] = choices.as_slice() {
            let single = single.clone();
            schema.remove("anyOf");
            for (key, value) in single {
                schema.insert(key, value);
            }
        }
    }
    if schema.get("default").is_some_and(Value::is_null) {
        schema.remove("default");
    }
}
