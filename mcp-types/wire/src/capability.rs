//! Reads and writes members of capabilities by their names.
//!
//! A capability that the newest revision removed is not a field of its types any more, but peers of
//! older revisions still declare and understand it. Conversions keep such members in `extra`.
//! These functions find a member in both places. They encode the whole object, so they are for
//! what happens seldom: when a server or client is built, or when a handler asks the client.

use mcp_types::json::{self, Object, Value};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The client answers `roots/list`. Deprecated since 2026-07-28.
pub const ROOTS: &str = "roots";
/// The client answers `sampling/createMessage`. Deprecated since 2026-07-28.
pub const SAMPLING: &str = "sampling";
/// The server sends log messages. Deprecated since 2026-07-28.
pub const LOGGING: &str = "logging";

/// Returns a member of capabilities, or `None` if it is absent or has another type.
#[must_use]
pub fn declared<T: DeserializeOwned>(
    capabilities: &(impl Serialize + ?Sized),
    name: &str,
) -> Option<T> {
    let value = json::to_value(capabilities).ok()?;
    json::from_value_ref(value.get(name)?).ok()
}

/// Returns `true` if capabilities have the member `name`.
#[must_use]
pub fn is_declared(capabilities: &(impl Serialize + ?Sized), name: &str) -> bool {
    json::to_value(capabilities).is_ok_and(|value| value.get(name).is_some())
}

/// Returns capabilities with the single member `name`.
#[must_use]
pub fn with_member<T: DeserializeOwned + Default>(
    name: &str,
    value: &(impl Serialize + ?Sized),
) -> T {
    let member = json::to_value(value).unwrap_or_else(|_| Object::new().into());
    // Every member of a capabilities object is optional, so one alone is a whole object.
    json::from_value(Value::Object(Object::from([(name, member)]))).unwrap_or_default()
}

/// Adds an empty member `name`, unless there is one.
pub fn declare<T: Serialize + DeserializeOwned>(capabilities: &mut T, name: &str) {
    let Ok(Value::Object(mut members)) = json::to_value(capabilities) else {
        return;
    };
    if members.contains_key(name) {
        return;
    }
    members.insert(name, Object::new());
    if let Ok(declared) = json::from_object(members) {
        *capabilities = declared;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcp_types::ClientCapabilities;

    #[test]
    fn declared_and_unknown_members_are_found() {
        let text = r#"{"sampling":{"tools":{}},"com.example":{"a":1}}"#;
        let capabilities: ClientCapabilities = json::from_str(text).unwrap();
        assert!(declared::<Object>(&capabilities, "sampling").is_some());
        assert!(declared::<Object>(&capabilities, "com.example").is_some());
        assert!(declared::<Object>(&capabilities, "roots").is_none());
        assert!(is_declared(&capabilities, "com.example"));
        assert!(!is_declared(&capabilities, "roots"));
    }

    #[test]
    fn a_declared_member_is_not_replaced() {
        let mut capabilities: ClientCapabilities =
            json::from_str(r#"{"sampling":{"tools":{}}}"#).unwrap();
        declare(&mut capabilities, "sampling");
        declare(&mut capabilities, "roots");
        let sampling: Object = declared(&capabilities, "sampling").unwrap();
        assert_eq!(json::to_string(&sampling).unwrap(), r#"{"tools":{}}"#);
        assert!(is_declared(&capabilities, "roots"));
    }

    #[test]
    fn members_are_set_by_name() {
        for name in ["roots", "com.example"] {
            let capabilities: ClientCapabilities = with_member(name, &Object::new());
            let text = json::to_string(&capabilities).unwrap();
            assert_eq!(text, format!(r#"{{"{name}":{{}}}}"#));
        }
    }
}
