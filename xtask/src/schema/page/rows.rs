//! Compares the lines of two texts, and puts them side by side.

use similar::{Algorithm, ChangeTag, DiffOp, TextDiff, capture_diff_slices};

/// Unchanged lines that are shown before and after a change.
const CONTEXT: usize = 3;

/// Two lines beside each other.
#[derive(Debug, PartialEq)]
pub(super) enum Row {
    /// A line that both texts have.
    Same(String),
    /// A line that was removed, added, or replaced by another one.
    Changed(Option<Side>, Option<Side>),
    /// A number of unchanged lines far from any change.
    Hidden(Vec<String>),
}

/// The parts of a line, each with a mark if it is not in the other line.
pub(super) type Side = Vec<(bool, String)>;

/// Returns the rows of two texts.
pub(super) fn rows(old: &[String], new: &[String]) -> Vec<Row> {
    let mut rows = Vec::new();
    for operation in capture_diff_slices(Algorithm::Patience, old, new) {
        let (removed, added) = (&old[operation.old_range()], &new[operation.new_range()]);
        if let DiffOp::Equal { .. } = operation {
            let is_first = rows.is_empty();
            let is_last = operation.old_range().end == old.len();
            rows.extend(unchanged(removed, is_first, is_last));
            continue;
        }
        rows.extend(changed(removed, added));
    }
    rows
}

/// Returns rows of different lines. Lines of the same member stand beside each other.
fn changed(removed: &[String], added: &[String]) -> Vec<Row> {
    let old: Vec<&str> = removed.iter().map(|line| member(line)).collect();
    let new: Vec<&str> = added.iter().map(|line| member(line)).collect();
    let mut rows = Vec::new();
    for operation in capture_diff_slices(Algorithm::Myers, &old, &new) {
        let old = &removed[operation.old_range()];
        let new = &added[operation.new_range()];
        for place in 0..old.len().max(new.len()) {
            let row = match (old.get(place), new.get(place)) {
                (Some(left), Some(right)) => {
                    let (left, right) = words(left, right);
                    Row::Changed(Some(left), Some(right))
                }
                (left, right) => {
                    Row::Changed(left.map(|line| whole(line)), right.map(|line| whole(line)))
                }
            };
            rows.push(row);
        }
    }
    rows
}

/// Returns the name of a line's member with the space before it, or the whole line if it has none.
fn member(line: &str) -> &str {
    let name = line.split_once(": ").map_or(line, |(name, _)| name);
    name.trim_end_matches('?')
}

/// Returns rows of unchanged lines. Those far from a change are hidden.
fn unchanged(lines: &[String], is_first: bool, is_last: bool) -> Vec<Row> {
    let before = if is_first { 1 } else { CONTEXT };
    let after = if is_last { 1 } else { CONTEXT };
    let same = |lines: &[String]| lines.iter().cloned().map(Row::Same).collect::<Vec<_>>();
    if lines.len() <= before + after + 2 {
        return same(lines);
    }
    let mut rows = same(&lines[..before]);
    rows.push(Row::Hidden(lines[before..lines.len() - after].to_vec()));
    rows.extend(same(&lines[lines.len() - after..]));
    rows
}

fn whole(line: &str) -> Side {
    vec![(false, line.to_owned())]
}

/// Returns two lines with marks at the words that differ. Lines with little in common have no
/// marks.
fn words(left: &str, right: &str) -> (Side, Side) {
    let diff = TextDiff::from_words(left, right);
    let (mut old, mut new): (Side, Side) = (Vec::new(), Vec::new());
    let mut common = 0;
    for change in diff.iter_all_changes() {
        let text = change.value();
        let (is_old, is_new) = match change.tag() {
            ChangeTag::Equal => {
                common += text.trim().len();
                (true, true)
            }
            ChangeTag::Delete => (true, false),
            ChangeTag::Insert => (false, true),
        };
        for (side, belongs) in [(&mut old, is_old), (&mut new, is_new)] {
            if belongs {
                push(side, !(is_old && is_new), text);
            }
        }
    }
    if common * 3 < left.trim().len().max(right.trim().len()) {
        return (whole(left), whole(right));
    }
    (old, new)
}

fn push(side: &mut Side, mark: bool, text: &str) {
    match side.last_mut() {
        Some((last, before)) if *last == mark => before.push_str(text),
        _ => side.push((mark, text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(lines: &str) -> Vec<String> {
        lines.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn changed_lines_stand_beside_each_other() {
        let old = ["{", "  a: string", "}"].map(str::to_owned);
        let new = ["{", "  a: string | null", "  b: any", "}"].map(str::to_owned);
        let rows = rows(&old, &new);
        assert_eq!(rows[0], Row::Same("{".to_owned()));
        let left = vec![(false, "  a: string".to_owned())];
        let right = vec![
            (false, "  a: string".to_owned()),
            (true, " | null".to_owned()),
        ];
        assert_eq!(rows[1], Row::Changed(Some(left), Some(right)));
        let right = vec![(false, "  b: any".to_owned())];
        assert_eq!(rows[2], Row::Changed(None, Some(right)));
        assert_eq!(rows[3], Row::Same("}".to_owned()));
    }

    #[test]
    fn lines_of_the_same_member_stand_beside_each_other() {
        let old = ["  a: X", "  b?: Y"].map(str::to_owned);
        let new = ["  b: Y"].map(str::to_owned);
        let a = Row::Changed(Some(vec![(false, "  a: X".to_owned())]), None);
        let found = rows(&old, &new);
        assert_eq!(found[0], a);
        assert!(
            matches!(found[1], Row::Changed(Some(_), Some(_))),
            "{found:?}"
        );
    }

    #[test]
    fn lines_far_from_a_change_are_hidden() {
        let old = text("{ a b c d e f g h i j }");
        let new = text("{ a b c d e f g x h i j }");
        let rows = rows(&old, &new);
        assert_eq!(rows[1], Row::Hidden(text("a b c d")));
        assert_eq!(rows.len(), 10, "{rows:?}");
    }

    #[test]
    fn no_line_is_lost() {
        let old = text("a b c d e f g h i j k l m n");
        let new = text("a x y d e f g h i j k l z");
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for row in rows(&old, &new) {
            let (old, new) = match row {
                Row::Same(line) => (vec![line.clone()], vec![line]),
                Row::Hidden(lines) => (lines.clone(), lines),
                Row::Changed(old, new) => {
                    let text = |side: Side| side.into_iter().map(|(_, text)| text).collect();
                    (
                        old.map(text).into_iter().collect(),
                        new.map(text).into_iter().collect(),
                    )
                }
            };
            left.extend(old);
            right.extend(new);
        }
        assert_eq!((left, right), (old, new));
    }
}
