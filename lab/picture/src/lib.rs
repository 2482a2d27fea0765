//! Draws groups of horizontal bars as SVG, readable on light and on dark pages.

use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

/// A picture: groups of bars, with a bar for each series.
pub struct Chart {
    /// The first line.
    pub title: String,
    /// The names of the series.
    pub series: Vec<String>,
    /// The groups, from top to bottom.
    pub groups: Vec<Group>,
    /// The last line.
    pub note: String,
}

/// The bars of one case.
pub struct Group {
    /// The label.
    pub name: String,
    /// The value of each series, if there is one.
    pub bars: Vec<Option<f64>>,
}

const WIDTH: f64 = 860.0;
/// Where bars begin, and how long the longest one is.
const LEFT: f64 = 300.0;
const LENGTH: f64 = 500.0;
const BAR: f64 = 14.0;
const GAP: f64 = 12.0;
const TOP: f64 = 64.0;
const LETTER: f64 = 7.5;

/// Colours of the text, the lines and the series, on light pages and on dark ones.
const STYLE: &str = "\
text{font:13px system-ui,sans-serif;fill:#1f2328}\
.title{font-weight:600}.small{font-size:12px;fill:#59636e}\
line{stroke:#d1d9e0}.one{stroke:#59636e;stroke-dasharray:3 3}\
.s0{fill:#0969da}.s1{fill:#bc4c00}.s2{fill:#8250df}.s3{fill:#1a7f37}.s4{fill:#bf3989}\
@media(prefers-color-scheme:dark){\
text{fill:#f0f6fc}.small{fill:#9198a1}line{stroke:#3d444d}.one{stroke:#9198a1}\
.s0{fill:#4493f8}.s1{fill:#f0883e}.s2{fill:#ab7df8}.s3{fill:#3fb950}.s4{fill:#db61a2}}";

impl Chart {
    /// Writes the picture to a file, and creates the folder.
    ///
    /// # Errors
    ///
    /// Returns the errors of the file system.
    pub fn write(&self, file: &Path) -> io::Result<()> {
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(file, self.svg())
    }

    /// Returns the text of the picture.
    #[must_use]
    pub fn svg(&self) -> String {
        let bars = self.groups.iter().flat_map(|group| &group.bars).flatten();
        let most = bars.copied().fold(1.0, f64::max);
        let scale = LENGTH / most;
        let mut body = String::new();
        let mut y = TOP;
        for group in &self.groups {
            self.group(&mut body, group, y, scale);
            y += group.height() + GAP;
        }
        let bottom = y - GAP / 2.0;
        let one = LEFT + scale;
        let height = bottom + 30.0;
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
             height=\"{height}\" role=\"img\">\n<title>{0}</title>\n<style>{STYLE}</style>\n\
             <text class=\"title\" x=\"8\" y=\"20\">{0}</text>\n",
            escape(&self.title)
        );
        self.legend(&mut text);
        let _ = write!(
            text,
            "<line x1=\"{LEFT}\" y1=\"{TOP}\" x2=\"{LEFT}\" y2=\"{bottom}\"/>\n{body}\
             <line class=\"one\" x1=\"{one:.1}\" y1=\"{TOP}\" x2=\"{one:.1}\" y2=\"{bottom}\"/>\n\
             <text class=\"small\" x=\"8\" y=\"{}\">{}</text>\n</svg>\n",
            bottom + 20.0,
            escape(&self.note)
        );
        text
    }

    fn legend(&self, text: &mut String) {
        let mut x = 8.0;
        for (number, name) in self.series.iter().enumerate() {
            let after = x + 16.0;
            let _ = writeln!(
                text,
                "<rect class=\"s{number}\" x=\"{x}\" y=\"34\" width=\"11\" height=\"11\"/>\
                 <text x=\"{after}\" y=\"44\">{}</text>",
                escape(name)
            );
            let letters = u32::try_from(name.chars().count()).unwrap_or(u32::MAX);
            x = after + f64::from(letters) * LETTER + 16.0;
        }
    }

    fn group(&self, body: &mut String, group: &Group, top: f64, scale: f64) {
        let middle = top + group.height() / 2.0 + 4.0;
        let _ = writeln!(
            body,
            "<text x=\"8\" y=\"{middle}\">{}</text>",
            escape(&group.name)
        );
        let mut y = top;
        let drawn = group.bars.iter().enumerate();
        for (number, value) in drawn.filter_map(|(number, value)| Some((number, (*value)?))) {
            let (length, name) = (value * scale, self.series.get(number));
            let label = LEFT + length + 5.0;
            let baseline = y + BAR - 3.0;
            let _ = writeln!(
                body,
                "<rect class=\"s{number}\" x=\"{LEFT}\" y=\"{y}\" width=\"{length:.1}\" height=\"{}\">\
                 <title>{}</title></rect><text class=\"small\" x=\"{label:.1}\" y=\"{baseline}\">{value:.2}</text>",
                BAR - 2.0,
                escape(name.map_or("", String::as_str)),
            );
            y += BAR;
        }
    }
}

impl Group {
    fn height(&self) -> f64 {
        let bars = self.bars.iter().flatten().count().max(1);
        BAR * f64::from(u32::try_from(bars).unwrap_or(u32::MAX))
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_bars_take_no_place_and_names_are_escaped() {
        let chart = Chart {
            title: "a < b".to_owned(),
            series: vec!["x".to_owned(), "y".to_owned()],
            groups: vec![Group {
                name: "row & row".to_owned(),
                bars: vec![Some(2.0), None],
            }],
            note: String::new(),
        };
        let svg = chart.svg();
        assert!(
            svg.contains("a &lt; b") && svg.contains("row &amp; row"),
            "{svg}"
        );
        assert!(svg.contains("width=\"500.0\""), "the longest bar: {svg}");
        assert!(!svg.contains("class=\"s1\" x=\"300\""), "no bar: {svg}");
    }
}
