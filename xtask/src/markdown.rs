//! Markdown pages as lists of the parts that commands look at, and where links between pages lead.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// A page.
pub(crate) struct Page {
    pub(crate) parts: Vec<Part>,
}

/// A part, and where it is in the text.
pub(crate) struct Part {
    pub(crate) range: Range<usize>,
    pub(crate) kind: Kind,
}

#[derive(Debug, PartialEq)]
pub(crate) enum Kind {
    /// A heading. GitHub and mdBook derive the same anchor.
    Heading { level: HeadingLevel, anchor: String },
    /// The target of a link or a picture.
    Link(String),
    /// A block of code, and the words after its opening fence, such as `rust,no_run`.
    Code { info: String, text: String },
    /// The cells of a row of a table, as they are written.
    Row(Vec<String>),
    /// A comment of HTML.
    Comment(String),
    /// Text outside of headings and of code.
    Prose,
}

impl Page {
    pub(crate) fn parse(text: &str) -> Self {
        let (mut parts, mut used) = (Vec::new(), HashMap::new());
        let mut heading: Option<String> = None;
        let mut code: Option<(String, String)> = None;
        let mut row = Vec::new();
        for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
            let kind = match event {
                Event::Start(Tag::Heading { .. }) => {
                    heading = Some(String::new());
                    continue;
                }
                Event::End(TagEnd::Heading(level)) => Kind::Heading {
                    level,
                    anchor: anchor(&heading.take().unwrap_or_default(), &mut used),
                },
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                    code = Some((info.into_string(), String::new()));
                    continue;
                }
                Event::End(TagEnd::CodeBlock) => match code.take() {
                    Some((info, text)) => Kind::Code { info, text },
                    None => continue,
                },
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    Kind::Link(dest_url.into_string())
                }
                Event::Start(Tag::TableCell) => {
                    row.push(range);
                    continue;
                }
                Event::End(TagEnd::TableRow | TagEnd::TableHead) => {
                    Kind::Row(cells(text, &range, std::mem::take(&mut row)))
                }
                Event::Html(html) => match comment(&html) {
                    Some(comment) => Kind::Comment(comment.to_owned()),
                    None => continue,
                },
                Event::Text(part) | Event::Code(part) => match (&mut code, &mut heading) {
                    (Some((_, text)), _) | (None, Some(text)) => {
                        text.push_str(&part);
                        continue;
                    }
                    (None, None) => Kind::Prose,
                },
                _ => continue,
            };
            parts.push(Part { range, kind });
        }
        Self { parts }
    }

    /// Returns the parts after a heading, up to the next one.
    pub(crate) fn section(&self, anchor: &str) -> Option<&[Part]> {
        self.after(anchor, |_, _| true)
    }

    /// Returns the parts after a heading, with those of the headings below it.
    pub(crate) fn chapter(&self, anchor: &str) -> Option<&[Part]> {
        self.after(anchor, |level, own| level <= own)
    }

    fn after(
        &self,
        anchor: &str,
        ends: impl Fn(HeadingLevel, HeadingLevel) -> bool,
    ) -> Option<&[Part]> {
        let heading = |part: &Part| match &part.kind {
            Kind::Heading { level, anchor } => Some((*level, anchor.clone())),
            _ => None,
        };
        let at = |part: &Part| heading(part).filter(|(_, found)| found == anchor);
        let (start, (own, _)) = self
            .parts
            .iter()
            .enumerate()
            .find_map(|(index, part)| Some((index, at(part)?)))?;
        let rest = &self.parts[start + 1..];
        let end = |part: &Part| heading(part).is_some_and(|(level, _)| ends(level, own));
        let end = rest.iter().position(end).unwrap_or(rest.len());
        Some(&rest[..end])
    }

    /// Returns the targets of all links.
    pub(crate) fn links(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(Part::link)
    }
}

impl Part {
    pub(crate) fn link(&self) -> Option<&str> {
        match &self.kind {
            Kind::Link(target) => Some(target),
            _ => None,
        }
    }

    pub(crate) fn row(&self) -> Option<&[String]> {
        match &self.kind {
            Kind::Row(cells) => Some(cells),
            _ => None,
        }
    }
}

/// Returns the cells of a row. Browsers do not show those beyond the cells of the head; here they are
/// one more cell.
fn cells(text: &str, row: &Range<usize>, cells: Vec<Range<usize>>) -> Vec<String> {
    let end = cells.last().map_or(row.start, |cell| cell.end);
    let more = text[end..row.end].trim_matches(|c: char| c == '|' || c.is_whitespace());
    let cells = cells.into_iter().map(|cell| text[cell].trim());
    let more = (!more.is_empty()).then_some(more);
    cells.chain(more).map(str::to_owned).collect()
}

fn comment(html: &str) -> Option<&str> {
    html.trim().strip_prefix("<!-- ")?.strip_suffix(" -->")
}

/// Derives the anchor of a heading: letters, digits, `_` and `-`; spaces become `-`. An anchor that
/// the page has already gets a number.
fn anchor(heading: &str, used: &mut HashMap<String, usize>) -> String {
    let kept = heading.trim().chars().filter_map(|c| match c {
        ' ' => Some('-'),
        '_' | '-' => Some(c),
        _ => c.is_alphanumeric().then_some(c),
    });
    let anchor: String = kept.flat_map(char::to_lowercase).collect();
    let count = used.entry(anchor.clone()).or_default();
    *count += 1;
    match *count {
        1 => anchor,
        count => format!("{anchor}-{}", count - 1),
    }
}

/// Replaces the targets of `[text](target)`. Without a target, the text remains.
pub(crate) fn rewrite_links(text: &str, mut rewrite: impl FnMut(&str) -> Option<String>) -> String {
    let mut edits = Vec::new();
    for part in &Page::parse(text).parts {
        let Some(target) = part.link() else { continue };
        // Links in other forms, such as `<https://example.com>`, remain.
        let (start, end) = (part.range.start, part.range.end);
        let before = text[..end].strip_suffix(&format!("]({target})"));
        let Some(before) = before.map(str::len) else {
            continue;
        };
        match rewrite(target) {
            Some(target) => edits.push((before..end, format!("]({target})"))),
            None => edits.extend([
                (start..start + 1, String::new()),
                (before..end, String::new()),
            ]),
        }
    }
    edits.sort_by_key(|(range, _)| range.start);
    replace(text, edits)
}

/// Replaces ranges, which are in ascending order.
pub(crate) fn replace(text: &str, edits: Vec<(Range<usize>, String)>) -> String {
    let (mut written, mut at) = (String::new(), 0);
    for (range, new) in edits {
        written.push_str(&text[at..range.start]);
        written.push_str(&new);
        at = range.end;
    }
    written + &text[at..]
}

/// Returns the page of the same guide that a link of rustdoc names.
pub(crate) fn guide_page(target: &str) -> Option<&str> {
    let page = target
        .strip_prefix("super::")
        .or_else(|| target.strip_prefix("crate::guide::"))?;
    (!page.contains("::")).then_some(page)
}

/// Returns the path in the repository of a relative link on a page.
pub(crate) fn resolve(page: &Path, target: &str) -> PathBuf {
    let mut path = page.parent().unwrap_or(page).to_path_buf();
    for part in Path::new(target).components() {
        match part {
            Component::ParentDir => drop(path.pop()),
            Component::Normal(part) => path.push(part),
            _ => {}
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_those_of_github() {
        for (heading, expected) in [
            ("HTTP+SSE", "httpsse"),
            (
                "What a server bounds, and by which setting",
                "what-a-server-bounds-and-by-which-setting",
            ),
            ("The program `mcp`", "the-program-mcp"),
            (
                "[`Limits`](crate::Limits) of a client",
                "limits-of-a-client",
            ),
        ] {
            let page = Page::parse(&format!("# {heading}\n"));
            assert!(page.section(expected).is_some(), "{heading}");
        }
    }

    #[test]
    fn headings_and_links_in_code_do_not_count() {
        let page = Page::parse("# A\n[b](c)\n```rust,no_run\n# [d](e)\n```\n## A\n`[f](g)`\n");
        assert_eq!(page.links().collect::<Vec<_>>(), ["c"]);
        let kinds = |parts: &[Part]| {
            parts
                .iter()
                .map(|part| format!("{:?}", part.kind))
                .collect()
        };
        let first: Vec<String> = kinds(page.section("a").expect("a heading"));
        let code = r##"Code { info: "rust,no_run", text: "# [d](e)\n" }"##;
        assert_eq!(first, [r#"Link("c")"#, "Prose", code]);
        let second: Vec<String> = kinds(page.section("a-1").expect("a heading"));
        assert_eq!(second, ["Prose"]);
        assert_eq!(page.chapter("a").map(<[Part]>::len), Some(5));
        assert!(page.section("d").is_none());
    }

    #[test]
    fn rows_and_comments_are_kept_as_they_are_written() {
        let page = Page::parse(
            "| a | b |\n| --- | --- |\n| `c` | [d](e) \\| f |\n| g | h | i |\n| j |\n\n<!-- g: h -->\n",
        );
        let rows: Vec<_> = page.parts.iter().filter_map(Part::row).collect();
        let expected: [&[&str]; 4] = [
            &["a", "b"],
            &["`c`", r"[d](e) \| f"],
            &["g", "h", "i"],
            &["j", ""],
        ];
        assert_eq!(rows, expected);
        let last = page.parts.last().map(|part| &part.kind);
        assert_eq!(last, Some(&Kind::Comment("g: h".to_owned())));
    }
}
