//! Measures every message of every revision: our type against `serde_json::Value`, in one process.
//!
//! Both candidates take turns in short rounds, and the fastest round of each counts. So a machine
//! that is busy with other work changes the ratio little.

mod texts;

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use mcp_types::Revision;
use mcp_types::registry::{self, Entry, Prepared};
use serde_json::Value;

use texts::{Sample, Unions, texts};

/// Messages with fewer bytes are not measured: the cost of a call dominates them.
const SMALLEST: usize = 100;

/// How long one round takes: long enough for the processor to learn the branches of a candidate
/// after the other one has run.
const ROUND: Duration = Duration::from_micros(200);

/// The number of messages that are printed.
const WORST: usize = 10;

/// A message of a revision, measured as one type.
struct Row {
    revision: Revision,
    entry: &'static str,
    source: String,
    bytes: usize,
    decode: f64,
    encode: f64,
}

/// Measures all messages and prints those with the greatest ratios.
///
/// # Errors
///
/// Returns an error if one of the texts cannot be decoded as its own type.
pub fn run(rounds: usize, all: bool) -> Result<()> {
    let mut rows = Vec::new();
    let compiled = |revision: &&Revision| !registry::types(**revision).is_empty();
    for revision in Revision::ALL.iter().filter(compiled) {
        let unions = Unions::of(*revision)?;
        for text in texts(*revision)? {
            for entry in entries(*revision, &unions, &text)? {
                rows.push(measure(*revision, entry, &text, rounds)?);
            }
        }
    }
    let shown = if all { rows.len() } else { WORST };
    print(&mut rows, "decoding", shown, |row| row.decode);
    print(&mut rows, "encoding", shown, |row| row.encode);
    Ok(())
}

/// Returns the types as which a text is measured: its own, and every union of messages that has it.
fn entries(revision: Revision, unions: &Unions, text: &Sample) -> Result<Vec<&'static Entry>> {
    let own = registry::find(revision, &text.name)
        .with_context(|| format!("{revision} has no type {}", text.name))?;
    if let Err(error) = own.round_trip(&text.text) {
        anyhow::bail!("{revision} {}: {error}", text.name);
    }
    let unions = registry::types(revision).iter().filter(|entry| {
        unions.contain(entry.name(), &text.name) && entry.round_trip(&text.text).is_ok()
    });
    Ok(std::iter::once(own).chain(unions).collect())
}

fn measure(revision: Revision, entry: &'static Entry, text: &Sample, rounds: usize) -> Result<Row> {
    let typed = entry.prepare(&text.text)?;
    let value: Value = serde_json::from_str(&text.text)?;
    let mut out = Vec::with_capacity(text.text.len() * 2);
    let repeats = repeats(&text.text)?;
    let (mut ours, mut base) = (Best::new(), Best::new());
    let (mut our_encoding, mut base_encoding) = (Best::new(), Best::new());
    for _ in 0..rounds {
        base.round(repeats, || {
            black_box(serde_json::from_str::<Value>(black_box(&text.text))).is_ok()
        });
        ours.round(repeats, || decode(typed.as_ref(), &text.text));
        base_encoding.round(repeats, || {
            out.clear();
            serde_json::to_writer(&mut out, black_box(&value)).is_ok()
        });
        our_encoding.round(repeats, || {
            out.clear();
            black_box(typed.as_ref()).encode(&mut out).is_ok()
        });
    }
    Ok(Row {
        revision,
        entry: entry.name(),
        source: text.source.clone(),
        bytes: text.text.len(),
        decode: ours.0 / base.0,
        encode: our_encoding.0 / base_encoding.0,
    })
}

fn decode(typed: &dyn Prepared, text: &str) -> bool {
    black_box(typed.decode(black_box(text))).is_ok()
}

/// Returns how often a text has to be decoded in one round.
fn repeats(text: &str) -> Result<u32> {
    let start = Instant::now();
    for _ in 0..8 {
        black_box(serde_json::from_str::<Value>(black_box(text)))?;
    }
    let once = start.elapsed() / 8;
    let repeats = ROUND.as_nanos() / once.as_nanos().max(1);
    Ok(u32::try_from(repeats).unwrap_or(u32::MAX).clamp(1, 1000))
}

/// The time of the fastest round.
struct Best(f64);

impl Best {
    fn new() -> Self {
        Self(f64::INFINITY)
    }

    fn round(&mut self, repeats: u32, mut work: impl FnMut() -> bool) {
        let start = Instant::now();
        for _ in 0..repeats {
            black_box(work());
        }
        let time = start.elapsed().as_secs_f64() / f64::from(repeats);
        self.0 = self.0.min(time);
    }
}

fn print(rows: &mut [Row], what: &str, shown: usize, ratio: impl Fn(&Row) -> f64) {
    rows.sort_by(|one, two| ratio(two).total_cmp(&ratio(one)));
    let count = rows.len();
    println!(
        "\nThe {} slowest of {count} messages in {what}:\n",
        shown.min(count)
    );
    println!("| revision | decoded as | message | bytes | ratio to Value |");
    println!("| --- | --- | --- | --- | --- |");
    for row in rows.iter().take(shown) {
        println!(
            "| {} | {} | {} | {} | {:.2} |",
            row.revision,
            row.entry,
            row.source,
            row.bytes,
            ratio(row)
        );
    }
    let median = rows.get(count / 2).map_or(f64::NAN, &ratio);
    println!("\nMedian of all messages: {median:.2}");
}
