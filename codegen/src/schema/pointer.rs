//! JSON pointers (RFC 6901) as strings.

use serde_json::Value;

/// Returns the pointer to a member or element of the value at `pointer`.
#[must_use]
pub fn join(pointer: &str, token: &str) -> String {
    format!("{pointer}/{}", escape(token))
}

/// Escapes the name of a member as a reference token.
#[must_use]
pub fn escape(token: &str) -> String {
    token.replace('~', "~0").replace('/', "~1")
}

/// Converts a reference token to the name of a member.
#[must_use]
pub fn unescape(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}

/// Splits a pointer into its parent and the name in the last token. Returns `None` for the root and
/// for a string that is not a pointer.
#[must_use]
pub fn split(pointer: &str) -> Option<(&str, String)> {
    if !pointer.starts_with('/') {
        return None;
    }
    let (parent, token) = pointer.rsplit_once('/')?;
    Some((parent, unescape(token)))
}

/// Inserts a value at a position that does not exist yet: as the last member of an object or the
/// last element of an array. Returns `false` if that is not possible.
pub fn insert(root: &mut Value, pointer: &str, value: Value) -> bool {
    let Some((parent, token)) = split(pointer) else {
        return false;
    };
    match root.pointer_mut(parent) {
        Some(Value::Object(members)) if !members.contains_key(&token) => {
            members.insert(token, value);
            true
        }
        Some(Value::Array(elements)) if token == elements.len().to_string() => {
            elements.push(value);
            true
        }
        _ => false,
    }
}

/// Removes a value and returns it. The other values keep their order.
pub fn remove(root: &mut Value, pointer: &str) -> Option<Value> {
    let (parent, token) = split(pointer)?;
    match root.pointer_mut(parent)? {
        Value::Object(members) => members.shift_remove(&token),
        Value::Array(elements) => {
            let index = token
                .parse()
                .ok()
                .filter(|&index: &usize| index < elements.len())?;
            Some(elements.remove(index))
        }
        _ => None,
    }
}
