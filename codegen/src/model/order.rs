//! Keeps the form of structs from one revision to the next.

use super::{Kind, Member, Model, Note, Recursion};
use crate::hints::Hints;

/// Gives the members of each object the order that they have in the revision before, its
/// constructor the same parameters, and its fields the same form, if the object exists there.
///
/// The order of members means nothing in JSON. In Rust it is the order of a constructor's
/// parameters, and a schema that only changed the order would exchange two parameters of one type
/// without an error in the programs that call it. Nor does a program have to change if a revision
/// adds a required member or requires an optional one: the member stays out of the constructor, and
/// an `Option` stays one, unless the hints say that the struct follows the revision.
pub fn keep_form_of_structs(older: &Model, newer: &mut Model, hints: &Hints) {
    for def in &older.types {
        let Kind::Object(old) = &def.kind else {
            continue;
        };
        let revision = newer.revision.clone();
        let name = hints.new_name(&revision, &def.name);
        let Some(at) = newer.index.get(name).copied() else {
            continue;
        };
        if let Kind::Object(new) = &mut newer.types[at].kind {
            let members = std::mem::take(&mut new.members);
            new.members = ordered(members, &old.members);
            for member in &mut new.members {
                if hints.follows_revision(&revision, name, &member.json) {
                    continue;
                }
                let before = old.members.iter().find(|old| old.json == member.json);
                keep_form(member, before);
                let is_new = member.constant().is_none() && !before.is_some_and(|old| old.required);
                if member.required && is_new {
                    let place = format!("{name}.{}", member.json);
                    newer.notes.push(Note::KeptForm { place });
                }
            }
        }
    }
}

/// Gives a member the form that it has in the revision before.
fn keep_form(member: &mut Member, before: Option<&Member>) {
    member.parameter = before.is_some_and(|old| old.parameter);
    let Some(old) = before else { return };
    if member.required && member.constant().is_none() && old.is_option() {
        member.stays_option = true;
        if old.recursion == Recursion::BoxedForSize {
            member.recursion = Recursion::BoxedForSize;
        }
    }
}

/// Orders members like older ones. A member that is new stays behind the one that it follows.
fn ordered(members: Vec<Member>, like: &[Member]) -> Vec<Member> {
    let position = |member: &Member| like.iter().position(|old| old.json == member.json);
    // The first group has the new members before the first known one.
    let mut groups: Vec<(Option<usize>, Vec<Member>)> = vec![(None, Vec::new())];
    for member in members {
        match (position(&member), groups.last_mut()) {
            (None, Some((_, group))) => group.push(member),
            (position, _) => groups.push((position, vec![member])),
        }
    }
    groups.sort_by_key(|(position, _)| *position);
    groups.into_iter().flat_map(|(_, group)| group).collect()
}
