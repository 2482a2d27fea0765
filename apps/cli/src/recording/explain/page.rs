//! The page: one file without scripts that loads nothing.

use maud::{DOCTYPE, Markup, html};

use super::diagram::diagram;
use super::pretty::pretty;
use super::rows::{Explanation, Row, RowKind};
use super::table::{duration, shortened, side, size};
use crate::output::clean;
use crate::output::html::head;
use crate::recording::format::{HttpPart, Secrets, Side};

const STYLE: &str = include_str!("page.css");

/// The number of entries in the list.
const ENTRIES: usize = 20_000;

/// The total size of the messages in the list, in bytes.
const MESSAGES: u64 = 32 << 20;

/// The longest label, in characters.
const LABEL: usize = 100;

/// Returns the page. All text of the peers is escaped.
pub(crate) fn page(explanation: &Explanation<'_>) -> String {
    let server = clean::line(&explanation.server()).into_owned();
    let name = explanation.summary.name.as_deref().map(clean::line);
    let title = name.as_deref().unwrap_or(&server);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(&format!("Session with {title}"), STYLE, false))
            body {
                header {
                    p.over { "Recorded session" }
                    h1 { (title) }
                    p.server { code { (server) } }
                    (facts(explanation))
                }
                main {
                    section.drawing aria-label="Sequence diagram" {
                        (legend())
                        (diagram(explanation))
                    }
                    section.list aria-label="Messages" { (list(explanation)) }
                }
                footer {
                    p {
                        "Recorded " (clean::line(&explanation.header.time)) " by "
                        (clean::line(&explanation.header.program)) ". "
                        @match explanation.header.secrets {
                            Secrets::Removed => "What looks like a secret is removed.",
                            Secrets::Kept => "Secrets are not removed: do not share this page.",
                        }
                    }
                }
            }
        }
    };
    page.into_string()
}

fn facts(explanation: &Explanation<'_>) -> Markup {
    let summary = &explanation.summary;
    let revisions: Vec<_> = summary.revisions.iter().map(|one| one.as_str()).collect();
    let faults = if summary.faults > 0 { "bad" } else { "good" };
    html! {
        dl.facts {
            div { dt { "Revision" } dd { (if revisions.is_empty() { "unknown".to_owned() } else { revisions.join(", ") }) } }
            div { dt { "Messages" } dd { (summary.messages) } }
            div { dt { "Duration" } dd { (duration(summary.duration)) } }
            @if let Some((slowest, number)) = summary.slowest {
                div { dt { "Slowest answer" } dd { a href=(format!("#m{number}")) { (duration(slowest)) } } }
            }
            div class=(faults) { dt { "Faults" } dd { (summary.faults) } }
        }
    }
}

fn legend() -> Markup {
    let kinds = ["request", "result", "error", "notification"];
    html! {
        ul.legend {
            @for kind in kinds { li class=(kind) { (kind) } }
            li.fault { "not valid" }
        }
    }
}

fn list(explanation: &Explanation<'_>) -> Markup {
    let mut left = MESSAGES;
    let all = || explanation.rows.iter().filter(|row| !row.is_empty_event());
    let rows = all().take(ENTRIES);
    let left_out = all().count().saturating_sub(ENTRIES);
    html! {
        div.filters {
            label { input #only-faults type="checkbox"; " only with faults" }
            label { input #only-messages type="checkbox"; " only messages" }
        }
        ol.messages {
            @for row in rows { li class=(class(row)) { (details(row, &mut left)) } }
        }
        @if left_out > 0 { p.left-out { (left_out) " further entries are left out." } }
    }
}

fn class(row: &Row<'_>) -> String {
    let faulty = if row.faults.is_empty() { "" } else { " faulty" };
    let message = if row.number.is_some() { " message" } else { "" };
    format!("{}{message}{faulty}", row.kind.name())
}

fn details(row: &Row<'_>, left: &mut u64) -> Markup {
    let arrow = match row.entry.from {
        Side::Client => "→",
        Side::Server => "←",
        Side::Recorder => "·",
    };
    let is_request = row.kind == RowKind::Request;
    let has_room = row.text.len() as u64 <= *left;
    *left = left.saturating_sub(row.text.len() as u64);
    html! {
        details {
            summary {
                span.number { @if let Some(number) = row.number { (number) } }
                span.way title=(format!("from the {}", side(row.entry.from))) { (arrow) }
                span.label { (shortened(&clean::line(&row.label()), LABEL)) }
                @if !row.faults.is_empty() { span.badge { "not valid" } }
                span.figures {
                    @if let Some(time) = row.duration.filter(|_| is_request) {
                        span.time { (duration(time)) }
                    }
                    span.size { (size(row.size)) }
                }
            }
            div.body id=[row.number.map(|number| format!("m{number}"))] {
                @for fault in &row.faults {
                    p.fault { code { (clean::line(&fault.path.to_string())) } " " (clean::line(&fault.reason)) }
                }
                @if let Some(note) = &row.note { p.note { (clean::line(note)) } }
                p.meta {
                    span { (clean::line(&row.entry.time)) }
                    @if let Some(revision) = row.revision { span { "revision " (revision.as_str()) } }
                    @if let Some(pair) = row.pair {
                        span {
                            @if is_request { "answered by " } @else { "answers " }
                            a href=(format!("#m{pair}")) { "#" (pair) }
                        }
                    }
                    @if let Some(http) = &row.entry.http { (of_http(http)) }
                }
                @if has_room && !row.text.is_empty() {
                    pre { code { (pretty(row.text, &row.faults)) } }
                } @else if !has_room {
                    p.note { "The message is left out: the page would be too large." }
                }
                @if let Some(http) = &row.entry.http && !http.headers.is_empty() {
                    dl.headers {
                        @for (name, value) in &http.headers {
                            dt { (clean::line(name)) } dd { (clean::line(value)) }
                        }
                    }
                }
            }
        }
    }
}

fn of_http(http: &HttpPart) -> Markup {
    html! {
        span { "HTTP request " (http.exchange) }
        @if let Some(method) = &http.method {
            span { (clean::line(method)) " " (clean::line(http.path.as_deref().unwrap_or_default())) }
        }
        @if let Some(status) = http.status { span { "status " (status) } }
        @if let Some(session) = http.session { span { "session " (session) } }
        @if let Some(event) = &http.event { span { "event " (clean::line(event)) } }
    }
}
