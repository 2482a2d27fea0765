//! Reads and writes members of capabilities by their names.
//!
//! A capability that the newest revision removed is not a field of its types any more, but clients
//! of older revisions still declare and understand it. Conversions keep such members in `extra`.
//! These functions find a member in both places. They encode the whole object, so they are for
//! what happens seldom: when a server is built, or when a handler asks the client.

use mcp_types::json::{self, Object, Value};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Returns a member of capabilities, or `None` if it is absent or has another type.
pub(crate) fn declared<T: DeserializeOwned>(
    capabilities: &(impl Serialize + ?Sized),
    name: &str,
) -> Option<T> {
    let value = json::to_value(capabilities).ok()?;
    json::from_value_ref(value.get(name)?).ok()
}

/// Returns capabilities with the single member `name`.
pub(crate) fn with_member<T: DeserializeOwned + Default>(
    name: &str,
    value: &(impl Serialize + ?Sized),
) -> T {
    let member = json::to_value(value).unwrap_or_else(|_| Object::new().into());
    // Every member of a capabilities object is optional, so one alone is a whole object.
    json::from_value(Value::Object(Object::from([(name, member)]))).unwrap_or_default()
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
