//! The checklist for the pull request that adds a revision.

mod new_parts;

pub(super) use new_parts::{new_numbers, newly_deprecated};

use std::collections::BTreeMap;
use std::fmt::Write as _;

use codegen::project::Report;
use codegen::schema::{ChangeKind, RebaseOutcome, RebasedChange, SchemaDiff, Subject};

use crate::handwritten::HandWritten;

/// The number of places that a line names.
const MOST_PLACES: usize = 4;

/// What a person has to look at after an import.
pub(super) struct Checklist {
    revision: String,
    /// The summary of the differences.
    summary: Option<String>,
    /// Titles and lines, without those that have no lines.
    sections: Vec<(String, Vec<String>)>,
}

impl Checklist {
    pub(super) fn new(revision: &str) -> Self {
        Self {
            revision: revision.to_owned(),
            summary: None,
            sections: Vec::new(),
        }
    }

    /// Adds a section. Without lines it is left out.
    pub(super) fn section(&mut self, title: &str, lines: &[String]) {
        if !lines.is_empty() {
            self.sections.push((title.to_owned(), lines.to_vec()));
        }
    }

    /// Adds the reason why the sources cannot be generated, before everything else.
    pub(super) fn failure(&mut self, problem: &str) {
        let title = "The sources cannot be generated".to_owned();
        self.sections.insert(0, (title, vec![problem.to_owned()]));
    }

    /// Adds what became of the errata of the revision before. Conflicts have a line each; the
    /// others are counted by erratum and outcome.
    pub(super) fn errata(&mut self, changes: &[RebasedChange]) {
        let (conflicts, others): (Vec<_>, Vec<_>) = changes
            .iter()
            .partition(|change| matches!(change.outcome, RebaseOutcome::Conflict(_)));
        let mut groups: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
        for change in others {
            let (outcome, at) = match &change.outcome {
                RebaseOutcome::Adapted(at) => ("adapted to its neighbours", at),
                RebaseOutcome::Inherited => {
                    ("dropped, because members keep their order", &change.at)
                }
                RebaseOutcome::Mended => ("dropped, because upstream mended it", &change.at),
                _ => ("dropped, because its place is gone", &change.at),
            };
            let places = groups.entry((&change.erratum, outcome)).or_default();
            places.push(format!("`{at}`"));
        }
        let mut lines: Vec<String> = conflicts.iter().map(ToString::to_string).collect();
        for ((erratum, outcome), places) in groups {
            lines.push(format!(
                "erratum `{erratum}` {outcome}: {}",
                listed(&places)
            ));
        }
        self.section("Errata carried over", &lines);
    }

    /// Adds what changed since the revision before.
    pub(super) fn difference(&mut self, difference: &SchemaDiff) {
        self.summary = Some(format!(
            "{}: {}. All changes: `cargo xtask schema diff {} {}`.",
            difference.from,
            difference.summary(),
            difference.from,
            difference.to
        ));
        let breaking = difference.breaking().map(|change| {
            let kind = match change.kind {
                ChangeKind::Added => "added: ",
                ChangeKind::Removed => "removed: ",
                ChangeKind::Changed => "",
            };
            let detail = change.detail.as_str();
            let space = if detail.is_empty() { "" } else { " " };
            format!("{kind}`{}`{space}{detail}", change.name)
        });
        let lines: Vec<String> = breaking.collect();
        self.section("Breaking changes", &lines);
    }

    /// Adds the lines by hand that name a member which changed or is gone.
    pub(super) fn uses(&mut self, difference: &SchemaDiff, sources: &HandWritten) {
        let changes = difference.changes.iter();
        let changes = changes
            .filter(|change| change.subject == Subject::Member && change.kind != ChangeKind::Added);
        let mut lines: Vec<String> = changes
            .filter_map(|change| {
                let (owner, member) = change.name.rsplit_once('.')?;
                let places = sources.places(owner, member);
                (!places.is_empty()).then(|| format!("`{}`: {}", change.name, listed(&places)))
            })
            .collect();
        lines.dedup();
        let title = "Lines by hand that name changed members, found by their words";
        self.section(title, &lines);
    }

    /// Adds what the generator reports about the revision.
    pub(super) fn report(&mut self, report: &Report) {
        if let Some(problem) = &report.failure {
            self.failure(problem);
        }
        let title = "Behaviour that server and client may need";
        self.section(title, &self.own(&report.behaviour));
        self.section("Texts, examples and hints to write", &report.unwritten());
        let notes = report.notes.iter();
        let notes = notes.filter(|(revision, _)| *revision == self.revision);
        let notes: Vec<String> = notes.map(|(_, note)| note.to_string()).collect();
        self.section("Names and results that the generator chose", &notes);
        let title = "Unions whose variants look alike: the most demanding is tried first";
        self.section(title, &report.ambiguous);
        let mut proposals = Vec::new();
        for adoption in &report.adoptions {
            if adoption.revision != self.revision {
                continue;
            }
            let (patch, applied) = (&adoption.patch, &adoption.applied);
            let mut note = |what: &str, names: &[String]| {
                let lines = names.iter();
                proposals.extend(lines.map(|name| format!("`{patch}`: `{name}` {what}")));
            };
            note("is part of the revision now", &applied.adopted);
            note("is left out: its type is gone", &applied.left_out);
            note("is kept for the proposal alone", &applied.carried);
        }
        self.section("Proposals and extensions", &proposals);
        let title = "Conversions that lose or invent something";
        self.section(title, &self.own(&report.conversions));
    }

    /// Returns the lines that are about this revision.
    fn own(&self, lines: &[(String, String)]) -> Vec<String> {
        let own = lines
            .iter()
            .filter(|(revision, _)| *revision == self.revision);
        own.map(|(_, line)| line.clone()).collect()
    }

    pub(super) fn to_markdown(&self) -> String {
        let mut text = format!("# Revision {}\n", self.revision);
        if let Some(summary) = &self.summary {
            let _ = write!(text, "\nChanges since {summary}\n");
        }
        for (title, lines) in &self.sections {
            let _ = write!(text, "\n## {title}\n\n");
            for line in lines {
                let _ = writeln!(text, "- [ ] {line}");
            }
        }
        if self.sections.is_empty() {
            text.push_str("\nThere is nothing to look at.\n");
        }
        text
    }
}

/// Lists the first places, and counts the others.
fn listed(places: &[String]) -> String {
    let shown = places[..places.len().min(MOST_PLACES)].join(", ");
    match places.len().saturating_sub(MOST_PLACES) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
