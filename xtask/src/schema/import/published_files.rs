//! The table of published files in `schema/README.md`.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// Returns the text with the checksum of a published file in its table. The table has a row for
/// each file, sorted by path. Returns `None` if there is no table.
pub(super) fn with_checksum(text: &str, path: &str, content: &[u8]) -> Option<String> {
    let mut checksum = String::new();
    for byte in Sha256::digest(content) {
        let _ = write!(checksum, "{byte:02x}");
    }
    let row = format!("| `{path}` | `{checksum}` |");
    let mut lines: Vec<&str> = text.lines().collect();
    let header = lines
        .iter()
        .position(|line| *line == "| published file | sha256 |")?;
    let first = header + 2;
    let rows = lines.get(first..)?;
    let count = rows.iter().take_while(|line| line.starts_with('|')).count();
    let own = format!("| `{path}` |");
    lines.retain({
        let mut at = 0;
        move |line| {
            at += 1;
            let is_row = (first..first + count).contains(&(at - 1));
            !(is_row && line.starts_with(&own))
        }
    });
    let rows = lines.get(first..)?.iter();
    let before = rows.take_while(|line| line.starts_with('|') && **line < row.as_str());
    lines.insert(first + before.count(), &row);
    Some(lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::with_checksum;

    const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    fn readme(rows: &[&str]) -> String {
        let rows: String = rows.iter().map(|row| format!("{row}\n")).collect();
        format!("Words.\n\n| published file | sha256 |\n| --- | --- |\n{rows}\nMore words.\n")
    }

    #[test]
    fn row_is_added_in_its_place() {
        let text = readme(&[
            "| `schema/1/schema.json` | `a` |",
            "| `schema/3/schema.json` | `c` |",
        ]);
        let row = format!("| `schema/2/schema.json` | `{EMPTY}` |");
        let expected = readme(&[
            "| `schema/1/schema.json` | `a` |",
            &row,
            "| `schema/3/schema.json` | `c` |",
        ]);
        assert_eq!(
            with_checksum(&text, "schema/2/schema.json", b""),
            Some(expected)
        );
    }

    #[test]
    fn row_of_the_same_file_is_replaced() {
        let text = readme(&["| `schema/2/schema.json` | `old` |"]);
        let row = format!("| `schema/2/schema.json` | `{EMPTY}` |");
        let expected = readme(&[&row]);
        assert_eq!(
            with_checksum(&text, "schema/2/schema.json", b""),
            Some(expected)
        );
    }

    #[test]
    fn text_without_a_table_stays() {
        assert_eq!(with_checksum("Words.\n", "a", b""), None);
    }
}
