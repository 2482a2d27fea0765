//! Compares encoded JSON with the text from which it was decoded.

use mcp_types::json::{Number, Value};

/// Returns `true` if `written` has the same content as `read`, except for the leniencies of
/// `mcp-types`: an optional member that is `null` may be absent, sizes of icons in one string
/// become a list, and an integer may lose its `.0`.
#[must_use]
pub fn same_content(read: &Value, written: &Value) -> bool {
    match (read, written) {
        (Value::Number(read), Value::Number(written)) => same_number(read, written),
        (Value::Array(read), Value::Array(written)) => {
            read.len() == written.len() && read.iter().zip(written).all(|(a, b)| same_content(a, b))
        }
        (Value::Object(read), Value::Object(written)) => {
            written.keys().all(|name| read.contains_key(name))
                && read.iter().all(|(name, value)| match written.get(name) {
                    Some(other) => {
                        same_content(value, other) || name == "sizes" && as_size_list(value, other)
                    }
                    None => value.is_null(),
                })
        }
        _ => read == written,
    }
}

fn same_number(read: &Number, written: &Number) -> bool {
    let integer = |number: &Number| (number.to_i64(), number.to_u64());
    if read.is_integer() && written.is_integer() && integer(read) != (None, None) {
        return integer(read) == integer(written);
    }
    read.as_f64() == written.as_f64()
}

fn as_size_list(text: &Value, list: &Value) -> bool {
    let (Some(text), Some(list)) = (text.as_str(), list.as_array()) else {
        return false;
    };
    text.split_whitespace()
        .eq(list.iter().filter_map(Value::as_str))
}

/// Removes the white space between the tokens of a text, to compare texts that must be equal
/// otherwise.
#[must_use]
pub fn compact(text: &str) -> String {
    let (mut quoted, mut escaped) = (false, false);
    let keep = |character: &char| {
        let space = !quoted && matches!(character, ' ' | '\t' | '\n' | '\r');
        if escaped {
            escaped = false;
        } else if quoted && *character == '\\' {
            escaped = true;
        } else if *character == '"' {
            quoted = !quoted;
        }
        !space
    };
    text.chars().filter(keep).collect()
}
