//! Unions without a tag: the variant is selected by the members of the object.

use super::super::error::{DecodeError, Rule};
use super::super::json::text::Lookahead;
use super::Text;
use super::union::Variant;
use std::cmp::Reverse;

/// A condition about an object.
#[derive(Clone, Copy, Debug)]
pub enum Condition {
    /// It has a member.
    Has(&'static str),
    /// It has a member whose value is an object that has the second member.
    HasInside(&'static str, &'static str),
    /// It has a member whose value is one of some strings.
    HasOneOf(&'static str, &'static [&'static str]),
}

impl Condition {
    fn member(&self) -> &'static str {
        match self {
            Self::Has(member) | Self::HasInside(member, _) | Self::HasOneOf(member, _) => member,
        }
    }
}

/// A variant of a union, and the conditions under which an object can be it.
#[derive(Debug)]
pub struct Candidate<T> {
    /// The name of the variant's type.
    pub name: &'static str,
    /// The conditions, which an object has to meet all.
    pub conditions: &'static [Condition],
    /// Decodes the object as the variant.
    pub read: Variant<T>,
}

/// Decodes the object that follows as the first candidate whose conditions it meets and that accepts it.
///
/// # Errors
///
/// If the object meets the conditions of several candidates and none accepts it, the error is that of the
/// first one. If it meets those of none, but resembles one more than all others, the error is that of this
/// candidate, because it tells the path of what is wrong.
pub fn first_fit<T>(
    text: &mut Text<'_>,
    union: &str,
    candidates: &[Candidate<T>],
) -> Result<T, DecodeError> {
    let start = text.position();
    let outline = Outline::read(text.rest(), candidates)?;
    // A variant that is a union itself has a candidate for each of its own variants.
    let mut tried: Vec<&str> = Vec::new();
    let mut first_error = None;
    for candidate in candidates {
        if tried.contains(&candidate.name) || !outline.fits(candidate.conditions) {
            continue;
        }
        if !tried.is_empty() {
            text.return_to(start)?;
        }
        match text.strictly(candidate.read) {
            Ok(value) => return Ok(value),
            Err(error) => first_error = first_error.or(Some((error, candidate))),
        }
        tried.push(candidate.name);
    }
    if text.collects()
        && let Some((_, first)) = first_error
    {
        // The errors are those of the first candidate.
        text.return_to(start)?;
        return (first.read)(text);
    }
    let error = match first_error {
        Some((error, _)) => Some(error),
        None => match closest(&outline, candidates) {
            None => None,
            Some(closest) => {
                let before = text.fault_count();
                match (closest.read)(text) {
                    Ok(value) if text.fault_count() > before => return Ok(value),
                    outcome => outcome.err(),
                }
            }
        },
    };
    // A candidate may require more members than its type does. Such an object is not valid for the union even
    // if the type alone accepts it.
    Err(error.unwrap_or_else(|| nothing_fits(union, candidates)))
}

/// The members of an object that conditions are about, each with the text of its value.
struct Outline<'de>(Vec<(&'static str, &'de str)>);

impl<'de> Outline<'de> {
    /// Reads the outline of the object at the start of a text.
    fn read<T>(object: &'de str, candidates: &[Candidate<T>]) -> Result<Self, DecodeError> {
        let mut outline = Self(Vec::new());
        let mut members = Lookahead::new(object);
        while let Some(name) = members.name()? {
            let conditions = candidates.iter().flat_map(|candidate| candidate.conditions);
            let known = conditions
                .map(Condition::member)
                .find(|member| *member == name);
            let value = members.value()?;
            if let Some(known) = known
                && outline.get(known).is_none()
            {
                outline.0.push((known, value));
            }
        }
        Ok(outline)
    }

    fn get(&self, name: &str) -> Option<&'de str> {
        let member = self.0.iter().find(|(known, _)| *known == name);
        member.map(|(_, value)| *value)
    }

    /// Returns whether a condition is met, or `None` if its member is absent.
    fn meets(&self, condition: &Condition) -> Option<bool> {
        let value = self.get(condition.member())?;
        Some(match condition {
            Condition::Has(_) => true,
            Condition::HasInside(_, inner) => value.starts_with('{') && has_member(value, inner),
            Condition::HasOneOf(_, strings) => {
                let found = Text::new(value).expect_string(&"a string");
                found.is_ok_and(|found| strings.contains(&found.as_ref()))
            }
        })
    }

    fn fits(&self, conditions: &[Condition]) -> bool {
        conditions.iter().all(|it| self.meets(it) == Some(true))
    }

    fn likeness(&self, conditions: &[Condition]) -> Likeness {
        let (mut met, mut contradictions) = (0, 0);
        for condition in conditions {
            match self.meets(condition) {
                Some(true) => met += 1,
                Some(false) if matches!(condition, Condition::HasOneOf(..)) => contradictions += 1,
                _ => {}
            }
        }
        Likeness {
            contradictions: Reverse(contradictions),
            met,
        }
    }
}

/// Returns `true` if an object has a member. In a text that is not JSON, members may be missed, which the
/// decoder rejects.
fn has_member(object: &str, name: &str) -> bool {
    let mut members = Lookahead::new(object);
    while let Ok(Some(member)) = members.name() {
        if member == name {
            return true;
        }
        if members.value().is_err() {
            break;
        }
    }
    false
}

/// How well an object meets the conditions of a candidate. The greatest one is the best: that with
/// the fewest contradictions, and among these the one with the most conditions met.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Likeness {
    /// The number of members with a string that the candidate excludes.
    contradictions: Reverse<usize>,
    met: usize,
}

/// Returns the candidate that the object resembles more than any other one, or `None` if there is no such
/// candidate. If strings contradict all candidates but one, it is that one.
#[cold]
fn closest<'a, T>(
    outline: &Outline<'_>,
    candidates: &'a [Candidate<T>],
) -> Option<&'a Candidate<T>> {
    let likeness = |it: &'a Candidate<T>| (it, outline.likeness(it.conditions));
    let all: Vec<_> = candidates.iter().map(likeness).collect();
    let (contradicted, others): (Vec<_>, Vec<_>) = all
        .iter()
        .partition(|(_, likeness)| likeness.contradictions.0 > 0);
    // A variant that is a union itself has a candidate for each of its own variants.
    if let Some((left, _)) = others.first()
        && !contradicted.is_empty()
        && others.iter().all(|(other, _)| other.name == left.name)
    {
        return Some(left);
    }
    let similar = all.iter().filter(|(_, likeness)| likeness.met > 0);
    let (closest, best) = similar.clone().max_by_key(|(_, likeness)| *likeness)?;
    let is_clear = similar
        .clone()
        .all(|(other, likeness)| likeness < best || other.name == closest.name);
    is_clear.then_some(*closest)
}

fn nothing_fits<T>(union: &str, candidates: &[Candidate<T>]) -> DecodeError {
    let demands = candidates.iter().map(|candidate| {
        let members = candidate
            .conditions
            .iter()
            .map(|condition| match condition {
                Condition::Has(member) => format!("`{member}`"),
                Condition::HasInside(member, inner) => format!("`{member}.{inner}`"),
                Condition::HasOneOf(member, strings) => {
                    format!("`{member}` = `{}`", strings.join("` or `"))
                }
            });
        let members: Vec<String> = members.collect();
        format!("{} requires {}", candidate.name, members.join(", "))
    });
    let demands: Vec<String> = demands.collect();
    let demands = demands.join("; ");
    DecodeError::data(format!(
        "the object matches no variant of `{union}`: {demands}"
    ))
    .with_rule(Rule::Variant, [union.to_owned()])
}

#[cfg(test)]
mod tests {
    use super::super::{
        Declared, Decode, FromMembers, Kind, Reader, Table, need, read, read_object,
    };
    use super::*;
    use std::cell::Cell;

    thread_local! {
        static LEAVES: Cell<usize> = const { Cell::new(0) };
    }

    /// A union that contains itself, and whose objects fit two variants.
    enum Tree {
        Leaf,
        Node(Node),
    }

    struct Node {
        inner: Option<Box<Tree>>,
    }

    impl Decode for Node {
        fn vacant() -> Self {
            Self { inner: None }
        }

        fn decode(&mut self, text: &mut Text<'_>) -> Result<(), DecodeError> {
            read_object(self, text)
        }
    }

    impl FromMembers for Node {
        const TABLE: Table = Table::new(
            "Node",
            &[Declared::new(0, "inner", need::optional)],
            &["inner"],
        );

        fn read_member(&mut self, at: u16, reader: &mut Reader<'_, '_>) -> Result<(), DecodeError> {
            match at {
                0 => reader.optional(&mut self.inner),
                _ => reader.unknown(),
            }
        }
    }

    impl Decode for Tree {
        fn vacant() -> Self {
            Self::Leaf
        }

        fn decode(&mut self, text: &mut Text<'_>) -> Result<(), DecodeError> {
            const fn candidate(name: &'static str) -> Candidate<Tree> {
                Candidate {
                    name,
                    conditions: &[Condition::Has("inner")],
                    read: |text| read(text).map(Tree::Node),
                }
            }
            if text.kind() == Some(Kind::Object) {
                *self = first_fit(text, "Tree", &[candidate("One"), candidate("Other")])?;
                return Ok(());
            }
            LEAVES.set(LEAVES.get() + 1);
            match read::<String>(text)?.as_str() {
                "good" => Ok(()),
                _ => Err(DecodeError::data("a bad leaf")),
            }
        }
    }

    /// Decodes a leaf within objects, and returns the levels and the number of leaves decoded.
    fn decode(levels: usize, leaf: &str) -> (Result<usize, DecodeError>, usize) {
        LEAVES.set(0);
        let leaf = format!("\"{leaf}\"");
        let text = (0..levels).fold(leaf, |inner, _| format!("{{\"inner\":{inner}}}"));
        let tree = read::<Tree>(&mut Text::new(&text)).map(|tree| {
            let mut depth = 0;
            let mut tree = &tree;
            while let Tree::Node(Node { inner: Some(inner) }) = tree {
                depth += 1;
                tree = inner;
            }
            depth
        });
        (tree, LEAVES.get())
    }

    #[test]
    fn value_at_fault_is_decoded_a_bounded_number_of_times() {
        for levels in [1, 2, 5, 20, 60, 120] {
            let (error, leaves) = decode(levels, "bad");
            assert!(error.is_err());
            // Each retry of the innermost objects takes at least ten bytes of the account.
            assert!(leaves <= 64 * (levels + 1), "{levels}: {leaves} leaves");
        }
        // An error that is found with few repetitions is reported as it is.
        let (error, _) = decode(4, "bad");
        let error = error.unwrap_err();
        assert!(error.message().contains("a bad leaf"), "{error}");
    }

    #[test]
    fn valid_value_is_decoded_once() {
        let (levels, leaves) = decode(100, "good");
        assert_eq!((levels.ok(), leaves), (Some(100), 1));
    }
}
