//! The parts of a Markdown page that links need: headings with their code blocks, and links.

use std::collections::HashMap;

/// A page. Its first section begins before the first heading, and has no anchor.
pub(super) struct Page {
    sections: Vec<Section>,
}

/// A heading and what follows it, up to the next heading.
#[derive(Default)]
pub(super) struct Section {
    /// The anchor of the heading, as GitHub and mdBook derive it.
    anchor: String,
    /// The text outside of code blocks, without code spans.
    prose: String,
    /// The words after the opening fences of code blocks, such as `rust,no_run`.
    pub(super) blocks: Vec<String>,
}

impl Page {
    pub(super) fn parse(text: &str) -> Self {
        let mut sections = vec![Section::default()];
        let mut used = HashMap::new();
        let mut in_block = false;
        for line in text.lines() {
            let fence = line.trim_start().strip_prefix("```");
            if let (Some(heading), false) = (heading(line), in_block) {
                sections.push(Section {
                    anchor: unused(anchor(heading), &mut used),
                    ..Section::default()
                });
            }
            let Some(section) = sections.last_mut() else {
                continue;
            };
            match fence {
                Some(_) if in_block => in_block = false,
                Some(info) => {
                    in_block = true;
                    section.blocks.push(info.trim().to_owned());
                }
                None if !in_block => {
                    section.prose.push_str(line);
                    section.prose.push('\n');
                }
                None => {}
            }
        }
        for section in &mut sections {
            section.prose = without_code_spans(&section.prose);
        }
        Self { sections }
    }

    pub(super) fn section(&self, anchor: &str) -> Option<&Section> {
        let mut sections = self.sections.iter().skip(1);
        sections.find(|section| section.anchor == anchor)
    }

    /// Returns the targets of all links `[text](target)`.
    pub(super) fn links(&self) -> impl Iterator<Item = &str> {
        self.sections
            .iter()
            .flat_map(|section| links(&section.prose))
    }

    /// Returns the lines of prose of the page.
    pub(super) fn lines(&self) -> impl Iterator<Item = &str> {
        self.sections
            .iter()
            .flat_map(|section| section.prose.lines())
    }
}

impl Section {
    /// Returns `true` if the section has text besides its heading.
    pub(super) fn has_prose(&self) -> bool {
        let mut lines = self.prose.lines();
        lines.any(|line| !line.trim().is_empty() && heading(line).is_none())
    }
}

/// Returns the targets of the links in a text.
pub(super) fn links(text: &str) -> impl Iterator<Item = &str> {
    let rest = text.split("](").skip(1);
    rest.filter_map(|rest| Some(rest.split_once(')')?.0))
}

/// Returns the text of a line that is a heading.
fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    (1..=6).contains(&level).then(|| text.strip_prefix(' '))?
}

/// Derives the anchor of a heading: letters, digits, `_` and `-`; spaces become `-`.
fn anchor(heading: &str) -> String {
    let mut text = String::new();
    let mut rest = heading.trim();
    // Only the text of a link counts.
    while let Some((before, after)) = rest.split_once("](") {
        text.push_str(before);
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    text.push_str(rest);
    let kept = text.chars().filter_map(|c| match c {
        ' ' => Some('-'),
        '_' | '-' => Some(c),
        _ => c.is_alphanumeric().then_some(c),
    });
    kept.flat_map(char::to_lowercase).collect()
}

/// Numbers an anchor that the page has already.
fn unused(anchor: String, used: &mut HashMap<String, usize>) -> String {
    let count = used.entry(anchor.clone()).or_default();
    *count += 1;
    match *count {
        1 => anchor,
        count => format!("{anchor}-{}", count - 1),
    }
}

/// Removes text between backticks.
fn without_code_spans(text: &str) -> String {
    text.split('`').step_by(2).collect()
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
            assert_eq!(anchor(heading), expected);
        }
    }

    #[test]
    fn headings_and_links_in_code_blocks_do_not_count() {
        let text = "# A\n[b](c)\n```rust,no_run\n# [d](e)\n```\n## A\n`[f](g)`\n";
        let page = Page::parse(text);
        assert_eq!(page.links().collect::<Vec<_>>(), ["c"]);
        assert_eq!(
            page.section("a").expect("a heading").blocks,
            ["rust,no_run"]
        );
        assert!(page.section("a").is_some_and(Section::has_prose));
        assert!(
            page.section("a-1")
                .is_some_and(|section| section.blocks.is_empty())
        );
        assert!(page.section("d").is_none());
    }
}
