//! Prints the changes of a schema as text for a terminal, as Markdown and as JSON.

use std::fmt::Write as _;

use super::change::{ChangeKind, SchemaChange, Subject};
use super::diff::SchemaDiff;

const SECTIONS: [(&str, &[Subject]); 3] = [
    ("Messages", &[Subject::Message]),
    ("Definitions", &[Subject::Definition]),
    ("Members and types", &[Subject::Member, Subject::Type]),
];

impl SchemaDiff {
    /// Returns the changes as text for a terminal, one per line: `+` for added, `-` for removed,
    /// `~` for changed, preceded by `!` if the change is breaking.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = format!("{}\n", self.summary());
        for (title, changes) in self.sections() {
            let _ = writeln!(text, "\n{title}");
            for change in changes {
                let mark = if change.breaking { '!' } else { ' ' };
                let _ = writeln!(text, "{mark} {} {}", sign(change.kind), line(change, ""));
            }
        }
        text
    }

    /// Returns the changes as a Markdown document.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let mut text = format!("# {} to {}\n\n{}\n", self.from, self.to, self.summary());
        for (title, changes) in self.sections() {
            let _ = writeln!(text, "\n## {title}\n");
            for change in changes {
                let kind = match change.kind {
                    ChangeKind::Added => "added: ",
                    ChangeKind::Removed => "removed: ",
                    ChangeKind::Changed => "",
                };
                let mark = if change.breaking { "**breaking** " } else { "" };
                let _ = writeln!(text, "- {mark}{kind}{}", line(change, "`"));
            }
        }
        text
    }

    /// Returns the changes as JSON, indented by two spaces, with a line feed at the end.
    ///
    /// # Errors
    ///
    /// Never returns an error in practice: JSON can represent every value of the type.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }

    /// Returns the number of changes, in one line.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut parts = Vec::new();
        for (noun, subject) in [
            ("messages", Subject::Message),
            ("definitions", Subject::Definition),
            ("members", Subject::Member),
        ] {
            let added = self.count(subject, ChangeKind::Added);
            let removed = self.count(subject, ChangeKind::Removed);
            parts.push(format!("{noun} +{added} -{removed}"));
        }
        let changed = [Subject::Member, Subject::Type];
        let changed = changed.map(|subject| self.count(subject, ChangeKind::Changed));
        let changed: usize = changed.into_iter().sum();
        let breaking = self.breaking().count();
        format!(
            "{} -> {}: {}, changed {changed}; {breaking} breaking",
            self.from,
            self.to,
            parts.join(", ")
        )
    }

    fn sections(&self) -> impl Iterator<Item = (&'static str, Vec<&SchemaChange>)> {
        SECTIONS.iter().filter_map(|(title, subjects)| {
            let changes: Vec<_> = self
                .changes
                .iter()
                .filter(|change| subjects.contains(&change.subject))
                .collect();
            (!changes.is_empty()).then_some((*title, changes))
        })
    }
}

fn sign(kind: ChangeKind) -> char {
    match kind {
        ChangeKind::Added => '+',
        ChangeKind::Removed => '-',
        ChangeKind::Changed => '~',
    }
}

fn line(change: &SchemaChange, quote: &str) -> String {
    let name = &change.name;
    let remark = match (change.subject, change.detail.as_str()) {
        (_, "") => String::new(),
        (Subject::Type, detail) => format!(" {detail}"),
        (_, detail) => format!(" ({detail})"),
    };
    format!("{quote}{name}{quote}{remark}")
}
