//! [`optional`]: reads a member, whatever its revision requires.

/// Returns the value of a member, whether or not its revision requires it.
///
/// A member is a field of its type, or an `Option` of it, and a later revision may change one to
/// the other. Code that is not generated reads members through this function, so that it compiles
/// with every revision. Assign `value.into()` to set a member, and `Decode::vacant()` to remove its
/// value.
///
/// ```
/// use mcp_types::{Icon, json::optional};
///
/// let icon = Icon::new("https://example.com/icon.png").mime_type("image/png");
/// let (src, mime_type): (Option<&String>, Option<&String>) = (optional(&icon.src), optional(&icon.mime_type));
/// assert_eq!(src.map(String::as_str), Some("https://example.com/icon.png"));
/// assert_eq!(mime_type.map(String::as_str), Some("image/png"));
/// ```
#[doc(hidden)]
#[inline]
pub fn optional<T>(member: impl Into<Option<T>>) -> Option<T> {
    member.into()
}
