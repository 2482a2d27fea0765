//! [`from_json`]: results as YAML.

use std::io;

use mcp_client::types::json::{self, Value};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

/// A value for another serializer than that of JSON.
struct Plain<'a>(&'a Value);

impl Serialize for Plain<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::String(text) => serializer.serialize_str(text),
            Value::Number(number) => match (number.as_i64(), number.as_f64()) {
                (Some(integer), _) => serializer.serialize_i64(integer),
                (None, Some(float)) => serializer.serialize_f64(float),
                // Beyond the numbers of YAML libraries.
                (None, None) => serializer.serialize_str(&number.to_string()),
            },
            Value::Array(list) => {
                let mut sequence = serializer.serialize_seq(Some(list.len()))?;
                for value in list {
                    sequence.serialize_element(&Plain(value))?;
                }
                sequence.end()
            }
            Value::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (name, value) in members {
                    map.serialize_entry(name, &Plain(value))?;
                }
                map.end()
            }
        }
    }
}

/// Converts JSON text to YAML, with the members in their order.
pub(super) fn from_json(text: &str) -> io::Result<String> {
    let value: Value = json::from_str(text).map_err(io::Error::other)?;
    yaml_serde::to_string(&Plain(&value)).map_err(io::Error::other)
}
