//! The marker of the additions of patches.

use serde_json::Value;

use crate::schema::walk_mut;

/// The keyword that marks an addition. Its value is the name of the patch, or an array of names if
/// several patches add the same.
pub const FEATURE: &str = "x-feature";

/// Returns the names in the marker of a schema.
pub(super) fn features(schema: &Value) -> Vec<&str> {
    match schema.get(FEATURE) {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Returns a schema without markers.
pub(super) fn unmarked(schema: &Value) -> Value {
    let mut copy = schema.clone();
    walk_mut(&mut copy, &mut |members| {
        members.shift_remove(FEATURE);
    });
    copy
}
