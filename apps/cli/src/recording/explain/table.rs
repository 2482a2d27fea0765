//! An explanation as a table, and as JSON.

use mcp_client::types::error::excerpt;
use mcp_client::types::json::{Object, Value};

use super::rows::{Explanation, Row, RowKind};
use crate::output::clean;
use crate::recording::format::{Secrets, Side};

/// The width of the column of labels, in characters.
const LABEL: usize = 44;

/// Returns a table, with a line for each entry and its faults below it. Text of peers is escaped.
pub(crate) fn table(explanation: &Explanation<'_>) -> String {
    let summary = &explanation.summary;
    let mut text = format!("{}\n", clean::line(&explanation.server()));
    if let Some(name) = &summary.name {
        text += &format!("{}\n", clean::line(name));
    }
    text += &format!(
        "\n{:>5} {:>11}  {:<8}  {:<10}  {:<LABEL$}  {:>9}  {:>8}\n",
        "#", "TIME", "FROM", "REVISION", "MESSAGE", "ANSWER", "SIZE"
    );
    for row in &explanation.rows {
        if is_accepted(row) || row.is_empty_event() {
            continue;
        }
        let line = format!(
            "{:>5} {:>11}  {:<8}  {:<10}  {:<LABEL$}  {:>9}  {:>8}",
            row.number
                .map_or_else(|| "-".to_owned(), |number| number.to_string()),
            format!("{:.3}", row.entry.ms / 1000.0),
            side(row.entry.from),
            row.revision.map_or("", |revision| revision.as_str()),
            shortened(&clean::line(&row.label()), LABEL),
            answer(row).map_or_else(String::new, duration),
            size(row.size),
        );
        text += line.trim_end();
        text.push('\n');
        for fault in &row.faults {
            text += &format!("{:>5}   fault  {}\n", "", clean::line(&fault.to_string()));
        }
        if let Some(note) = &row.note {
            text += &format!("{:>5}   note   {}\n", "", clean::line(note));
        }
    }
    text + &format!(
        "\n{} messages in {}, {}\n",
        summary.messages,
        duration(summary.duration),
        match summary.faults {
            1 => "1 fault".to_owned(),
            count => format!("{count} faults"),
        }
    )
}

/// Returns `true` for the head of a successful response, which needs no line of its own.
fn is_accepted(row: &Row<'_>) -> bool {
    let status = row.entry.http.as_ref().and_then(|http| http.status);
    row.kind == RowKind::Http && status.is_some_and(|status| status < 400)
}

pub(super) fn side(side: Side) -> &'static str {
    match side {
        Side::Client => "host",
        Side::Server => "server",
        Side::Recorder => "recorder",
    }
}

/// Returns the duration of the answer to a request.
fn answer(row: &Row<'_>) -> Option<f64> {
    row.duration.filter(|_| row.kind == RowKind::Request)
}

/// Returns the start of a text, of at most `width` characters.
pub(super) fn shortened(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let start: String = text.chars().take(width - 1).collect();
    format!("{start}…")
}

/// Formats milliseconds.
pub(super) fn duration(ms: f64) -> String {
    if ms < 10.0 {
        format!("{ms:.1} ms")
    } else if ms < 1000.0 {
        format!("{ms:.0} ms")
    } else if ms < 100_000.0 {
        format!("{:.1} s", ms / 1000.0)
    } else {
        format!("{:.0} min", ms / 60_000.0)
    }
}

/// Formats a number of bytes.
pub(super) fn size(bytes: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "it is rounded")]
    let of = |unit: u64| bytes as f64 / unit as f64;
    match bytes {
        0 => String::new(),
        1..10_000 => format!("{bytes} B"),
        10_000..10_000_000 => format!("{:.1} kB", of(1000)),
        _ => format!("{:.1} MB", of(1_000_000)),
    }
}

/// Returns the explanation as JSON.
pub(crate) fn json(explanation: &Explanation<'_>) -> Object {
    let header = explanation.header;
    let summary = &explanation.summary;
    let rows = explanation.rows.iter().map(of_row);
    let mut object = Object::from([
        ("server", Value::from(explanation.server())),
        ("recorded", Value::from(header.time.as_str())),
        (
            "secretsRemoved",
            Value::from(header.secrets == Secrets::Removed),
        ),
        ("messages", Value::from(summary.messages)),
        ("faults", Value::from(summary.faults)),
        ("durationMs", Value::from(summary.duration)),
        ("entries", rows.collect::<Vec<Value>>().into()),
    ]);
    if let Some(name) = &summary.name {
        object.insert("serverInfo", name.as_str());
    }
    object
}

fn of_row(row: &Row<'_>) -> Value {
    let mut object = Object::from([
        ("time", Value::from(row.entry.time.as_str())),
        ("ms", Value::from(row.entry.ms)),
        ("from", Value::from(side(row.entry.from))),
        ("kind", Value::from(row.kind.name())),
        ("size", Value::from(row.size)),
    ]);
    if let Some(number) = row.number {
        object.insert("number", number);
    }
    if let Some(method) = &row.method {
        object.insert("method", method.as_str());
    }
    if let Some(subject) = &row.subject {
        object.insert("subject", &*excerpt(subject));
    }
    if let Some(revision) = row.revision {
        object.insert("revision", revision.as_str());
    }
    if let Some(pair) = row.pair {
        object.insert("pair", pair);
    }
    if let Some(duration) = row.duration {
        object.insert("durationMs", duration);
    }
    if let Some(note) = &row.note {
        object.insert("note", note.as_str());
    }
    let faults = row.faults.iter().map(|fault| {
        Value::Object(Object::from([
            ("path", Value::from(fault.path.to_string())),
            ("reason", Value::from(fault.reason.as_str())),
        ]))
    });
    object.insert("faults", faults.collect::<Vec<Value>>());
    object.into()
}
