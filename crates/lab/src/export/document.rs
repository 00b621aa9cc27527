//! Whether docs/run-schema.md tells of everything that is exported.

/// What is in these is the user's and the server's, not the schema's.
const USERS: [&str; 5] = ["settings", "variables", "options", "measure", "others"];

/// Names of fields in `json` that the document does not have.
pub(crate) fn undocumented(json: &str) -> Vec<String> {
    let document = include_str!("../../../../docs/run-schema.md");
    let value: serde_json::Value = serde_json::from_str(json).expect("a schema's example is JSON");
    let mut missing = Vec::new();
    let mut stack = vec![(String::new(), value)];
    while let Some((path, value)) = stack.pop() {
        match value {
            serde_json::Value::Object(_) if USERS.contains(&path.as_str()) => {}
            serde_json::Value::Object(fields) => {
                for (name, value) in fields {
                    if !document.contains(&format!("`{name}`")) {
                        missing.push(name.clone());
                    }
                    stack.push((name, value));
                }
            }
            serde_json::Value::Array(values) => {
                stack.extend(values.into_iter().map(|value| (String::new(), value)));
            }
            _ => {}
        }
    }
    missing
}
