//! Whether an answer is as the OpenAPI document says: as much of JSON Schema as that uses.

use serde_json::Value;

/// Where `value` is not as `schema` says, in words; `document` is where references lead.
pub(crate) fn faults(document: &Value, schema: &Value, value: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    check(document, schema, value, "$", &mut faults);
    faults
}

fn check(document: &Value, schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = document.pointer(reference.trim_start_matches('#'));
        let target = target.unwrap_or_else(|| panic!("{reference} leads nowhere"));
        return check(document, target, value, at, faults);
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let fits = |choice: &&Value| self::faults(document, choice, value).is_empty();
        if !choices.iter().any(|choice| fits(&choice)) {
            faults.push(format!("{at}: none of the choices"));
        }
    }
    if !schema["const"].is_null() && schema["const"] != *value {
        faults.push(format!("{at}: {value} is not {}", schema["const"]));
    }
    if schema["enum"].as_array().is_some_and(|values| !values.contains(value)) {
        faults.push(format!("{at}: {value} is none of {}", schema["enum"]));
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(many) => many.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !types.is_empty() && !types.iter().any(|name| is_a(value, name)) {
        faults.push(format!("{at}: {value} is no {types:?}"));
    }
    let least = schema["minimum"].as_f64().unwrap_or(f64::NEG_INFINITY);
    if value.as_f64().is_some_and(|number| number < least) {
        faults.push(format!("{at}: {value} is less than {least}"));
    }
    if let (true, Some(values)) = (schema["items"].is_object(), value.as_array()) {
        for (index, value) in values.iter().enumerate() {
            check(document, &schema["items"], value, &format!("{at}[{index}]"), faults);
        }
    }
    check_fields(document, schema, value, at, faults);
}

fn check_fields(
    document: &Value,
    schema: &Value,
    value: &Value,
    at: &str,
    faults: &mut Vec<String>,
) {
    let Some(fields) = value.as_object() else { return };
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !fields.contains_key(name) {
            faults.push(format!("{at}: no {name}"));
        }
    }
    for (name, value) in fields {
        match schema["properties"].get(name) {
            Some(schema) => check(document, schema, value, &format!("{at}.{name}"), faults),
            None if schema["additionalProperties"] == false => {
                faults.push(format!("{at}: {name} is not described"));
            }
            None => {}
        }
    }
}

fn is_a(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("{other} is no type"),
    }
}

#[test]
fn what_is_not_as_described_is_found() {
    let schema = serde_json::json!({
        "type": "object", "required": ["a", "b"], "additionalProperties": false,
        "properties": { "a": { "const": 1 }, "c": { "type": ["string", "null"] } }
    });
    let value = serde_json::json!({ "a": 2, "c": 3, "d": 4 });
    let found = faults(&Value::Null, &schema, &value).join("\n");
    for words in ["$.a: 2 is not 1", "no b", "$.c: 3", "d is not described"] {
        assert!(found.contains(words), "{words}: {found}");
    }
}
