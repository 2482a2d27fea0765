//! Prints the comparison of servers.

use std::fmt::Write as _;

use crate::Effort;
use crate::case::{Candidate, Form};
use crate::pinning::Pinning;
use crate::results::{Row, print_start};
use crate::rounds::{Results, Round};
use crate::sample::{Memory, Sample, median, number};
use crate::weight::Weight;
use picture::{Chart, Group};

/// Prints everything; missed targets are repeated at the end.
pub(crate) fn print(results: &Results, weights: &[Weight], effort: &Effort, pinning: &Pinning) {
    let mut missed = Vec::new();
    print_start(effort, pinning);
    speed(results, &mut missed);
    println!();
    memory(results, &mut missed);
    println!();
    weight("mcp-server", weights, Some(&mut missed));
    println!();
    results.print_end(NOTES, Candidate::name, &missed);
}

const NOTES: &str = "\
Speed: requests a second, time of the server's processor for a request and, where one request is
under way at a time, the time of the median request. `of floor`: the floor's figures divided by the
server's so that more is better: requests a second / processor time. All servers run tokio with one
thread. Those without a listener of their own, and mcp-server, send with TCP_NODELAY. The floor is
hyper 1, or a loop over lines, with serde_json::Value.
mcp-server: over HTTP with all its features, so that arguments are validated, by `serve_http`; where
the row says so, with the feature `http` alone, which is what rmcp does, too: it validates nothing.
Over stdio with its default features.
rmcp: without its checks of `Origin`, over HTTP on hyper alone. 2026-07-28 is served without
sessions. For 2025-11-25 and JSON, `legacy_session_mode` is off and `json_response` on, since in a
session it always answers with events: that is less than the others do. With events, sessions are
on, and `sse_retry` is off, which saves an event. Over stdio `stdio_pipes`, its faster transport.
turbomcp: 3.6 with its defaults, over HTTP on axum. It has the revisions up to 2025-11-25, and responds
with JSON until a call sends progress. All its calls are in sessions.
rust-mcp-sdk: with the listener of rust-mcp-axum and its defaults, and for JSON with
`enable_json_response`. The listener does not set TCP_NODELAY, so with events a call on a kept
connection waits for a delayed acknowledgement, 40 ms. It has the revision 2026-07-28 only.
pmcp: with its own listener, which does not set TCP_NODELAY, `new_concurrent` and its defaults, and
for JSON with `enable_json_response`. It holds progress of 2026-07-28 back until the call ends, so
its events one by one are sent at once. Up to 2025-11-25 it sends progress on the stream of the
session only, which is not measured. Over stdio it handles one request after the other.
~ : the floor's rounds differ by more than a quarter; the machine is not quiet
^ : the load had no time left, so that the server may be faster
! : some answers were wrong";

fn speed(results: &Results, missed: &mut Vec<String>) {
    let mut head = "| | at once | floor |".to_owned();
    for candidate in Candidate::compared() {
        let _ = write!(head, " {} | of floor |", candidate.name());
    }
    print_head(&(head + " target |"));
    for row in &results.rows {
        let mut line = format!("| {} | {} |", row.case, row.width);
        for candidate in Candidate::all() {
            let _ = write!(line, " {} |", row.cell(candidate));
            if candidate != Candidate::Floor {
                let _ = write!(line, " {} |", row.ratios(candidate));
            }
        }
        match row.target() {
            Some(target) => {
                let verdict = if target.met { "met" } else { "missed" };
                let _ = write!(line, " {}, {verdict} |", target.words);
                if !target.met {
                    missed.push(format!(
                        "{}, {} at once: {} ({})",
                        row.case, row.width, target.words, target.figure
                    ));
                }
            }
            None => line.push_str(" |"),
        }
        println!("{line}");
    }
}

struct Target {
    words: String,
    figure: String,
    met: bool,
}

impl Row<Round> {
    fn samples(&self, candidate: Candidate) -> impl Iterator<Item = &Sample> {
        self.rounds
            .iter()
            .filter_map(move |round| round.sample(candidate))
    }

    fn median_of(&self, candidate: Candidate, figure: impl Fn(&Sample) -> f64) -> Option<f64> {
        median(self.samples(candidate).map(figure))
    }

    /// Returns the median of the ratios to the floor of the same round.
    fn ratio(&self, candidate: Candidate, figure: impl Fn(&Sample) -> f64) -> Option<f64> {
        median(self.rounds.iter().filter_map(|round| {
            Some(figure(round.sample(candidate)?) / figure(round.sample(Candidate::Floor)?))
        }))
    }

    fn cell(&self, candidate: Candidate) -> String {
        let (Some(rate), Some(cost)) = (
            self.median_of(candidate, Sample::rate),
            self.median_of(candidate, Sample::cost),
        ) else {
            return "-".to_owned();
        };
        let mut cell = format!("{:.1}k/s, {cost:.1} us", rate / 1000.0);
        if let Some(p50) = self.median_of(candidate, latency)
            && self.width == 1
        {
            let _ = write!(cell, ", p50 {p50:.1} us");
        }
        if candidate == Candidate::Floor && self.is_unsteady() {
            cell.push_str(" ~");
        }
        if self.samples(candidate).any(Sample::is_load_bound) {
            cell.push_str(" ^");
        }
        if self.samples(candidate).any(|sample| sample.errors > 0) {
            cell.push_str(" !");
        }
        cell
    }

    fn is_unsteady(&self) -> bool {
        let rates = || self.samples(Candidate::Floor).map(Sample::rate);
        rates().fold(0.0, f64::max) > rates().fold(f64::MAX, f64::min) * 1.25
    }

    fn ratios(&self, candidate: Candidate) -> String {
        let (Some(rate), Some(cost)) = (
            self.ratio(candidate, Sample::rate),
            self.ratio(candidate, Sample::cost),
        ) else {
            return "-".to_owned();
        };
        format!("{rate:.2} / {:.2}", 1.0 / cost)
    }

    fn target(&self) -> Option<Target> {
        let least = match (self.case.form, self.width) {
            (Form::Json, 16 | 64) => 0.85,
            (Form::Events | Form::Stream, 16 | 64) => 0.7,
            (Form::Line, 64) => 0.5,
            (Form::Line, 1) => {
                let ratio = self.ratio(Candidate::Ours, latency)?;
                return Some(Target {
                    words: "p50 at most 2 x".to_owned(),
                    figure: format!("{ratio:.2} x"),
                    met: ratio <= 2.0,
                });
            }
            _ => return None,
        };
        let ratio = self.ratio(Candidate::Ours, Sample::rate)?;
        Some(Target {
            words: format!("at least {least}"),
            figure: format!("{ratio:.2}"),
            met: ratio >= least,
        })
    }

    /// Prints the memory after the last width of a case, as medians.
    fn memory(&self, candidate: Candidate) -> Option<(f64, f64)> {
        let all = |figure: fn(Memory) -> u64| {
            let rounds = self
                .rounds
                .iter()
                .filter_map(|round| round.memory(candidate));
            median(rounds.map(|memory| number(figure(memory) >> 10) / 1024.0))
        };
        Some((all(|memory| memory.idle)?, all(|memory| memory.peak)?))
    }
}

fn latency(sample: &Sample) -> f64 {
    sample
        .latency
        .map_or(f64::NAN, |latency| latency.as_secs_f64() * 1e6)
}

fn memory(results: &Results, missed: &mut Vec<String>) {
    let mut head = "| memory, idle / peak, MiB |".to_owned();
    for candidate in Candidate::all() {
        let _ = write!(head, " {} |", candidate.name());
    }
    print_head(&(head + " target |"));
    for row in results.widest() {
        let case = row.case;
        let mut line = format!("| {case} |");
        for candidate in Candidate::all() {
            let cell = row.memory(candidate).map_or_else(
                || "-".to_owned(),
                |(idle, peak)| format!("{idle:.1} / {peak:.1}"),
            );
            let _ = write!(line, " {cell} |");
        }
        if let (Some(ours), Some(rmcp)) = (
            row.memory(Candidate::Ours),
            row.memory(Candidate::FIRST_PEER),
        ) {
            let met = ours.0 <= rmcp.0 && ours.1 <= rmcp.1;
            let verdict = if met { "met" } else { "missed" };
            let _ = write!(line, " at most rmcp's, {verdict} |");
            if !met {
                missed.push(format!(
                    "memory, {case}: at most rmcp's ({:.1} / {:.1}, rmcp {:.1} / {:.1})",
                    ours.0, ours.1, rmcp.0, rmcp.1
                ));
            }
        } else {
            line.push_str(" |");
        }
        println!("{line}");
    }
}

/// Prints the first line of a table, and the line below it.
pub(crate) fn print_head(head: &str) {
    println!("{head}");
    println!("|{}", " --- |".repeat(head.matches(" |").count()));
}

/// Prints the sizes of the smallest programs, and records missed targets if there are any.
pub(crate) fn weight(name: &str, weights: &[Weight], mut missed: Option<&mut Vec<String>>) {
    if weights.is_empty() {
        return;
    }
    let mut head = format!("| hello world on stdio | {name} |");
    for peer in Candidate::peers() {
        let _ = write!(head, " {} |", peer.name());
    }
    print_head(&(head + " of rmcp | target |"));
    let mut row = |what: &str, unit: &str, bound: bool, figure: &dyn Fn(&Weight) -> Option<f64>| {
        let of = |candidate: Candidate| {
            let mut weights = weights.iter();
            figure(weights.find(|weight| weight.candidate == candidate)?)
        };
        let digits = if unit.is_empty() { 0 } else { 2 };
        let mut line = format!("| {what} |");
        for candidate in Candidate::compared() {
            match of(candidate) {
                Some(figure) => _ = write!(line, " {figure:.digits$}{unit} |"),
                None => line.push_str(" - |"),
            }
        }
        let (Some(ours), Some(rmcp)) = (of(Candidate::Ours), of(Candidate::FIRST_PEER)) else {
            println!("{line} | |");
            return;
        };
        let ratio = ours / rmcp;
        let verdict = match (missed.as_mut().filter(|_| bound), ratio <= 0.5) {
            (None, _) => "",
            (Some(_), true) => "at most 0.5, met",
            (Some(missed), false) => {
                missed.push(format!("{what}: at most 0.5 of rmcp's ({ratio:.2})"));
                "at most 0.5, missed"
            }
        };
        println!("{line} {ratio:.2} | {verdict} |");
    };
    row("crates", "", true, &|weight| {
        Some(number(weight.crates as u64))
    });
    row("clean release build", " s", true, &|weight| {
        Some(weight.build?.time.as_secs_f64())
    });
    row("... time of all processors", " s", false, &|weight| {
        Some(weight.build?.cpu.as_secs_f64())
    });
    row("stripped size", " MiB", false, &|weight| {
        Some(number(weight.build?.size >> 10) / 1024.0)
    });
    if weights.iter().all(|weight| weight.build.is_none()) {
        println!("\nBuilds are not measured with `--quick`.");
    }
}

/// Returns the names and versions of `mcp-server` or `mcp-client` and of all peers.
pub(crate) fn series(name: &str) -> Vec<String> {
    let peers = Candidate::peers().filter_map(Candidate::peer);
    let peers = peers.map(|peer| format!("{} {}", peer.name, peer.version));
    [name.to_owned()].into_iter().chain(peers).collect()
}

/// Returns the picture of the widest row of each case.
pub(crate) fn chart(results: &Results) -> Chart {
    let rows = results.widest().map(|row| Group {
        name: row.case.to_string().replace('`', ""),
        bars: Candidate::compared()
            .map(|candidate| row.ratio(candidate, Sample::rate))
            .collect(),
    });
    Chart {
        title: "Requests a second of MCP servers, divided by those of the simplest server"
            .to_owned(),
        series: series("mcp-server"),
        groups: rows.collect(),
        note: "64 requests at once, longer is faster. 1 is hyper, or a loop over lines, with \
               serde_json::Value. No bar: not supported."
            .to_owned(),
    }
}
