//! Prints the comparison of clients.

use std::fmt::Write as _;

use super::report::Report;
use super::rounds::{Results, Round};
use crate::Effort;
use crate::case::{Candidate, Form};
use crate::pinning::Pinning;
use crate::results::{Row, print_start};
use crate::sample::median;
use crate::table::{print_head, series, weight};
use crate::weight::Weight;
use picture::{Chart, Group};

const NAME: &str = "mcp-client";

const NOTES: &str = "\
Calls a second of the tool of a bare server, time of the client's own processor for a call, and
where one call is under way at a time, the time of the median call and of the slowest but for a
hundredth. Ratio: the figures of mcp-client to those of the other so that more is better: calls a second
/ processor time; the target is for calls a second or, with one call at a time, the median call. All
run tokio with one thread.
Load: what the same server does for one candidate sends bytes that are ready beforehand.
rmcp: over HTTP with a pool of connections and 64 calls at once; by default it opens a connection
for each call, and makes at most 16 at once. It asks for progress in each call.
turbomcp: 3.6 with its defaults. It has the revisions up to 2025-11-25.
rust-mcp-sdk: with its defaults. It has the revision 2026-07-28 only, opens a connection for each
call over HTTP, and cannot receive progress over HTTP.
pmcp: with its defaults. It has no transport that starts a server. Progress is counted by a middleware.
~ : the rounds of the load differ by more than a quarter; the machine is not quiet
^ : the client is as fast as the load, so that the server may be what is measured
! : some answers were wrong";

/// Prints everything; missed targets are repeated at the end.
pub(super) fn print(results: &Results, weights: &[Weight], effort: &Effort, pinning: &Pinning) {
    let mut missed = Vec::new();
    print_start(effort, pinning);
    speed(results, &mut missed);
    println!();
    memory(results, &mut missed);
    println!();
    if !weights.is_empty() {
        weight(NAME, weights, None);
        println!();
    }
    results.print_end(NOTES, name, &missed);
}

fn name(candidate: Candidate) -> &'static str {
    match candidate {
        Candidate::Floor => "the load",
        Candidate::Ours => NAME,
        Candidate::Peer(_) => candidate.name(),
    }
}

fn speed(results: &Results, missed: &mut Vec<String>) {
    let mut head = "| | at once | load |".to_owned();
    for candidate in Candidate::compared() {
        let _ = write!(head, " {} |", name(candidate));
    }
    for peer in Candidate::peers() {
        let _ = write!(head, " of {} |", peer.name());
    }
    print_head(&(head + " target |"));
    for row in &results.rows {
        let mut line = format!("| {} | {} | {} |", row.case, row.width, row.load_cell());
        for candidate in Candidate::compared() {
            let _ = write!(line, " {} |", row.cell(candidate));
        }
        for other in Candidate::peers() {
            let ratios = (
                row.ratio(other, Report::rate),
                row.ratio(other, Report::cost),
            );
            if let (Some(rate), Some(cost)) = ratios {
                let _ = write!(line, " {rate:.2} / {:.2} |", 1.0 / cost);
            } else {
                line.push_str(" - |");
            }
        }
        if let Some(ratio) = row.ratio(Candidate::FIRST_PEER, Report::rate) {
            let (words, figure, met) = row.target(ratio);
            let verdict = if met { "met" } else { "missed" };
            let _ = write!(line, " {words}, {verdict} |");
            if !met {
                let (case, width) = (row.case, row.width);
                missed.push(format!("{case}, {width} at once: {words} ({figure:.2})"));
            }
        } else {
            line.push_str(" |");
        }
        println!("{line}");
    }
}

impl Row<Round> {
    /// Returns the target, the actual ratio, and whether it is sufficient. If one call is in flight
    /// at a time, the median latency counts: the load of the machine delays some calls much more
    /// than a client could.
    fn target(&self, rate: f64) -> (&'static str, f64, bool) {
        match (self.case.form, self.width) {
            (_, 1) => {
                let p50 = self
                    .ratio(Candidate::FIRST_PEER, Report::p50)
                    .unwrap_or(f64::NAN);
                ("p50 at most 1 x rmcp's", p50, p50 <= 1.0)
            }
            (Form::Line, _) => ("at least 2", rate, rate >= 2.0),
            _ => ("at least 1", rate, rate >= 1.0),
        }
    }

    fn reports(&self, candidate: Candidate) -> impl Iterator<Item = &Report> {
        self.rounds
            .iter()
            .filter_map(move |round| round.report(candidate))
    }

    fn median_of(&self, candidate: Candidate, figure: impl Fn(&Report) -> f64) -> Option<f64> {
        median(self.reports(candidate).map(figure))
    }

    fn load(&self) -> impl Iterator<Item = f64> {
        self.rounds.iter().filter_map(|round| round.load)
    }

    /// Returns the median of the ratios within a round, of `mcp-client` to another client.
    fn ratio(&self, other: Candidate, figure: impl Fn(&Report) -> f64) -> Option<f64> {
        median(self.rounds.iter().filter_map(|round| {
            Some(figure(round.report(Candidate::Ours)?) / figure(round.report(other)?))
        }))
    }

    /// Returns the median of the ratios to the load within a round.
    fn of_load(&self, candidate: Candidate) -> Option<f64> {
        median(
            self.rounds
                .iter()
                .filter_map(|round| Some(round.report(candidate)?.rate() / round.load?)),
        )
    }

    fn load_cell(&self) -> String {
        let Some(rate) = median(self.load()) else {
            return "-".to_owned();
        };
        let (most, least) = (
            self.load().fold(0.0, f64::max),
            self.load().fold(f64::MAX, f64::min),
        );
        let mark = if most > least * 1.25 { " ~" } else { "" };
        format!("{:.1}k/s{mark}", rate / 1000.0)
    }

    fn cell(&self, candidate: Candidate) -> String {
        let (Some(rate), Some(cost)) = (
            self.median_of(candidate, Report::rate),
            self.median_of(candidate, Report::cost),
        ) else {
            return "-".to_owned();
        };
        let mut cell = format!("{:.1}k/s, {cost:.1} us", rate / 1000.0);
        if self.width == 1
            && let (Some(p50), Some(p99)) = (
                self.median_of(candidate, Report::p50),
                self.median_of(candidate, Report::p99),
            )
        {
            let _ = write!(cell, ", p50 {p50:.1} us, p99 {p99:.1} us");
        }
        if median(self.load()).is_some_and(|load| rate > load * 0.95) {
            cell.push_str(" ^");
        }
        if self.reports(candidate).any(|report| report.errors > 0) {
            cell.push_str(" !");
        }
        cell
    }
}

fn memory(results: &Results, missed: &mut Vec<String>) {
    let mut head = "| memory, peak, MiB |".to_owned();
    for candidate in Candidate::compared() {
        let _ = write!(head, " {} |", name(candidate));
    }
    print_head(&(head + " target |"));
    for row in results.widest() {
        let peak = |candidate| row.median_of(candidate, Report::peak);
        let (Some(ours), Some(rmcp)) = (peak(Candidate::Ours), peak(Candidate::FIRST_PEER)) else {
            continue;
        };
        let case = row.case;
        let mut line = format!("| {case} |");
        for candidate in Candidate::compared() {
            match peak(candidate) {
                Some(peak) => _ = write!(line, " {peak:.1} |"),
                None => line.push_str(" - |"),
            }
        }
        let verdict = if ours <= rmcp { "met" } else { "missed" };
        println!("{line} at most rmcp's, {verdict} |");
        if ours > rmcp {
            missed.push(format!(
                "memory, {case}: at most rmcp's ({ours:.1}, rmcp {rmcp:.1})"
            ));
        }
    }
}

/// Returns the picture of the widest row of each case.
pub(super) fn chart(results: &Results) -> Chart {
    let groups = results.widest().map(|row| Group {
        name: row.case.to_string().replace('`', ""),
        bars: Candidate::compared()
            .map(|candidate| row.of_load(candidate))
            .collect(),
    });
    Chart {
        title: "Calls a second of MCP clients, divided by requests that are ready beforehand"
            .to_owned(),
        series: series(NAME),
        groups: groups.collect(),
        note: "64 calls at once, longer is faster. 1 is a load generator at the same server. No \
               bar: not supported."
            .to_owned(),
    }
}
