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
thread, and sends with TCP_NODELAY. The floor is hyper 1, or a loop over lines, with
serde_json::Value.
mcp-server: over HTTP with all its features, so that arguments are validated, by `serve_http`; where
the row says so, with the feature `http` alone, which is what rmcp does, too: it validates nothing.
Over stdio with its default features.
rmcp: without its checks of `Origin`, over HTTP on hyper alone. 2026-07-28 is served without
sessions. For 2025-11-25 and JSON, `legacy_session_mode` is off and `json_response` on, since in a
session it always answers with events: that is less than the others do. With events, sessions are
on, and `sse_retry` is off, which saves an event. Over stdio `stdio_pipes`, its faster transport.
turbomcp: 3.6 with its defaults, over HTTP on axum. It has the revisions up to 2025-11-25, and responds
with JSON until a call sends progress. All its calls are in sessions.
~ : the floor's rounds differ by more than a quarter; the machine is not quiet
^ : the load had no time left, so that the server may be faster
! : some answers were wrong";

fn speed(results: &Results, missed: &mut Vec<String>) {
    println!(
        "| | at once | floor | mcp-server | of floor | rmcp | of floor | turbomcp | of floor | target |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for row in &results.rows {
        let mut line = format!("| {} | {} |", row.case, row.width);
        for candidate in Candidate::ALL {
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
    println!("| memory, idle / peak, MiB | floor | mcp-server | rmcp | turbomcp | target |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for row in results.widest() {
        let case = row.case;
        let mut line = format!("| {case} |");
        for candidate in Candidate::ALL {
            let cell = row.memory(candidate).map_or_else(
                || "-".to_owned(),
                |(idle, peak)| format!("{idle:.1} / {peak:.1}"),
            );
            let _ = write!(line, " {cell} |");
        }
        if let (Some(ours), Some(rmcp)) = (row.memory(Candidate::Ours), row.memory(Candidate::Rmcp))
        {
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

/// Prints the sizes of the smallest programs, and records missed targets if there are any.
pub(crate) fn weight(name: &str, weights: &[Weight], mut missed: Option<&mut Vec<String>>) {
    let of = |candidate: Candidate| weights.iter().find(|weight| weight.candidate == candidate);
    let others = [Candidate::Ours, Candidate::Rmcp, Candidate::Turbomcp];
    let [Some(ours), Some(rmcp), Some(turbomcp)] = others.map(of) else {
        return;
    };
    println!("| hello world on stdio | {name} | rmcp | turbomcp | of rmcp | target |");
    println!("| --- | --- | --- | --- | --- | --- |");
    let mut row = |what: &str, unit: &str, digits: usize, figures: [f64; 3], bound: bool| {
        let [ours, rmcp, turbomcp] = figures;
        let ratio = ours / rmcp;
        let verdict = match (missed.as_mut().filter(|_| bound), ratio <= 0.5) {
            (None, _) => "",
            (Some(_), true) => "at most 0.5, met",
            (Some(missed), false) => {
                missed.push(format!("{what}: at most 0.5 of rmcp's ({ratio:.2})"));
                "at most 0.5, missed"
            }
        };
        println!(
            "| {what} | {ours:.digits$}{unit} | {rmcp:.digits$}{unit} | {turbomcp:.digits$}{unit} | {ratio:.2} | {verdict} |"
        );
    };
    let all = [ours, rmcp, turbomcp];
    row(
        "crates",
        "",
        0,
        all.map(|weight| number(weight.crates as u64)),
        true,
    );
    let [Some(ours), Some(rmcp), Some(turbomcp)] = all.map(|weight| weight.build) else {
        println!("| clean build and size | not measured with `--quick` | | | | |");
        return;
    };
    let all = [ours, rmcp, turbomcp];
    let times = all.map(|build| build.time.as_secs_f64());
    row("clean release build", " s", 1, times, true);
    let cpu = all.map(|build| build.cpu.as_secs_f64());
    row("... time of all processors", " s", 1, cpu, false);
    let sizes = all.map(|build| number(build.size >> 10) / 1024.0);
    row("stripped size", " MiB", 2, sizes, false);
}

/// Returns the picture of the widest row of each case.
pub(crate) fn chart(results: &Results) -> Chart {
    let series = [Candidate::Ours, Candidate::Rmcp, Candidate::Turbomcp];
    let rows = results.widest().map(|row| Group {
        name: row.case.to_string().replace('`', ""),
        bars: series
            .map(|candidate| row.ratio(candidate, Sample::rate))
            .to_vec(),
    });
    Chart {
        title: "Requests a second of MCP servers, divided by those of the simplest server"
            .to_owned(),
        series: ["mcp-server", "rmcp 3.11.0", "turbomcp 3.6.0"]
            .map(str::to_owned)
            .to_vec(),
        groups: rows.collect(),
        note: "64 requests at once, longer is faster. 1 is hyper, or a loop over lines, with \
               serde_json::Value. No bar: the revision is not supported."
            .to_owned(),
    }
}
