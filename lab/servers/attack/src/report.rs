//! Prints the results.

use std::time::Duration;

use anyhow::Result;

use crate::attacks::Attack;
use crate::options::{Format, Options};
use crate::round::Measured;
use crate::subject::Subject;
use crate::verdict::Breach;

/// The measurements of an attack for each server.
pub(crate) type Row<'a> = (&'a Attack, Vec<Result<Measured>>);

/// Prints the result of an attack when it is complete.
pub(crate) fn progress(attack: &Attack, subject: &Subject, outcome: &Result<Measured>) {
    let (attack, subject) = (attack.name, subject.name);
    match outcome {
        Ok(measured) => {
            eprintln!("{attack}, {subject}: {}", verdict(measured));
            eprintln!("  attacker: {}", measured.tally);
            if let Some(fault) = &measured.fault {
                let (failed, calls) = (measured.failed, measured.calls);
                eprintln!("  {failed} of {calls} good calls failed, most of them: {fault}");
            }
        }
        Err(error) => eprintln!("{attack}, {subject}: not measured: {error:#}"),
    }
}

/// Prints all results.
pub(crate) fn table(rows: &[Row<'_>], subjects: &[Subject], options: &Options) {
    let mut lines = vec![head(subjects)];
    for (attack, outcomes) in rows {
        let mut cells = vec![attack.name.to_owned()];
        for outcome in outcomes {
            cells.extend(self::cells(outcome));
        }
        // Attacks with access tokens or in sessions are played only on servers that have them.
        cells.resize(lines[0].len(), "-".to_owned());
        lines.push(cells);
    }
    match options.format {
        Format::Markdown => markdown(&mut lines, rows),
        Format::Text => text(&lines),
    }
    if options.format == Format::Text {
        println!();
        println!(
            "blocked: the longest wait of a good call; p99: of good calls, quiet and attacked;"
        );
        println!("memory: MiB before, at the peak, and after; *: the bound is broken");
    }
}

/// Prints which attacks failed. Returns `true` if the first server kept all bounds.
pub(crate) fn summary(rows: &[Row<'_>]) -> bool {
    let mut broken = Vec::new();
    for (attack, outcomes) in rows {
        match outcomes.first() {
            Some(Ok(measured)) if Breach::of(measured).is_empty() => {}
            _ => broken.push(attack.name),
        }
    }
    println!();
    let count = rows.len();
    if broken.is_empty() {
        println!("attacks: {count}, all bounds kept");
    } else {
        let (failed, names) = (broken.len(), broken.join(", "));
        println!("attacks: {count}, bounds broken in {failed}: {names}");
    }
    broken.is_empty()
}

/// Formats bytes in MiB.
pub(crate) fn mebibytes(bytes: u64) -> f64 {
    f64::from(u32::try_from(bytes >> 10).unwrap_or(u32::MAX)) / 1024.0
}

fn head(subjects: &[Subject]) -> Vec<String> {
    let mut cells = vec!["attack".to_owned()];
    for subject in subjects {
        let name = subject.name;
        for column in ["blocked", "p99", "memory", "failed"] {
            cells.push(format!("{name}: {column}"));
        }
    }
    cells
}

fn cells(outcome: &Result<Measured>) -> [String; 4] {
    let Ok(measured) = outcome else {
        return ["not measured *", "", "", ""].map(str::to_owned);
    };
    let breaches = Breach::of(measured);
    let mark = |breach, text: String| {
        if breaches.contains(&breach) {
            text + " *"
        } else {
            text
        }
    };
    let p99 = format!("{}, {}", time(measured.quiet), time(measured.p99));
    let memory = measured.memory.map_or_else(String::new, |memory| {
        let of = mebibytes;
        format!(
            "{:.0}, {:.0}, {:.0}",
            of(memory.before),
            of(memory.peak),
            of(memory.after)
        )
    });
    [
        mark(Breach::Blocked, time(measured.blocked)),
        mark(Breach::P99, p99),
        mark(Breach::Memory, memory),
        mark(Breach::Unanswered, measured.failed.to_string()),
    ]
}

fn time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds >= 0.9995 {
        format!("{seconds:.1} s")
    } else if seconds >= 0.01 {
        format!("{:.0} ms", seconds * 1e3)
    } else {
        format!("{:.1} ms", seconds * 1e3)
    }
}

fn verdict(measured: &Measured) -> String {
    let breaches = Breach::of(measured);
    if breaches.is_empty() {
        return "all bounds kept".to_owned();
    }
    let names: Vec<String> = breaches.iter().map(Breach::to_string).collect();
    let [blocked, p99, memory, failed] = cells(&Ok(measured.clone()));
    format!(
        "bounds broken: {} (blocked {blocked}, p99 {p99}, memory {memory}, {failed} failed)",
        names.join(", ")
    )
}

/// Formats the table for the documentation, with descriptions of the attacks.
fn markdown(lines: &mut [Vec<String>], rows: &[Row<'_>]) {
    for (line, (attack, _)) in lines.iter_mut().skip(1).zip(rows) {
        if let Some(first) = line.first_mut() {
            attack.what.clone_into(first);
        }
    }
    for (at, line) in lines.iter().enumerate() {
        println!("| {} |", line.join(" | "));
        if at == 0 {
            println!("|{}", " --- |".repeat(line.len()));
        }
    }
}

fn text(lines: &[Vec<String>]) {
    let columns = lines.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            let cells = lines.iter().filter_map(|line| line.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        })
        .collect();
    for line in lines {
        let cells = line.iter().zip(&widths);
        let cells: Vec<String> = cells
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        println!("{}", cells.join("  ").trim_end());
    }
}
