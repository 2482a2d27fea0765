//! Conversions of JSON Schemas that users write. They never change what a schema says.

use super::ConvertError;
use crate::codec::{Extra, Object, Value};
use crate::error::{DecodeError, Rule, Segment, excerpt};
use crate::json;
use serde::de::DeserializeOwned;

impl Extra {
    /// Removes a keyword of a schema and decodes it. If the target type allows no boolean schemas,
    /// those of properties are replaced by equivalent objects.
    ///
    /// # Errors
    ///
    /// Returns an error if the target type cannot represent the value.
    pub fn take_keyword<T: DeserializeOwned>(
        &mut self,
        name: &str,
    ) -> Result<Option<T>, ConvertError> {
        let Some(value) = self.remove(name) else {
            return Ok(None);
        };
        let decoded = json::from_value_ref(&value).or_else(|error| match value {
            Value::Object(properties) => json::from_object(without_booleans(properties)),
            _ => Err(error),
        });
        let inside = |error: DecodeError| ConvertError::from(error.inside_member(name));
        decoded.map(Some).map_err(inside)
    }

    /// Removes a keyword of a schema that has only one possible value in the target type.
    ///
    /// # Errors
    ///
    /// Returns an error if the keyword is missing or has another value: the target type would add
    /// the keyword, and so change what the schema says.
    pub fn take_constant(
        &mut self,
        kind: &'static str,
        name: &'static str,
        text: &str,
    ) -> Result<(), ConvertError> {
        let Some(value) = self.remove(name) else {
            return Err(ConvertError::missing(kind, name));
        };
        if value.as_str() == Some(text) {
            return Ok(());
        }
        let value = value.to_string();
        let message = format!("invalid value: `{}`, expected `{text}`", excerpt(&value));
        let error = DecodeError::data(message).with_rule(Rule::Value, [text.to_owned()]);
        Err(ConvertError::from(error).inside(Segment::Member(name.to_owned())))
    }
}

/// Replaces the schemas `true` and `false` by equivalent objects.
fn without_booleans(mut schemas: Object) -> Object {
    for (_, schema) in &mut schemas {
        match schema {
            Value::Bool(true) => *schema = Object::new().into(),
            Value::Bool(false) => {
                *schema = Object::from([("not", Value::from(Object::new()))]).into();
            }
            _ => {}
        }
    }
    schemas
}

/// Converts an optional schema, and leaves it out if the other revision cannot represent it.
#[inline]
pub fn or_absent<T, U, E>(value: Option<T>, convert: impl FnOnce(T) -> Result<U, E>) -> Option<U> {
    value.and_then(|value| convert(value).ok())
}
