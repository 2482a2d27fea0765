//! Documentation of the generated items.

use super::Scope;
use proc_macro2::TokenStream;
use quote::quote;

/// Generates documentation attributes, one for each line, with the leading space of a comment.
pub(super) fn lines(text: &str) -> TokenStream {
    let lines = text.lines().map(|line| {
        if line.is_empty() {
            String::new()
        } else {
            format!(" {line}")
        }
    });
    quote! { #(#[doc = #lines])* }
}

/// Wraps a paragraph. Lines that start with a space or are in a code block are unchanged.
pub(super) fn wrap(text: &str) -> String {
    let mut out = String::new();
    let mut fenced = false;
    for line in text.lines() {
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

/// Returns the indefinite article for a name.
pub(super) fn article(name: &str) -> &'static str {
    // The pronunciation of `Url` and `Unit` starts with a consonant.
    let begins_with_vowel = name.starts_with(['A', 'E', 'I', 'O'])
        || ["Unk", "Unl", "Uns", "Unt", "Up"]
            .iter()
            .any(|start| name.starts_with(start));
    if begins_with_vowel { "an" } else { "a" }
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
        text.push_str(&self.lifetime(&self.def.name, None));
        if !self.def.features.is_empty() {
            text.push_str(&format!(
                "\n\nRequires the feature `{}`.",
                self.def.features.join("` or `")
            ));
        } else if self.def.published
            && let Some(link) = self
                .emitter
                .hints
                .source(&self.model.revision, &self.def.name)
            && !text.contains(&link)
        {
            text.push_str(&format!("\n\n[Specification]({link})"));
        }
        if let Some(example) = self.emitter.example(self.at, &self.def.name) {
            text.push_str("\n\n# Example\n\n");
            text.push_str(&example);
        }
        lines(&wrap(&text))
    }

    /// Describes which revisions have an item, as a paragraph. Empty if all revisions have it, or the
    /// same ones that have its owner.
    pub(super) fn lifetime(&self, item: &str, owner: Option<&str>) -> String {
        let items = &self.emitter.lifetimes;
        let Some(revisions) = items.get(item).copied() else {
            return String::new();
        };
        let all = (1_u32 << self.emitter.family.models.len()) - 1;
        let expected = owner.and_then(|owner| items.get(owner).copied());
        let expected = expected.unwrap_or(all);
        let models = &self.emitter.family.models;
        let first = |revisions: u32| revisions.trailing_zeros();
        let last = |revisions: u32| u32::BITS - 1 - revisions.leading_zeros();
        let name = |at: u32| models.get(at as usize).map_or("", |model| &model.revision);
        let mut sentences = Vec::new();
        if first(revisions) != first(expected) {
            sentences.push(format!("Since {}.", name(first(revisions))));
        }
        if last(revisions) != last(expected) {
            sentences.push(format!("Until {}.", name(last(revisions))));
        }
        if sentences.is_empty() {
            return String::new();
        }
        format!("\n\n{}", sentences.join(" "))
    }

    /// Converts the links in a text of the schema to links of rustdoc.
    pub(super) fn prose(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
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
