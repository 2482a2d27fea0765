//! [`Guard`]: refuses a value with which an object may be another variant of its union.

use super::super::json::text::Lookahead;

/// A member, and values of it with which an object may fit another variant of its union.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guard {
    pub(super) member: &'static str,
    pub(super) refused: Refused,
}

/// Values that the decoder of a struct refuses.
#[derive(Clone, Copy, Debug)]
pub(super) enum Refused {
    /// These strings.
    Strings(&'static [&'static str]),
    /// Objects with a member of this name.
    ObjectsWith(&'static str),
}

impl Guard {
    /// Returns `true` if the value with this JSON text is refused. Some other values are refused, too, if
    /// it would take longer to find out.
    pub(super) fn refuses(&self, value: &str) -> bool {
        match self.refused {
            // A value of another kind, or with escapes, is seldom, and may be one of the strings.
            Refused::Strings(strings) => {
                let plain = value
                    .strip_prefix('"')
                    .and_then(|rest| rest.strip_suffix('"'));
                plain.is_none_or(|plain| plain.contains('\\') || strings.contains(&plain))
            }
            Refused::ObjectsWith(name) => value.starts_with('{') && has_member(value, name),
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
