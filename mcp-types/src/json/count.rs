//! Counts the values of a JSON text without decoding it.

use super::text::string_end;

/// Returns `true` if a JSON text has more than `limit` values. Members of objects, elements of
/// arrays, and the arrays and objects themselves count, at any depth.
///
/// The text is scanned once and nothing is allocated. This is a cheap check before a text is
/// decoded, because the time and memory that a value takes do not depend on the length of its text.
/// The result is unspecified if the text is not valid JSON.
#[must_use]
pub fn has_more_values(text: &str, limit: usize) -> bool {
    // Each value except the last one is followed by at least one byte.
    if text.len() / 2 < limit {
        return false;
    }
    let bytes = text.as_bytes();
    // Starts with the outermost value.
    let mut values: usize = 1;
    let mut at = 0;
    // `true` while the array or object that was opened last may still be empty.
    let mut opened = false;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => continue,
            b']' | b'}' => {
                opened = false;
                continue;
            }
            // The first value in the array or object.
            _ if opened => values += 1,
            _ => {}
        }
        opened = false;
        match byte {
            b',' => values += 1,
            b'[' | b'{' => opened = true,
            b'"' => at += string_end(bytes.get(at..).unwrap_or_default()) + 1,
            _ => {}
        }
        if values > limit {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::has_more_values;

    #[test]
    fn values_are_counted_exactly() {
        for (text, values) in [
            ("0", 1),
            ("[]", 1),
            ("[ ]", 1),
            ("{}", 1),
            ("[[]]", 2),
            ("[[],[]]", 3),
            ("[0]", 2),
            ("[0,0,0]", 4),
            (r#"{"a":0}"#, 2),
            (r#"{"a":0,"b":[1,{}],"c":{"d":2}}"#, 7),
            (r#"[",",":[{","\\",",","\",["]"#, 6),
            ("[[[[[[]]]]]]", 6),
        ] {
            // Padded, so that the shortcut for short texts does not apply.
            let text = format!("{text}{}", " ".repeat(100));
            assert!(!has_more_values(&text, values), "{text} has more");
            assert!(has_more_values(&text, values - 1), "{text} has fewer");
        }
    }

    #[test]
    fn invalid_json_is_scanned_without_a_panic() {
        for text in ["", "\"", "\"\\", "[[[", "]]]", ",,,"] {
            let text = format!("{}{text}", " ".repeat(100));
            let _anything = has_more_values(&text, 1);
        }
    }
}
