//! The content of `requestState`, and the values that it is bound to.

use std::collections::BTreeMap;

use mcp_types::json::{self, Object, Value, Writer};
use mcp_types::rpc::ErrorObject;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::protocol::seal::Keys;
use crate::util::millis;

const PURPOSE: &str = "requestState";

/// Raw JSON by key.
pub(crate) type RawValues = BTreeMap<String, Box<RawValue>>;

/// The state of a request between two rounds.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct SealedState {
    /// When it expires, in milliseconds since 1970.
    until: u64,
    /// The client's answers so far.
    pub(crate) answers: RawValues,
    /// Values of finished operations of `once`.
    pub(crate) once: RawValues,
}

impl SealedState {
    pub(crate) fn new(lifetime: std::time::Duration, answers: RawValues, once: RawValues) -> Self {
        let lifetime = millis::of(lifetime);
        Self {
            until: millis::now().saturating_add(lifetime),
            answers,
            once,
        }
    }

    pub(crate) fn seal(&self, keys: &Keys, bound_to: &[u8]) -> Result<String, crate::HandlerError> {
        let plain = json::to_string(self)?;
        Ok(keys.seal(PURPOSE, bound_to, plain.as_bytes())?)
    }

    /// Opens the `requestState` of a request. The error is -32602 if this server did not make it
    /// for this request.
    pub(crate) fn open(keys: &Keys, bound_to: &[u8], text: &str) -> Result<Self, ErrorObject> {
        let refused = |reason: &dyn std::fmt::Display| {
            ErrorObject::invalid_params(format!("`requestState`: {reason}"))
        };
        let plain = keys
            .open(PURPOSE, bound_to, text)
            .map_err(|error| refused(&error))?;
        let state: Self = json::from_slice(&plain).map_err(|error| refused(&error))?;
        if millis::now() >= state.until {
            return Err(refused(
                &"it has expired; send the request again without it",
            ));
        }
        Ok(state)
    }
}

/// Returns the values that the state is bound to. Members that differ between rounds are left out,
/// and the order of members is irrelevant.
pub(crate) fn binding(
    method: &str,
    params: &str,
    principal: Option<&str>,
) -> Result<Vec<u8>, ErrorObject> {
    let mut params: Object = json::from_str(params)
        .map_err(|error| ErrorObject::invalid_params(format!("params: {error}")))?;
    params.retain(|name, _| !matches!(name, "_meta" | "inputResponses" | "requestState"));
    let mut bytes = Vec::with_capacity(256);
    hash_part(&mut bytes, method.as_bytes());
    bytes.push(u8::from(principal.is_some()));
    hash_part(&mut bytes, principal.unwrap_or_default().as_bytes());
    let internal = |error: serde_json::Error| ErrorObject::internal_error(error.to_string());
    sorted(&mut bytes, &Value::Object(params)).map_err(internal)?;
    Ok(bytes)
}

fn hash_part(bytes: &mut Vec<u8>, part: &[u8]) {
    bytes.extend_from_slice(&(part.len() as u64).to_be_bytes());
    bytes.extend_from_slice(part);
}

/// Writes JSON with sorted members. The nesting depth was limited when it was read.
fn sorted(bytes: &mut Vec<u8>, value: &Value) -> serde_json::Result<()> {
    match value {
        Value::Array(items) => {
            bytes.push(b'[');
            for item in items {
                sorted(bytes, item)?;
                bytes.push(b',');
            }
            bytes.push(b']');
        }
        Value::Object(members) => {
            let members: BTreeMap<&str, &Value> = members.iter().collect();
            bytes.push(b'{');
            for (name, value) in members {
                Writer::new(bytes).write(name)?;
                bytes.push(b':');
                sorted(bytes, value)?;
                bytes.push(b',');
            }
            bytes.push(b'}');
        }
        plain => Writer::new(bytes).write(plain)?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn state_of_another_principal_is_rejected() {
        let keys = Keys::from_bytes([1; 32]);
        let bound = |principal| binding("tools/call", r#"{"name":"a"}"#, principal).unwrap();
        let state = SealedState::new(Duration::from_secs(60), RawValues::new(), RawValues::new());
        let text = state.seal(&keys, &bound(Some("alice"))).unwrap();
        assert!(SealedState::open(&keys, &bound(Some("alice")), &text).is_ok());
        for other in [Some("bob"), Some(""), None] {
            let error = SealedState::open(&keys, &bound(other), &text)
                .err()
                .unwrap();
            assert_eq!(error.code, mcp_types::rpc::INVALID_PARAMS);
        }
    }

    #[test]
    fn binding_ignores_members_of_a_retry() {
        let bound = |params| binding("tools/call", params, None).unwrap();
        let first = bound(r#"{"name":"a","arguments":{"b":1,"c":2},"_meta":{"x":1}}"#);
        let retry =
            r#"{"arguments":{"c":2,"b":1},"requestState":"s","inputResponses":{},"name":"a"}"#;
        assert_eq!(first, bound(retry));
        assert_ne!(first, bound(r#"{"name":"a","arguments":{"b":1,"c":3}}"#));
    }
}
