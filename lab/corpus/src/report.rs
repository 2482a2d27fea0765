//! The table of results.

/// The results for one schema.
#[derive(Default)]
pub(super) struct Row {
    pub(super) about: String,
    /// The size of the schema.
    pub(super) bytes: usize,
    /// The number of types, including inline types.
    pub(super) types: usize,
    pub(super) warnings: usize,
    /// The number of instances that were drawn, and of mutants.
    pub(super) values: u64,
    /// The number of these that are valid.
    pub(super) valid: u64,
    /// The number of valid values that are refused under a warning.
    pub(super) refused: u64,
    /// The number of invalid values that are accepted under a warning.
    pub(super) accepted: u64,
    pub(super) disagreements: u64,
    /// Why there are no types.
    pub(super) failure: Option<String>,
    /// Whether the file is a schema.
    pub(super) is_valid: bool,
}

impl Row {
    fn cells(&self) -> [String; 9] {
        [
            self.about.clone(),
            format!("{} kB", self.bytes / 1000),
            self.types.to_string(),
            self.warnings.to_string(),
            self.values.to_string(),
            self.valid.to_string(),
            self.refused.to_string(),
            self.accepted.to_string(),
            self.disagreements.to_string(),
        ]
    }

    /// Returns the counts with their names.
    pub(super) fn text(&self) -> String {
        let cells = self.cells();
        let named = HEAD.iter().zip(&cells);
        let named: Vec<String> = named
            .map(|(head, cell)| format!("{head}: {cell}"))
            .collect();
        named.join("; ")
    }

    /// A schema without types.
    pub(super) fn failed(about: &str, failure: &str) -> Self {
        Self {
            about: about.to_owned(),
            failure: Some(failure.to_owned()),
            is_valid: true,
            ..Self::default()
        }
    }
}

/// Returns a line with the sums of all rows, and the reasons why schemas have no types.
pub(super) fn sum(rows: &[Row]) -> String {
    let sum = |count: fn(&Row) -> u64| -> u64 { rows.iter().map(count).sum() };
    let checked = rows.iter().filter(|row| row.failure.is_none()).count();
    let mut text = format!(
        "{} schemas, {checked} compiled; {} values, {} of them valid; {} invalid ones accepted and {} valid \
         ones refused under a warning; {} disagreements",
        rows.len(),
        sum(|row| row.values),
        sum(|row| row.valid),
        sum(|row| row.accepted),
        sum(|row| row.refused),
        sum(|row| row.disagreements),
    );
    for row in rows {
        if let Some(failure) = &row.failure {
            text.push_str(&format!("\n{}: {failure}", row.about));
        }
    }
    text
}

const HEAD: [&str; 9] = [
    "schema",
    "size",
    "types",
    "warnings",
    "values",
    "valid",
    "valid, refused",
    "invalid, accepted",
    "disagreements",
];

/// Returns the table as text or Markdown.
pub(super) fn table(rows: &[Row], markdown: bool) -> String {
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.cells().to_vec()).collect();
    aligned(&HEAD, &rows, markdown)
}

/// Returns a table as text or Markdown.
pub(super) fn aligned(head: &[&str], rows: &[Vec<String>], markdown: bool) -> String {
    let mut lines = vec![head.iter().map(|&cell| cell.to_owned()).collect()];
    lines.extend_from_slice(rows);
    if markdown {
        lines.insert(1, vec!["---".to_owned(); head.len()]);
        let line = |cells: &Vec<String>| format!("| {} |", cells.join(" | "));
        return lines.iter().map(line).collect::<Vec<_>>().join("\n");
    }
    let width = |at: usize| lines.iter().map(|cells| cells[at].chars().count()).max();
    let widths: Vec<usize> = (0..head.len())
        .map(|at| width(at).unwrap_or_default())
        .collect();
    let line = |cells: &Vec<String>| {
        let cells = cells.iter().zip(&widths);
        let cells: Vec<String> = cells
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        cells.join("  ").trim_end().to_owned()
    };
    lines.iter().map(line).collect::<Vec<_>>().join("\n")
}
