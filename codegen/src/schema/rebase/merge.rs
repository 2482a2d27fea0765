//! Merges what an erratum and a newer revision changed in the same value.

use serde_json::{Map, Value};

/// The result of a merge.
pub(super) enum Merge {
    /// A value with the changes of both sides.
    Merged(Value),
    /// Both sides changed the same thing in different ways.
    Conflict,
}

/// Merges two changes of a value: `ours` is that of the erratum, `theirs` that of the newer
/// revision.
///
/// Objects are merged member by member. Lists are merged as sets: what one side added is added, and
/// what one side removed is removed. `covered` tells whether a list of schemas accepts a schema
/// already, because it contains a union with that variant.
pub(super) fn merge(
    base: &Value,
    ours: &Value,
    theirs: &Value,
    covered: &dyn Fn(&[Value], &Value) -> bool,
) -> Merge {
    if ours == theirs || base == theirs {
        return Merge::Merged(ours.clone());
    }
    if base == ours {
        return Merge::Merged(theirs.clone());
    }
    match (base, ours, theirs) {
        (Value::Object(base), Value::Object(ours), Value::Object(theirs)) => {
            members(base, ours, theirs, covered)
        }
        (Value::Array(base), Value::Array(ours), Value::Array(theirs)) => {
            elements(base, ours, theirs, covered)
        }
        _ => Merge::Conflict,
    }
}

fn members(
    base: &Map<String, Value>,
    ours: &Map<String, Value>,
    theirs: &Map<String, Value>,
    covered: &dyn Fn(&[Value], &Value) -> bool,
) -> Merge {
    let mut merged = Map::new();
    let new = theirs.iter().filter(|(name, _)| !ours.contains_key(*name));
    for (name, _) in ours.iter().chain(new) {
        let (base, ours, theirs) = (base.get(name), ours.get(name), theirs.get(name));
        let value = if base == theirs || ours == theirs {
            ours.cloned()
        } else if base == ours {
            theirs.cloned()
        } else if let (Some(base), Some(ours), Some(theirs)) = (base, ours, theirs) {
            match merge(base, ours, theirs, covered) {
                Merge::Merged(value) => Some(value),
                Merge::Conflict => return Merge::Conflict,
            }
        } else {
            return Merge::Conflict;
        };
        merged.extend(value.map(|value| (name.clone(), value)));
    }
    Merge::Merged(Value::Object(merged))
}

fn elements(
    base: &[Value],
    ours: &[Value],
    theirs: &[Value],
    covered: &dyn Fn(&[Value], &Value) -> bool,
) -> Merge {
    let removed = |one: &&Value| base.contains(one) && !theirs.contains(one);
    let kept: Vec<Value> = ours.iter().filter(|one| !removed(one)).cloned().collect();
    let added = theirs
        .iter()
        .filter(|one| !base.contains(one) && !kept.contains(one) && !covered(&kept, one));
    let merged: Vec<Value> = kept.iter().chain(added).cloned().collect();
    // What the erratum puts in place of elements makes no sense without any of them.
    let replaced = base.iter().filter(|one| !ours.contains(one));
    let mut replaced = replaced.peekable();
    if replaced.peek().is_some() && !replaced.any(|one| theirs.contains(one)) {
        let only_removed = theirs.iter().all(|one| base.contains(one));
        return if only_removed {
            Merge::Merged(theirs.into())
        } else {
            Merge::Conflict
        };
    }
    Merge::Merged(merged.into())
}
