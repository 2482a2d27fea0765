//! [`Check`]: what a schema demands of a value beyond what its type expresses.
//!
//! A type whose schema says more than a type can express has a list of checks, which are the keywords of the
//! whole schema as data. The value is decoded as the type first, then read again as JSON and compared with the
//! list.

mod compare;
mod equal;
mod goals;
mod run;
mod seen;
#[cfg(test)]
mod tests;
mod tree;

use super::super::error::DecodeError;
use super::Text;
use run::Comparison;

/// What a value has to fulfil.
pub type Checks = &'static [Check];

/// A keyword of JSON Schema. A keyword about another kind of value than it gets is fulfilled.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    /// No value is valid: the schema `false`.
    Nothing,
    /// `type`: one of several types, by the names of JSON Schema.
    Types(&'static [&'static str]),
    /// `const` and `enum`: equal to one of several values, which are sorted: `null`, `false`, `true`,
    /// numbers and strings by their texts, then lists and objects.
    Values(&'static [Literal]),
    /// `minimum`, as a decimal number.
    Minimum(&'static str),
    /// `maximum`, as a decimal number.
    Maximum(&'static str),
    /// `exclusiveMinimum`, as a decimal number.
    Above(&'static str),
    /// `exclusiveMaximum`, as a decimal number.
    Below(&'static str),
    /// `multipleOf`, as a decimal number.
    MultipleOf(&'static str),
    /// `minLength` and `maxLength`, in characters.
    Length(usize, usize),
    /// `pattern`.
    Pattern(Pattern),
    /// `minItems` and `maxItems`.
    Items(usize, usize),
    /// `uniqueItems`: no two elements are equal.
    Unique,
    /// `prefixItems`: what the first elements have to fulfil.
    First(&'static [Checks]),
    /// `items`: what all elements from a position on have to fulfil.
    Rest(usize, Checks),
    /// `contains`, `minContains` and `maxContains`: how many elements fulfil a list of checks.
    Contains(usize, usize, Checks),
    /// `minProperties` and `maxProperties`.
    Members(usize, usize),
    /// `required`.
    Required(&'static [&'static str]),
    /// `properties`, sorted by their names.
    Properties(&'static [(&'static str, Checks)]),
    /// `patternProperties`.
    Matching(&'static [(Pattern, Checks)]),
    /// `additionalProperties`: what members have to fulfil that have none of these names, which are sorted,
    /// and match none of these patterns.
    Others(&'static [&'static str], &'static [Pattern], Checks),
    /// `propertyNames`.
    Names(Checks),
    /// `dependentRequired` and `dependentSchemas`: what an object that has a member has to fulfil.
    With(&'static str, Checks),
    /// `allOf`, and a schema to which a reference leads.
    All(&'static Checks),
    /// `anyOf`.
    Any(&'static [Checks]),
    /// `oneOf`.
    One(&'static [Checks]),
    /// `not`.
    Not(Checks),
    /// `if`, `then` and `else`.
    If(Checks, Checks, Checks),
    /// `unevaluatedItems`. Comes after all other keywords about the same value.
    UnseenItems(Checks),
    /// `unevaluatedProperties`. Comes after all other keywords about the same value.
    UnseenMembers(Checks),
}

/// A regular expression.
#[derive(Clone, Copy, Debug)]
pub struct Pattern {
    /// The expression as it is written in the schema.
    pub source: &'static str,
    /// Returns `true` if a part of a text matches.
    pub matches: fn(&str) -> bool,
}

/// A JSON value.
#[derive(Clone, Copy, Debug)]
pub enum Literal {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number: its digits without zeros at the ends, `e`, and the exponent. `1.50` is `15e-1`, zero `0`.
    Number(&'static str),
    /// A string.
    String(&'static str),
    /// A list.
    Array(&'static [Literal]),
    /// An object.
    Object(&'static [(&'static str, Literal)]),
}

/// Decodes the next value of a text, and checks it then.
///
/// The outermost value that is checked is parsed once, and what is found out about the values inside is
/// remembered, because the types inside may have checks of their own.
///
/// # Errors
///
/// Returns the error of the decoder, or tells the first keyword that the value does not fulfil.
pub fn checked(
    text: &mut Text<'_>,
    checks: Checks,
    decode: impl FnOnce(&mut Text<'_>) -> Result<(), DecodeError>,
) -> Result<(), DecodeError> {
    let at = text.offset();
    let comparison = comparison(text, at);
    text.remember(comparison);
    let start = text.position();
    decode(text)?;
    let end = text.position();
    text.rewind(start);
    let mut comparison = self::comparison(text, at);
    text.rewind(end);
    let outcome = comparison.compare(checks, at);
    text.remember(comparison);
    outcome
}

/// Returns the comparison that covers the next value. Begins one if no value around it is compared.
fn comparison(text: &mut Text<'_>, at: usize) -> Box<Comparison> {
    match text.recall::<Comparison>() {
        Some(known) if known.covers(at) => known,
        _ => Box::new(Comparison::read(text)),
    }
}
