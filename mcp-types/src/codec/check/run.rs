//! [`compare`]: compares a value with a list of checks.

use super::super::super::error::excerpt;
use super::super::super::json::Object;
use super::super::Value;
use super::compare::{Outcome, bound, fail, unique};
use super::seen::Seen;
use super::{Check, Checks, Pattern};

/// How many schemas are compared with parts of a value, for each byte of its text. Alternatives within
/// alternatives could double the number with each level.
const STEPS: usize = 256;

/// The number that is allowed for short values.
const LEAST_STEPS: usize = 1 << 16;

/// How deep schemas may lead to others: more than the parts of a value within others.
const DEEPEST: usize = 512;

/// The comparison of one value.
struct Run {
    /// How many steps are left.
    steps: usize,
    depth: usize,
    /// The outcome says nothing, because there were too many steps.
    is_cut_short: bool,
}

/// Compares a value with a list of checks. `length` is that of its text.
pub(super) fn compare(checks: Checks, value: &Value, length: usize) -> Outcome {
    let mut run = Run {
        steps: LEAST_STEPS.saturating_add(length.saturating_mul(STEPS)),
        depth: 0,
        is_cut_short: false,
    };
    let outcome = run.all(checks, value, &mut Seen::of(value));
    if run.is_cut_short {
        return fail("the value has too many parts that the schema compares with alternatives");
    }
    outcome
}

fn within(count: usize, least: usize, most: usize, what: &str) -> Outcome {
    if (least..=most).contains(&count) {
        return Ok(());
    }
    fail(match (least, most) {
        (least, usize::MAX) => format!("{count} {what}, expected at least {least}"),
        (0, most) => format!("{count} {what}, expected at most {most}"),
        (least, most) => format!("{count} {what}, expected {least} to {most}"),
    })
}

impl Run {
    /// Compares a value with all keywords of a schema, and notes the parts that they are about.
    fn all(&mut self, checks: &[Check], value: &Value, seen: &mut Seen) -> Outcome {
        if self.steps == 0 || self.depth == DEEPEST {
            self.is_cut_short = true;
            return fail("not compared");
        }
        self.steps -= 1;
        self.depth += 1;
        let outcome = checks
            .iter()
            .try_for_each(|check| self.one(check, value, seen));
        self.depth -= 1;
        outcome
    }

    /// Compares a part of the value with a schema.
    fn part(&mut self, checks: &[Check], value: &Value) -> Outcome {
        if checks.is_empty() {
            return Ok(());
        }
        self.all(checks, value, &mut Seen::of(value))
    }

    /// Compares the value with a schema inside another one. What it says about parts counts only if the value
    /// fits, and it does not know what others say.
    fn fits(&mut self, checks: &[Check], value: &Value, seen: &mut Seen) -> Outcome {
        let mut own = Seen::of(value);
        self.all(checks, value, &mut own)?;
        seen.add(&own);
        Ok(())
    }

    fn one(&mut self, check: &Check, value: &Value, seen: &mut Seen) -> Outcome {
        match (check, value) {
            (Check::Nothing, _) => fail("no value is valid here"),
            (Check::Types(names), value) => types(names, value),
            (Check::Values(known), value) => {
                if known.iter().any(|literal| literal.is(value)) {
                    return Ok(());
                }
                let text = value.to_string();
                fail(format!(
                    "`{}` is none of the values that are allowed",
                    excerpt(&text)
                ))
            }
            (
                Check::Minimum(_)
                | Check::Maximum(_)
                | Check::Above(_)
                | Check::Below(_)
                | Check::MultipleOf(_),
                Value::Number(number),
            ) => bound(check, number),
            (Check::Length(least, most), Value::String(text)) => {
                within(text.chars().count(), *least, *most, "characters")
            }
            (Check::Pattern(pattern), Value::String(text)) => pattern.test(text),
            (Check::All(checks), _) => self.fits(checks, value, seen),
            (Check::Any(all), _) => self.any(all, value, seen),
            (Check::One(all), _) => self.exactly_one(all, value, seen),
            (Check::Not(checks), _) => match self.part(checks, value) {
                Ok(()) => fail("the value is of a kind that is excluded"),
                Err(_) => Ok(()),
            },
            (Check::If(condition, then, otherwise), _) => {
                if self.fits(condition, value, seen).is_ok() {
                    self.fits(then, value, seen)
                } else {
                    self.fits(otherwise, value, seen)
                }
            }
            (check, Value::Array(items)) => self.list(check, items, seen),
            (check, Value::Object(object)) => self.object(check, value, object, seen),
            _ => Ok(()),
        }
    }

    /// All alternatives are compared, because each may be about other parts.
    fn any(&mut self, all: &[Checks], value: &Value, seen: &mut Seen) -> Outcome {
        let mut first = None;
        let mut found = false;
        for checks in all {
            match self.fits(checks, value, seen) {
                Ok(()) => found = true,
                Err(error) => first = first.or(Some(error)),
            }
        }
        match first {
            Some(error) if !found => Err(error),
            _ => Ok(()),
        }
    }

    fn exactly_one(&mut self, all: &[Checks], value: &Value, seen: &mut Seen) -> Outcome {
        let mut first = None;
        let mut found = 0;
        for checks in all {
            match self.fits(checks, value, seen) {
                Ok(()) => found += 1,
                Err(error) => first = first.or(Some(error)),
            }
        }
        match (found, first) {
            (1, _) => Ok(()),
            (0, Some(error)) => Err(error),
            _ => fail(format!(
                "the value fits {found} alternatives, expected exactly one"
            )),
        }
    }

    fn list(&mut self, check: &Check, items: &[Value], seen: &mut Seen) -> Outcome {
        let mut each = |run: &mut Self, at: usize, checks: Checks| {
            seen.note(at);
            let outcome = run.part(checks, &items[at]);
            outcome.map_err(|error| error.inside_index(at))
        };
        match check {
            Check::Items(least, most) => within(items.len(), *least, *most, "elements"),
            Check::Unique => unique(items),
            Check::First(all) => {
                let mut pairs = all.iter().take(items.len()).enumerate();
                pairs.try_for_each(|(at, checks)| each(self, at, checks))
            }
            Check::Rest(from, checks) => {
                (*from..items.len()).try_for_each(|at| each(self, at, checks))
            }
            Check::UnseenItems(checks) => {
                let unseen: Vec<usize> = (0..items.len()).filter(|at| !seen.has(*at)).collect();
                unseen.into_iter().try_for_each(|at| {
                    seen.note(at);
                    let outcome = self.part(checks, &items[at]);
                    outcome.map_err(|error| error.inside_index(at))
                })
            }
            Check::Contains(least, most, checks) => {
                let mut found = 0;
                for (at, item) in items.iter().enumerate() {
                    if self.part(checks, item).is_ok() {
                        seen.note(at);
                        found += 1;
                    }
                }
                within(
                    found,
                    *least,
                    *most,
                    "elements are of the kind that the list has to contain",
                )
            }
            _ => Ok(()),
        }
    }

    fn object(
        &mut self,
        check: &Check,
        value: &Value,
        object: &Object,
        seen: &mut Seen,
    ) -> Outcome {
        let mut all = object.iter().enumerate();
        let mut each = |run: &mut Self, at: usize, name: &str, checks: &[Check], value: &Value| {
            seen.note(at);
            let outcome = run.part(checks, value);
            outcome.map_err(|error| error.inside_member(name))
        };
        match check {
            Check::Members(least, most) => within(object.len(), *least, *most, "members"),
            Check::Required(names) => match names.iter().find(|name| !object.contains_key(name)) {
                Some(name) => fail(format!("missing field `{name}`")),
                None => Ok(()),
            },
            Check::Properties(known) => all.try_for_each(|(at, (name, value))| {
                match known.iter().find(|(known, _)| *known == name) {
                    Some((_, checks)) => each(self, at, name, checks, value),
                    None => Ok(()),
                }
            }),
            Check::Matching(patterns) => all.try_for_each(|(at, (name, value))| {
                let mut fitting = patterns
                    .iter()
                    .filter(|(pattern, _)| (pattern.matches)(name));
                fitting.try_for_each(|(_, checks)| each(self, at, name, checks, value))
            }),
            Check::Others(known, patterns, checks) => all.try_for_each(|(at, (name, value))| {
                let is_known =
                    known.contains(&name) || patterns.iter().any(|pattern| (pattern.matches)(name));
                if is_known {
                    return Ok(());
                }
                each(self, at, name, checks, value)
            }),
            Check::UnseenMembers(checks) => {
                let unseen: Vec<_> = all.filter(|(at, _)| !seen.has(*at)).collect();
                unseen.into_iter().try_for_each(|(at, (name, value))| {
                    seen.note(at);
                    let outcome = self.part(checks, value);
                    outcome.map_err(|error| error.inside_member(name))
                })
            }
            Check::Names(checks) => all.try_for_each(|(_, (name, _))| {
                let outcome = self.part(checks, &Value::String(name.to_owned()));
                outcome.map_err(|error| error.inside_member(name))
            }),
            Check::With(name, checks) if object.contains_key(name) => {
                self.fits(checks, value, seen)
            }
            _ => Ok(()),
        }
    }
}

impl Pattern {
    fn test(&self, text: &str) -> Outcome {
        if (self.matches)(text) {
            return Ok(());
        }
        fail(format!(
            "`{}` does not match `{}`",
            excerpt(text),
            self.source
        ))
    }
}

fn types(names: &[&str], value: &Value) -> Outcome {
    let (own, is_integer) = match value {
        Value::Null => ("null", false),
        Value::Bool(_) => ("boolean", false),
        Value::Number(number) => ("number", number.is_integer()),
        Value::String(_) => ("string", false),
        Value::Array(_) => ("array", false),
        Value::Object(_) => ("object", false),
    };
    if names.contains(&own) || is_integer && names.contains(&"integer") {
        return Ok(());
    }
    fail(format!(
        "invalid type: {own}, expected {}",
        names.join(" or ")
    ))
}
