//! Documentation of the generated items.

use super::{Scope, code_blocks};
use crate::hints::scoped;
use crate::model::{MessageKind, Part, Sender, Ty, type_ident};
use proc_macro2::TokenStream;
use quote::quote;

/// Generates documentation attributes, one for each line, with the leading space of a comment.
pub(super) fn lines(text: &str) -> TokenStream {
    let text = printable(text);
    let lines = text.lines().map(|line| {
        if line.is_empty() {
            String::new()
        } else {
            format!(" {line}")
        }
    });
    quote! { #(#[doc = #lines])* }
}

/// Replaces what a comment cannot contain: all line breaks become line feeds, other control
/// characters and those that change the direction of text become U+FFFD.
fn printable(text: &str) -> String {
    let replaced = |c| match c {
        '\n' | '\t' => c,
        '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => '\n',
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => char::REPLACEMENT_CHARACTER,
        c if c.is_control() => char::REPLACEMENT_CHARACTER,
        c => c,
    };
    text.replace("\r\n", "\n").chars().map(replaced).collect()
}

/// Wraps a paragraph. Lines that start with a space or are in a code block are unchanged.
pub(super) fn wrap(text: &str) -> String {
    let mut out = String::new();
    let mut fenced = false;
    for line in printable(text).lines() {
        fenced ^= line.trim_start().starts_with("```");
        if fenced || line.starts_with(['`', ' ', '-', '|', '#']) {
            out.push_str(line);
            out.push('\n');
            continue;
        }
        let mut width = 0;
        for word in line.split(' ') {
            if width > 0 && width + word.len() >= 92 {
                out.push('\n');
                width = 0;
            } else if width > 0 {
                out.push(' ');
            }
            out.push_str(word);
            width += word.len() + 1;
        }
        out.push('\n');
    }
    out
}

/// Converts bare addresses to links.
fn autolink(text: &str) -> String {
    let link = |word: &str| {
        let end = word.trim_end_matches(['.', ',', ';', ':', ')']).len();
        match word.split_at_checked(end) {
            Some((address, rest))
                if address.starts_with("https://") || address.starts_with("http://") =>
            {
                format!("<{address}>{rest}")
            }
            _ => word.to_owned(),
        }
    };
    text.split_inclusive([' ', '\n'])
        .map(|word| {
            let bare = word.trim_end_matches([' ', '\n']);
            format!("{}{}", link(bare), &word[bare.len()..])
        })
        .collect()
}

impl Scope<'_> {
    /// Generates the documentation of the type.
    pub(super) fn docs(&self) -> TokenStream {
        let mut text = self.prose(&self.def.docs);
        if text.is_empty() {
            text = format!("The definition `{}` of the schema.", self.def.name);
        }
        if self.def.deprecated {
            text.push_str("\n\n**Deprecated** by this revision of the specification.");
        }
        if !self.def.features.is_empty() {
            text.push_str(&format!(
                "\n\nRequires the feature `{}`.",
                self.def.features.join("` or `")
            ));
        }
        let hints = self.emitter.hints;
        let is_own = self.def.published && self.def.features.is_empty();
        let link = is_own.then(|| hints.source(&self.model.revision, &self.def.name));
        let link = link.flatten().filter(|link| !text.contains(link));
        let link = link.map(|link| format!("[Specification]({link})"));
        let facts: Vec<String> = self.history(Part::Whole).into_iter().chain(link).collect();
        if !facts.is_empty() {
            text.push_str(&format!("\n\n{}", facts.join(" ")));
        }
        if let Some(table) = self.message_table() {
            text.push_str(&format!("\n\n{table}"));
        }
        if let Some(example) = self.emitter.example(self.at, &self.def.name) {
            text.push_str("\n\n# Example\n\n");
            text.push_str(&example);
        }
        lines(&wrap(&text))
    }

    /// Returns a table of what belongs to the message, if the type is one.
    fn message_table(&self) -> Option<String> {
        let mut messages = self.model.messages.iter();
        let message = messages.find(|message| message.name == self.def.name)?;
        let revision = &self.model.revision;
        let usage = scoped(&self.emitter.hints.usage, revision, &message.name);
        let sender = match message.sender {
            Sender::Client => "client",
            Sender::Server => "server",
            Sender::Both | Sender::Unknown => "client or server",
        };
        let mut rows = vec![
            ("method", format!("`{}`", message.method)),
            ("sent by", sender.to_owned()),
        ];
        if let Some((params, _)) = &message.params {
            rows.push(("params", self.type_link(params)));
        }
        if let MessageKind::Request(result) = &message.kind {
            rows.push(("result", self.type_link(result)));
        }
        if let Some(usage) = usage {
            let errors = usage.errors.iter().map(|name| Ty::Named(name.clone()));
            let errors: Vec<String> = errors.map(|ty| self.type_link(&ty)).collect();
            if !errors.is_empty() {
                rows.push(("errors", errors.join(", ")));
            }
            let sides = [("server", &usage.server), ("client", &usage.client)];
            let sides = sides
                .into_iter()
                .filter(|(_, function)| !function.is_empty());
            rows.extend(sides.map(|(side, function)| (side, format!("`{function}`"))));
        }
        let rows: String = rows
            .iter()
            .map(|(name, value)| format!("| {name} | {value} |\n"))
            .collect();
        Some(format!("| | |\n| --- | --- |\n{}", rows.trim_end()))
    }

    /// Returns a link to a type, or its name as code if it has no documentation of its own without
    /// the features of this type.
    fn type_link(&self, ty: &Ty) -> String {
        let Ty::Named(name) = ty else {
            return "an object".to_owned();
        };
        let ident = type_ident(name);
        match self.model.get(name) {
            Some(def) if def.features.is_empty() || def.features == self.def.features => {
                format!("[`{ident}`]")
            }
            _ => format!("`{ident}`"),
        }
    }

    /// Returns a sentence about the revisions that have the type or a part of it.
    fn history(&self, part: Part<'_>) -> Option<String> {
        if !self.def.features.is_empty() {
            return None;
        }
        let history = &self.emitter.history;
        history.sentence(self.at, &self.def.name, part)
    }

    /// Adds a paragraph to the documentation of a part of the type: the revisions that have it, if
    /// not all revisions with the type do.
    pub(super) fn add_history(&self, text: &mut String, part: Part<'_>) {
        if let Some(sentence) = self.history(part) {
            text.push_str(&format!("\n\n{sentence}"));
        }
    }

    /// Adds a paragraph with the revisions that have a method, if not all have it.
    pub(super) fn add_method_history(&self, text: &mut String, method: &str) {
        if let Some(sentence) = self.emitter.history.method_sentence(method) {
            text.push_str(&format!("\n\n{sentence}"));
        }
    }

    /// Converts the links in a text of the schema to links of rustdoc, and marks its code as text.
    pub(super) fn prose(&self, text: &str) -> String {
        let text = code_blocks::mark_as_text(&printable(text));
        let mut out = String::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find("{@link ") {
            out.push_str(&rest[..at]);
            let after = &rest[at + 7..];
            let Some(end) = after.find('}') else { break };
            let target = after[..end].trim();
            let name = target.split_whitespace().next().unwrap_or(target);
            let shown = target
                .strip_prefix(name)
                .map(str::trim)
                .filter(|s| !s.is_empty())
                .unwrap_or(name);
            let root = name.split('.').next().unwrap_or(name);
            match self.model.get(root) {
                Some(def) if def.features.is_empty() => {
                    out.push_str(&format!("[`{shown}`]({})", crate::model::type_ident(root)));
                }
                _ => out.push_str(&format!("`{shown}`")),
            }
            rest = &after[end + 1..];
            if rest.starts_with(|c: char| c.is_alphanumeric()) {
                out.push(' ');
            }
        }
        out.push_str(rest);
        self.links(&autolink(&out))
    }

    /// Replaces links with names of the schema by links with Rust names. A name that this revision
    /// does not have is shown as code.
    fn links(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("[`") {
            out.push_str(&rest[..at]);
            let after = &rest[at + 2..];
            let Some(end) = after.find("`]") else {
                rest = &rest[at..];
                break;
            };
            let name = &after[..end];
            let followed = after[end + 2..].starts_with('(');
            match self.model.get(name) {
                Some(def) if !followed && def.features.is_empty() => {
                    let ident = crate::model::type_ident(name);
                    out.push_str(&format!("[`{ident}`]"));
                }
                _ if followed => out.push_str(&format!("[`{name}`]")),
                _ => out.push_str(&format!("`{name}`")),
            }
            rest = &after[end + 2..];
        }
        out.push_str(rest);
        out
    }
}
