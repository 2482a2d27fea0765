//! Arguments of tools and prompts, from the command line and from files.

use std::path::Path;

use mcp_client::types::json::{self, Object, Value};

use crate::failure::Failure;
use crate::files;
use crate::schema::{Field, Kind, Shape, plain};

/// The maximum size of `--args` in a file or on standard input, in bytes: that of a message by
/// default.
const ARGUMENTS: u64 = 16 << 20;

/// Reads the object of `--args`; an empty one if the option is absent.
pub(crate) fn read_args(args: Option<&str>) -> Result<Object, Failure> {
    let text = match args {
        None => return Ok(Object::new()),
        Some("-") => files::stdin(ARGUMENTS).map_err(|error| {
            let message = format!("cannot read `--args` from standard input: {error}");
            Failure::Usage(message)
        })?,
        Some(text) => match text.strip_prefix('@') {
            Some(path) => {
                files::text(Path::new(path), ARGUMENTS).map_err(|source| Failure::File {
                    path: Path::new(path).to_owned(),
                    source,
                })?
            }
            None => text.to_owned(),
        },
    };
    object("--args", &text)
}

/// Parses the JSON object of an option.
pub(crate) fn object(option: &str, text: &str) -> Result<Object, Failure> {
    json::from_str(text).map_err(|error| {
        Failure::Usage(format!(
            "invalid `{option}`: expected a JSON object: {error}"
        ))
    })
}

/// Splits `NAME=VALUE`.
pub(crate) fn split(word: &str) -> Result<(&str, &str), Failure> {
    word.split_once('=')
        .filter(|(name, _)| !name.is_empty())
        .ok_or_else(|| Failure::Usage(format!("invalid argument `{word}`: expected NAME=VALUE")))
}

/// Returns the value of an argument. If the text fits none of the types in the schema of the tool,
/// it is sent nevertheless, so that the server explains what it expects. An object or a list that is
/// not JSON is an error of the command line, unless the tool accepts text.
pub(crate) fn argument(name: &str, field: Option<&Field>, text: &str) -> Result<Value, Failure> {
    let shape = field.map(|field| &field.shape);
    if let Some(value) = shape.and_then(|shape| value(shape, text, false)) {
        return Ok(value);
    }
    if shape.is_some_and(Shape::is_text) {
        return Ok(text.into());
    }
    match json::from_str(text) {
        Ok(value) => Ok(value),
        Err(error) if shape.is_some() && text.starts_with(['{', '[']) => {
            Err(Failure::Usage(format!(
                "invalid argument `{name}`: expected JSON, as the tool accepts no text: {error}"
            )))
        }
        Err(_) => Ok(text.into()),
    }
}

fn json_or_text(text: &str) -> Value {
    json::from_str(text).unwrap_or_else(|_| text.into())
}

/// Returns the value that a text means; `None` if it fits none of the alternatives of a shape.
///
/// A choice is given by its value or its title, or by its number if the choices are `numbered`.
/// Other text is passed unchanged, unless it is the JSON of a value of another type that is
/// allowed. The elements of a list are separated by commas, and `yes` and `no` are booleans.
pub(crate) fn value(shape: &Shape, text: &str, numbered: bool) -> Option<Value> {
    let kinds = &shape.0;
    if kinds.is_empty() {
        return Some(json_or_text(text));
    }
    if let Some(chosen) = choice(kinds, text, numbered) {
        return Some(chosen.clone());
    }
    if let Ok(value) = json::from_str(text)
        && kinds.iter().any(|kind| kind.includes(&value))
    {
        return Some(value);
    }
    if shape.has_text() {
        return Some(text.into());
    }
    kinds.iter().find_map(|kind| match kind {
        Kind::Boolean => match text.to_ascii_lowercase().as_str() {
            "y" | "yes" => Some(true.into()),
            "n" | "no" => Some(false.into()),
            _ => None,
        },
        Kind::List(items) => {
            let parts = text.split(',').map(str::trim);
            let parts = parts.filter(|part| !part.is_empty());
            parts.map(|part| value(items, part, numbered)).collect()
        }
        _ => None,
    })
}

fn choice<'a>(kinds: &'a [Kind], text: &str, numbered: bool) -> Option<&'a Value> {
    let choices = || {
        kinds.iter().filter_map(|kind| match kind {
            Kind::Choice(value, title) => Some((value, title)),
            _ => None,
        })
    };
    let by_value = choices().find(|(value, _)| plain(value) == text);
    let by_title = || choices().find(|(_, title)| title.as_deref() == Some(text));
    let by_number = || {
        let number = text.parse::<usize>().ok().filter(|_| numbered)?;
        choices().nth(number.checked_sub(1)?)
    };
    let chosen = by_value.or_else(by_title).or_else(by_number);
    chosen.map(|(value, _)| value)
}
