//! Paths of a document, with their variables.

use std::collections::{BTreeSet, HashMap};

use super::{Bound, Segment};
use crate::base::has_dots;
use crate::parameter::Place;

/// Returns the names of the variables of a path, in an order that is always the same.
pub(super) fn variables(path: &str) -> Result<BTreeSet<&str>, String> {
    if !path.starts_with('/') {
        return Err("the path does not begin with `/`".to_owned());
    }
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    if query.contains('{') {
        return Err("the path has a variable after `?`".to_owned());
    }
    if has_dots(path) {
        return Err("the path has a segment `.` or `..`".to_owned());
    }
    let mut names = BTreeSet::new();
    let mut rest = path;
    while let Some((_, after)) = rest.split_once('{') {
        let (name, after) = after
            .split_once('}')
            .ok_or("the path has `{` without `}`")?;
        names.insert(name);
        rest = after;
    }
    Ok(names)
}

pub(super) fn segments(path: &str, bound: &[Bound]) -> Vec<Segment> {
    let positions: HashMap<&str, usize> = bound
        .iter()
        .enumerate()
        .filter(|(_, bound)| bound.parameter.place == Place::Path)
        .map(|(at, bound)| (&*bound.parameter.name, at))
        .collect();
    let mut segments = Vec::new();
    let mut rest = path.split('?').next().unwrap_or_default();
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        segments.push(Segment::Text(literal(before)));
        if let Some(at) = positions.get(name) {
            segments.push(Segment::Parameter(*at));
        }
        rest = after;
    }
    segments.push(Segment::Text(literal(rest)));
    segments
}

/// Returns what a path of the document has after `?`.
pub(super) fn fixed_query(path: &str) -> String {
    path.split_once('?')
        .map(|(_, query)| literal(query))
        .unwrap_or_default()
}

/// Encodes what is not allowed in a path.
fn literal(text: &str) -> String {
    const ILLEGAL: &percent_encoding::AsciiSet = &percent_encoding::CONTROLS
        .add(b' ')
        .add(b'"')
        .add(b'<')
        .add(b'>')
        .add(b'\\')
        .add(b'^')
        .add(b'`')
        .add(b'|')
        .add(b'}');
    percent_encoding::utf8_percent_encode(text, ILLEGAL).to_string()
}
