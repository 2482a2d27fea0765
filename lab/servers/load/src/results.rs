//! The measurements of a comparison, and what each printed comparison begins and ends with.

use crate::Effort;
use crate::case::Case;
use crate::pinning::Pinning;

/// All measurements: `R` has those of a round of a row, and `C` names a candidate.
pub(crate) struct Results<R, C> {
    pub(crate) rows: Vec<Row<R>>,
    /// The reasons for which a candidate has no measurements in a case.
    failures: Vec<(Case, C, String)>,
}

/// A case with a number of concurrent requests.
pub(crate) struct Row<R> {
    pub(crate) case: Case,
    pub(crate) width: usize,
    pub(crate) rounds: Vec<R>,
}

impl<R: Clone + Default, C: Copy + PartialEq> Results<R, C> {
    pub(crate) fn new(cases: &[Case], effort: &Effort) -> Self {
        let rows = cases.iter().flat_map(|&case| {
            case.widths().iter().map(move |&width| Row {
                case,
                width,
                rounds: vec![R::default(); effort.rounds],
            })
        });
        Self {
            rows: rows.collect(),
            failures: Vec::new(),
        }
    }

    /// Returns the measurements of a round.
    pub(crate) fn round(&mut self, case: Case, width: usize, round: usize) -> &mut R {
        let row = |row: &&mut Row<R>| row.case == case && row.width == width;
        let row = self.rows.iter_mut().find(row);
        &mut row.expect("each case has rows").rounds[round]
    }

    pub(crate) fn fail(&mut self, case: Case, candidate: C, error: &anyhow::Error) {
        let is_known = |(of, failed, _): &(Case, C, String)| *of == case && *failed == candidate;
        if !self.failures.iter().any(is_known) {
            self.failures.push((case, candidate, format!("{error:#}")));
        }
    }

    /// Returns the widest row of each case, whose processes had all narrower ones before.
    pub(crate) fn widest(&self) -> impl Iterator<Item = &Row<R>> {
        let mut rows = self.rows.iter();
        std::iter::from_fn(move || rows.find(|row| row.case.widths().last() == Some(&row.width)))
    }

    /// Prints notes, what has no figures, and the targets that were missed.
    pub(crate) fn print_end(
        &self,
        notes: &str,
        name: impl Fn(C) -> &'static str,
        missed: &[String],
    ) {
        println!("{notes}");
        for (case, candidate, why) in &self.failures {
            println!("{} has no figures for {case}: {why}", name(*candidate));
        }
        println!();
        if missed.is_empty() {
            println!("All targets are met.");
        }
        for target in missed {
            println!("missed: {target}");
        }
    }
}

/// Prints how much is measured.
pub(crate) fn print_start(effort: &Effort, pinning: &Pinning) {
    let time = effort.time.as_millis();
    println!("{} rounds of {time} ms. {pinning}\n", effort.rounds);
}
