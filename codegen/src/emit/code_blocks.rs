//! Code in descriptions of a schema, which rustdoc must not take for tests of the user's crate.

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};

/// Marks all code blocks of a text that rustdoc would compile and run as plain text.
pub(super) fn mark_as_text(text: &str) -> String {
    let mut marked = text.to_owned();
    // From the end, so that the positions before stay.
    for block in tested(text).into_iter().rev() {
        block.mark(&mut marked);
    }
    if tested(&marked).is_empty() {
        return marked;
    }
    // Indented code that begins on the line of a list's bullet.
    let runs = text.split(|c| c != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0).max(2) + 1);
    format!("{fence}text\n{text}\n{fence}")
}

/// A code block that rustdoc would test.
enum Block {
    /// The words behind its opening fence are here.
    Fenced { at: usize, length: usize },
    /// Its lines are here.
    Indented { start: usize, end: usize },
}

impl Block {
    fn mark(&self, text: &mut String) {
        match *self {
            Self::Fenced { at, length } => text.replace_range(at..at + length, "text"),
            Self::Indented { start, end } => {
                let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
                // What stands before the code in a quotation or a list, and the indentation.
                let before = text[line..start].trim_end_matches([' ', '\t']);
                let width = text[line..start].chars().count();
                let spaces = width.saturating_sub(before.chars().count() + 4);
                let before = format!("{before}{}", " ".repeat(spaces));
                let is_last = text[..end].ends_with('\n') || end == text.len();
                let end = match text[end..].find('\n') {
                    Some(rest) if !is_last => end + rest + 1,
                    _ => end,
                };
                let separator = if text[..end].ends_with('\n') {
                    ""
                } else {
                    "\n"
                };
                text.insert_str(end, &format!("{separator}{before}```\n"));
                text.insert_str(line, &format!("{before}```text\n"));
            }
        }
    }
}

fn tested(text: &str) -> Vec<Block> {
    let mut found = Vec::new();
    for (event, range) in Parser::new(text).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) if is_rust(&info) => {
                let block = &text[range.start..];
                let fence = block.trim_start_matches([' ', '\t', '`', '~']);
                let at = range.start + (block.len() - fence.len());
                let length = fence.find('\n').unwrap_or(fence.len());
                found.push(Block::Fenced { at, length });
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => {
                found.push(Block::Indented {
                    start: range.start,
                    end: range.end,
                });
            }
            _ => {}
        }
    }
    found
}

/// Returns `true` if rustdoc tests a block with these words behind its fence.
fn is_rust(info: &str) -> bool {
    let mut words = info
        .split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'))
        .filter(|word| !word.is_empty())
        .peekable();
    let is_known = |word: &str| {
        let names = [
            "rust",
            "should_panic",
            "no_run",
            "test_harness",
            "compile_fail",
        ];
        names.contains(&word)
            || ["ignore", "edition", "standalone"]
                .iter()
                .any(|name| word.starts_with(name))
            || word.strip_prefix('E').is_some_and(|code| code.len() == 4)
    };
    words.peek().is_none() || words.any(is_known)
}

#[cfg(test)]
mod tests {
    use super::{mark_as_text, tested};

    #[test]
    fn code_of_descriptions_is_no_test() {
        let cases = [
            ("a\n```\nlet\n```\nb", "a\n```text\nlet\n```\nb"),
            ("~~~rust,no_run\nlet\n~~~", "~~~text\nlet\n~~~"),
            ("```json\n{}\n```", "```json\n{}\n```"),
            (
                "a\n\n    let\n\n    x\nb",
                "a\n\n```text\n    let\n\n    x\n```\nb",
            ),
            ("a\n\n\tlet", "a\n\n```text\n\tlet\n```\n"),
            (
                "> a\n>\n>     let\n> b",
                "> a\n>\n> ```text\n>     let\n> ```\n> b",
            ),
            (
                "- a\n\n  ```\n  let\n  ```",
                "- a\n\n  ```text\n  let\n  ```",
            ),
            ("a\n    b", "a\n    b"),
            ("```", "```text"),
        ];
        for (text, expected) in cases {
            assert_eq!(mark_as_text(text), expected, "{text}");
        }
        let rare = [
            "-     let",
            "1.      let\n\n        x",
            "- a\n\n      let\n\nb",
            "> - a\n>\n>       x",
        ];
        for text in cases.map(|case| case.0).iter().chain(&rare) {
            assert!(
                tested(&mark_as_text(text)).is_empty(),
                "{text}: {}",
                mark_as_text(text)
            );
        }
    }
}
