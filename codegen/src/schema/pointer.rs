//! JSON pointers (RFC 6901), as text.

use serde_json::Value;

/// The pointer to a member or element below `pointer`.
#[must_use]
pub fn join(pointer: &str, token: &str) -> String {
    format!("{pointer}/{}", escape(token))
}

/// A member's name as a reference token.
#[must_use]
pub fn escape(token: &str) -> String {
    token.replace('~', "~0").replace('/', "~1")
}

/// A reference token as a member's name.
#[must_use]
pub fn unescape(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}

/// The pointer to the parent and the last token's name; nothing for the root and for a text that
/// is no pointer.
#[must_use]
pub fn split(pointer: &str) -> Option<(&str, String)> {
    if !pointer.starts_with('/') {
        return None;
    }
    let (parent, token) = pointer.rsplit_once('/')?;
    Some((parent, unescape(token)))
}

/// Puts a value at a place that does not exist yet: a new member of an object, at its end, or a
/// new last element of an array. Gives back false where that is not possible.
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

/// Takes a value away; the others keep their order.
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
