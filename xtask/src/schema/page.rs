//! `schema diff --format html`: a page that shows two documents side by side.
//!
//! The page is one file. It loads nothing, and is complete without its script, which only filters.

mod outline;
mod rows;

use std::collections::BTreeMap;

use codegen::schema::{ChangeKind, Document, SchemaChange, SchemaDiff, Subject, pointer};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::Value;

use self::rows::{Row, Side};

const STYLE: &str = include_str!("page/style.css");
const SCRIPT: &str = include_str!("page/filter.js");

/// What the page may load: nothing.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// A definition that differs.
struct Card<'a> {
    name: &'a str,
    before: Option<&'a Value>,
    after: Option<&'a Value>,
    /// The changes, breaking ones first.
    changes: Vec<&'a SchemaChange>,
}

impl Card<'_> {
    fn breaking(&self) -> usize {
        let breaking = self.changes.iter().filter(|change| change.breaking);
        breaking.count()
    }

    fn method(&self) -> Option<&str> {
        let schema = self.after.or(self.before)?;
        schema.pointer("/properties/method/const")?.as_str()
    }
}

/// Returns the page. Texts are ignored, as they are by the comparison.
pub(super) fn page(old: &Document, new: &Document, difference: &SchemaDiff) -> String {
    let (old, new) = (old.without_prose(), new.without_prose());
    let cards = cards(&old, &new, difference);
    let (breaking, others): (Vec<_>, Vec<_>) =
        cards.into_iter().partition(|card| card.breaking() > 0);
    let (removed, breaking): (Vec<_>, Vec<_>) =
        breaking.into_iter().partition(|card| card.after.is_none());
    let (added, others): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|card| card.before.is_none());
    let sections = [
        ("breaking", "Breaking changes", breaking),
        ("removed", "Removed definitions", removed),
        ("changed", "Other changes", others),
        ("added", "Added definitions", added),
    ];
    let title = format!("{} to {}", difference.from, difference.to);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                nav aria-label="Definitions" {
                    input type="search" id="filter" placeholder="Filter" aria-label="Filter" hidden;
                    @for (id, title, cards) in sections.iter().filter(|(_, _, cards)| !cards.is_empty()) {
                        a.section href={ "#" (id) } { (title) " " span.count { (cards.len()) } }
                        ul {
                            @for card in cards {
                                li data-name=(card.name) { a href={ "#" (anchor(card.name)) } { (card.name) } }
                            }
                        }
                    }
                }
                main {
                    header {
                        h1 { (difference.from) span.arrow { " → " } (difference.to) }
                        (summary(difference))
                    }
                    @if difference.changes.is_empty() {
                        p.none { "Both documents accept the same values." }
                    }
                    (messages(difference))
                    @for (id, title, cards) in sections.iter().filter(|(_, _, cards)| !cards.is_empty()) {
                        section id=(id) {
                            h2 { (title) }
                            @for card in cards { (article(card, difference)) }
                        }
                    }
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

/// Returns the definitions that differ, in the order of the changes.
fn cards<'a>(old: &'a Document, new: &'a Document, difference: &'a SchemaDiff) -> Vec<Card<'a>> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut cards: Vec<Card<'_>> = Vec::new();
    for change in &difference.changes {
        let token = change.pointer.split('/').nth(1).unwrap_or_default();
        let name = pointer::unescape(token);
        let place = *places.entry(name.clone()).or_insert(cards.len());
        if place == cards.len() {
            let (before, after) = (
                old.definitions.get_key_value(&name),
                new.definitions.get_key_value(&name),
            );
            let Some((name, _)) = before.or(after) else {
                continue;
            };
            cards.push(Card {
                name,
                before: before.map(|(_, schema)| schema),
                after: after.map(|(_, schema)| schema),
                changes: Vec::new(),
            });
        }
        cards[place].changes.push(change);
    }
    for card in &mut cards {
        card.changes.sort_by_key(|change| !change.breaking);
    }
    cards
}

fn summary(difference: &SchemaDiff) -> Markup {
    let breaking = difference.breaking().count();
    let rows = [
        ("messages", Subject::Message),
        ("definitions", Subject::Definition),
        ("members", Subject::Member),
    ];
    html! {
        ul.summary {
            li.breaking { b { (breaking) } " breaking" }
            li { b { (difference.changes.len() - breaking) } " other changes" }
            @for (noun, subject) in rows {
                @let added = difference.count(subject, ChangeKind::Added);
                @let removed = difference.count(subject, ChangeKind::Removed);
                li { b.plus { "+" (added) } " " b.minus { "−" (removed) } " " (noun) }
            }
        }
    }
}

fn messages(difference: &SchemaDiff) -> Markup {
    let of = |kind: ChangeKind| -> Vec<&SchemaChange> {
        let changes = difference.changes.iter();
        changes
            .filter(|change| change.subject == Subject::Message && change.kind == kind)
            .collect()
    };
    let (removed, added) = (of(ChangeKind::Removed), of(ChangeKind::Added));
    html! {
        @if !(removed.is_empty() && added.is_empty()) {
            section.messages id="messages" {
                h2 { "Messages" }
                div.pair {
                    @for (title, class, all) in [("Removed", "minus", &removed), ("Added", "plus", &added)] {
                        div {
                            h3 { (title) }
                            ul {
                                @for change in all {
                                    li class=(class) {
                                        code { (change.name) } " "
                                        a href={ "#" (anchor(&change.detail)) } { (change.detail) }
                                    }
                                }
                                @if all.is_empty() { li.none { "none" } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn article(card: &Card<'_>, difference: &SchemaDiff) -> Markup {
    let lines = |schema: Option<&Value>| schema.map(outline::lines).unwrap_or_default();
    let rows = rows::rows(&lines(card.before), &lines(card.after));
    // What is in the heading already: that the definition or its message exists or not.
    let listed =
        |change: &&&SchemaChange| !matches!(change.subject, Subject::Definition | Subject::Message);
    html! {
        article id=(anchor(card.name)) data-name=(card.name) {
            h3 {
                a href={ "#" (anchor(card.name)) } { (card.name) }
                @if let Some(method) = card.method() { " " code { (method) } }
            }
            @if card.changes.iter().any(|change| listed(&change)) {
                ul.changes {
                    @for change in card.changes.iter().filter(listed) {
                        li.breaking[change.breaking] {
                            @if change.breaking { span.mark { "breaking" } " " }
                            code { (change.name) } " " (quoted(&remark(change)))
                        }
                    }
                }
            }
            div.diff {
                div.row.names aria-hidden="true" {
                    div { (difference.from) }
                    div { (difference.to) }
                }
                @for row in &rows { (row_of(row)) }
            }
        }
    }
}

fn remark(change: &SchemaChange) -> String {
    let verb = match change.kind {
        ChangeKind::Added => "added",
        ChangeKind::Removed => "removed",
        ChangeKind::Changed => "",
    };
    match (verb, change.detail.as_str()) {
        ("", detail) => detail.to_owned(),
        (verb, "") => verb.to_owned(),
        (verb, detail) => format!("{verb}, {detail}"),
    }
}

/// Writes what stands between backquotes as code.
fn quoted(text: &str) -> Markup {
    html! {
        @for (place, part) in text.split('`').enumerate() {
            @if place % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

fn row_of(row: &Row) -> Markup {
    html! {
        @match row {
            Row::Same(line) => (same(line)),
            Row::Changed(old, new) => div.row {
                (side(old.as_ref(), "minus"))
                (side(new.as_ref(), "plus"))
            },
            Row::Hidden(lines) => details {
                summary { (lines.len()) " unchanged lines" }
                @for line in lines { (same(line)) }
            },
        }
    }
}

fn same(line: &str) -> Markup {
    html! { div.row { div { (line) } div { (line) } } }
}

fn side(side: Option<&Side>, class: &str) -> Markup {
    html! {
        @match side {
            None => div.empty {},
            Some(parts) => div class=(class) {
                @for (is_marked, text) in parts {
                    @if *is_marked { mark { (text) } } @else { (text) }
                }
            },
        }
    }
}

/// Returns the identifier of a definition within the page. It differs from those of the sections.
fn anchor(name: &str) -> String {
    format!("definition-{}", name.replace(char::is_whitespace, "-"))
}

#[cfg(test)]
mod tests {
    use codegen::schema::diff;
    use serde_json::json;

    use super::*;

    fn html(old: &Value, new: &Value) -> String {
        let parse = |name: &str, definitions: &Value| {
            Document::parse(name, &json!({ "$defs": definitions }).to_string()).unwrap()
        };
        let (old, new) = (parse("old", old), parse("new", new));
        page(&old, &new, &diff(&old, &new))
    }

    #[test]
    fn breaking_changes_come_first() {
        let old = json!({ "A": { "type": "string" }, "B": { "type": "string" }, "Gone": {} });
        let new = json!({ "A": { "type": ["string", "null"] }, "B": { "const": "b" }, "C": {} });
        let page = html(&old, &new);
        let place = |name: &str| {
            page.find(&format!("<article id=\"definition-{name}\""))
                .unwrap()
        };
        let places = ["B", "Gone", "A", "C"].map(place);
        assert!(places.is_sorted(), "{places:?}");
    }

    #[test]
    fn texts_of_a_document_are_escaped() {
        let evil = "</script><img src=x onerror=alert(1)>\"'";
        let page = html(
            &json!({ "A": {} }),
            &json!({ "A": { "enum": [evil] }, evil: {} }),
        );
        assert!(!page.contains("<img") && page.contains("&lt;img"), "{page}");
        assert_eq!(page.matches("<script>").count(), 1);
    }

    #[test]
    fn equal_documents_have_no_changes() {
        let same = json!({ "A": { "type": "string" } });
        let page = html(&same, &same);
        assert!(
            page.contains("accept the same values") && !page.contains("<article"),
            "{page}"
        );
    }
}
