//! [`Score`]: a row of the table.

use anyhow::Result;
use serde_json::Value;

use crate::candidates::Candidate;
use crate::cases::{Case, Kind, keeps_unknown};

/// A part of a whole.
#[derive(Default)]
struct Part {
    part: usize,
    all: usize,
}

impl Part {
    fn count(&mut self, is_part: bool) {
        self.part += usize::from(is_part);
        self.all += 1;
    }
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {}", self.part, self.all)
    }
}

/// How a candidate did.
pub(crate) struct Score {
    name: String,
    types: usize,
    equal: Part,
    kept: Part,
    /// By the published schema, and by the corrected one.
    invalid: [Part; 2],
    valid: [Part; 2],
}

impl Score {
    pub(crate) fn print_head() {
        println!(
            "| types of | types | examples equal | unknown members kept | invalid accepted | valid refused | invalid accepted, corrected | valid refused, corrected |"
        );
        println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    }

    /// Decodes and encodes all cases of the types that a candidate has.
    pub(crate) fn of(candidate: &Candidate, cases: &[Case]) -> Result<Self> {
        let mut score = Self {
            name: candidate.name().to_owned(),
            types: candidate.types().count(),
            equal: Part::default(),
            kept: Part::default(),
            invalid: Default::default(),
            valid: Default::default(),
        };
        for case in cases.iter().filter(|case| candidate.has(&case.of)) {
            let back = candidate.decode(case)?;
            let is_same = back.as_ref().is_some_and(|back| same(back, &case.value));
            match &case.kind {
                Kind::Example => score.equal.count(is_same),
                Kind::Unknown(place) => {
                    let keeps = |back: &Value| keeps_unknown(back, place);
                    score.kept.count(back.as_ref().is_some_and(keeps));
                }
                Kind::Mutant => {}
            }
            for (judge, is_valid) in [case.published, case.corrected].into_iter().enumerate() {
                if is_valid {
                    score.valid[judge].count(back.is_none());
                } else {
                    score.invalid[judge].count(back.is_some());
                }
            }
        }
        Ok(score)
    }

    pub(crate) fn print(&self) {
        let Self {
            name,
            types,
            equal,
            kept,
            invalid,
            valid,
        } = self;
        println!(
            "| {name} | {types} | {equal} | {kept} | {} | {} | {} | {} |",
            invalid[0], valid[0], invalid[1], valid[1]
        );
    }
}

/// Compares numbers by their value: 50 and 50.0 are the same.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(k, a)| b.get(k).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}
