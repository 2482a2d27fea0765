//! Arguments of tools and prompts, from the command line and from files.

use std::io::Read;
use std::path::Path;

use mcp_client::types::json::{self, Object, Value};

use crate::failure::Failure;
use crate::schema::Field;

/// Reads the object of `--args`; an empty one if the option is absent.
pub(crate) fn read_args(args: Option<&str>) -> Result<Object, Failure> {
    let text = match args {
        None => return Ok(Object::new()),
        Some("-") => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text)?;
            text
        }
        Some(text) => match text.strip_prefix('@') {
            Some(path) => std::fs::read_to_string(path).map_err(|source| Failure::File {
                path: Path::new(path).to_owned(),
                source,
            })?,
            None => text.to_owned(),
        },
    };
    json::from_str(&text).map_err(|error| {
        Failure::Usage(format!("invalid `--args`: expected a JSON object: {error}"))
    })
}

/// Splits `NAME=VALUE`.
pub(crate) fn split(word: &str) -> Result<(&str, &str), Failure> {
    word.split_once('=')
        .filter(|(name, _)| !name.is_empty())
        .ok_or_else(|| Failure::Usage(format!("invalid argument `{word}`: expected NAME=VALUE")))
}

/// Returns the value of an argument: a string if the schema requires one or the text is not JSON,
/// otherwise the JSON value.
pub(crate) fn value(field: Option<&Field>, text: &str) -> Value {
    if field.is_some_and(Field::is_text) {
        return text.into();
    }
    json::from_str(text).unwrap_or_else(|_| text.into())
}

/// Returns the value of a typed answer: lists need no brackets, and `yes` is a boolean.
pub(crate) fn answer(field: &Field, text: &str) -> Value {
    let value = value(Some(field), text);
    if field.is_list() && value.as_array().is_none() {
        let parts = text
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty());
        return parts.collect();
    }
    let boolean = matches!(field.types.as_slice(), [kind] if kind == "boolean");
    match text.to_ascii_lowercase().as_str() {
        "y" | "yes" if boolean => true.into(),
        "n" | "no" if boolean => false.into(),
        _ => value,
    }
}
