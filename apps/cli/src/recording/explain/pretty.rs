//! JSON for people: indented, coloured, with the invalid parts marked.

use maud::{Markup, html};
use mcp_client::types::error::{Path, Segment};
use mcp_client::types::json::{self, Value};

use super::faults::Fault;
use crate::output::clean;

/// The longest text that is shown, in bytes. Of a longer one only the start is.
const LONGEST: usize = 64 << 10;

/// The longest string that is shown, in characters.
const STRING: usize = 2000;

/// Returns a message as HTML.
pub(super) fn pretty(text: &str, faults: &[Fault]) -> Markup {
    if text.len() <= LONGEST
        && let Ok(value) = json::from_str::<Value>(text)
    {
        let mut printer = Printer {
            faults,
            path: Vec::new(),
        };
        return printer.value(&value, 0);
    }
    let end = (0..=LONGEST.min(text.len())).rev();
    let end = end.into_iter().find(|end| text.is_char_boundary(*end));
    let start = text.get(..end.unwrap_or_default()).unwrap_or_default();
    let rest = text.len() - start.len();
    html! {
        (clean::text(start))
        @if rest > 0 { span.more { "… " (rest) " more bytes" } }
    }
}

struct Printer<'a> {
    faults: &'a [Fault],
    path: Vec<Segment>,
}

impl Printer<'_> {
    fn value(&mut self, value: &Value, depth: usize) -> Markup {
        let fault = self.faults.iter().find(|fault| self.is_at(&fault.path));
        let shown = self.plain(value, depth);
        match fault.filter(|_| !self.path.is_empty()) {
            Some(fault) => html! { mark title=(clean::line(&fault.reason)) { (shown) } },
            None => shown,
        }
    }

    fn is_at(&self, path: &Path) -> bool {
        path.segments() == self.path
    }

    fn plain(&mut self, value: &Value, depth: usize) -> Markup {
        let indent = "  ".repeat(depth + 1);
        let outdent = "  ".repeat(depth);
        match value {
            Value::Object(members) if !members.is_empty() => html! {
                "{\n"
                @for (index, (name, value)) in members.iter().enumerate() {
                    @if index > 0 { ",\n" }
                    (indent) span.k { (string(name)) } ": "
                    (self.inside(Segment::Member(name.to_owned()), value, depth))
                }
                "\n" (outdent) "}"
            },
            Value::Array(elements) if !elements.is_empty() => html! {
                "[\n"
                @for (index, value) in elements.iter().enumerate() {
                    @if index > 0 { ",\n" }
                    (indent) (self.inside(Segment::Index(index), value, depth))
                }
                "\n" (outdent) "]"
            },
            Value::String(text) => html! { span.s { (string(text)) } },
            scalar => html! { span.n { (scalar.to_string()) } },
        }
    }

    fn inside(&mut self, step: Segment, value: &Value, depth: usize) -> Markup {
        self.path.push(step);
        let shown = self.value(value, depth + 1);
        self.path.pop();
        shown
    }
}

fn string(text: &str) -> String {
    let mut shown: String = text.chars().take(STRING).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    clean::json(&Value::from(shown).to_string())
}
