//! The sequence diagram: a lane for the host, one for the server, and an arrow for each message.

use std::collections::HashMap;

use maud::{Markup, html};

use super::rows::{Explanation, Row, RowKind};
use super::table::{duration, shortened};
use crate::output::clean;
use crate::recording::format::Side;

/// The number of entries that are drawn.
const ENTRIES: usize = 2000;

/// The size of the drawing, in its own units. It is scaled to the width of the page.
const WIDTH: usize = 420;
const ROW: usize = 34;
const GAP: usize = 30;
const TOP: usize = 52;

/// The lanes.
const HOST: usize = 64;
const SERVER: usize = 368;
const MIDDLE: usize = HOST.midpoint(SERVER);

/// The longest label, in characters.
const LABEL: usize = 40;

/// A pause of this many milliseconds is drawn.
const PAUSE: f64 = 1000.0;

/// An entry at its place.
struct Placed<'e> {
    row: &'e Row<'e>,
    y: usize,
    /// The pause before it, in milliseconds.
    pause: Option<f64>,
}

/// Draws the messages.
pub(super) fn diagram(explanation: &Explanation<'_>) -> Markup {
    let drawn = |row: &&Row<'_>| !matches!(row.kind, RowKind::Http);
    let mut placed: Vec<Placed<'_>> = Vec::new();
    let mut y = TOP;
    let mut last = None;
    for row in explanation.rows.iter().filter(drawn).take(ENTRIES) {
        let pause = last.map(|last| row.entry.ms - last);
        let pause = pause.filter(|pause| *pause >= PAUSE);
        if pause.is_some() {
            y += GAP;
        }
        last = Some(row.entry.ms);
        placed.push(Placed { row, y, pause });
        y += ROW;
    }
    let height = y + 2;
    let left_out = explanation.rows.iter().filter(drawn).count() - placed.len();
    let view = format!("0 0 {WIDTH} {height}");
    html! {
        svg.diagram viewBox=(view) role="img" aria-label="Sequence of the messages" {
            @for (x, name) in [(HOST, "host"), (SERVER, "server")] {
                line.lane x1=(x) y1="34" x2=(x) y2=(height - 10) {}
                rect.actor x=(x - 32) y="6" width="64" height="26" rx="8" {}
                text.name x=(x) y="23.5" text-anchor="middle" { (name) }
            }
            @for bar in bars(&placed) { (bar) }
            @for placed in &placed { (entry(placed)) }
        }
        @if left_out > 0 {
            p.left-out { (left_out) " further entries are only in the list." }
        }
    }
}

/// Draws a bar beside the lane of the side that works on a request, from the request to its
/// response.
fn bars(placed: &[Placed<'_>]) -> Vec<Markup> {
    let mut bars = Vec::new();
    let mut ends: Vec<usize> = Vec::new();
    let numbered = placed.iter();
    let heights: HashMap<usize, usize> = numbered
        .filter_map(|placed| Some((placed.row.number?, placed.y)))
        .collect();
    for request in placed {
        let (RowKind::Request, Some(pair)) = (request.row.kind, request.row.pair) else {
            continue;
        };
        let Some(&end) = heights.get(&pair) else {
            continue;
        };
        // Requests that overlap are drawn beside each other.
        let level = ends
            .iter()
            .position(|end| *end <= request.y)
            .unwrap_or(ends.len());
        match ends.get_mut(level) {
            Some(last) => *last = end,
            None => ends.push(end),
        }
        let shift = 5 * level.min(8);
        let x = match request.row.entry.from {
            Side::Client => SERVER - 3 + shift,
            _ => HOST - 3 - shift,
        };
        let height = end.saturating_sub(request.y).max(2);
        bars.push(html! { rect.bar x=(x) y=(request.y) width="6" height=(height) rx="3" {} });
    }
    bars
}

fn entry(placed: &Placed<'_>) -> Markup {
    let Placed { row, y, pause } = *placed;
    let is_response = matches!(row.kind, RowKind::Result | RowKind::Failed | RowKind::Error);
    let label = shortened(&clean::line(&label(row)), LABEL);
    let class = format!("entry {}", row.kind.name());
    html! {
        @if let Some(pause) = pause {
            text.pause x=(MIDDLE) y=(y - ROW / 2 - 9) text-anchor="middle" {
                "· · ·  " (duration(pause)) "  · · ·"
            }
        }
        @let drawn = html! {
            rect.row x="0" y=(y - 21) width=(WIDTH) height=(ROW) rx="6" {}
            text.time x="2" y=(y + 3) { (time(row.entry.ms)) }
            text.label x=(MIDDLE) y=(y - 6) text-anchor="middle" { (label) }
            (arrow(row, y, is_response))
            @if let Some(number) = row.number {
                text.number x=(WIDTH - 4) y=(y + 3) text-anchor="end" { (number) }
            }
            @if !row.faults.is_empty() {
                path.warning d=(format!("M{} {} l8.5 15 h-17 z", HOST + 22, y - 22)) {}
                text.bang x=(HOST + 22) y=(y - 9) text-anchor="middle" { "!" }
            }
        };
        @match row.number {
            Some(number) => a class=(class) href=(format!("#m{number}")) { (drawn) },
            None => g class=(class) { (drawn) },
        }
    }
}

/// Draws the line and the head of an arrow. What has no receiver, such as standard error, is a dot.
fn arrow(row: &Row<'_>, y: usize, is_response: bool) -> Markup {
    let (from, to, head) = match row.entry.from {
        Side::Client => (HOST, SERVER, format!("M{} {y} l-9 -4.5 v9 z", SERVER - 3)),
        Side::Server => (SERVER, HOST, format!("M{} {y} l9 -4.5 v9 z", HOST + 3)),
        Side::Recorder => {
            return html! { line.arrow.dashed x1=(HOST) y1=(y) x2=(SERVER) y2=(y) {} };
        }
    };
    if row.number.is_none() && row.kind == RowKind::Text {
        return html! { circle.head cx=(from) cy=(y) r="4" {} };
    }
    let class = if is_response { "arrow dashed" } else { "arrow" };
    html! {
        line class=(class) x1=(from) y1=(y) x2=(to) y2=(y) {}
        path.head d=(head) {}
    }
}

/// Returns the label of an arrow: of a result how long it took.
fn label(row: &Row<'_>) -> String {
    match (row.kind, row.duration) {
        (RowKind::Result, Some(time)) => format!("result in {}", duration(time)),
        (RowKind::Failed, Some(time)) => format!("failed in {}", duration(time)),
        (RowKind::Error, _) => format!("error {}", row.subject.as_deref().unwrap_or_default()),
        _ => row.label().replacen("notifications/", "", 1),
    }
}

/// Formats a time since the start.
fn time(ms: f64) -> String {
    let seconds = ms / 1000.0;
    if seconds < 100.0 {
        format!("{seconds:.3}")
    } else if seconds < 6000.0 {
        format!("{:.0}:{:04.1}", (seconds / 60.0).floor(), seconds % 60.0)
    } else {
        format!("{seconds:.0}")
    }
}
