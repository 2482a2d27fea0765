//! Conversions of JSON text between revisions, by the name of its type.

mod difference;

use super::{Entry, RegistryError, find};
use crate::convert::Origin;
use crate::error::{Path, Segment};
use crate::json::{self, Object, Value};
use crate::meta;
use crate::revisions::{Revision, registry};

use difference::differences;
pub use difference::{Change, Difference};

/// A conversion from one revision to another, through all revisions in between. The draft of the
/// next revision follows the newest one.
///
/// ```
/// # #[cfg(feature = "v2025-11-25")] {
/// use mcp_types::Revision;
/// use mcp_types::registry::{Change, Conversion};
///
/// let tool = r#"{"name":"t","inputSchema":{"type":"object"},"outputSchema":{"type":"array"}}"#;
/// let conversion = Conversion::new(Revision::V2026_07_28, Revision::V2025_11_25);
/// let converted = conversion.convert("Tool", tool)?;
/// // Tools of this revision return objects only.
/// assert_eq!(converted.text, r#"{"name":"t","inputSchema":{"type":"object"}}"#);
/// assert_eq!(converted.differences[0].path().to_string(), "$.outputSchema");
/// assert_eq!(converted.differences[0].change(), Change::Removed);
/// # }
/// # Ok::<(), mcp_types::registry::RegistryError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Conversion {
    from: Revision,
    to: Revision,
    states_target: bool,
}

/// A converted text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Converted {
    /// The name of the type in the other revision.
    pub name: &'static str,
    /// The text.
    pub text: String,
    /// What differs between the two texts: what was removed, added and changed, in the order of the
    /// source, at most [`Difference::LIMIT`] differences. A value that has another form or place in
    /// the other revision is one that was removed or changed, and one that was added.
    pub differences: Vec<Difference>,
}

impl Conversion {
    /// Creates a conversion.
    #[must_use]
    pub const fn new(from: Revision, to: Revision) -> Self {
        Self {
            from,
            to,
            states_target: false,
        }
    }

    /// Lets requests state the revision to which they are converted, as a program does that sends
    /// them on. By default they state the revision that they had, see
    /// [`convert`](crate::convert#what-a-conversion-to-a-newer-revision-adds).
    ///
    /// Only modern revisions state themselves in each request, in
    /// [`_meta`](meta::PROTOCOL_VERSION). The same key in the `_meta` of anything else, such as a
    /// result, belongs to the user and is kept.
    #[must_use]
    pub const fn state_target(mut self) -> Self {
        self.states_target = true;
        self
    }

    /// Converts the text of a value whose type has the given name in the source revision.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not valid for the type, if one of the revisions cannot
    /// represent the value, or if one of them does not have the type.
    pub fn convert(self, name: &str, text: &str) -> Result<Converted, RegistryError> {
        let entry = find(self.from, name).ok_or(RegistryError::Unmapped)?;
        let (name, converted) = self.text(entry, text)?;
        let decode = |text: &str| json::from_str::<Value>(text).map_err(RegistryError::Decode);
        let differences = differences(&decode(text)?, &decode(&converted)?);
        Ok(Converted {
            name,
            text: converted,
            differences,
        })
    }

    fn text(
        self,
        entry: &'static Entry,
        text: &str,
    ) -> Result<(&'static str, String), RegistryError> {
        let mut text = entry.round_trip(text).map_err(RegistryError::Decode)?;
        let mut last = entry;
        let stated = if self.states_target {
            self.to
        } else {
            self.from
        };
        let _origin = Origin::enter(stated);
        for step in steps(self.from, self.to, entry).ok_or(RegistryError::Unmapped)? {
            let (convert, next) = step.ok_or(RegistryError::Unmapped)?;
            text = convert(&text)?;
            last = next;
        }
        if self.states_target && self.to.is_modern() {
            text = restated(last, text, self.to).map_err(RegistryError::Decode)?;
        }
        Ok((last.name, text))
    }
}

/// Replaces the revision that a request, its params or its `_meta` states, if the type declares this
/// member: in other types, the same key is one that a user has chosen.
fn restated(
    entry: &Entry,
    text: String,
    revision: Revision,
) -> Result<String, crate::error::DecodeError> {
    let Value::Object(mut object) = json::from_str(&text)? else {
        return Ok(text);
    };
    for place in STATING {
        let Some(stated) = stated_at(&mut object, place) else {
            continue;
        };
        // A type that declares the member rejects a value that is not a string.
        let before = std::mem::replace(stated, Value::Bool(true));
        let faults = entry.validate(&json::to_string(&object)?);
        let is_declared = faults.iter().any(|fault| is_at(fault.path(), place));
        if let Some(stated) = stated_at(&mut object, place) {
            *stated = if is_declared {
                revision.as_str().into()
            } else {
                before
            };
        }
    }
    Ok(json::to_string(&object)?)
}

/// The places of the revision that a request, its params and its `_meta` state.
const STATING: [&[&str]; 3] = [
    &["params", "_meta", meta::PROTOCOL_VERSION],
    &["_meta", meta::PROTOCOL_VERSION],
    &[meta::PROTOCOL_VERSION],
];

/// Returns the value at a place.
fn stated_at<'a>(object: &'a mut Object, place: &[&str]) -> Option<&'a mut Value> {
    let (name, inner) = place.split_first()?;
    let value = object.get_mut(name)?;
    if inner.is_empty() {
        return Some(value);
    }
    stated_at(value.as_object_mut()?, inner)
}

/// Returns `true` if a path is a place.
fn is_at(path: &Path, place: &[&str]) -> bool {
    let names = path.segments().iter().map(|segment| match segment {
        Segment::Member(name) => Some(name.as_str()),
        Segment::Index(_) => None,
    });
    names.eq(place.iter().map(|name| Some(*name)))
}

/// Returns the name that a type has in another revision after the conversion to it, or `None` if
/// one of the revisions in between does not have the type.
#[must_use]
pub fn convert_name(from: Revision, to: Revision, name: &str) -> Option<&'static str> {
    let mut last = find(from, name)?;
    for step in steps(from, to, last)? {
        last = step?.1;
    }
    Some(last.name)
}

/// Converts a text from one revision to another, as [`Conversion::convert`] does, and returns only
/// the text.
///
/// # Errors
///
/// Returns the same errors as [`Conversion::convert`].
pub fn convert_text(
    from: Revision,
    to: Revision,
    name: &str,
    text: &str,
) -> Result<String, RegistryError> {
    let entry = find(from, name).ok_or(RegistryError::Unmapped)?;
    let (_, text) = Conversion::new(from, to).text(entry, text)?;
    Ok(text)
}

/// Converts the text of a value to an adjacent revision.
type ConvertText = fn(&str) -> Result<String, RegistryError>;

/// Returns the conversions of a type from one revision to another, each with the type to which it
/// leads, up to the first one that does not exist. `None` if a revision is not in the list of all.
fn steps(
    from: Revision,
    to: Revision,
    entry: &'static Entry,
) -> Option<impl Iterator<Item = Option<(ConvertText, &'static Entry)>>> {
    let all = Revision::WITH_DRAFT;
    let position = |revision| all.iter().position(|other| *other == revision);
    let (start, end) = (position(from)?, position(to)?);
    let upwards = start < end;
    let path: Vec<Revision> = if upwards {
        all.get(start + 1..=end)?.to_vec()
    } else {
        all.get(end..start)?.iter().rev().copied().collect()
    };
    let mut last = Some(entry);
    Some(path.into_iter().map_while(move |revision| {
        let entry = last?;
        let step = if upwards {
            step_up(entry, revision)
        } else {
            step_down(entry, revision)
        };
        last = step.map(|(_, entry)| entry);
        Some(step)
    }))
}

/// Returns the type of the next revision to which a type is converted.
fn step_up(entry: &Entry, next: Revision) -> Option<(ConvertText, &'static Entry)> {
    if let Some(step) = entry.next {
        return Some((step.up, find(next, step.name)?));
    }
    registry::entries(next).iter().find_map(|newer| {
        let step = newer.previous.filter(|step| step.name == entry.name)?;
        Some((step.up, newer))
    })
}

/// Returns the type of the previous revision to which a type is converted.
fn step_down(entry: &Entry, previous: Revision) -> Option<(ConvertText, &'static Entry)> {
    if let Some(step) = entry.previous {
        return Some((step.down, find(previous, step.name)?));
    }
    registry::entries(previous).iter().find_map(|older| {
        let step = older.next.filter(|step| step.name == entry.name)?;
        Some((step.down, older))
    })
}
