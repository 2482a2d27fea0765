//! [`print()`]: tables of lists.

use std::io;

use super::Output;

/// The maximum width of a column besides the last one.
const WIDTH: usize = 48;

/// The maximum width of the last column.
const LAST: usize = 100;

/// Prints rows of the same number of columns, below their titles. Texts that are too long or have
/// several lines are cut.
pub(crate) fn print<const N: usize>(
    output: Output,
    titles: [&str; N],
    rows: &[[String; N]],
) -> io::Result<()> {
    let cells = rows.iter().map(|row| {
        let cells = row.iter().enumerate();
        let cells = cells.map(|(at, cell)| cut(cell, if at + 1 == N { LAST } else { WIDTH }));
        cells.collect::<Vec<_>>()
    });
    let cells: Vec<Vec<String>> = cells.collect();
    let widths: Vec<usize> = (0..N)
        .map(|at| {
            let cells = cells.iter().map(|row| row[at].chars().count());
            cells.chain([titles[at].len()]).max().unwrap_or_default()
        })
        .collect();
    output.heading(&line(titles.iter().copied(), &widths))?;
    for row in &cells {
        output.line(&line(row.iter().map(String::as_str), &widths))?;
    }
    Ok(())
}

fn line<'a>(cells: impl Iterator<Item = &'a str>, widths: &[usize]) -> String {
    let cells = cells.zip(widths);
    let line: String = cells
        .map(|(cell, &width)| format!("{cell:width$}  "))
        .collect();
    line.trim_end().to_owned()
}

/// Returns the first line of a text, shortened.
fn cut(text: &str, width: usize) -> String {
    let text = text.trim();
    let line = text.lines().next().unwrap_or_default();
    let is_long = line.chars().count() > width;
    if !is_long && line.len() == text.len() {
        return line.to_owned();
    }
    let kept: String = line.chars().take(width.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}
