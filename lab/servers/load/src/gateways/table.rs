//! Prints the comparison of gateways.

use std::fmt::Write as _;

use super::{Round, Route};
use crate::Effort;
use crate::pinning::Pinning;
use crate::results::{Results, Row, print_start};
use crate::sample::{Sample, median};

/// The least part of the requests a second of the bare proxy.
const TARGET: f64 = 0.7;

const NOTES: &str = "\
Calls a second of a tool of mcp-server over HTTP, with JSON, through each gateway; time of the
gateway's processor for a call and, where one call is under way at a time, what the gateway adds to
the time of the median call. `of proxy`: the figures of the bare proxy divided by those of the
gateway so that more is better: calls a second / processor time. All but fastmcp run tokio with one
thread.
bare proxy: hyper 1 as server and client, with serde_json::Value for each message.
fastmcp: `create_proxy` behind uvicorn, with JSON in place of events.
~ : the rounds of the bare proxy differ by more than a quarter; the machine is not quiet
! : some answers were wrong";

/// Prints everything; missed targets are repeated at the end.
pub(super) fn print(results: &Results<Round, Route>, effort: &Effort, pinning: &Pinning) {
    let mut missed = Vec::new();
    print_start(effort, pinning);
    println!(
        "| | at once | no gateway | bare proxy | mcp-gateway | of proxy | fastmcp | of proxy | target |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for row in &results.rows {
        let mut line = format!("| {} | {} |", row.case, row.width);
        for route in Route::ALL {
            let _ = write!(line, " {} |", row.cell(route));
            if matches!(route, Route::Ours | Route::Fastmcp) {
                let _ = write!(line, " {} |", row.ratios(route));
            }
        }
        let ratio = row.ratio(Route::Ours, Sample::rate).unwrap_or_default();
        let verdict = if ratio >= TARGET { "met" } else { "missed" };
        println!("{line} at least {TARGET}, {verdict} |");
        if ratio < TARGET {
            let (case, width) = (row.case, row.width);
            missed.push(format!(
                "{case}, {width} at once: at least {TARGET} ({ratio:.2})"
            ));
        }
    }
    println!();
    results.print_end(NOTES, Route::name, &missed);
}

impl Row<Round> {
    fn samples(&self, route: Route) -> impl Iterator<Item = &Sample> {
        self.rounds
            .iter()
            .filter_map(move |round| round[route as usize].as_ref())
    }

    fn median_of(&self, route: Route, figure: impl Fn(&Sample) -> f64) -> Option<f64> {
        median(self.samples(route).map(figure))
    }

    /// Returns the median of the ratios to the bare proxy of the same round.
    fn ratio(&self, route: Route, figure: impl Fn(&Sample) -> f64) -> Option<f64> {
        median(self.rounds.iter().filter_map(|round| {
            let floor = round[Route::Floor as usize].as_ref()?;
            Some(figure(round[route as usize].as_ref()?) / figure(floor))
        }))
    }

    fn ratios(&self, route: Route) -> String {
        match (
            self.ratio(route, Sample::rate),
            self.ratio(route, Sample::cost),
        ) {
            (Some(rate), Some(cost)) => format!("{rate:.2} / {:.2}", 1.0 / cost),
            _ => "-".to_owned(),
        }
    }

    /// Returns the microseconds that a gateway adds to the median call.
    fn added(&self, route: Route) -> Option<f64> {
        median(self.rounds.iter().filter_map(|round| {
            let time =
                |route: Route| Some(round[route as usize].as_ref()?.latency?.as_secs_f64() * 1e6);
            Some(time(route)? - time(Route::Direct)?)
        }))
    }

    fn cell(&self, route: Route) -> String {
        let (Some(rate), Some(cost)) = (
            self.median_of(route, Sample::rate),
            self.median_of(route, Sample::cost),
        ) else {
            return "-".to_owned();
        };
        let mut cell = format!("{:.1}k/s", rate / 1000.0);
        if route != Route::Direct {
            let _ = write!(cell, ", {cost:.1} us");
            if let Some(added) = self.added(route) {
                let _ = write!(cell, ", adds {added:.0} us");
            }
        }
        let rates = || self.samples(route).map(Sample::rate);
        let is_unsteady = rates().fold(0.0, f64::max) > rates().fold(f64::MAX, f64::min) * 1.25;
        if route == Route::Floor && is_unsteady {
            cell.push_str(" ~");
        }
        if self.samples(route).any(|sample| sample.errors > 0) {
            cell.push_str(" !");
        }
        cell
    }
}
