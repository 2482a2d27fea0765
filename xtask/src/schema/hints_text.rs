//! Adds entries to `hints.json` without changing the form of the rest.

use serde_json::{Map, Value};

/// Returns the text of an object with a further entry at the end of one of its tables. The table is
/// added if it does not exist. Returns `None` if the text has another form.
pub(super) fn with_entry(text: &str, table: &str, key: &str, value: &str) -> Option<String> {
    let root: Map<String, Value> = serde_json::from_str(text).ok()?;
    let mut expected = root.clone();
    let entries = expected.entry(table).or_insert_with(|| Map::new().into());
    let is_empty = entries.as_object()?.is_empty();
    entries
        .as_object_mut()?
        .insert(key.to_owned(), value.into());

    let entry = format!("{}: {}", Value::from(key), Value::from(value));
    let (end, entry, is_empty) = if root.contains_key(table) {
        (end_of(text, table)?, entry, is_empty)
    } else {
        let entry = format!("{}: {{ {entry} }}", Value::from(table));
        (text.rfind('}')?, entry, root.is_empty())
    };
    let before = text.get(..end)?;
    let content = before.trim_end();
    // The white space before the last entry also stands before the new one.
    let space = match before.get(content.len()..)? {
        space if !space.contains('\n') => " ".to_owned(),
        _ if is_empty => return None,
        _ => {
            let start = content.rfind('\n')?;
            let line = content.get(start + 1..)?;
            let indent = line.len() - line.trim_start().len();
            format!("\n{}", line.get(..indent)?)
        }
    };
    let comma = if is_empty { "" } else { "," };
    let new = format!(
        "{content}{comma}{space}{entry}{}",
        text.get(content.len()..)?
    );
    let written: Map<String, Value> = serde_json::from_str(&new).ok()?;
    (written == expected).then_some(new)
}

/// Returns the position of the brace that ends a table of the outermost object.
fn end_of(text: &str, table: &str) -> Option<usize> {
    let name = Value::from(table).to_string();
    let mut depth = 0;
    let mut inside = false;
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'"' => {
                let length = string_length(text.get(at..)?)?;
                if depth == 1 && text.get(at..at + length) == Some(name.as_str()) {
                    // A value of the outermost object may be the same text.
                    let rest = text.get(at + length..)?.trim_start();
                    inside |= rest.starts_with(':');
                }
                at += length;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' if inside && depth == 2 => return Some(at),
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    None
}

/// Returns the length of the string with which a text begins, with its quotes.
fn string_length(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::with_entry;

    fn added(text: &str) -> Option<String> {
        with_entry(text, "renamed", "2/A", "B")
    }

    #[test]
    fn entry_is_one_more_line() {
        let text = "{\n  \"a\": [1, 2],\n  \"renamed\": {\n    \"1/\\\"}\": \"renamed\"\n  },\n  \"z\": {\"renamed\": {\"k\": {}}}\n}\n";
        let expected = text.replace("\"renamed\"\n  }", "\"renamed\",\n    \"2/A\": \"B\"\n  }");
        assert_eq!(added(text).as_deref(), Some(expected.as_str()));
    }

    #[test]
    fn table_in_one_line_stays_in_one_line() {
        let text = "{\"a\": \"renamed\", \"renamed\": {\"1/A\": \"C\"}}";
        let expected = "{\"a\": \"renamed\", \"renamed\": {\"1/A\": \"C\", \"2/A\": \"B\"}}";
        assert_eq!(added(text).as_deref(), Some(expected));
        let expected = "{\"renamed\": { \"2/A\": \"B\"}}";
        assert_eq!(added("{\"renamed\": {}}").as_deref(), Some(expected));
    }

    #[test]
    fn missing_table_is_added_at_the_end() {
        let text = "{\n  \"a\": {\"b\": 1}\n}\n";
        let expected = "{\n  \"a\": {\"b\": 1},\n  \"renamed\": { \"2/A\": \"B\" }\n}\n";
        assert_eq!(added(text).as_deref(), Some(expected));
        assert_eq!(
            added("{}").as_deref(),
            Some("{ \"renamed\": { \"2/A\": \"B\" }}")
        );
    }

    #[test]
    fn other_forms_are_left_to_the_caller() {
        for text in ["", "[]", "{\"renamed\": 1}", "{\"renamed\": {\n}}"] {
            assert_eq!(added(text), None, "{text}");
        }
    }
}
