//! Keywords that say something about a value itself, and the errors of all keywords.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::super::super::error::{DecodeError, Rule, excerpt};
use super::equal::repeated;
use super::tree::{Tree, View};
use super::{Check, Literal};

/// Returns `true` unless a value itself does not fulfil a keyword. What the keyword says about its parts
/// is not compared.
pub(super) fn fits(check: &Check, value: View<'_>, tree: &Tree) -> bool {
    match (check, value) {
        (Check::Nothing, _) => false,
        (Check::Types(names), _) => {
            let (own, is_integer) = type_of(value);
            names.contains(&own) || is_integer && names.contains(&"integer")
        }
        (Check::Values(known), _) => Literal::contains(known, tree, value),
        (Check::Minimum(bound), View::Number(number)) => number.compare(bound) != Ordering::Less,
        (Check::Maximum(bound), View::Number(number)) => number.compare(bound) != Ordering::Greater,
        (Check::Above(bound), View::Number(number)) => number.compare(bound) == Ordering::Greater,
        (Check::Below(bound), View::Number(number)) => number.compare(bound) == Ordering::Less,
        (Check::MultipleOf(step), View::Number(number)) => number.is_multiple_of(step),
        (Check::Length(least, most), View::String(text)) => {
            (*least..=*most).contains(&text.chars().count())
        }
        (Check::Pattern(pattern), View::String(text)) => (pattern.matches)(text),
        (Check::Items(least, most), View::Array(items)) => (*least..=*most).contains(&items.len()),
        (Check::Unique, View::Array(items)) => repeated(tree, items).is_none(),
        (Check::Members(least, most), View::Object(members)) => {
            (*least..=*most).contains(&members.all.len())
        }
        (Check::Required(names), View::Object(members)) => {
            names.iter().all(|name| members.get(name).is_some())
        }
        _ => true,
    }
}

/// Returns the error for a value that does not fulfil a keyword. `found` is how many parts or alternatives
/// fitted.
pub(super) fn error(check: &Check, value: View<'_>, tree: &Tree, found: usize) -> DecodeError {
    match (check, value) {
        (Check::Types(names), _) => DecodeError::data(format!(
            "invalid type: {}, expected {}",
            type_of(value).0,
            names.join(" or ")
        ))
        .with_rule(Rule::Type, names.iter().copied()),
        (Check::Values(known), _) => {
            let shown = match value {
                View::Array(_) => Cow::Borrowed("an array"),
                View::Object(_) => Cow::Borrowed("an object"),
                View::String(text) => Cow::Owned(format!("`{}`", excerpt(text))),
                View::Number(number) => Cow::Owned(format!("`{}`", excerpt(&number.to_string()))),
                View::Bool(value) => Cow::Owned(format!("`{value}`")),
                View::Null => Cow::Borrowed("`null`"),
            };
            DecodeError::data(format!("{shown} is none of the values that are allowed"))
                .with_rule(Rule::Value, known.iter().filter_map(Literal::text))
        }
        (Check::Minimum(bound), _) => outside(value, "at least", bound, [bound, "inf"]),
        (Check::Maximum(bound), _) => outside(value, "at most", bound, ["-inf", bound]),
        (Check::Above(bound), _) => outside(value, "more than", bound, [bound, "inf"]),
        (Check::Below(bound), _) => outside(value, "less than", bound, ["-inf", bound]),
        (Check::MultipleOf(step), _) => {
            outside(value, "a multiple of", step, []).with_rule(Rule::Multiple, [*step])
        }
        (Check::Length(least, most), View::String(text)) => {
            count(text.chars().count(), *least, *most, "characters")
        }
        (Check::Items(least, most), View::Array(items)) => {
            count(items.len(), *least, *most, "elements")
        }
        (Check::Members(least, most), View::Object(members)) => {
            count(members.all.len(), *least, *most, "members")
        }
        (Check::Contains(least, most, _), _) => count(
            found,
            *least,
            *most,
            "elements are of the kind that the list has to contain",
        ),
        (Check::Pattern(pattern), View::String(text)) => DecodeError::data(format!(
            "`{}` does not match `{}`",
            excerpt(text),
            pattern.source
        ))
        .with_rule(Rule::Pattern, [pattern.source]),
        (Check::Unique, View::Array(items)) => {
            let (first, at) = repeated(tree, items).unwrap_or_default();
            DecodeError::data(format!(
                "equal to element {first}, but all elements must differ"
            ))
            .with_rule(Rule::Unique, [first.to_string()])
            .inside_index(at)
        }
        (Check::Required(names), View::Object(members)) => {
            let mut absent = names.iter().filter(|name| members.get(name).is_none());
            let name = *absent.next().unwrap_or(&"");
            DecodeError::data(format!("missing field `{name}`"))
                .with_rule(Rule::MissingMember, [name])
        }
        (Check::Any(_) | Check::One(_), _) => DecodeError::data(format!(
            "the value fits {found} alternatives, expected exactly one"
        ))
        .with_rule(Rule::Variant, [""; 0]),
        (Check::Not(_), _) => DecodeError::data("the value is of a kind that is excluded")
            .with_rule(Rule::Excluded, [""; 0]),
        _ => DecodeError::data("no value is valid here").with_rule(Rule::Excluded, [""; 0]),
    }
}

fn outside<const COUNT: usize>(
    value: View<'_>,
    demand: &str,
    bound: &str,
    expected: [&'static str; COUNT],
) -> DecodeError {
    let number = match value {
        View::Number(number) => number.to_string(),
        _ => String::new(),
    };
    let number = excerpt(&number);
    DecodeError::data(format!("{number} is not {demand} {bound}")).with_rule(Rule::Bound, expected)
}

fn count(count: usize, least: usize, most: usize, what: &str) -> DecodeError {
    let message = match (least, most) {
        (least, usize::MAX) => format!("{count} {what}, expected at least {least}"),
        (0, most) => format!("{count} {what}, expected at most {most}"),
        (least, most) => format!("{count} {what}, expected {least} to {most}"),
    };
    DecodeError::data(message).with_rule(Rule::Bound, [least.to_string(), most.to_string()])
}

/// Returns the name of the type of a value, and whether it is an integer.
fn type_of(value: View<'_>) -> (&'static str, bool) {
    match value {
        View::Null => ("null", false),
        View::Bool(_) => ("boolean", false),
        View::Number(number) => ("number", number.is_integer()),
        View::String(_) => ("string", false),
        View::Array(_) => ("array", false),
        View::Object(_) => ("object", false),
    }
}
