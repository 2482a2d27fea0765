//! Draws values from types: examples for the documentation, and values that a conversion has to
//! invent.

use super::valid::is_valid;
use super::{Bounds, Kind, Member, Model, Object, Ty};
use crate::hints::{Hints, with_origin};
use serde_json::{Map, Value, json};

/// References deeper than this are recursive.
const DEEPEST: usize = 24;

/// A value that a conversion sets for a required member that its source does not have.
#[derive(Clone, Debug, PartialEq)]
pub struct Invented {
    /// The value; `None` if there is no sensible one and the conversion has to fail. A text
    /// [`ORIGIN`](crate::hints::ORIGIN) in it stands for the revision at which the conversion
    /// started.
    pub value: Option<Value>,
    /// `true` if the hints contain the value, `false` if it was drawn from the type.
    pub hinted: bool,
}

/// Returns the value of a required member for a conversion from another revision: from the hints,
/// or else the smallest value of its type.
#[must_use]
pub fn invent(
    target: &Model,
    hints: &Hints,
    from: &str,
    upward: bool,
    owner: &str,
    member: &Member,
) -> Invented {
    let to = target.revision.as_str();
    if let Some(value) = hints.conversion_value(to, upward, owner, &member.json) {
        let value = Some(value.clone()).filter(|value| !value.is_null());
        return Invented {
            value,
            hinted: true,
        };
    }
    let sampler = Sampler {
        model: target,
        hints,
        style: Style::Blank { from, upward },
    };
    Invented {
        value: sampler.value(&member.ty, &member.json, 0),
        hinted: false,
    }
}

/// Returns an example of a type: the required members only, with texts that tell what they stand
/// for. The same type always has the same example.
#[must_use]
pub fn example(model: &Model, hints: &Hints, name: &str) -> Option<Value> {
    let sampler = Sampler {
        model,
        hints,
        style: Style::Example,
    };
    sampler.value(&Ty::Named(name.to_owned()), name, 0)
}

#[derive(Clone, Copy)]
enum Style<'a> {
    /// Texts are empty. Members have the values that a conversion sets for them.
    Blank { from: &'a str, upward: bool },
    /// Texts are readable.
    Example,
}

struct Sampler<'a> {
    model: &'a Model,
    hints: &'a Hints,
    style: Style<'a>,
}

impl Sampler<'_> {
    /// `subject` is the name of the member that contains the value.
    fn value(&self, ty: &Ty, subject: &str, depth: usize) -> Option<Value> {
        if depth > DEEPEST {
            return None;
        }
        Some(match self.model.resolve(ty) {
            Ty::Any | Ty::AnyObject | Ty::Map(_) | Ty::EmptyObject => json!({}),
            Ty::Null | Ty::Nullable(_) => Value::Null,
            Ty::Bool => false.into(),
            Ty::Int(bounds) | Ty::Number(bounds) => number(bounds),
            Ty::String(bounds) => self.text(subject, bounds).into(),
            Ty::Base64 => match self.style {
                Style::Blank { .. } => "".into(),
                Style::Example => "ZXhhbXBsZQ==".into(),
            },
            Ty::Array(item, bounds) => {
                let least = bounds.min.as_ref().and_then(serde_json::Number::as_u64);
                let item = |_| self.value(item, subject, depth + 1);
                let items: Option<Vec<Value>> = (0..least.unwrap_or(0)).map(item).collect();
                items?.into()
            }
            Ty::Const(value) => value.clone(),
            Ty::Named(name) => match &self.model.get(name)?.kind {
                Kind::Object(object) => self.object(name, object, depth)?,
                Kind::Union(union) => {
                    let own = union.variants.iter().filter(|one| one.features.is_empty());
                    let mut values = own.map(|one| self.value(&one.ty, subject, depth + 1));
                    values.find_map(|value| value)?
                }
                Kind::Enum(known) => known.values.first()?.0.clone().into(),
                Kind::Native(_) => self.text(subject, &Bounds::default()).into(),
                Kind::Alias(_) => return None,
            },
        })
    }

    fn object(&self, name: &str, object: &Object, depth: usize) -> Option<Value> {
        let mut members = Map::new();
        for member in object.members.iter().filter(|member| member.required) {
            let value = match self.given(name, member) {
                Some(value) => value,
                None => self.value(&member.ty, &member.json, depth + 1)?,
            };
            members.insert(member.json.clone(), value);
        }
        Some(members.into())
    }

    /// Returns the value of a member in the hints, if it is one of the member's type.
    fn given(&self, owner: &str, member: &Member) -> Option<Value> {
        let revision = self.model.revision.as_str();
        let (from, upward) = match self.style {
            Style::Blank { from, upward } => (from, upward),
            Style::Example => (revision, true),
        };
        let (hints, json) = (self.hints, member.json.as_str());
        let value = hints.default_of(revision, owner, json);
        let value = value.or_else(|| hints.conversion_value(revision, upward, owner, json))?;
        let filled_in = with_origin(value, from);
        is_valid(self.model, &member.ty, &filled_in).then(|| match self.style {
            Style::Blank { .. } => value.clone(),
            Style::Example => filled_in,
        })
    }

    fn text(&self, subject: &str, bounds: &Bounds) -> String {
        let mut text = match self.style {
            Style::Blank { .. } => String::new(),
            Style::Example => readable(subject),
        };
        let bound =
            |bound: &Option<serde_json::Number>| usize::try_from(bound.as_ref()?.as_u64()?).ok();
        if let Some(most) = bound(&bounds.max) {
            text = text.chars().take(most).collect();
        }
        while text.chars().count() < bound(&bounds.min).unwrap_or(0) {
            text.push('x');
        }
        text
    }
}

/// Returns a text for a member: an address if its name ends like one, or else the words of the
/// name.
fn readable(subject: &str) -> String {
    let words = super::field_ident(subject).replace('_', "-");
    if words.ends_with("uri") || words.ends_with("url") {
        return format!("https://example.com/{words}");
    }
    format!("example-{words}")
}

/// Returns the number nearest to zero within bounds.
fn number(bounds: &Bounds) -> Value {
    let bound =
        |bound: &Option<serde_json::Number>| bound.as_ref().and_then(serde_json::Number::as_f64);
    if bound(&bounds.min).is_some_and(|min| min > 0.0) {
        return bounds.min.clone().into();
    }
    if bound(&bounds.max).is_some_and(|max| max < 0.0) {
        return bounds.max.clone().into();
    }
    0.into()
}
