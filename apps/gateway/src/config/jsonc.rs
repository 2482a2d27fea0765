//! [`parse`]: JSON with comments and trailing commas.

use jsonc_parser::{CollectOptions, ParseOptions, ast, parse_to_ast};
use mcp_client::types::json::{self, Object, Value};

use super::ConfigError;

/// Parses a text. Members that occur twice are kept.
pub(super) fn parse(text: &str) -> Result<Value, ConfigError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options);
    let parsed = parsed.map_err(|error| ConfigError::Syntax {
        line: error.line_display(),
        column: error.column_display(),
        message: lowercase(&error.kind().to_string()),
    })?;
    match parsed.value {
        Some(value) => Ok(convert(value)),
        None => Err(ConfigError::Syntax {
            line: 1,
            column: 1,
            message: "expected an object, found nothing".to_owned(),
        }),
    }
}

fn lowercase(text: &str) -> String {
    let mut rest = text.chars();
    let first = rest.next().into_iter().flat_map(char::to_lowercase);
    first.chain(rest.as_str().chars()).collect()
}

/// Converts a value. The parser bounds its depth.
fn convert(value: ast::Value<'_>) -> Value {
    match value {
        ast::Value::StringLit(text) => Value::from(text.value.as_ref()),
        // The parser has checked the form, so only numbers beyond all bounds are left.
        ast::Value::NumberLit(number) => {
            json::from_str(number.value).unwrap_or_else(|_| Value::from(number.value))
        }
        ast::Value::BooleanLit(boolean) => Value::Bool(boolean.value),
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::Array(list) => list.elements.into_iter().map(convert).collect(),
        ast::Value::Object(object) => {
            let mut members = Object::with_capacity(object.properties.len());
            for member in object.properties {
                members.push(member.name.as_str(), convert(member.value));
            }
            Value::Object(members)
        }
    }
}
