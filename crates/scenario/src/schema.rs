//! The JSON Schema of scenario files, for editors.

use crate::raw::RawScenario;
use schemars::transform::transform_subschemas;
use schemars::{Schema, generate::SchemaSettings};
use serde_json::{Value, json};

/// The JSON Schema of a scenario file, which an editor uses to complete and explain keys. It knows the keys and types; what only a look at
/// the whole can tell, such as a route that is not connected, it leaves to [`parse`](crate::parse).
pub fn schema() -> Value {
    SchemaSettings::draft2020_12()
        .with_transform(as_toml)
        .into_generator()
        .into_root_schema_for::<RawScenario>()
        .to_value()
}

/// TOML has no null: a key that is optional is left out. Descriptions lose the line breaks of the source.
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
