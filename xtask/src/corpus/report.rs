//! The table of results.

/// The results for one schema.
pub(super) struct Row {
    pub(super) about: String,
    /// The size of the schema.
    pub(super) bytes: usize,
    /// The number of types, including inline types.
    pub(super) types: usize,
    pub(super) warnings: usize,
    /// The number of instances that were drawn, and of mutants.
    pub(super) instances: u64,
    /// The number of instances and mutants that are valid for the original schema.
    pub(super) original: u64,
    /// The number of instances and mutants that have to be refused.
    pub(super) refused: u64,
    pub(super) disagreements: u64,
}

impl Row {
    fn cells(&self) -> [String; 8] {
        [
            self.about.clone(),
            format!("{} kB", self.bytes / 1000),
            self.types.to_string(),
            self.warnings.to_string(),
            self.instances.to_string(),
            self.original.to_string(),
            self.refused.to_string(),
            self.disagreements.to_string(),
        ]
    }

    pub(super) fn text(&self) -> String {
        let cells = self.cells();
        let named = HEAD.iter().zip(&cells).skip(1);
        let named: Vec<String> = named.map(|(head, cell)| format!("{head} {cell}")).collect();
        named.join(", ")
    }
}

const HEAD: [&str; 8] = [
    "schema",
    "size",
    "types",
    "warnings",
    "instances",
    "valid originally",
    "refused",
    "disagreements",
];

/// Returns the table as text or Markdown.
pub(super) fn table(rows: &[Row], markdown: bool) -> String {
    let mut lines: Vec<[String; 8]> = vec![HEAD.map(str::to_owned)];
    lines.extend(rows.iter().map(Row::cells));
    if markdown {
        let mut lines: Vec<String> = lines
            .iter()
            .map(|cells| format!("| {} |", cells.join(" | ")))
            .collect();
        lines.insert(
            1,
            "| --- | --- | --- | --- | --- | --- | --- | --- |".to_owned(),
        );
        return lines.join("\n");
    }
    let width = |at: usize| lines.iter().map(|cells| cells[at].chars().count()).max();
    let widths: Vec<usize> = (0..8).map(|at| width(at).unwrap_or_default()).collect();
    let line = |cells: &[String; 8]| {
        let cells = cells.iter().zip(&widths);
        let cells: Vec<String> = cells
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        cells.join("  ").trim_end().to_owned()
    };
    lines.iter().map(line).collect::<Vec<_>>().join("\n")
}
