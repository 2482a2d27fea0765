//! Whether JSON that was written says what was read.

use mcp_types::json::{Number, Value};

/// Whether `written` says what `read` said, but for the leniencies of `mcp-types`: an optional
/// member that is `null` may be gone, sizes of icons in one string become a list, and an integer may
/// lose its `.0`.
#[must_use]
pub fn says(read: &Value, written: &Value) -> bool {
    match (read, written) {
        (Value::Number(read), Value::Number(written)) => same_number(read, written),
        (Value::Array(read), Value::Array(written)) => {
            read.len() == written.len() && read.iter().zip(written).all(|(a, b)| says(a, b))
        }
        (Value::Object(read), Value::Object(written)) => {
            written.keys().all(|name| read.contains_key(name))
                && read.iter().all(|(name, value)| match written.get(name) {
                    Some(other) => says(value, other) || name == "sizes" && listed(value, other),
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

fn listed(text: &Value, list: &Value) -> bool {
    let (Some(text), Some(list)) = (text.as_str(), list.as_array()) else {
        return false;
    };
    text.split_whitespace()
        .eq(list.iter().filter_map(Value::as_str))
}

/// A text without the white space between its tokens, to compare what must not have changed.
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
