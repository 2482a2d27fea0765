//! Prints the results of `cargo bench`, as ratios to `serde_json::Value`.
//!
//! `types` prints the table, and `types table PICTURE` draws it, too. `types print ID` prints the bytes of
//! a message. `types every` measures every message of every revision and prints the slowest ones, or
//! all with `--all`.

use std::path::{Path, PathBuf};

use anyhow::Context;
use picture::{Chart, Group};
use serde_json::Value;
use types::corpus::{Message, messages};
use types::{BASE, BASE_AGAIN, Bench, OTHERS};

/// How many rounds of measurement each message gets.
#[cfg(feature = "ours")]
const ROUNDS: usize = 100;

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => table(&measurements(), None),
        ["table", picture] => table(&measurements(), Some(Path::new(picture))),
        ["print", id] => {
            let messages = messages();
            let message = messages.iter().find(|message| message.id() == id);
            let ids = || {
                messages
                    .iter()
                    .map(Message::id)
                    .collect::<Vec<_>>()
                    .join("\n")
            };
            println!(
                "{}",
                message.with_context(|| format!("one of:\n{}", ids()))?.text
            );
            Ok(())
        }
        #[cfg(feature = "ours")]
        ["every"] => types::every::run(ROUNDS, false),
        #[cfg(feature = "ours")]
        ["every", "--all"] => types::every::run(ROUNDS, true),
        _ => anyhow::bail!("usage: types [table PICTURE | print ID | every [--all]]"),
    }
}

/// The folder of criterion's results.
fn measurements() -> PathBuf {
    let variable = |name| std::env::var_os(name).map(PathBuf::from);
    variable("CRITERION_HOME").unwrap_or_else(|| {
        let target = variable("CARGO_TARGET_DIR")
            .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"));
        target.join("criterion")
    })
}

fn table(root: &Path, picture: Option<&Path>) -> anyhow::Result<()> {
    let mut groups = Vec::new();
    println!(
        "| message | bytes | Value decode / encode | {} |",
        OTHERS.join(" | ")
    );
    println!("| --- | --- | --- |{}", " --- |".repeat(OTHERS.len()));
    for message in messages() {
        let group = root.join(message.id());
        let base = |what| -> anyhow::Result<(f64, f64)> {
            let (one, two) = (
                median(&group, what, BASE)?,
                median(&group, what, BASE_AGAIN)?,
            );
            Ok((f64::midpoint(one, two), (one / two).max(two / one)))
        };
        let ((decode, drift), (encode, other_drift)) = (base("decode")?, base("encode")?);
        let mut faults = Faults::default();
        types::all(&message, &mut faults)?;
        let mut bars = Vec::new();
        let cells = OTHERS.map(|candidate| {
            let times = (
                median(&group, "decode", candidate),
                median(&group, "encode", candidate),
            );
            let (Some(marks), (Ok(d), Ok(e))) = (faults.of(candidate), times) else {
                bars.push(None);
                return "-".to_owned();
            };
            bars.push(Some(d / decode));
            format!("{:.2} / {:.2}{marks}", d / decode, e / encode)
        });
        bars.truncate(DRAWN.len());
        if DRAWN_REVISIONS.contains(&message.revision) {
            let name = format!("{}, {}", message.revision, message.name);
            groups.push(Group { name, bars });
        }
        let unsteady = if drift.max(other_drift) > 1.1 {
            " ~"
        } else {
            ""
        };
        println!(
            "| {}, {} | {} | {} / {}{unsteady} | {} |",
            message.revision,
            message.name,
            message.text.len(),
            time(decode),
            time(encode),
            cells.join(" | ")
        );
    }
    println!();
    println!("Ratios of decode / encode time to `serde_json::Value`, of medians; less is faster.");
    println!("~ : the two measurements of Value differ by more than a tenth");
    println!("* : decoded as another type than the message has");
    println!("! : encodes to JSON that is not equal to what was decoded");
    if let Some(file) = picture {
        chart(groups).write(file)?;
        println!("The picture is in {}.", file.display());
    }
    Ok(())
}

/// What the picture shows: the candidates that are servers and clients, too, and new revisions.
const DRAWN: [&str; 3] = ["mcp-types", "rmcp 3.11.0", "turbomcp 3.6.0"];
const DRAWN_REVISIONS: [&str; 2] = ["2026-07-28", "2025-11-25"];

fn chart(groups: Vec<Group>) -> Chart {
    Chart {
        title: "Time to decode a message, divided by the time of serde_json::Value".to_owned(),
        series: DRAWN.map(str::to_owned).to_vec(),
        groups,
        note: "Shorter is faster. No bar: the revision is not supported.".to_owned(),
    }
}

fn median(group: &Path, what: &str, candidate: &str) -> anyhow::Result<f64> {
    let file = group.join(what).join(candidate).join("new/estimates.json");
    let text = std::fs::read_to_string(&file)
        .with_context(|| format!("{}: run `cargo bench` first", file.display()))?;
    let estimates: Value = serde_json::from_str(&text)?;
    estimates["median"]["point_estimate"]
        .as_f64()
        .with_context(|| format!("{}: no median", file.display()))
}

fn time(nanoseconds: f64) -> String {
    if nanoseconds < 10_000.0 {
        format!("{nanoseconds:.0} ns")
    } else {
        format!("{:.0} us", nanoseconds / 1000.0)
    }
}

/// Errors in the results of a candidate, because a wrong result may cost less than a correct one.
#[derive(Default)]
struct Faults(Vec<(&'static str, String)>);

impl Faults {
    fn of(&self, candidate: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(name, _)| *name == candidate)
            .map(|(_, marks)| marks.as_str())
    }
}

impl Bench for Faults {
    fn take<'m, T>(
        &mut self,
        candidate: &'static str,
        message: &'m Message,
        decode: impl Fn(&'m str) -> anyhow::Result<T>,
        encode: impl Fn(&T, &mut Vec<u8>) -> anyhow::Result<()>,
        right: impl Fn(&T) -> bool,
    ) -> anyhow::Result<()> {
        let decoded = decode(&message.text)?;
        let mut marks = String::new();
        if !right(&decoded) {
            marks.push_str(" *");
        }
        let mut out = Vec::new();
        encode(&decoded, &mut out)?;
        let value = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes);
        if value(&out)? != value(message.text.as_bytes())? {
            marks.push_str(" !");
        }
        self.0.push((candidate, marks));
        Ok(())
    }
}
